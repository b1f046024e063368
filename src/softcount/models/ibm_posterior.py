"""P(a_j = i | e, f) of sentence pairs, as one (l + 1) × m matrix per pair, row 0 the empty word.

Also of text that training never saw: two words that never met, or that are not known, have a small weight of their
own, so that where words say nothing the positions decide.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.diagonal import CELLS, TENSION, Diagonal
from softcount.machine.kernel import kernel
from softcount.models.ibm_kernel import DIAGONAL, FREE, UNIFORM, IBMWeights, near
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.bitext import Bitext, length_classes

UNKNOWN = 1e-7  # the weight of a word that is not known, with any word
UNSEEN = 1e-12  # of two known words that never met
LONG = 24  # a row so many times longer than what is looked up in it is searched; shorter ones are spread


class PairPosteriors(NamedTuple):
    matrices: Ragged  # (l + 1) × m of every pair
    log_norms: Array  # log P(f | e) of every pair


def posteriors(weights: IBMWeights, shard: Any) -> PairPosteriors:
    pairs, source = shard.pairs, shard.source
    offsets = offsets_of((pairs.lengths + 1) * np.diff(pairs.bounds))
    flat, log_norms = np.empty(int(offsets[-1])), np.zeros(len(pairs.lengths))
    _fill(weights, pairs, offsets, flat)
    if len(pairs.sentence) < len(source.values):
        _fill_unknown(weights, pairs, source.offsets, source.values, offsets, flat)
    _normalize(weights, pairs, offsets, shard.longest, flat, log_norms)
    return PairPosteriors(Ragged(offsets, flat), log_norms)


def on(model: Any, log_weights: Any, items: Bitext) -> tuple[Any, Any]:
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
def _fill(w: Any, pairs: Any, offsets: Array, matrices: Array) -> None:
    """matrices[pair][i, j] = a_ij t(f_j | e_i) of the known source words, in source-type order; a_ij as in `near`."""
    unknown = np.uint32(len(w.null_row))
    row = np.full(len(w.null_row) + 1, UNSEEN)
    row[unknown] = UNKNOWN
    kind, translation, columns, rise, fall, table = w.kind, w.translation, w.columns, w.rise, w.fall, w.table
    sentence, position, targets = pairs.sentence, pairs.position, pairs.targets
    starts, widths, heights = pairs.starts, pairs.widths, pairs.heights
    for e in range(len(pairs.offsets) - 1):
        first, last = pairs.offsets[e], pairs.offsets[e + 1]
        begin, end, looked_up = w.offsets[e + 1], w.offsets[e + 2], 0
        for o in range(first, last):
            looked_up += widths[o]
        if end - begin > LONG * looked_up:
            for o in range(first, last):
                _search_row(w, pairs, e, o, offsets[sentence[o]], matrices)
            continue
        for k in range(begin, end):
            row[columns[k]] = translation[k]
        for o in range(first, last):
            m, i, start = widths[o], position[o] + 1, starts[o]
            to = offsets[sentence[o]] + i * m
            if kind == UNIFORM:
                for j in range(m):
                    matrices[to + j] = row[min(targets[start + j], unknown)]
            elif kind == DIAGONAL:
                l = heights[o]
                cut = i * m // l
                up, down, steps = rise[w.ladder[l] + i - 1], fall[w.ladder[l] + i - 1], w.ladder[m]
                for j in range(cut):
                    matrices[to + j] = down * rise[steps + j] * row[min(targets[start + j], unknown)]
                for j in range(cut, m):
                    matrices[to + j] = up * fall[steps + j] * row[min(targets[start + j], unknown)]
            else:
                cell = w.table_starts[pairs.classes[sentence[o]]] + i * m
                for j in range(m):
                    matrices[to + j] = table[cell + j] * row[min(targets[start + j], unknown)]
        for k in range(begin, end):
            row[columns[k]] = UNSEEN


@kernel
def _search_row(w: Any, pairs: Any, e: int, o: int, base: int, matrices: Array) -> None:
    """What _fill does for one occurrence of a source word, without spreading the word's row."""
    m, i = pairs.widths[o], pairs.position[o] + 1
    out = matrices[base + i * m :]
    near(w, pairs, pairs.sentence[o], i, out)
    for j in range(m):
        f = pairs.targets[pairs.starts[o] + j]
        out[j] *= _find(w, e + 1, f) if f < len(w.null_row) else UNKNOWN


@kernel
def _fill_unknown(w: Any, pairs: Any, source_bounds: Array, sources: Array, offsets: Array, matrices: Array) -> None:
    """matrices[pair][i, j] = a_ij · UNKNOWN where source word i is not known, and so is under no type."""
    for s in range(len(pairs.bounds) - 1):
        m = pairs.bounds[s + 1] - pairs.bounds[s]
        for i in range(1, pairs.lengths[s] + 1):
            if sources[source_bounds[s] + i - 1] < 0:
                out = matrices[offsets[s] + i * m :]
                near(w, pairs, s, i, out)
                for j in range(m):
                    out[j] *= UNKNOWN


@kernel
def _normalize(w: Any, pairs: Any, offsets: Array, longest: int, matrices: Array, log_norms: Array) -> None:
    """Adds the empty word's row and makes columns sum to one; log_norms[pair] = Σ_j log of what they summed to."""
    totals = np.empty(longest)
    n_targets = len(w.null_row)
    for s in range(len(pairs.bounds) - 1):
        l, m, base, start = pairs.lengths[s], pairs.bounds[s + 1] - pairs.bounds[s], offsets[s], pairs.bounds[s]
        totals[:m] = 0.0
        for i in range(1, l + 1):
            for j in range(m):
                totals[j] += matrices[base + i * m + j]
        log_norm = 0.0
        for j in range(m):
            f, others = pairs.targets[start + j], 1.0
            empty = w.null_row[f] if f < n_targets else UNKNOWN
            if w.kind == DIAGONAL and l > 0:
                empty, others = w.null * empty, w.link * w.cells[w.cell_starts[pairs.classes[s]] + j]
            elif w.kind == FREE and l > 0:
                empty *= w.table[w.table_starts[pairs.classes[s]] + j]
            total = empty + others * totals[j]
            log_norm += np.log(total) if total > 0.0 else -np.inf
            matrices[base + j] = empty / total if total > 0.0 else 0.0
            totals[j] = others / total if total > 0.0 else 0.0  # a column of zeros stays zero
        for i in range(1, l + 1):
            for j in range(m):
                matrices[base + i * m + j] *= totals[j]
        log_norms[s] = log_norm - (m * np.log(l + 1.0) if w.kind == UNIFORM else 0.0)
