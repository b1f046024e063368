"""Both directions at once against brute force over all alignments of each; fertility's step against its definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import config

from softcount.families.jumps import JumpCounts, kinds_of_words
from softcount.families.penalty import NOTHING
from softcount.models.agreement_best import best_links
from softcount.models.agreement_hmm import agree_hmm, groups_of
from softcount.models.agreement_kernel import NEGLIGIBLE, Direction, Shard, Tally, agree_ibm1
from softcount.models.fertility import MOST, fertility_ratios
from softcount.models.jump_kernel import desk
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import from_rows
from softcount.text.cooccurrence import cooccurring, without_null
from softcount.text.occurrence import occurrences
from softcount.text.pair_index import pair_index

pytestmark = pytest.mark.kernels

LENGTHS = [(2, 3), (3, 2), (1, 4), (4, 1), (0, 2), (3, 0), (0, 0), (1, 1), (5, 2), (2, 5)]
WORDS, LONGEST, KINDS = 4, 5, 3  # kinds: a word's jumps are of one of them
SEEDS = st.integers(0, 10**6)


def wishes_of(rng):
    """Of half of the pairs, by direction: weights of links [1 + states, words], some of them zero; else None."""
    found = []
    for l, m in LENGTHS:
        both = [rng.random((a + 1, b)) + 0.1 for a, b in ((l, m), (m, l))]
        for matrix in both:
            matrix[1:][rng.random(matrix[1:].shape) < 0.2] = 0.0
            matrix[0, matrix[1:].any(axis=0) & (rng.random(matrix.shape[1]) < 0.5)] = 0.0
        found.append(both if rng.random() < 0.5 else None)
    return found


def packed(index, wishes=()):
    known = wishes or [None] * index.source.n_rows
    longest, weights, starts = index.longest, [], []
    for d in (0, 1):
        rows = [np.empty(0) if both is None else both[d].ravel() for both in known]
        ends = longest + np.cumsum([len(row) for row in rows])
        weights.append(np.concatenate([np.ones(longest), *rows]).astype(np.float32))
        begins = [-1 if both is None else end - len(row) for both, end, row in zip(known, ends, rows, strict=True)]
        starts.append(np.array(begins if wishes else [], np.int64))
    return Shard(*index, tuple(weights), tuple(starts), groups_of(index.source.lengths, index.target.lengths))


class Case:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.sides = [from_rows([rng.integers(WORDS, size=pair[k]) for pair in LENGTHS], np.int32) for k in (0, 1)]
        whole = without_null(cooccurring(occurrences(self.sides[0], WORDS), self.sides[1], WORDS))
        self.shard = packed(pair_index(*self.sides, whole, WORDS), wishes_of(rng))
        self.weights = (rng.random((len(self.shard.entries), 2)) + 0.05).astype(np.float32)
        self.directions = tuple(self.direction(rng) for _ in range(2))

    def direction(self, rng):
        kind, n = np.float32, LONGEST
        jump = rng.random((KINDS, 2 * n + 1)) + 0.1
        ratio = rng.random((WORDS, MOST)) * 2
        fields = rng.random(WORDS) * 0.3, jump, rng.random(n) + 0.1, rng.random(n) + 0.1, ratio
        null, jump, *rest = (field.astype(kind) for field in fields)
        sums = np.cumsum(np.pad(jump, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
        return Direction(null, rng.integers(KINDS, size=WORDS).astype(np.int32), jump, sums, *rest)

    def em(self, s, d):
        """[states, words] of direction d."""
        l, m = LENGTHS[s]
        block = self.weights[self.shard.cells[self.shard.starts[s] : self.shard.starts[s + 1]], d].reshape(l, m)
        return (block if d == 0 else block.T).astype(np.float64) * self.wishes(s, d)[1:]

    def wishes(self, s, d):
        """[1 + states, words] of direction d."""
        n, m = LENGTHS[s][d] + 1, LENGTHS[s][1 - d]
        begin = self.shard.wished[d][s]
        return np.ones((n, m)) if begin < 0 else self.shard.wishes[d][begin : begin + n * m].reshape(n, m)

    def agreed(self, s, one, two):
        """P₁ P₂; the larger of them where both words are known to be linked."""
        known = (self.wishes(s, 1)[0] == 0)[:, None] & (self.wishes(s, 0)[0] == 0)
        return np.where(known, np.maximum(one, two.T), one * two.T)

    def brute(self, s, d, em, positions=True):
        """(posterior [states, words], log Z, what else is counted) of one direction, by listing its alignments."""
        n, m = em.shape
        shares, total = np.zeros((n, m)), 0.0
        moves = [np.zeros((KINDS, 2 * LONGEST + 1)), np.zeros(LONGEST), np.zeros(LONGEST)]
        for a, weight, path in self.listed(s, d, em, positions):
            total += weight
            for j, link in enumerate(a):
                if link:
                    shares[link - 1, j] += weight
            for table_number, k in path:
                moves[table_number][k] += weight
        return shares / total, np.log(total), [move / total for move in moves]

    def listed(self, s, d, em, positions=True):
        """Every alignment of one direction, its weight, and its jumps."""
        table, states, words = self.directions[d], self.sides[d].row(s), self.sides[1 - d].row(s)
        n, m = em.shape
        for a in product(range(n + 1), repeat=m):
            weight, place, path = 1.0, None, []
            for j, link in enumerate(a):
                if link == 0:
                    weight *= table.null[words[j]] * self.wishes(s, d)[0, j]
                    continue
                i = link - 1
                weight *= em[i, j]
                if not positions:
                    weight /= n
                elif place is None:
                    weight *= table.begin[i] / table.begin[:n].sum()
                    path.append((1, i))
                else:
                    kind = table.kinds[states[place]]
                    reached = table.jump[kind, LONGEST - place : LONGEST - place + n]
                    weight *= table.jump[kind, LONGEST + i - place] / reached.sum()
                    path.append((0, (kind, LONGEST + i - place)))
                place = i
            if positions and place is None and n:
                weight /= n
            elif positions and place is not None:
                weight *= table.end[n - 1 - place] / table.end[:n].sum()
                path.append((2, n - 1 - place))
            yield a, weight, path

    def tallies(self):
        sizes = WORDS, (KINDS, 2 * LONGEST + 1), LONGEST, LONGEST, (WORDS, MOST + 1), (KINDS, 2 * LONGEST + 1)
        return tuple(Tally(*(np.zeros(size) for size in sizes[:-1]), np.zeros(sizes[-1], np.float32)) for _ in range(2))

    def hmm(self, fertile, counting):
        counts, tallies = np.zeros(len(self.shard.entries), np.float32), self.tallies()
        scores = np.zeros((len(self.shard.cells), 2), np.float32)
        logs = np.zeros((len(LENGTHS), 2))
        agree_hmm(
            self.shard,
            self.weights,
            self.directions,
            fertile,
            counting,
            1,
            counts,
            tallies,
            scores,
            logs,
        )
        return logs, counts, tallies, scores

    def both(self):
        return [s for s, (l, m) in enumerate(LENGTHS) if l and m]


def tempered(case, s, d, em, shares):
    """em · r(e_i, Σ_{j′ ≠ j} P(a_j′ = i)), r between whole numbers on a straight line: the definition."""
    ratio, states = case.directions[d].ratio, case.sides[d].row(s)
    result = em.copy()
    for i, j in np.ndindex(em.shape):
        others = shares[i].sum() - shares[i, j]
        result[i, j] *= np.interp(others, np.arange(MOST), ratio[states[i]])
    return result


@given(SEEDS)
def test_ibm1_counts_are_products_of_posteriors(seed):
    case = Case(seed)
    counts = np.zeros(len(case.shard.entries), np.float32)
    nulls = np.zeros(WORDS), np.zeros(WORDS)
    shown, logs = np.zeros((len(case.shard.cells), 2), np.float32), np.zeros((len(LENGTHS), 2))
    null = tuple(d.null for d in case.directions)
    agree_ibm1(case.shard, case.weights, null, True, counts, nulls, shown, logs)
    assert not shown.any()
    rest = np.zeros_like(counts), (np.zeros(WORDS), np.zeros(WORDS))
    agree_ibm1(case.shard, case.weights, null, False, *rest, shown, np.zeros((len(LENGTHS), 2)))
    assert not rest[0].any()
    expected, logs_expected = np.zeros(len(counts)), np.zeros((len(LENGTHS), 2))
    empties = np.zeros(WORDS), np.zeros(WORDS)
    for s, (l, m) in enumerate(LENGTHS):
        shares = []
        for d in (0, 1):
            share, log_norm, _ = case.brute(s, d, case.em(s, d), positions=False)
            shares.append(share)
            if l and m:
                logs_expected[s, d] = log_norm
                np.add.at(empties[d], case.sides[1 - d].row(s), 1 - share.sum(axis=0))
        block = case.shard.cells[case.shard.starts[s] : case.shard.starts[s + 1]]
        np.add.at(expected, block, case.agreed(s, *shares).ravel())
        both = np.stack([shares[0].ravel(), shares[1].T.ravel()], 1)
        np.testing.assert_allclose(shown[case.shard.starts[s] : case.shard.starts[s + 1]], both, rtol=1e-4)
    np.testing.assert_allclose(counts, expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(logs, logs_expected, rtol=1e-5, atol=1e-5)
    for ours, theirs in zip(nulls, empties, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


@given(SEEDS, st.booleans())
def test_hmm_counts_are_products_of_posteriors(seed, fertile):
    case = Case(seed)
    logs, counts, tallies, _ = case.hmm(fertile, True)
    _, _, _, scores = case.hmm(fertile, False)
    expected, wanted = np.zeros(len(counts)), case.tallies()
    logs_expected = np.zeros((len(LENGTHS), 2))
    for s in case.both():
        shares = []
        for d in (0, 1):
            em = case.em(s, d)
            share, log_norm, moves = case.brute(s, d, em)
            logs_expected[s, d] = log_norm
            if fertile:
                share, _, moves = case.brute(s, d, tempered(case, s, d, em, share))
            shares.append(share)
            for total, part in zip(wanted[d][1:4], moves, strict=True):
                total += part
            np.add.at(wanted[d].null, case.sides[1 - d].row(s), 1 - share.sum(axis=0))
            for e, x in zip(case.sides[d].row(s), share.sum(axis=1), strict=True):
                wanted[d].fertility[e] += np.maximum(0.0, 1.0 - np.abs(np.arange(MOST + 1) - x))
        block = case.shard.cells[case.shard.starts[s] : case.shard.starts[s + 1]]
        np.add.at(expected, block, case.agreed(s, *shares).ravel())
        shown = scores[case.shard.starts[s] : case.shard.starts[s + 1]]
        np.testing.assert_allclose(shown, np.stack([shares[0].ravel(), shares[1].T.ravel()], 1), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(logs, logs_expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(counts, expected, rtol=1e-3, atol=1e-5)
    for ours, theirs in zip(tallies, wanted, strict=True):
        for a, b in zip(ours[:-1], theirs[:-1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


@given(SEEDS, st.booleans())
def test_the_best_alignment_is_that_of_the_greatest_weight(seed, fertile):
    case = Case(seed)
    *_, shares = case.hmm(False, False)
    chosen = np.zeros_like(shares)
    best_links(case.shard, case.weights, case.directions, fertile, shares, desk(LONGEST), chosen)
    assert set(np.unique(chosen)) <= {0.0, 1.0}
    for s, d in product(case.both(), (0, 1)):
        em, (l, m) = case.em(s, d), LENGTHS[s]
        if fertile:
            em = tempered(case, s, d, em, case.brute(s, d, em)[0])
        found = chosen[case.shard.starts[s] : case.shard.starts[s + 1], d].reshape(l, m)
        found = found if d == 0 else found.T
        assert (found.sum(axis=0) <= 1).all()
        links = tuple(np.where(found.any(axis=0), found.argmax(axis=0) + 1, 0).tolist())
        weights = {a: weight for a, weight, _ in case.listed(s, d, em)}
        assert weights[links] == pytest.approx(max(weights.values()), rel=1e-4)


def test_ratios_of_fertilities():
    counts = np.zeros((2, MOST + 1))
    counts[0, 1], counts[1, 2] = 30.0, 10.0  # one word has one translation each time, the other two
    ratio = fertility_ratios(counts, strength=4.0, floor=1e-3, least=1e-3, most=20.0)
    p = counts + 4.0 * np.array([0, 0.75, 0.25, 0, 0, 0, 0]) + 1e-3
    np.testing.assert_allclose(ratio, np.clip(p[:, 1:] / p[:, :-1], 1e-3, 20.0), rtol=1e-6)
    assert ratio[0, 0] == 20.0 and ratio[0, 1] < 0.1 < ratio[1, 1]
    assert np.isfinite(fertility_ratios(np.zeros((3, MOST + 1)))).all()


def test_jumps_of_a_kind_lean_on_those_of_all():
    family = JumpCounts(reach=1, pseudo=0.5, kinds=2, strength=30.0)
    counts = np.array([3.0, 1.0, 2.0, 2.0, 5.0, 1.0, 0.0, 0.0, 10.0, 30.0])  # begin, end, two kinds of jumps
    begin, end, jump = family.parts(family.maximize(counts, NOTHING, family.uniform()))
    np.testing.assert_allclose(begin, [3.5 / 5, 1.5 / 5])
    np.testing.assert_allclose(end, [0.5, 0.5])
    shared = np.array([5.5, 11.5, 30.5]) / 47.5
    np.testing.assert_allclose(jump[0], (np.array([5.0, 1.0, 0.0]) + 30 * shared) / 36)
    np.testing.assert_allclose(jump[1], (np.array([0.0, 10.0, 30.0]) + 30 * shared) / 70)
    assert family.maximize(np.zeros(10), NOTHING, counts) is counts


def test_frequent_words_have_kinds_of_their_own():
    frequencies = np.array([1.0, 50.0, 5.0, 7.0, 50.0])
    np.testing.assert_array_equal(kinds_of_words(frequencies, most=3), [0, 1, 0, 3, 2])
    np.testing.assert_array_equal(kinds_of_words(frequencies), [0, 1, 4, 3, 2])
    assert len(kinds_of_words(np.empty(0))) == 0


def test_jumps_are_counted_in_a_sample():
    """Of one group in two, twice each; all else in full. Here every pair is a group of its own."""
    case, n = Case(5), len(LENGTHS)
    alone = np.full((len(case.both()), LANES), -1, np.int32)
    alone[:, 0] = case.both()
    case.shard = case.shard._replace(groups=alone)
    whole, sampled = case.tallies(), case.tallies()
    for stride, tallies in ((1, whole), (2, sampled)):
        counts, none = np.zeros(len(case.shard.entries), np.float32), np.zeros((0, 2), np.float32)
        given = case.shard, case.weights, case.directions
        agree_hmm(*given, True, True, stride, counts, tallies, none, np.zeros((n, 2)))
    for d in (0, 1):
        wanted = np.zeros_like(whole[d].jump)
        for s in case.both()[::2]:
            em = case.em(s, d)
            wanted += 2 * case.brute(s, d, tempered(case, s, d, em, case.brute(s, d, em)[0]))[2][0]
        np.testing.assert_allclose(sampled[d].jump, wanted, rtol=1e-3, atol=1e-4)
        for name in ("null", "begin", "end", "fertility"):
            np.testing.assert_array_equal(getattr(sampled[d], name), getattr(whole[d], name))


def test_what_is_found_of_a_pair_does_not_depend_on_its_neighbours():
    """Its posteriors to the bit: pairs of other shapes beside it add nothing but zeros."""
    case = Case(7)
    together = case.hmm(True, False)
    groups = case.shard.groups.ravel()
    for s in case.both():
        case.shard = case.shard._replace(groups=np.where(groups == s, s, -1).astype(np.int32).reshape(-1, LANES))
        logs, _, _, scores = case.hmm(True, False)
        np.testing.assert_allclose(logs[s], together[0][s], rtol=1e-12)
        part = slice(*case.shard.starts[s : s + 2])
        np.testing.assert_array_equal(scores[part], together[3][part])


def test_groups_hold_every_pair_once_and_none_with_an_empty_side():
    rng = np.random.default_rng(0)
    l, m = rng.integers(0, 9, size=(2, 100))
    groups = groups_of(l, m)
    assert groups.shape[1] == LANES
    np.testing.assert_array_equal(np.sort(groups[groups >= 0]), np.flatnonzero(l * m))
    assert (np.diff(l[groups[groups >= 0]]) >= 0).all()
    assert groups_of(l[:0], m[:0]).shape == (0, LANES)


@pytest.mark.parametrize("turned", [False, True])
def test_one_word_beside_a_thousand(turned):
    """In closed form: with one position nothing depends on the word before; with one word nothing comes before it."""
    rng, n = np.random.default_rng(1), 100 if config.DISABLE_JIT else 1000  # work grows with the square
    sides = [from_rows([rng.integers(WORDS, size=k)], np.int32) for k in ((n, 1) if turned else (1, n))]
    whole = without_null(cooccurring(occurrences(sides[0], WORDS), sides[1], WORDS))
    shard = packed(pair_index(*sides, whole, WORDS))
    weights = (rng.random((len(shard.entries), 2)) + 0.05).astype(np.float32)
    tables = [(rng.random(k) + 0.1).astype(np.float32) for k in (WORDS, 2 * n + 1, n, n)] * 2
    sums = np.cumsum(np.pad(tables[1][None], ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    kinds, ratio = np.zeros(WORDS, np.int32), np.ones((WORDS, MOST), np.float32)
    direction = Direction(tables[0], kinds, tables[1][None], sums, tables[2], tables[3], ratio)
    shares, logs, counts = np.zeros((n, 2), np.float32), np.zeros((1, 2)), np.zeros(len(shard.entries), np.float32)
    sizes = WORDS, (1, 2 * n + 1), n, n, (WORDS, MOST + 1), (1, 2 * n + 1)
    for counting in (True, False):
        tallies = tuple(
            Tally(*(np.zeros(size) for size in sizes[:-1]), np.zeros(sizes[-1], np.float32)) for _ in range(2)
        )
        agree_hmm(shard, weights, (direction, direction), True, counting, 1, counts, tallies, shares, logs)
    many, one = (1, 0) if turned else (0, 1)  # the directions that generate the thousand words, and the one
    em, null = weights[shard.cells].astype(float), tables[0].astype(float)
    alone = em[:, many] / (em[:, many] + null[sides[1 - many].values])
    place = em[:, one] * tables[2] / tables[2].sum() * tables[3][::-1] / tables[3].sum()
    chosen = place / (place.sum() + null[sides[1 - one].values[0]] / n)
    np.testing.assert_allclose(shares[:, many], alone, rtol=1e-3)
    np.testing.assert_allclose(shares[:, one], chosen, rtol=1e-3)
    wanted = np.zeros(len(counts))
    products = alone * chosen
    np.add.at(wanted, shard.cells, np.where(products > NEGLIGIBLE, products, 0.0))
    np.testing.assert_allclose(counts, wanted, rtol=1e-3, atol=1e-6)
    log_many = np.log(em[:, many] + null[sides[1 - many].values]).sum()
    assert logs[0, many] == pytest.approx(log_many, rel=1e-5)
