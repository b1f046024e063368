"""Which target words each source word ever meets: the entries of a translation table, and no others.

In source-type order a stamp per target word tells what the row already has, so no list of token pairs is ever made or
sorted. Two counting-sort transpositions then put each row in order, and give the other direction's rows as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of


def cooccurring(occurrences: Any, targets: Ragged, n_targets: int) -> Ragged:
    """Row 0 is the empty word, which meets every target word; row e + 1 is source word e. Columns ascend."""
    n_sources = len(occurrences.offsets) - 1
    lengths = np.empty(n_sources, dtype=np.int64)
    reach = targets.lengths  # a row has at most as many entries as its word meets tokens
    columns = np.empty(1 << 16, dtype=np.int32)
    stamps, row, filled = np.full(n_targets, -1, np.int32), 0, 0
    while row < n_sources:
        row, filled = _collect(
            occurrences, targets.offsets, targets.values, reach, stamps, row, filled, lengths, columns
        )
        if row < n_sources:
            columns = np.concatenate([columns, np.empty(max(len(columns), n_targets), np.int32)])
    rows = Ragged(offsets_of(lengths), columns[:filled])
    rows = transpose(transpose(rows, n_targets), n_sources)
    present = np.flatnonzero(np.bincount(targets.values[targets.values >= 0], minlength=n_targets)).astype(np.int32)
    return with_null(rows, present)


def with_null(rows: Ragged, null: Array) -> Ragged:
    return Ragged(np.concatenate([[0], rows.offsets + len(null)]), np.concatenate([null, rows.values]))


def without_null(rows: Ragged) -> Ragged:
    return Ragged(rows.offsets[1:] - rows.offsets[1], rows.values[rows.offsets[1] :])


def transpose(rows: Ragged, n_columns: int) -> Ragged:
    """Row c of the result lists the rows that have column c, ascending."""
    offsets = offsets_of(np.bincount(rows.values, minlength=n_columns))
    flipped = np.empty(len(rows.values), dtype=np.int32)
    _flip(rows.offsets, rows.values, offsets[:-1].copy(), flipped)
    return Ragged(offsets, flipped)


def united(parts: Iterable[Array]) -> Array:
    """The union of sorted arrays (of keys, row · n + column); at most log₂(parts) of them wait."""
    waiting: list[tuple[int, Array]] = [(0, np.empty(0, np.int64))]
    for part in parts:
        size, total = 1, part
        while waiting[-1][0] == size:
            total = _union(waiting.pop()[1], total)
            size *= 2
        waiting.append((size, total))
    found = waiting.pop()[1]
    while waiting:
        found = _union(waiting.pop()[1], found)
    return found


def _union(one: Array, other: Array) -> Array:
    both = np.concatenate([one, other])
    both.sort(kind="stable")  # which merges what is sorted
    return both[np.append(True, both[1:] != both[:-1])] if len(both) else both


@kernel
def _collect(
    occurrences: Any, bounds: Array, targets: Array, reach: Array, stamps: Array,
    row: int, filled: int, lengths: Array, columns: Array,
) -> tuple[int, int]:  # fmt: skip
    """columns[of row] = np.unique(targets of the sentences that have it); stops where the room may not suffice."""
    while row < len(lengths):
        most = 0
        for o in range(occurrences.offsets[row], occurrences.offsets[row + 1]):
            most += reach[occurrences.sentence[o]]
        if filled + min(most, len(stamps)) > len(columns):
            return row, filled
        begin, last = filled, -1
        for o in range(occurrences.offsets[row], occurrences.offsets[row + 1]):
            s = occurrences.sentence[o]
            if s == last:
                continue
            last = s
            for j in range(bounds[s], bounds[s + 1]):
                word = targets[j]
                if word >= 0 and stamps[word] != row:
                    stamps[word] = row
                    columns[filled] = word
                    filled += 1
        lengths[row] = filled - begin
        row += 1
    return row, filled


@kernel
def _flip(offsets: Array, columns: Array, cursor: Array, flipped: Array) -> None:
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            flipped[cursor[columns[k]]] = row
            cursor[columns[k]] += 1
