"""Entries of two translation tables brought together: rows of ascending columns, of which both may have some."""

from __future__ import annotations

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of


def lengthened(rows: Ragged, n_rows: int) -> Ragged:
    """With empty rows behind, for words that came later."""
    return Ragged(np.append(rows.offsets, np.full(n_rows - rows.n_rows, rows.offsets[-1])), rows.values)


def united(one: Ragged, two: Ragged) -> Ragged:
    """What either has; both have as many rows."""
    values = np.empty(len(one.values) + len(two.values), np.int32)
    lengths = np.empty(one.n_rows, np.int64)
    n = _unite(*one, *two, lengths, values)
    return Ragged(offsets_of(lengths), values[:n].copy())


def placed(part: Ragged, numbers: Array, whole: Ragged) -> Array:
    """The numbers of some entries at their places among all entries, zero elsewhere."""
    result = np.zeros(len(whole.values), numbers.dtype)
    _place(*part, numbers, *whole, result)
    return result


def only(rows: Ragged, keep: Array) -> Ragged:
    """The entries in this mask."""
    kept = np.concatenate([[0], np.cumsum(keep)])
    return Ragged(kept[rows.offsets].astype(np.int64), rows.values[keep])


@kernel
def _unite(offsets: Array, columns: Array, other_offsets: Array, others: Array, lengths: Array, values: Array) -> int:
    """values[of row] = np.union1d(columns[of row], others[of row])"""
    filled = 0
    for row in range(len(offsets) - 1):
        a, b, before = offsets[row], other_offsets[row], filled
        while a < offsets[row + 1] or b < other_offsets[row + 1]:
            if b >= other_offsets[row + 1] or (a < offsets[row + 1] and columns[a] < others[b]):
                values[filled] = columns[a]
                a += 1
            else:
                values[filled] = others[b]
                if a < offsets[row + 1] and columns[a] == others[b]:
                    a += 1
                b += 1
            filled += 1
        lengths[row] = filled - before
    return filled


@kernel
def _place(
    offsets: Array, columns: Array, numbers: Array, whole_offsets: Array, whole_columns: Array, result: Array
) -> None:
    """result[k] = the number of the entry that is entry k of the whole"""
    for row in range(len(offsets) - 1):
        k = whole_offsets[row]
        for a in range(offsets[row], offsets[row + 1]):
            while whole_columns[k] < columns[a]:
                k += 1
            result[k] = numbers[a]
