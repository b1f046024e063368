"""The diagonal's two numbers: the empty word's probability by counting, the tension where its likelihood is highest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.families.diagonal import CELLS, NULL, TENSION, TIGHTEST, Diagonal
from softcount.families.penalty import NOTHING, Pseudo
from softcount.families.point import Point

pytestmark = pytest.mark.kernels
CLASSES = np.array([[0, 3], [1, 2], [3, 4], [5, 2]])  # (source length, target length); the first has no link


def shares(l: int, m: int, j: int, tension: float) -> np.ndarray:
    """P(i) of a link of target word j, i = 1 … l."""
    terms = np.exp([-tension * abs(i / l - j / m) for i in range(1, l + 1)])
    return terms / terms.sum()


def counts_of(tension: float, masses: np.ndarray) -> np.ndarray:
    """What the E-step counts where links lie as this tension says, with `masses` links in every cell."""
    cells = [(l, m, j) for l, m in CLASSES.tolist() if l > 0 for j in range(1, m + 1)]
    feature = 0.0
    for mass, (l, m, j) in zip(masses, cells, strict=True):
        feature -= mass * shares(l, m, j, tension) @ [abs(i / l - j / m) for i in range(1, l + 1)]
    return np.concatenate([[2.0, masses.sum(), feature], masses])


def test_a_table_normalises_every_cell() -> None:
    table, cell = Diagonal(CLASSES).table(0.25, 3.0), CELLS
    assert table[:CELLS].tolist() == [0.25, 0.75, 3.0]
    for l, m in CLASSES.tolist():
        for j in range(1, m + 1) if l else ():
            terms = sum(np.exp(-3.0 * abs(i / l - j / m)) for i in range(1, l + 1))
            assert table[cell] == pytest.approx(-np.log(terms), rel=1e-12)
            cell += 1
    assert cell == len(table)


@given(tension=st.floats(0.05, 59), start=st.sampled_from([0.0, 0.1, 4.0, 8.0, 40.0, 60.0]), seed=st.integers(0, 10**6))
def test_the_tension_that_made_the_counts_is_found(tension: float, start: float, seed: int) -> None:
    """From wherever the search begins; the likelihood is concave, so there is one best."""
    counts = counts_of(tension, np.random.default_rng(seed).random(8) + 0.1)
    assert Diagonal(CLASSES, tension=start).maximize(counts)[TENSION] == pytest.approx(tension, rel=1e-5, abs=1e-6)


def test_the_tension_ends_where_it_is_allowed_to() -> None:
    loose, tight = counts_of(0.0, np.ones(8)), counts_of(TIGHTEST, np.ones(8))
    loose[TENSION] -= 1.0  # farther from the diagonal than chance
    tight[TENSION] *= 0.5  # nearer than the tightest
    assert Diagonal(CLASSES).maximize(loose)[TENSION] == pytest.approx(0.0, abs=1e-9)
    assert Diagonal(CLASSES).maximize(tight)[TENSION] == pytest.approx(TIGHTEST, abs=1e-9)


def test_what_is_not_learned_or_not_counted_stays() -> None:
    counts, before = counts_of(5.0, np.ones(8)), Diagonal(CLASSES).table(0.3, 2.0)
    fixed = Diagonal(CLASSES, learn_tension=False)
    np.testing.assert_array_equal(fixed.maximize(counts, NOTHING, before), before)
    learning = Diagonal(CLASSES, learn_null=True)
    np.testing.assert_array_equal(learning.maximize(np.zeros_like(counts), NOTHING, before), before)
    assert learning.maximize(counts, NOTHING, before)[NULL] == pytest.approx(2 / 10)
    assert learning.maximize(counts, Pseudo(0.5), before)[NULL] == pytest.approx(2.5 / 11)
    faint = learning.maximize(counts * 0.01, NOTHING, before)  # a hundredth of a link says as much
    assert faint[NULL] == pytest.approx(2 / 10) and faint[TENSION] == pytest.approx(5.0, rel=1e-5)


def test_a_table_is_sound_if_its_cells_follow_from_its_numbers() -> None:
    family = Diagonal(CLASSES)
    for null, tension in ((0.0, 0.0), (1.0, TIGHTEST), (0.3, 2.0)):
        assert family.sound(family.table(null, tension))
    for null, tension in ((-0.1, 2.0), (1.1, 2.0), (0.3, -0.5), (0.3, TIGHTEST + 0.5)):
        assert not family.sound(family.table(null, tension))
    for k in (1, CELLS, -1):
        assert not family.sound(family.table(0.3, 2.0) + 0.01 * (np.arange(11) == k % 11))


def test_the_prior_is_of_what_is_learned() -> None:
    table = Diagonal(CLASSES).table(0.3, 2.0)
    assert Diagonal(CLASSES, learn_null=True).log_prior(table, Pseudo(2.0)) == pytest.approx(2 * np.log(0.3 * 0.7))
    assert Diagonal(CLASSES, learn_null=True).log_prior(table, NOTHING) == 0.0
    assert Diagonal(CLASSES).log_prior(table, Pseudo(2.0)) == 0.0


def test_held_numbers_stay() -> None:
    start, counts = Diagonal(CLASSES).table(0.3, 2.0), counts_of(5.0, np.ones(8))
    family = Diagonal(CLASSES, learn_null=True)
    for held, null, tension in (((), 0.2, 5.0), ((NULL,), 0.3, 5.0), ((TENSION,), 0.2, 2.0)):
        mask = np.isin(np.arange(len(start)), held)
        found = family.hold(start, mask).maximize(counts, NOTHING, start)
        assert found[NULL] == pytest.approx(null) and found[TENSION] == pytest.approx(tension, rel=1e-5)
    assert family.impossible(Diagonal(CLASSES).table(0.0, 2.0)).nonzero()[0].tolist() == [NULL]


def test_evidence_of_a_family_without_a_prior_is_the_counts_at_their_best() -> None:
    counts = counts_of(5.0, np.ones(8))
    family = Diagonal(CLASSES, learn_null=True)
    links = sum(
        shares(l, m, j, 5.0) @ np.log(shares(l, m, j, 5.0)) for l, m in CLASSES.tolist() if l for j in range(1, m + 1)
    )
    expected = 2 * np.log(0.2) + 8 * np.log(0.8) + links
    assert Point(family).log_evidence(counts, None) == pytest.approx(expected, rel=1e-9)


def test_what_is_impossible_is_as_long_as_the_table() -> None:
    family = Diagonal(np.array([[2, 3], [4, 1]]))
    for null, dead in ((0.0, [0]), (1.0, [1]), (0.3, [])):
        table = family.table(null, 4.0)
        found = family.impossible(table)
        assert found.shape == table.shape == family.size() and np.flatnonzero(found).tolist() == dead
