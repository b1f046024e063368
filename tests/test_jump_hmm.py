"""The HMM over positions against brute force over all alignments of tiny pairs, and against finite differences."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from softcount.families.jumps import JumpTable, cell_places, jump_table, maximize
from softcount.models.jump_expect import JumpWeights, expect_pairs
from softcount.models.jump_kernel import desk
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import from_rows
from softcount.text.cooccurrence import cooccurring, without_null
from softcount.text.occurrence import occurrences
from softcount.text.pair_index import pair_index

pytestmark = pytest.mark.kernels

REACH = 2  # shorter than the sentences, so that clipping shows


class Case:
    """A shard of tiny sentence pairs with weights of every kind, none of which normalises."""

    def __init__(self, seed, lengths, words=4, zeros=False, reach=REACH):
        rng = np.random.default_rng(seed)
        self.source = from_rows([rng.integers(words, size=l) for l, _ in lengths], np.int32)
        self.target = from_rows([rng.integers(words, size=m) for _, m in lengths], np.int32)
        whole = without_null(cooccurring(occurrences(self.source, words), self.target, words))
        self.shard = pair_index(self.source, self.target, whole, words)
        table = rng.random(len(whole.values)) + 0.05
        if zeros:
            table[rng.random(len(table)) < 0.4] = 0.0
        self.weights = np.append(table[self.shard.entries[:-1]], 0.0)
        self.null = rng.random(words) + 0.05
        sizes = np.unique([l for l, _ in lengths if l > 0])
        self.table = JumpWeights(
            rng.random(2) + 0.1, rng.random(reach + 1), rng.random(reach + 1), rng.random(2 * reach + 1),
            rng.random(int(np.sum(sizes + 3))) + 0.2, cell_places(sizes),
        )  # fmt: skip
        self.desk = desk(int(max(self.source.lengths.max(), self.target.lengths.max(), 1)))

    def fields(self):
        """Every weight that log Z depends on."""
        return [self.weights, self.null, *self.table[:5]]

    def expect(self, mode=SUM, uniforms=None):
        counts = [np.zeros_like(field) for field in self.fields()]
        moves = JumpWeights(*counts[2:], self.table.places)
        links = np.full(len(self.target.values), -1, np.int32)
        u = np.empty(0) if uniforms is None else uniforms
        log_norm, impossible = expect_pairs(
            self.shard, self.weights, self.null, self.table, self.desk, mode, u, counts[0], counts[1], moves, links
        )
        return log_norm, impossible, counts, links

    def terms(self, s, alignment):
        """(field, place) of every weight that one alignment of pair s uses: the model's definition."""
        l, m = int(self.source.lengths[s]), int(self.target.lengths[s])
        index = self.shard.cells[self.shard.starts[s] : self.shard.starts[s + 1]].reshape(l, m)
        reach, place, used = len(self.table.jump) // 2, None, []
        cells = self.table.places[l] if l else 0
        for j, link in enumerate(alignment):
            if link == 0:
                used += [(1, self.target.row(s)[j]), (2, 0)]
                continue
            i = link - 1
            used += [(0, index[i, j]), (2, 1)]
            if place is None:
                used += [(3, min(i, reach)), (6, cells)]
            else:
                used += [(5, reach + np.clip(i - place, -reach, reach)), (6, cells + 3 + place)]
            place = i
        if m and l:
            used += [(6, cells + 2)] if place is None else [(4, min(l - 1 - place, reach)), (6, cells + 1)]
        return used

    def brute(self, s):
        """[(alignment, weight)] of pair s."""
        fields = self.fields()
        l, m = int(self.source.lengths[s]), int(self.target.lengths[s])
        return [
            (a, float(np.prod([fields[f][k] for f, k in self.terms(s, a)]))) for a in product(range(l + 1), repeat=m)
        ]


