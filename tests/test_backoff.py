"""Rows that lean on stems against the formula written out with dictionaries; spelling against string comparison."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.families.backoff import Backoff, estimates, levels
from softcount.families.penalty import NOTHING, Pseudo
from softcount.families.unseen import hierarchy, unseen
from softcount.numbers.ragged import Ragged, from_rows
from softcount.text.spelling import alike, nested

pytestmark = pytest.mark.kernels

SOURCE = ["walk", "walks", "walked", "talk", "talks", "in", "1999", "paris", "nations"]
TARGET = ["marche", "marchons", "marcher", "parle", "parles", "dans", "1999", "paris", "national", "19990"]


def smoothed(*given):
    return estimates(*given)[0].rates


def random_rows(rng):
    rows = [np.flatnonzero(rng.random(len(TARGET)) < 0.6) for _ in SOURCE]
    return from_rows(rows, np.int32)


def formula(rows, counts, frequencies, kappa, prior):
    """t(f | e) by words alone: {(e, f): probability}, recursively."""
    c = {(e, int(f)): counts[k] for e in range(len(SOURCE)) for k, f in entries(rows, e)}
    pi = {(e, int(f)): prior[k] for e in range(len(SOURCE)) for k, f in entries(rows, e)}

    def summed(n):
        table, total = defaultdict(float), defaultdict(float)
        for (e, f), count in c.items():
            table[SOURCE[e][:n], TARGET[f][:n]] += count
            total[SOURCE[e][:n]] += count
        return table, total

    def share(fine, coarse, f):
        inside = lambda n: sum(q for w, q in zip(TARGET, frequencies, strict=True) if w[:n] == TARGET[f][:n])  # noqa: E731
        return inside(fine) / inside(coarse)

    (five, five_total), (three, three_total) = summed(5), summed(3)
    result = {}
    for (e, f), count in c.items():
        top = three[SOURCE[e][:3], TARGET[f][:3]] / three_total[SOURCE[e][:3]]
        stem = five[SOURCE[e][:5], TARGET[f][:5]] + kappa[1] * top * share(5, 3, f)
        stem /= five_total[SOURCE[e][:5]] + kappa[1]
        row = sum(c[e, g] + pi[e, g] for g in range(len(TARGET)) if (e, g) in c)
        result[e, f] = (count + kappa[0] * stem * share(99, 5, f) + pi[e, f]) / (row + kappa[0])
    return result


def entries(rows, e):
    return [(k, rows.values[k]) for k in range(rows.offsets[e], rows.offsets[e + 1])]


def make(rows, frequencies):
    classes = list(zip(nested(SOURCE, (5, 3)), nested(TARGET, (5, 3)), strict=True))
    return levels(rows, frequencies, classes)


@given(st.integers(0, 10**6))
def test_rows_are_the_formula(seed):
    rng = np.random.default_rng(seed)
    rows, kappa = random_rows(rng), (2.0, 1.0)
    counts, prior = rng.random(len(rows.values)) * 3, rng.random(len(rows.values)).astype(np.float32)
    frequencies = rng.integers(1, 9, len(SOURCE)).astype(float), rng.integers(1, 9, len(TARGET)).astype(float)
    rates = smoothed(make(rows, frequencies), counts, kappa, prior)
    expected = formula(rows, counts, frequencies[1], kappa, prior)
    for e in range(len(SOURCE)):
        for k, f in entries(rows, e):
            assert rates[k, 0] == pytest.approx(expected[e, int(f)], rel=1e-5)


@given(st.integers(0, 10**6))
def test_the_other_direction_is_the_same_on_turned_tables(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    counts, prior = rng.random(len(rows.values)), rng.random(len(rows.values)).astype(np.float32)
    frequencies = np.ones(len(SOURCE)), np.arange(1.0, len(TARGET) + 1)
    rates = smoothed(make(rows, frequencies), counts, (2.0, 1.0), prior)
    order = np.argsort(rows.values, kind="stable")
    owner = np.repeat(np.arange(len(SOURCE), dtype=np.int32), rows.lengths)
    lengths = np.bincount(rows.values, minlength=len(TARGET))
    turned = Ragged(np.concatenate([[0], np.cumsum(lengths)]), owner[order])
    classes = list(zip(nested(TARGET, (5, 3)), nested(SOURCE, (5, 3)), strict=True))
    back = smoothed(levels(turned, frequencies[::-1], classes), counts[order], (2.0, 1.0), prior[order])
    np.testing.assert_allclose(back[:, ::-1], rates[order], rtol=1e-5)


def test_full_rows_sum_to_one():
    rows = from_rows([np.arange(len(TARGET))] * len(SOURCE), np.int32)
    rng = np.random.default_rng(0)
    counts = rng.random(len(rows.values))
    rates = smoothed(make(rows, (np.ones(len(SOURCE)), np.ones(len(TARGET)))), counts, (2.0, 1.0), None)
    table = rates.reshape(len(SOURCE), len(TARGET), 2)
    np.testing.assert_allclose(table[:, :, 0].sum(axis=1), 1.0, rtol=1e-5)
    np.testing.assert_allclose(table[:, :, 1].sum(axis=0), 1.0, rtol=1e-5)


def test_nothing_counted_is_nothing_not_nan():
    rows = random_rows(np.random.default_rng(1))
    frequencies = np.ones(len(SOURCE)), np.ones(len(TARGET))
    assert np.isfinite(smoothed(make(rows, frequencies), np.zeros(len(rows.values)), (2.0, 1.0), None)).all()


def test_one_entry_and_none():
    """A table of one entry has its prior, too; one of none has no rates, and no classes."""
    shares = np.ones(1), np.array([3.0, 1.0])  # two target words of one stem, of which only one is ever met
    classes = [(np.zeros(1, np.int32), np.zeros(2, np.int32))]
    rates = smoothed(levels(from_rows([[0]], np.int32), shares, classes), np.array([2.0]), (4.0,), np.float32([0.5]))
    assert rates[0, 0] == pytest.approx((2.0 + 4.0 * 0.75 + 0.5) / (2.0 + 4.0 + 0.5))
    assert rates[0, 1] == pytest.approx(1.0)
    nobody = np.empty(0, np.int32)
    fine, coarse = levels(from_rows([], np.int32), (np.empty(0), np.empty(0)), [(nobody, nobody)])
    assert coarse.rows.n_rows == coarse.n_columns == 0
    assert smoothed([fine, coarse], np.empty(0), (4.0,), np.empty(0, np.float32)).shape == (0, 2)


def test_the_family_is_flat_until_something_is_counted_and_zero_where_a_direction_is_banned():
    rng = np.random.default_rng(3)
    rows = random_rows(rng)
    n = len(rows.values)
    prior, banned = rng.random(n).astype(np.float32), rng.random((n, 2)) < 0.3
    table = make(rows, (np.ones(len(SOURCE)), np.ones(len(TARGET))))
    family = Backoff(table, (2.0, 1.0), prior, banned, trust=4.0)
    assert family.size() == family.uniform().shape == (n,)
    flat = (1.0 + 4.0 * prior[:, None]) / np.array([len(TARGET), len(SOURCE)])
    np.testing.assert_allclose(family.rates(family.uniform()), np.where(banned, 0.0, flat), rtol=1e-6)
    counts = rng.random(n)
    np.testing.assert_array_equal(family.maximize(counts, NOTHING, family.uniform()), counts.astype(np.float32))
    found = family.maximize(counts, Pseudo(np.full(n, 0.5)), family.uniform())
    np.testing.assert_allclose(found, counts + 0.5, rtol=1e-6)
    np.testing.assert_array_equal(family.rates(found), np.where(banned, 0, smoothed(table, found, (2.0, 1.0), prior)))
    free = Backoff(table, (2.0, 1.0), prior, np.empty((0, 2), bool))
    np.testing.assert_array_equal(free.rates(found), smoothed(table, found, (2.0, 1.0), prior))


def test_words_without_stems_lose_nothing():
    """Of words no longer than their stems every level is the same table, so leaning changes no row."""
    source, target = ["我", "你", "他们"], ["私", "君", "彼ら", "達"]
    rows = from_rows([np.arange(4)] * 3, np.int32)
    counts = np.random.default_rng(0).random(12)
    classes = list(zip(nested(source, (5, 3)), nested(target, (5, 3)), strict=True))
    rates = smoothed(levels(rows, (np.ones(3), np.ones(4)), classes), counts, (2.0, 1.0), None)
    table = counts.reshape(3, 4)
    np.testing.assert_allclose(rates[:, 0].reshape(3, 4), table / table.sum(axis=1, keepdims=True), rtol=1e-5)


def test_stems_nest():
    fine, coarse = nested(SOURCE, (5, 3))
    for a in range(len(SOURCE)):
        for b in range(len(SOURCE)):
            assert (fine[a] == fine[b]) == (SOURCE[a][:5] == SOURCE[b][:5])
            assert (coarse[fine[a]] == coarse[fine[b]]) == (SOURCE[a][:3] == SOURCE[b][:3])


def common(a, b):
    """The length of the longest common subsequence, by its recursion."""
    if not a or not b:
        return 0
    return common(a[1:], b[1:]) + 1 if a[0] == b[0] else max(common(a[1:], b), common(a, b[1:]))


def test_words_that_look_alike():
    source, target = [*SOURCE, "über", "x" * 70], [*TARGET, "uber", "x" * 70, "x" * 69]
    rows = from_rows([np.arange(len(target))] * len(source), np.int32)
    found = alike(rows, source, target, 0.3).reshape(len(source), len(target))
    for e, one in enumerate(source):
        for f, other in enumerate(target):
            expected = 0.3 if one == other else 0.0
            words = all(4 <= len(word) <= 63 and not word[0].isdigit() for word in (one, other))
            if one != other and words:
                ratio = common(one, other) / max(len(one), len(other))
                expected = 0.3 * max(0.0, (ratio - 0.4) / 0.6) ** 2
            assert found[e, f] == pytest.approx(expected, abs=1e-7)
    assert found[SOURCE.index("nations"), TARGET.index("national")] > 0.1
    assert found[SOURCE.index("1999"), TARGET.index("19990")] == 0.0


@given(st.integers(0, 10**6))
def test_unseen_pairs_and_words_follow_the_same_formula(seed):
    """Against rows that have them all along, with nothing counted; new words change nothing for the others."""
    rng = np.random.default_rng(seed)
    full = from_rows([np.arange(len(TARGET))] * len(SOURCE), np.int32)
    counted = rng.random(len(full.values)) < 0.5
    new = np.zeros((len(SOURCE), len(TARGET)), bool)
    new[-2:], new[:, -2:] = True, True  # words that come later
    counted &= ~new.ravel()
    counts = np.where(counted, rng.random(len(full.values)), 0.0)
    frequencies = rng.integers(1, 9, len(SOURCE)).astype(float), rng.integers(1, 9, len(TARGET)).astype(float)
    frequencies[0][-2:], frequencies[1][-2:] = 0.0, 0.0
    classes = list(zip(nested(SOURCE, (5, 3)), nested(TARGET, (5, 3)), strict=True))
    expected = estimates(levels(full, frequencies, classes), counts, (3.0, 1.0))[0].rates
    owner = np.repeat(np.arange(len(SOURCE)), len(TARGET))
    few = from_rows([full.row(e)[counted[owner == e]] for e in range(len(SOURCE) - 2)], np.int32)
    old = list(zip(nested(SOURCE[:-2], (5, 3)), nested(TARGET[:-2], (5, 3)), strict=True))
    known = levels(few, (frequencies[0][:-2], frequencies[1][:-2]), old)
    found = estimates(known, counts[counted], (3.0, 1.0))
    rest = np.flatnonzero(~counted)
    rates = unseen(hierarchy(known, found, classes, frequencies), owner[rest], full.values[rest], np.zeros(len(rest)))
    np.testing.assert_allclose(rates, expected[rest], rtol=1e-5)
    np.testing.assert_allclose(found[0].rates, expected[counted], rtol=1e-6)
    told = np.where(np.arange(len(full.values)) == rng.choice(rest), 0.7, 0.0)  # of one such pair something is believed
    believed = estimates(levels(full, frequencies, classes), counts, (3.0, 1.0), told.astype(np.float32))[0].rates
    rates = unseen(hierarchy(known, found, classes, frequencies), owner[rest], full.values[rest], told[rest])
    np.testing.assert_allclose(rates[told[rest] > 0], believed[told > 0], rtol=1e-5)
