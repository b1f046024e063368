"""The E-step of IBM Models 1 and 2 in source-type order.

    total_j = Σ_i a_ij t(f_j | e_i)       counts(f | e) = t(f | e) · Σ a_ij / total_j over the pairs of e with f

A word type's sparse row is spread into a dense scratch row, which stays in the cache while all sentences that have
the type are visited: a first traversal adds up the totals, a second the counts. So nothing is stored per token pair,
and traversals over disjoint ranges of types write disjoint slices of the counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import LINE, kernel, prefetch
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array

UNIFORM, DIAGONAL, FREE = 0, 1, 2  # kinds of alignment
SMALLEST_LOG = -745.2  # the exponential of less is zero
AHEAD = 4  # occurrences: how long before its visit a sentence, likely far away in memory, is asked for
NEXT = LINE // 8  # floats further: the next line of memory


class IBMWeights(NamedTuple):
    """exp(log-weights) in the form that the kernels like."""

    kind: int
    offsets: Array  # int64 [sources + 2], of the translation rows
    columns: Array  # uint32, the target word of each entry
    translation: Array
    null_row: Array  # [targets]: the empty word's row, dense
    null: float  # of the diagonal
    link: float
    ladder: Array  # int64: where a sentence length's steps begin in rise and fall
    rise: Array  # exp(λ k / n), k = 1 … n
    fall: Array  # exp(−λ k / n)
    cells: Array  # 1 / Z of every cell of the diagonal
    cell_starts: Array  # int64 [classes]
    table: Array  # the free table, [class][i][j]
    table_starts: Array  # int64 [classes]


class Pairs(NamedTuple):
    """Sentence pairs as the kernels read them."""

    offsets: Array  # int64 [sources + 1], where each source type's occurrences begin
    sentence: Array  # int32
    position: Array  # int32
    lengths: Array  # int64 [pairs], of the source sentences
    bounds: Array  # int64 [pairs + 1], of the target sentences
    targets: Array  # uint32 [target tokens]
    classes: Array  # int32 [pairs], which (l, m)
    starts: Array  # int64 per occurrence: where its target sentence begins; beside it, so that nothing is looked up
    widths: Array  # int32 per occurrence: m
    heights: Array  # int32 per occurrence: l


@kernel
def exponentials(logs: Array, out: Array) -> None:
    """out = np.exp(logs), which is slow where most weights underflow, as under a sparse prior"""
    for k in range(len(logs)):
        out[k] = np.exp(logs[k]) if logs[k] > SMALLEST_LOG else 0.0


@kernel
def near(w: Any, pairs: Any, s: int, i: int, out: Array) -> None:
    """out[j] = a_ij up to what depends on j alone; i counts from 1."""
    m = pairs.bounds[s + 1] - pairs.bounds[s]
    if w.kind == UNIFORM:
        for j in range(m):
            out[j] = 1.0
    elif w.kind == DIAGONAL:
        l = pairs.lengths[s]
        cut = i * m // l  # target positions up to here lie below the diagonal
        up, down = w.rise[w.ladder[l] + i - 1], w.fall[w.ladder[l] + i - 1]
        start = w.ladder[m]
        for j in range(cut):
            out[j] = down * w.rise[start + j]
        for j in range(cut, m):
            out[j] = up * w.fall[start + j]
    else:
        start = w.table_starts[pairs.classes[s]] + i * m
        for j in range(m):
            out[j] = w.table[start + j]


@kernel
def add_totals(w: Any, pairs: Any, first: int, last: int, totals: Array) -> None:
    """totals[j] += Σ_i a_ij t(f_j | e_i) over source types first … last − 1"""
    row = np.zeros(len(w.null_row))
    kind, translation, columns, rise, fall, table = w.kind, w.translation, w.columns, w.rise, w.fall, w.table
    position, targets = pairs.position, pairs.targets
    starts, widths, heights = pairs.starts, pairs.widths, pairs.heights
    for e in range(first, last):
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            row[columns[k]] = translation[k]
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            soon = starts[min(o + AHEAD, len(starts) - 1)]
            prefetch(targets, soon)
            prefetch(totals, soon)
            prefetch(totals, soon + NEXT)
            start, m = starts[o], widths[o]
            stop = start + m
            if kind == UNIFORM:
                for j in range(start, stop):
                    totals[j] += row[targets[j]]
                continue
            if start == stop:
                continue
            i = position[o] + 1
            if kind == DIAGONAL:  # exp(λ h_ij): i/l against j/m, rising up to the cut and falling after it
                l = heights[o]
                cut = start + i * m // l
                up, down, steps = rise[w.ladder[l] + i - 1], fall[w.ladder[l] + i - 1], w.ladder[m] - start
                for j in range(start, cut):
                    totals[j] += down * rise[steps + j] * row[targets[j]]
                for j in range(cut, stop):
                    totals[j] += up * fall[steps + j] * row[targets[j]]
            else:
                base = w.table_starts[pairs.classes[pairs.sentence[o]]] + i * m - start
                for j in range(start, stop):
                    totals[j] += table[base + j] * row[targets[j]]


@kernel
def add_counts(
    w: Any, pairs: Any, first: int, last: int, feature_too: bool, scale: Array, counts: Array, extra: Array
) -> None:
    """counts[e, f] = t(f|e) Σ a_ij scale_j, of these types' rows; extra: Σ h of the diagonal, or the free table's."""
    base = w.offsets[first + 1]
    row, added = np.zeros(len(w.null_row)), np.zeros(len(w.null_row))
    kind, translation, columns, rise, fall, table = w.kind, w.translation, w.columns, w.rise, w.fall, w.table
    position, targets = pairs.position, pairs.targets
    starts, widths, heights = pairs.starts, pairs.widths, pairs.heights
    feature = 0.0
    for e in range(first, last):
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            added[columns[k]] = 0.0
        if feature_too or kind == FREE:
            for k in range(w.offsets[e + 1], w.offsets[e + 2]):
                row[columns[k]] = translation[k]
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            soon = starts[min(o + AHEAD, len(starts) - 1)]
            prefetch(targets, soon)
            prefetch(scale, soon)
            prefetch(scale, soon + NEXT)
            start, m = starts[o], widths[o]
            stop = start + m
            if kind == UNIFORM:
                for j in range(start, stop):
                    added[targets[j]] += scale[j]
                continue
            if start == stop:
                continue
            i = position[o] + 1
            if kind == DIAGONAL:
                l = heights[o]
                cut = start + i * m // l
                up, down, steps = rise[w.ladder[l] + i - 1], fall[w.ladder[l] + i - 1], w.ladder[m] - start
                if feature_too:
                    here, step = i / l, 1.0 / m
                    for j in range(start, cut):
                        share = down * rise[steps + j] * scale[j] * row[targets[j]]
                        feature += share * ((j - start + 1) * step - here)
                    for j in range(cut, stop):
                        share = up * fall[steps + j] * scale[j] * row[targets[j]]
                        feature -= share * ((j - start + 1) * step - here)
                for j in range(start, cut):
                    added[targets[j]] += down * rise[steps + j] * scale[j]
                for j in range(cut, stop):
                    added[targets[j]] += up * fall[steps + j] * scale[j]
            else:
                cell = w.table_starts[pairs.classes[pairs.sentence[o]]] + i * m - start
                for j in range(start, stop):
                    f = targets[j]
                    share = table[cell + j] * scale[j]
                    added[f] += share
                    extra[cell + j] += share * row[f]
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            counts[k - base] = added[columns[k]] * translation[k]
    if kind == DIAGONAL:
        extra[0] += feature


@kernel
def noise(uniform: float, i: int) -> float:
    """An exponential variate of target token and source position, mixed (splitmix64) from the token's uniform."""
    z = np.uint64(uniform * 9007199254740992.0) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(i + 1) * np.uint64(
        0xD1B54A32D192ED03
    )
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return -np.log((float(z >> np.uint64(11)) + 0.5) / 9007199254740992.0)