LENGTHS = [(2, 3), (3, 2), (1, 4), (4, 1), (0, 2), (3, 0), (0, 0), (1, 1)]
SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.booleans())
def test_sum_is_brute_force(seed, zeros):
    case = Case(seed, LENGTHS, zeros=zeros)
    log_norm, impossible, counts, _ = case.expect()
    assert impossible == -1
    expected, logs = [np.zeros_like(field) for field in case.fields()], 0.0
    for s in range(len(LENGTHS)):
        listed = case.brute(s)
        total = sum(weight for _, weight in listed)
        logs += np.log(total)
        for alignment, weight in listed:
            for field, place in case.terms(s, alignment):
                expected[field][place] += weight / total
    assert log_norm == pytest.approx(logs, rel=1e-12)
    for ours, theirs in zip(counts, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


@given(SEEDS)
def test_counts_are_derivatives_of_log_norm(seed):
    case = Case(seed, LENGTHS)
    _, _, counts, _ = case.expect()
    for field, found in zip(case.fields(), counts, strict=True):
        for place in range(len(field)):
            kept, step = field[place], 1e-5
            field[place] = kept * np.exp(step)
            up = case.expect()[0]
            field[place] = kept * np.exp(-step)
            down = case.expect()[0]
            field[place] = kept
            assert (up - down) / (2 * step) == pytest.approx(found[place], abs=1e-8)


@given(SEEDS, st.booleans())
def test_max_is_the_best_alignment(seed, zeros):
    case = Case(seed, LENGTHS, zeros=zeros)
    log_norm, _, counts, links = case.expect(MAX)
    best = [max(case.brute(s), key=lambda pair: pair[1]) for s in range(len(LENGTHS))]
    assert log_norm == pytest.approx(sum(np.log(weight) for _, weight in best), rel=1e-12)
    expected = [np.zeros_like(field) for field in case.fields()]
    for s in range(len(LENGTHS)):
        row = links[case.target.offsets[s] : case.target.offsets[s + 1]]
        assert dict(case.brute(s))[tuple(row.tolist())] == pytest.approx(best[s][1], rel=1e-12)  # there may be ties
        for field, place in case.terms(s, row):
            expected[field][place] += 1.0
    for ours, theirs in zip(counts, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_draws_average_to_posteriors():
    case, rng, n = Case(3, LENGTHS, zeros=True), np.random.default_rng(0), 20_000
    posterior = case.expect()
    sums = [np.zeros_like(field) for field in case.fields()]
    for _ in range(n):
        uniforms = rng.random(len(case.target.values) + len(LENGTHS))
        log_norm, _, counts, _ = case.expect(SAMPLE, uniforms)
        for total, count in zip(sums, counts, strict=True):
            total += count
    assert log_norm == pytest.approx(posterior[0], rel=1e-12)
    for total, expected in zip(sums, posterior[2], strict=True):
        np.testing.assert_allclose(total / n, expected, atol=5 * np.sqrt(len(LENGTHS) / n))


def test_an_impossible_pair_is_reported():
    case = Case(0, LENGTHS)
    case.weights[:], case.null[:] = 0.0, 0.0
    assert case.expect()[1] == 0
    assert case.expect(MAX)[1] == 0


@pytest.mark.parametrize("lengths", [[(1, 1000)], [(1000, 1)]])
def test_one_word_beside_a_thousand(lengths):
    case = Case(0, lengths, words=30, reach=50)
    log_norm, impossible, counts, _ = case.expect()
    assert impossible == -1 and np.isfinite(log_norm)
    assert counts[2].sum() == pytest.approx(lengths[0][1])
    assert case.expect(MAX)[0] <= log_norm


def test_what_the_family_makes_is_a_distribution():
    rng, lengths = np.random.default_rng(0), np.array([1, 3, 7])
    table = jump_table(rng.random(3), rng.random(3), rng.random(5), lengths)
    places, reach = cell_places(lengths), 2
    for l in lengths:
        cells = table.cells[places[l] :]
        assert table.begin[np.minimum(np.arange(l), reach)].sum() * cells[0] == pytest.approx(1.0)
        assert table.end[np.minimum(np.arange(l), reach)].sum() * cells[1] == pytest.approx(1.0)
        for place in range(l):
            jumps = reach + np.clip(np.arange(l) - place, -reach, reach)
            assert table.jump[jumps].sum() * cells[3 + place] == pytest.approx(1.0)


@given(SEEDS)
def test_the_tables_maximise_what_was_expected(seed):
    """Against a general optimiser of Σ counts · log weight, all normalisers included."""
    rng, lengths = np.random.default_rng(seed), np.array([2, 4, 6])
    true = jump_table(rng.random(4) + 0.1, rng.random(4) + 0.1, rng.random(7) + 0.1, lengths)
    masses = jump_table(*true[:3], lengths).cells * 0 + rng.random(len(true.cells))
    counts = _implied(true, masses, lengths, rng)
    found = maximize(counts, lengths, pseudo=0.0)

    def loss(logs):
        table = jump_table(*np.split(np.exp(logs), [4, 8]), lengths)
        return -sum(np.sum(c * np.log(p)) for c, p in zip(counts, table, strict=True))

    best = minimize(loss, np.zeros(15), method="BFGS", options={"gtol": 1e-7}).fun
    ours = loss(np.log(np.concatenate(found[:3])))
    assert ours <= best + 1e-6 * abs(best)


def _implied(table, masses, lengths, rng):
    """Counts that could have been seen: each cell left so many times, to places drawn anyhow."""
    begin, end, jump = np.zeros(4), np.zeros(4), np.zeros(7)
    for l, place in zip(lengths, cell_places(lengths)[lengths], strict=True):
        np.add.at(begin, np.minimum(np.arange(l), 3), masses[place] * rng.dirichlet(np.ones(l)))
        np.add.at(end, np.minimum(np.arange(l), 3), masses[place + 1] * rng.dirichlet(np.ones(l)))
        for i in range(l):
            to = 3 + np.clip(np.arange(l) - i, -3, 3)
            np.add.at(jump, to, masses[place + 3 + i] * rng.dirichlet(np.ones(l)))
    return JumpTable(begin, end, jump, masses)
