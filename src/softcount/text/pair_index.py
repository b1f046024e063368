"""For every token pair of some sentence pairs, where its word pair stands: one int32 each, found without sorting.

    weight of (e_i, f_j) in sentence pair s = weights[entries[cells[starts[s] + i·m + j]]]

A shard numbers the word pairs that meet in it, its own `entries`, in the order of their source words; a stamp per
target word tells what the current source word has met already. So a shard stands on its own: whoever computes on it is
given the weights of its entries and gives back counts of those alone, and what is used together lies together. Entries
of the whole are the rows of softcount.text.cooccurrence without the empty word's; a pair that is not among them is −1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.occurrence import occurrences

MANY = 40  # words of a row are passed by in the time in which one is found by bisection


class PairIndex(NamedTuple):
    """Sentence pairs, ready for kernels that walk token pairs."""

    source: Ragged  # int32 word ids, −1 unknown
    target: Ragged
    starts: Array  # int64 [n + 1]: where each sentence pair's token pairs begin
    cells: Array  # int32 [token pairs], row by row of the l × m matrices, into `entries`
    entries: Array  # int32: which entry of the whole each is; −1 none

    @property
    def longest(self) -> int:
        return int(max(self.source.lengths.max(initial=0), self.target.lengths.max(initial=0), 1))


def pair_index(source: Ragged, target: Ragged, whole: Ragged, n_targets: int) -> PairIndex:
    """The index of these sentences. Row e of `whole` lists the target words of source word e, ascending."""
    starts = offsets_of(source.lengths * target.lengths)
    cells = np.full(int(starts[-1]), -1, np.int32)
    found = occurrences(source, whole.n_rows)
    columns = np.empty(len(cells) + 1, np.int32)  # more than are needed; pages that are never written cost nothing
    bounds = np.empty(whole.n_rows + 1, np.int64)
    scratch = np.full(n_targets, -1, np.int32), np.empty(n_targets, np.int32)
    n = _number(*found, starts, target.offsets, target.values, *scratch, cells, bounds, columns)
    entries = np.empty(n + 1, np.int32)
    entries[n] = -1  # whatever has an unknown word
    _locate(bounds, columns, whole.offsets, whole.values, scratch[1], entries)
    cells[cells < 0] = n
    return PairIndex(source, target, starts, cells, entries)


@kernel
def _number(
    rows: Array, sentence: Array, position: Array, starts: Array, begins: Array, targets: Array,
    stamps: Array, places: Array, index: Array, bounds: Array, columns: Array,
) -> int:  # fmt: skip
    """index[s, i, j] = the number of (e_i, f_j) in order of first meeting; columns[bounds[e]:bounds[e + 1]]: e's f"""
    filled = 0
    for e in range(len(rows) - 1):
        bounds[e] = filled
        for o in range(rows[e], rows[e + 1]):
            s = sentence[o]
            m = begins[s + 1] - begins[s]
            out = starts[s] + position[o] * m
            for j in range(m):
                f = targets[begins[s] + j]
                if f < 0:
                    continue
                if stamps[f] != e:
                    stamps[f] = e
                    places[f] = filled
                    columns[filled] = f
                    filled += 1
                index[out + j] = places[f]
    bounds[len(rows) - 1] = filled
    return filled


@kernel
def _locate(bounds: Array, columns: Array, offsets: Array, values: Array, places: Array, entries: Array) -> None:
    """entries[k] = offsets[e] + np.searchsorted(values[of row e], columns[k]), or −1

    Where many words of a row are looked for, the row is spread out over `places`; else they are found by bisection.
    """
    for e in range(len(bounds) - 1):
        if offsets[e + 1] - offsets[e] < MANY * (bounds[e + 1] - bounds[e]):
            for k in range(offsets[e], offsets[e + 1]):
                places[values[k]] = k
            for k in range(bounds[e], bounds[e + 1]):
                place = places[columns[k]]
                there = offsets[e] <= place < offsets[e + 1] and values[place] == columns[k]  # and not another row's
                entries[k] = place if there else -1
            continue
        for k in range(bounds[e], bounds[e + 1]):
            low, high = offsets[e], offsets[e + 1]
            while high - low > 1:
                middle = (low + high) // 2
                if values[middle] <= columns[k]:
                    low = middle
                else:
                    high = middle
            entries[k] = low if low < high and values[low] == columns[k] else -1
