"""P(a_j = i | e, f) of sentence pairs, as one (l + 1) × m matrix per pair, row 0 the empty word.

Also of text that training never saw (`on`), which is asked of the same E-step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.diagonal import CELLS, TENSION, Diagonal
from softcount.machine.kernel import kernel
from softcount.models.ibm_link import (
    DIAGONAL,
    FREE,
    UNIFORM,
    IBMWeights,
    around,
    aside,
    clear,
    near,
    scratch,
    spread,
    wish,
)
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.bitext import Bitext

LONG = 24  # a row so many times longer than what is looked up in it is searched; shorter ones are spread


class PairPosteriors(NamedTuple):
    matrices: Ragged  # (l + 1) × m of every pair
    log_norms: Array  # log P(f | e) of every pair


def posteriors(weights: IBMWeights, shard: Any) -> PairPosteriors:
    pairs = shard.pairs
    offsets = offsets_of((pairs.lengths + 1) * np.diff(pairs.bounds))
    flat, log_norms = np.empty(int(offsets[-1])), np.zeros(len(pairs.lengths))
    _fill(weights, pairs, offsets, shard.longest, flat)
    _normalize(weights, pairs, offsets, shard.longest, flat, log_norms)
    return PairPosteriors(Ragged(offsets, flat), log_norms)


def one_hot(links: Array, lengths: Array, targets: Ragged) -> Ragged:
    """Chosen links, 1 + position, or 0, as matrices of ones and zeros."""
    m = targets.lengths
    offsets = offsets_of((lengths + 1) * m)
    flat = np.zeros(int(offsets[-1]))
    column = np.arange(len(links)) - np.repeat(targets.offsets[:-1], m)
    flat[np.repeat(offsets[:-1], m) + links.astype(np.int64) * np.repeat(m, m) + column] = 1.0
    return Ragged(offsets, flat)


def on(model: Any, log_weights: Any, items: Bitext) -> tuple[Any, Any]:
    """The model and its weights for the sentence lengths of other text."""
    classes = items.lengths.pairs
    other = model._replace(classes=classes, elsewhere=True)
    old = log_weights.alignment
    if model.alignment == "diagonal":
        cells = Diagonal(classes).table(0.5, float(old[TENSION]))[CELLS:]
        return other, log_weights._replace(alignment=np.concatenate([old[:CELLS], cells]))
    if model.alignment == "free":
        return other, log_weights._replace(alignment=_free_on(model, other, old.values))
    return other, log_weights


def _free_on(model: Any, other: Any, values: Array) -> Ragged:
    """Lengths that training never saw are aligned uniformly."""
    offsets = other._free_offsets()
    lengths = np.diff(offsets)
    fresh = -np.log(np.repeat(lengths, lengths).astype(float))
    known = {(l, m): c for c, (l, m) in enumerate(model.classes.tolist())}
    old_starts, starts = model._starts(), other._starts()
    for c, (l, m) in enumerate(other.classes.tolist()):
        if (l, m) in known:
            begin = old_starts[known[l, m]]
            fresh[starts[c] : starts[c + 1]] = values[begin : begin + starts[c + 1] - starts[c]]
    return Ragged(offsets, fresh)


@kernel
def _fill(w: Any, pairs: Any, offsets: Array, longest: int, matrices: Array) -> None:
    """matrices[pair][i, j] = a_ij t(f_j | e_i) of all source words, in source-type order; a_ij as in `near`."""
    row, a = scratch(len(w.null_row), w.unseen, w.unknown), np.empty(longest)
    kind, ladder, rise, fall, table, cells = w.kind, w.ladder, w.rise, w.fall, w.table, w.table_starts
    sentence, position, classes, targets = pairs.sentence, pairs.position, pairs.classes, pairs.targets
    starts, widths, heights, wishes, wished = pairs.starts, pairs.widths, pairs.heights, pairs.wishes, pairs.wished
    for e in range(len(pairs.offsets) - 1):
        first, last, looked_up = pairs.offsets[e], pairs.offsets[e + 1], 0
        for o in range(first, last):
            looked_up += widths[o]
        searched = w.offsets[e + 2] - w.offsets[e + 1] > LONG * looked_up
        if not searched:
            spread(w.offsets, w.columns, w.translation, w.unknown, e, row)
        for o in range(first, last):
            start, i, l = starts[o], position[o] + 1, heights[o]
            m = start + widths[o] - start  # of the type of start
            to, cell = offsets[sentence[o]] + i * m, cells[classes[sentence[o]]] + i * m if kind == FREE else 0
            if searched:
                _search(w, e, targets[start : start + m], row)
            if len(wished) > 0:
                begin = wish(wished, sentence[o], i * m)
                near(kind, ladder, rise, fall, table, cell, wishes, begin, i, l, m, a)
                for j in range(m):
                    matrices[to + j] = a[j] * row[targets[start + j]]
            elif kind == DIAGONAL:
                up, down, steps, cut = rise[ladder[l] + i - 1], fall[ladder[l] + i - 1], ladder[m], i * m // l
                for j in range(m):
                    place = around(up, down, rise[steps + j], fall[steps + j], j < cut)
                    matrices[to + j] = place * row[targets[start + j]]
            elif kind == FREE:
                for j in range(m):
                    matrices[to + j] = table[cell + j] * row[targets[start + j]]
            else:
                for j in range(m):
                    matrices[to + j] = row[targets[start + j]]
        clear(w.offsets, w.columns, w.unseen, e, row)


@kernel
def _search(w: Any, e: int, targets: Array, row: Array) -> None:
    """What `spread` would write, of these words alone."""
    for f in targets:
        low, end = w.offsets[e + 1], w.offsets[e + 2]
        high = end
        while low < high:
            middle = (low + high) // 2
            if w.columns[middle] < f:
                low = middle + 1
            else:
                high = middle
        if low < end and w.columns[low] == f:
            row[f] = w.translation[low]


@kernel
def _normalize(w: Any, pairs: Any, offsets: Array, longest: int, matrices: Array, log_norms: Array) -> None:
    """Adds the empty word's row and makes columns sum to one; log_norms[pair] = Σ_j log of what they summed to."""
    totals, kind, null, link, null_row = np.empty(longest), w.kind, w.null, w.link, w.null_row
    cells, starts = (w.cells, w.cell_starts) if kind == DIAGONAL else (w.table, w.table_starts)
    for s in range(len(pairs.bounds) - 1):
        l, m, base = pairs.lengths[s], pairs.bounds[s + 1] - pairs.bounds[s], offsets[s]
        if l == 0:  # not part of the model; there is the empty word alone
            matrices[base : base + m] = 1.0
            continue
        begin, cell = wish(pairs.wished, s, 0), starts[pairs.classes[s]] if kind != UNIFORM else 0
        totals[:m] = 0.0
        for i in range(1, l + 1):
            for j in range(m):
                totals[j] += matrices[base + i * m + j]
        log_norm = 0.0
        for j in range(m):
            word = null_row[pairs.targets[pairs.bounds[s] + j]] * pairs.wishes[begin + j]
            empty, others = aside(kind, null, link, cells[cell + j if kind != UNIFORM else 0], word)
            total = empty + others * totals[j]
            log_norm += np.log(total) if total > 0.0 else -np.inf
            matrices[base + j] = empty / total if total > 0.0 else 0.0
            totals[j] = others / total if total > 0.0 else 0.0  # a column of zeros stays zero
        for i in range(1, l + 1):
            for j in range(m):
                matrices[base + i * m + j] *= totals[j]
        log_norms[s] = log_norm - (m * np.log(l + 1.0) if w.kind == UNIFORM else 0.0)
