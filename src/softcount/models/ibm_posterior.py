"""P(a_j = i | e, f) of sentence pairs, as one (l + 1) × m matrix per pair, row 0 the empty word.

Also of text that training never saw: two words that never met, or that are not known, have a small weight of their
own, so that where words say nothing the positions decide.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.families.diagonal import CELLS, TENSION, Diagonal
from softcount.kernel import kernel
from softcount.models.ibm import IBM, IBMTables
from softcount.models.ibm_kernel import DIAGONAL, FREE, UNIFORM, IBMWeights, near
from softcount.ragged import Array, Ragged, offsets_of
from softcount.text.bitext import Bitext, length_classes

UNKNOWN = 1e-7  # the weight of a word that is not known, with any word
UNSEEN = 1e-12  # of two known words that never met


def posteriors(model: IBM, log_weights: IBMTables, weights: IBMWeights, items: Bitext) -> tuple[Ragged, Array]:
    """(matrices, log P(f | e) of every pair); `weights` are the log-weights, weighed once for all blocks of a text."""
    model, log_weights = on(model, log_weights, items)
    w = IBMWeights(*weights[:5], *model.weigh_alignment(log_weights))
    return matrices(w, model.pack(items), items.source.sentences)


def matrices(weights: IBMWeights, shard: Any, source: Ragged) -> tuple[Ragged, Array]:
    pairs = shard.pairs
    offsets = offsets_of((pairs.lengths + 1) * np.diff(pairs.bounds))
    flat, log_norms = np.empty(int(offsets[-1])), np.zeros(len(pairs.lengths))
    _fill(weights, pairs, source.offsets, source.values, offsets, shard.longest, flat)
    _normalize(pairs, offsets, weights.kind, flat, log_norms)
    return Ragged(offsets, flat), log_norms


def on(model: IBM, log_weights: IBMTables, items: Bitext) -> tuple[IBM, IBMTables]:
    """The model and its weights for the sentence lengths of other text."""
    classes, _ = length_classes(items)
    other = model._replace(classes=classes)
    old = log_weights.alignment
    if model.alignment == "diagonal":
        cells = Diagonal(classes).table(0.5, float(old[TENSION]))[CELLS:]
        return other, log_weights._replace(alignment=np.concatenate([old[:CELLS], cells]))
    if model.alignment == "free":
        return other, log_weights._replace(alignment=_free_on(model, other, old.values))
    return other, log_weights


def _free_on(model: IBM, other: IBM, values: Array) -> Ragged:
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
def _find(w: Any, row: int, column: int) -> float:
    """The weight of an entry by binary search; UNSEEN where there is none."""
    low, high = w.offsets[row], w.offsets[row + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if w.columns[middle] < column:
            low = middle + 1
        else:
            high = middle
    if low < end and w.columns[low] == column:
        return w.translation[low]
    return UNSEEN


@kernel
def _fill(
    w: Any, pairs: Any, source_bounds: Array, sources: Array, offsets: Array, longest: int, matrices: Array
) -> None:
    """matrices[pair][i, j] = a_ij t(f_j | e_i): alignment in sentence order, then translation in source-type order."""
    n_targets = len(w.null_row)
    a = np.empty(longest)
    for s in range(len(pairs.bounds) - 1):
        l, m, start, base = pairs.lengths[s], pairs.bounds[s + 1] - pairs.bounds[s], pairs.bounds[s], offsets[s]
        for i in range(l + 1 if m > 0 else 0):
            if i > 0:
                near(w, pairs, s, i, a)
            known = i == 0 or sources[source_bounds[s] + i - 1] >= 0
            for j in range(m):
                if i == 0:
                    f = pairs.targets[start + j]
                    term = w.null_row[f] if f < n_targets else UNKNOWN
                    if w.kind == DIAGONAL and l > 0:
                        term *= w.null
                    elif w.kind == FREE and l > 0:
                        term *= w.table[w.table_starts[pairs.classes[s]] + j]
                else:
                    term = a[j] if known else a[j] * UNKNOWN
                    if w.kind == DIAGONAL:
                        term *= w.link * w.cells[w.cell_starts[pairs.classes[s]] + j]
                matrices[base + i * m + j] = term
    _translate(w, pairs, offsets, matrices)


@kernel
def _translate(w: Any, pairs: Any, offsets: Array, matrices: Array) -> None:
    n_targets = len(w.null_row)
    row = np.full(n_targets, UNSEEN)
    targets, translation, columns = pairs.targets, w.translation, w.columns
    for e in range(len(pairs.offsets) - 1):
        begin, end = pairs.offsets[e], pairs.offsets[e + 1]
        if begin == end:
            continue
        size, met = w.offsets[e + 2] - w.offsets[e + 1], 0
        for o in range(begin, end):
            met += pairs.bounds[pairs.sentence[o] + 1] - pairs.bounds[pairs.sentence[o]]
        dense = size < 8 * met  # spreading a long row for a few look-ups would cost more than searching it
        if dense:
            for k in range(w.offsets[e + 1], w.offsets[e + 2]):
                row[columns[k]] = translation[k]
        for o in range(begin, end):
            s = pairs.sentence[o]
            start, m = pairs.bounds[s], pairs.bounds[s + 1] - pairs.bounds[s]
            base = offsets[s] + (pairs.position[o] + 1) * m
            for j in range(m):
                f = targets[start + j]
                if f >= n_targets:
                    matrices[base + j] *= UNKNOWN
                elif dense:
                    matrices[base + j] *= row[f]
                else:
                    matrices[base + j] *= _find(w, e + 1, f)
        if dense:
            for k in range(w.offsets[e + 1], w.offsets[e + 2]):
                row[columns[k]] = UNSEEN


@kernel
def _normalize(pairs: Any, offsets: Array, kind: int, matrices: Array, log_norms: Array) -> None:
    """Columns sum to one; log_norms[pair] = Σ_j log of what they summed to. A column of zeros stays zero."""
    totals = np.empty(0)
    for s in range(len(pairs.bounds) - 1):
        l, m, base = pairs.lengths[s], pairs.bounds[s + 1] - pairs.bounds[s], offsets[s]
        if len(totals) < m:
            totals = np.empty(m)
        totals[:m] = 0.0
        for i in range(l + 1):
            for j in range(m):
                totals[j] += matrices[base + i * m + j]
        log_norm = 0.0
        for j in range(m):
            log_norm += np.log(totals[j]) if totals[j] > 0.0 else -np.inf
            totals[j] = 1.0 / totals[j] if totals[j] > 0.0 else 0.0
        for i in range(l + 1):
            for j in range(m):
                matrices[base + i * m + j] *= totals[j]
        log_norms[s] = log_norm - (m * np.log(l + 1.0) if kind == UNIFORM else 0.0)
