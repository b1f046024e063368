"""Model 2 both ways against brute force over all alignments of each direction, its places written out."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_agreement import LENGTHS, SEEDS, WORDS, Case

import softcount
from softcount.estimators.agreed_tables import from_body, to_body
from softcount.families.diagonal import CELLS, LINK, TENSION
from softcount.models.agreement import Agreement
from softcount.models.agreement_places import agree_ibm2, places_family, places_on, starts_of, weigh_places
from softcount.numbers.tables import like, values

pytestmark = pytest.mark.kernels

CLASSES = [np.unique(np.array(LENGTHS)[:, order], axis=0) for order in ([0, 1], [1, 0])]


class Placed(Case):
    """With tables of places for both directions: one tension each, or one number for every (l, m, j, i)."""

    def __init__(self, seed, alignment):
        super().__init__(seed)
        rng = np.random.default_rng(seed + 1)
        self.alignment, self.tensions = alignment, rng.random(2) * 10
        families = [places_family(alignment, CLASSES[d], float(self.tensions[d]), True) for d in (0, 1)]
        tables = [family.uniform() for family in families]
        if alignment == "free":
            tables = [f.normalize(like(t, rng.random(len(values(t))))) for f, t in zip(families, tables, strict=True)]
        logs = [family.log_weights(table) for family, table in zip(families, tables, strict=True)]
        self.tables, self.sizes = tables, [family.size() for family in families]
        self.places = tuple(weigh_places(alignment, CLASSES[d], logs[d]) for d in (0, 1))

    def near(self, d, n, m):
        """[states, words]: a(i | j, n, m), by its definition."""
        if self.alignment == "diagonal":
            i, j = np.arange(1, n + 1)[:, None] / n, np.arange(1, m + 1)[None] / m
            found = np.exp(-self.tensions[d] * np.abs(i - j))
            return found / found.sum(axis=0)
        first = sum(b for a, b in CLASSES[d].tolist() if a > 0 and [a, b] < [n, m])
        return np.stack([self.tables[d].row(first + j) for j in range(m)], axis=1)

    def listed(self, s, d):
        """(posterior [states, words], log Z) of one direction, by listing its alignments."""
        em, words, null = self.em(s, d), self.sides[1 - d].row(s), self.directions[d].null
        n, m = em.shape
        near, shares, total = self.near(d, n, m), np.zeros((n, m)), 0.0
        for a in product(range(n + 1), repeat=m):
            weight = 1.0
            for j, link in enumerate(a):
                weight *= em[link - 1, j] * near[link - 1, j] if link else null[words[j]] * self.wishes(s, d)[0, j]
            total += weight
            for j, link in enumerate(a):
                if link:
                    shares[link - 1, j] += weight
        return shares / total, np.log(total)

    def asked(self, counting):
        counts, nulls = np.zeros(len(self.shard.entries), np.float32), (np.zeros(WORDS), np.zeros(WORDS))
        shown, logs = np.zeros((len(self.shard.cells), 2), np.float32), np.zeros((len(LENGTHS), 2))
        places, null = tuple(np.zeros(size) for size in self.sizes), tuple(d.null for d in self.directions)
        agree_ibm2(self.shard, self.weights, null, self.places, counting, counts, nulls, places, shown, logs)
        return counts, nulls, places, shown, logs


def counted_places(case, s, d, shares, found):
    """Adds what direction d of pair s counts of its places, by where the family says that it stands."""
    n, m = shares.shape
    class_number = CLASSES[d].tolist().index([n, m])
    begin = starts_of(case.alignment, CLASSES[d])[class_number]
    if case.alignment == "free":
        found[begin : begin + n * m] += shares.T.ravel()
        return
    i, j = np.arange(1, n + 1)[:, None] / n, np.arange(1, m + 1)[None] / m
    found[LINK] += shares.sum()
    found[TENSION] += np.sum(shares * -np.abs(i - j))
    found[begin : begin + m] += shares.sum(axis=0)


@pytest.mark.parametrize("alignment", ["diagonal", "free"])
@given(seed=SEEDS)
def test_counts_are_products_of_posteriors(alignment, seed):
    case = Placed(seed, alignment)
    counts, nulls, places, nothing, logs = case.asked(True)
    assert not nothing.any()
    none, _, nowhere, shown, again = case.asked(False)
    assert not none.any() and not any(part.any() for part in nowhere)
    np.testing.assert_array_equal(again, logs)
    expected, empties = np.zeros(len(counts)), [np.zeros(WORDS), np.zeros(WORDS)]
    wanted = [np.zeros(size) for size in case.sizes]
    for s in case.both():
        shares = []
        for d in (0, 1):
            share, log_norm = case.listed(s, d)
            shares.append(share)
            assert logs[s, d] == pytest.approx(log_norm, rel=1e-5, abs=1e-5)
            np.add.at(empties[d], case.sides[1 - d].row(s), 1 - share.sum(axis=0))
            counted_places(case, s, d, share, wanted[d])
        part = slice(*case.shard.starts[s : s + 2])
        np.add.at(expected, case.shard.cells[part], case.agreed(s, *shares).ravel())
        np.testing.assert_allclose(shown[part], np.stack([shares[0].ravel(), shares[1].T.ravel()], 1), rtol=1e-4)
    np.testing.assert_allclose(counts, expected, rtol=1e-4, atol=1e-6)
    for d in (0, 1):
        np.testing.assert_allclose(nulls[d], empties[d], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(places[d], wanted[d], rtol=1e-4, atol=1e-5)


def test_without_tension_it_is_model_1():
    case = Placed(3, "diagonal")
    case.places = tuple(part._replace(tension=0.0) for part in case.places)
    counts, _, _, _, logs = case.asked(True)
    ones = Case(3)
    expected = np.zeros(len(counts))
    for s in ones.both():
        both = [ones.brute(s, d, ones.em(s, d), positions=False) for d in (0, 1)]
        np.testing.assert_allclose(logs[s], [log_norm for _, log_norm, _ in both], rtol=1e-5)
        part = slice(*ones.shard.starts[s : s + 2])
        np.add.at(expected, ones.shard.cells[part], ones.agreed(s, both[0][0], both[1][0]).ravel())
    np.testing.assert_allclose(counts, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("alignment", ["diagonal", "free"])
def test_places_for_the_lengths_of_other_text(alignment):
    case = Placed(11, alignment)
    family = places_family(alignment, CLASSES[0], 8.0, True)
    table = family.log_weights(case.tables[0])
    others = np.array([[2, 3], [4, 4], [5, 2]])
    found = values(places_on(alignment, CLASSES[0], table, others))
    starts = starts_of(alignment, others)
    if alignment == "diagonal":
        assert found[TENSION] == table[TENSION] and len(found) == CELLS + others[:, 1].sum()
        np.testing.assert_allclose(values(places_on(alignment, CLASSES[0], table, CLASSES[0])), table, rtol=1e-12)
    else:
        np.testing.assert_allclose(np.exp(found[starts[0] : starts[0] + 6]), case.near(0, 2, 3).T.ravel(), rtol=1e-12)
        np.testing.assert_allclose(np.exp(found[starts[1] : starts[1] + 16]), 0.25)  # never seen
        np.testing.assert_allclose(np.exp(found[starts[2] : starts[2] + 10]), case.near(0, 5, 2).T.ravel(), rtol=1e-12)


def test_lengths_of_the_other_direction_are_in_order():
    model = Agreement(None, (1, 1), (None, None), 5, classes=CLASSES[0])
    np.testing.assert_array_equal(model.classes_of(1), CLASSES[1])


# --- the aligner ------------------------------------------------------------------------------------------------------

SOURCE = ["the house is small", "the book", "a house", "the small book is here", "a book is here", ""] * 3
TARGET = ["das haus ist klein", "das buch", "ein haus", "das kleine buch ist hier", "ein buch ist hier", "leer"] * 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["ibm1:2,ibm2:2", "ibm2:3", "ibm1:1,ibm2-free:2", "ibm2:1,hmm:1", "hmm:1,ibm2:2"])
def test_it_trains_saves_and_links(model, tmp_path):
    aligner = softcount.WordAligner(model, agreement=True).fit(SOURCE, TARGET)
    links = aligner.align(SOURCE, TARGET)
    assert (3, 3) in links[0] and len(links) == len(SOURCE)
    aligner.save(tmp_path / "both.model")
    again = softcount.load(tmp_path / "both.model")
    assert again.align(SOURCE, TARGET, probabilities=True) == aligner.align(SOURCE, TARGET, probabilities=True)
    new = ["a small house is here now", "the book is small"], ["ein kleines haus ist nun hier", "das buch ist klein"]
    assert again.align(*new) == aligner.align(*new) and again.align(*new)[1]
    np.testing.assert_allclose(again.scores(*new), aligner.scores(*new), rtol=1e-6)
    np.testing.assert_allclose(again.pair_scores(*new), aligner.pair_scores(*new), rtol=1e-6)
    drawn, places = again.sample(SOURCE[:3], random_state=1)
    assert [len(words) for words in drawn] == [4, 2, 2] and len(places) == 3


@pytest.mark.parametrize("tension", [3.0, "learn"])
def test_the_tension_is_given_or_learned(tension):
    aligner = softcount.WordAligner("ibm1:2,ibm2:3", agreement=True, tension=tension).fit(SOURCE, TARGET)
    found = [aligner.agreed_.parameters[1 + d].places[TENSION] for d in (0, 1)]
    assert found == [3.0, 3.0] if tension == 3.0 else all(value > 1.0 and value != 4.0 for value in found)


def test_a_far_engine_finds_the_same():
    from copying import Copying

    near = softcount.WordAligner("ibm1:1,ibm2:2", agreement=True).fit(SOURCE, TARGET)
    far = softcount.WordAligner("ibm1:1,ibm2:2", agreement=True, engine=Copying()).fit(SOURCE, TARGET)
    assert near.align(SOURCE, TARGET) == far.align(SOURCE, TARGET)
    np.testing.assert_array_equal(near.agreed_.parameters.translation, far.agreed_.parameters.translation)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        ("ibm2", {"alignment": "jumps"}),
        ("ibm2", {"alignment": "uniform"}),
        ("ibm2", {"alignment": "free"}),
        ("ibm2", {"positions": True}),
        ("ibm2", {"classes": np.array([[1, 1]])}),
        ("ibm2", {"places": np.array([0.0, 1.0, -1.0])}),
        ("ibm2", {"places": np.array([0.0, 1.0])}),
        ("ibm2-free", {"classes": np.array([[2, 2], [1, 1]])}),
        ("ibm2-free", {"classes": np.empty((0, 2), np.int64)}),
        ("ibm2-free", {"alignment": "diagonal"}),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(model, change):
    aligner = softcount.WordAligner(model, agreement=True).fit(SOURCE, TARGET)
    body, words = to_body(aligner.agreed_), aligner.agreed_.words
    assert from_body(body, aligner.agreed_.trace, words).model.alignment == aligner.agreed_.model.alignment
    places = {"forward": body["forward"] | {"places": change["places"]}} if "places" in change else change
    with pytest.raises(ValueError):
        from_body({**body, **places}, aligner.agreed_.trace, words)


@given(st.integers(0, 3))
def test_shares_of_a_pair_are_distributions(which):
    aligner = softcount.WordAligner("ibm1:1,ibm2:1", agreement=True).fit(SOURCE, TARGET)
    for name, matrix in aligner.posteriors(SOURCE[which : which + 1], TARGET[which : which + 1])[0].items():
        np.testing.assert_allclose(matrix.sum(axis=0), 1.0, atol=1e-5, err_msg=name)