@kernel
def settle(
    w: Any, pairs: Any, first: int, last: int, mode: int, uniforms: Array, totals: Array, best: Array, choice: Array,
    null_counts: Array, masses: Array, extra: Array,
) -> tuple[float, float, float, int]:  # fmt: skip
    """Adds the empty word to pairs first … last − 1, whose tokens alone `totals`, `best` and `choice` have.

    Returns log Z, the empty word's links, the others', and a pair that is impossible or −1. Afterwards SUM's `totals`
    is the scale by which a_ij t_ij becomes a posterior, and `choice` the chosen i.
    """
    log_norm, nulls, links = 0.0, 0.0, 0.0
    before = pairs.bounds[first]
    for s in range(first, last):
        l, m, start = pairs.lengths[s], pairs.bounds[s + 1] - pairs.bounds[s], pairs.bounds[s]
        if l == 0 or m == 0:
            continue
        c, product = pairs.classes[s], 1.0
        for j in range(m):
            f, t = pairs.targets[start + j], start + j - before
            empty, others = w.null_row[f], 1.0
            if w.kind == DIAGONAL:
                empty, others = w.null * empty, w.link * w.cells[w.cell_starts[c] + j]
            elif w.kind == FREE:
                empty *= w.table[w.table_starts[c] + j]
            if mode == SUM:
                total = empty + others * totals[t]
                share = empty / total if total > 0.0 else 0.0
                totals[t] = others / total if total > 0.0 else 0.0
            elif mode == MAX:
                total = max(empty, others * best[t])
                share = 1.0 if empty >= others * best[t] else 0.0
            else:
                total = empty + others * totals[t]
                share = 1.0 if empty / noise(uniforms[before + t], 0) >= others * best[t] else 0.0
            if not total > 0.0:
                return log_norm, nulls, links, s
            if mode != SUM and share > 0.0:
                choice[t] = 0
            # a logarithm of a few tokens' product instead of one per token
            if product < 1e-150 or product > 1e150 or total < 1e-150 or total > 1e150:
                log_norm += np.log(product)
                product = 1.0
            if total < 1e-150 or total > 1e150:
                log_norm += np.log(total)
            else:
                product *= total
            null_counts[f] += share
            nulls += share
            links += 1.0 - share
            if w.kind == DIAGONAL:
                masses[w.cell_starts[c] + j] += 1.0 - share
            elif w.kind == FREE:
                extra[w.table_starts[c] + j] += share
        log_norm += np.log(product)
        if w.kind == UNIFORM:
            log_norm -= m * np.log(l + 1.0)
    return log_norm, nulls, links, -1
