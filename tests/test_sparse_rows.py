"""Sparse rows: against a grid over the simplex, projected gradient, and promises at every step."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import SENTENCES
from hypothesis import given, settings
from hypothesis import strategies as st

from softcount import HMM, InputError
from softcount.families.categorical import Categorical
from softcount.families.penalty import Pseudo, Sparsity
from softcount.families.sparse_rows import worth
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import row_sums, values

WISH = Sparsity(3.0, 0.1)


def q(counts: np.ndarray, theta: np.ndarray, wish: Sparsity) -> float:
    """As the paper has it."""
    used = counts > 0
    return float(np.sum(counts[used] * np.log(theta[used])) + wish.alpha * np.exp(-theta / wish.beta).sum())


def projected(point: np.ndarray) -> np.ndarray:
    """The nearest point of the simplex (J. Duchi and others, ICML 2008)."""
    falling = np.sort(point)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(point) + 1)
    return np.maximum(point - excess[np.flatnonzero(falling > excess)[-1]], 0.0)


def climbed(counts: np.ndarray, theta: np.ndarray, wish: Sparsity) -> np.ndarray:
    """Projected gradient with step halving, until no step rises."""
    for _ in range(300):
        slope, rate = counts / np.maximum(theta, 1e-12) - wish.slope(theta), 0.1
        while rate > 1e-14:
            moved = np.maximum(projected(theta + rate * slope), np.where(counts > 0, 1e-12, 0.0))
            if q(counts, moved / moved.sum(), wish) > q(counts, theta, wish) + 1e-12:
                break
            rate *= 0.5
        else:
            return theta
        theta = moved / moved.sum()
    return theta


count = st.floats(0.0, 6.0).map(lambda c: c if c > 1e-6 else 0.0)
counted = st.lists(count, min_size=3, max_size=3).filter(lambda c: sum(c) > 0.1)


@settings(max_examples=25)
@given(counted, st.floats(0.0, 8.0), st.floats(0.02, 1.0))
def test_projected_gradient_cannot_go_on_from_there(given_: list[float], alpha: float, beta: float) -> None:
    counts, wish, family = np.array([given_]), Sparsity(alpha, beta), Categorical((1, 3))
    theta = family.uniform()
    for _ in range(60):
        theta = family.maximize(counts, Pseudo(0.0, wish), theta)
    again = climbed(counts[0], theta[0], wish)
    assert q(counts[0], again, wish) <= q(counts[0], theta[0], wish) + 1e-4 * max(1.0, abs(q(counts[0], again, wish)))


@pytest.mark.parametrize("counts", [[4.0, 1.0, 1.0], [1.0, 0.9, 0.0], [0.2, 0.1, 3.0]])
def test_the_best_point_of_a_grid_is_reached_from_the_best_of_some_starts(counts: list[float]) -> None:
    c, family, n = np.array([counts]), Categorical((1, 3)), 60
    grid = [np.array([i, j, n - i - j]) / n for i, j in product(range(n + 1), repeat=2) if i + j <= n]
    with np.errstate(divide="ignore"):
        best = max(q(c[0], point, WISH) for point in grid)
    found = []
    for start in (family.uniform(), *np.array([[[0.9, 0.05, 0.05]], [[0.05, 0.9, 0.05]], [[0.05, 0.05, 0.9]]])):
        theta = start
        for _ in range(30):
            theta = family.maximize(c, Pseudo(0.0, WISH), theta)
        found.append(q(c[0], theta[0], WISH))
    assert max(found) >= best - 1e-6


def test_without_a_wish_it_is_the_plain_update() -> None:
    counts, start = np.random.default_rng(0).random((3, 5)), Categorical((3, 5)).uniform()
    plain = Categorical((3, 5)).maximize(counts, Pseudo(0.5), start)
    np.testing.assert_allclose(Categorical((3, 5)).maximize(counts, Pseudo(0.5, Sparsity(0.0, 0.1)), start), plain)


@pytest.mark.parametrize("kind", ["dense", "ragged"])
def test_every_update_rises_and_rows_sum_up_whatever_is_held(kind: str) -> None:
    rng, offsets = np.random.default_rng(1), np.array([0, 3, 3, 8])
    family = Categorical((3, 4)) if kind == "dense" else Categorical(offsets)
    start = family.random(rng, 3.0)
    held = np.zeros(family.size(), bool)
    held.ravel()[[0, 4]] = True
    family = family.hold(start, held)
    theta: Any = start
    for step in range(8):
        counts = family.table(rng.random(family.size()) * (step % 3) * 2)
        free = family.table(np.where(family.free, values(counts) + 1e-9, 0.0))
        before = worth(free, WISH, np.maximum(values(theta), 1e-300)).sum()
        theta = family.maximize(counts, Pseudo(1e-9, WISH), theta)
        assert worth(free, WISH, np.maximum(values(theta), 1e-300)).sum() >= before - 1e-9
        sums = row_sums(theta)
        np.testing.assert_allclose(sums[[0, 2]], 1.0)
        np.testing.assert_array_equal(values(theta)[held], values(start)[held])


def test_rows_get_sparse_and_small_entries_go_first() -> None:
    family, counts = Categorical((1, 4)), np.array([[10.0, 8.0, 0.6, 0.5]])
    theta = family.maximize(counts, Pseudo(0.0, Sparsity(6.0, 0.05)), family.uniform())
    plain = counts / counts.sum()
    assert (theta[0, 2:] < plain[0, 2:]).all() and (theta[0, :2] > plain[0, :2]).all()


@pytest.mark.parametrize("criterion", ["em:15", "em(pseudo=0.1):10", "hard(em):5", "direct:5"])
@pytest.mark.parametrize("sparse", [(1.0, 0.05), {"transition": (5.0, 0.1)}])
def test_objective_never_falls_with_sparse_rows(criterion: str, sparse: Any) -> None:
    model = HMM(3, sparse=sparse, criterion=criterion, start="random", tolerance=0, random_state=0).fit(SENTENCES)
    objectives = [step.objective for step in model.history_]
    assert (np.diff(objectives) >= -1e-9 * np.abs(objectives[:-1])).all() and len(set(objectives)) > 1
    np.testing.assert_allclose(model.emission_.sum(axis=1), 1.0)


def test_mre_follows_the_wish_too() -> None:
    common = {"criterion": "em:5,mre(rate=0.3):30", "start": "random", "tolerance": 0, "random_state": 0}
    plain = HMM(3, **common).fit(SENTENCES)
    wished = HMM(3, sparse={"transition": (20.0, 0.1)}, **common).fit(SENTENCES)
    assert (wished.transition_ > 0.01).sum() < (plain.transition_ > 0.01).sum()
    assert [step for step in wished.history_ if "sparse" in step.parts]


@pytest.mark.parametrize(
    ("given_", "what"),
    [({"sparse": (1, 0.1), "criterion": "vb:2"}, "requires a Dirichlet prior of at least 1"),
     ({"sparse": (1, 0.1), "criterion": "gibbs:2"}, "prior"),
     ({"sparse": (1,)}, "alpha and beta"), ({"sparse": (1, 0)}, "positive"),
     ({"sparse": {"emision": (1, 1)}}, "unknown table"),
     ({"sparse": (-1, 0.1)}, "positive")],
)  # fmt: skip
def test_wishes_that_cannot_be_meant_are_refused(given_: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        HMM(2, **{"criterion": "em:2", **given_}).fit(SENTENCES)


def test_ragged_rows_of_one_entry_stay_as_they_are() -> None:
    family = Categorical(np.array([0, 1, 3]))
    found = family.maximize(Ragged(np.array([0, 1, 3]), np.array([2.0, 1.0, 3.0])), Pseudo(0.0, WISH), family.uniform())
    assert found.values[0] == 1.0


def test_tiny_counts_under_a_great_wish_do_not_vanish_into_rounding() -> None:
    family, counts = Categorical((2, 3)), np.array([[1e-30, 3e-31, 0.0], [40.0, 1e-20, 2.0]])
    with np.errstate(all="raise", under="ignore"):
        found = family.maximize(counts, Pseudo(0.0, Sparsity(80.0, 0.05)), family.uniform())
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found[0, 0] > found[0, 1] > 0.0
