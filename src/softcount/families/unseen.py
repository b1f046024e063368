"""Translation rows at word pairs that training never saw, and at words that it never saw.

    t(f | e) = [κ · t(s(f) | s(e)) · p(f | s(f)) + π(e, f)] / (c(e) + κ + π(e)),   and so on up the levels

The formula of softcount.families.backoff with a count of zero: what stems and spelling say remains. Of a pair that was
left out of a file because nothing was counted of it, the same numbers come out as in training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.families.backoff import Estimate, Level, class_shares
from softcount.numbers.ragged import Array


class Hierarchy(NamedTuple):
    """The levels, what they have learned, and whatever is needed to look class pairs up."""

    levels: list[Level]
    found: list[Estimate]
    classes: list[tuple[Array, Array]]  # as `levels` was given, but of all words: new ones come after the known
    shares: list[tuple[Array, Array]]
    keys: list[Array]  # of each level but the finest: row · columns + column of its entries, ascending
    places: list[Array]  # where those entries stand


def hierarchy(
    levels: list[Level], found: list[Estimate], classes: list[tuple[Array, Array]], frequencies: tuple[Array, Array]
) -> Hierarchy:
    """Frequencies are of all words, zero for new ones."""
    shares, keys, places = [], [], []
    for depth, (source, target) in enumerate(classes):
        shares.append((class_shares(frequencies[0], source), class_shares(frequencies[1], target)))
        frequencies = np.bincount(source, frequencies[0]), np.bincount(target, frequencies[1])
        rows = levels[depth + 1].rows
        key = np.repeat(np.arange(rows.n_rows, dtype=np.int64), rows.lengths) * _width(classes, depth) + rows.values
        order = np.argsort(key, kind="stable")
        keys.append(key[order])
        places.append(order)
    return Hierarchy(levels, found, classes, shares, keys, places)


def _width(classes: list[tuple[Array, Array]], depth: int) -> int:
    return int(classes[depth][1].max(initial=0)) + 1


def unseen(known: Hierarchy, rows: Array, columns: Array, prior: Array) -> Array:
    """float32 [pairs, 2]: t(column | row), t(row | column) of pairs that are not among the finest entries."""
    return _rates(known, 0, rows, columns, prior)


def _rates(known: Hierarchy, depth: int, rows: Array, columns: Array, prior: Array | float) -> Array:
    result = np.zeros((len(rows), 2), np.float32)
    estimate = known.found[depth]
    leaning = np.zeros((len(rows), 2))
    if depth < len(known.classes):
        above = _looked_up(known, depth, rows, columns).astype(np.float64)  # as the kernel of training multiplies
        row_share, column_share = known.shares[depth]
        leaning = estimate.strength * above * np.stack([column_share[columns], row_share[rows]], axis=1)
    for d, sums in enumerate((_of(estimate.by_row, rows), _of(estimate.by_column, columns))):
        result[:, d] = (prior + leaning[:, d]) / np.maximum(sums + estimate.strength + prior, 1e-300)
    return result


def _looked_up(known: Hierarchy, depth: int, rows: Array, columns: Array) -> Array:
    """The rates of the class pairs that these pairs lean on, one level up."""
    source, target = known.classes[depth]
    up, across = source[rows], target[columns]
    key = up.astype(np.int64) * _width(known.classes, depth) + across
    at = np.minimum(np.searchsorted(known.keys[depth], key), max(len(known.keys[depth]) - 1, 0))
    there = known.keys[depth][at] == key if len(known.keys[depth]) else np.zeros(len(key), bool)
    result = np.empty((len(key), 2), np.float32)
    result[there] = known.found[depth + 1].rates[known.places[depth][at[there]]]
    result[~there] = _rates(known, depth + 1, up[~there], across[~there], 0.0)
    return result


def _of(sums: Array, which: Array) -> Array:
    """Zero for rows that came later."""
    return np.where(which < len(sums), sums[np.minimum(which, len(sums) - 1)], 0.0)
