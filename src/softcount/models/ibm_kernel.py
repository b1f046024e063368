"""The E-step of IBM Models 1 and 2 in source-type order.

    total_j = Σ_i a_ij t(f_j | e_i)       counts(f | e) = t(f | e) · Σ a_ij / total_j over the pairs of e with f

A word type's sparse row is spread into a dense scratch row, which stays in the cache while all sentences that have
the type are visited: a first traversal adds up the totals, a second the counts. So nothing is stored per token pair,
and traversals over disjoint ranges of types write disjoint slices of the counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.families.diagonal import closeness
from softcount.machine.kernel import LINE, kernel, prefetch
from softcount.models.ibm_link import DIAGONAL, FREE, UNIFORM, around, aside, clear, near, scratch, spread, wish
from softcount.models.ibm_race import noise
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array

AHEAD = 4  # occurrences: how long before its visit a sentence, likely far away in memory, is asked for
NEXT = LINE // 8  # floats further: the next line of memory


@kernel
def add_totals(w: Any, pairs: Any, first: int, last: int, longest: int, totals: Array) -> None:
    """totals[j] += Σ_i a_ij t(f_j | e_i) over source types first … last − 1"""
    row, a = scratch(len(w.null_row), w.unseen, w.unknown), np.empty(longest)
    kind, ladder, rise, fall, table, cells = w.kind, w.ladder, w.rise, w.fall, w.table, w.table_starts
    sentence, position, classes, targets = pairs.sentence, pairs.position, pairs.classes, pairs.targets
    starts, widths, heights, wishes, wished = pairs.starts, pairs.widths, pairs.heights, pairs.wishes, pairs.wished
    wishful = len(wished) > 0
    for e in range(first, last):
        spread(w.offsets, w.columns, w.translation, w.unknown, e, row)
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            soon = starts[min(o + AHEAD, len(starts) - 1)]
            prefetch(targets, soon)
            prefetch(totals, soon)
            prefetch(totals, soon + NEXT)
            start, stop = starts[o], starts[o] + widths[o]
            m = stop - start
            if kind == UNIFORM and not wishful:
                for j in range(start, stop):
                    totals[j] += row[targets[j]]
                continue
            i, l = position[o] + 1, heights[o]
            cell = cells[classes[sentence[o]]] + i * m if kind == FREE else 0
            if wishful:
                begin = wish(wished, sentence[o], i * m)
                near(kind, ladder, rise, fall, table, cell, wishes, begin, i, l, m, a)
                for j in range(m):
                    totals[start + j] += a[j] * row[targets[start + j]]
            elif kind == DIAGONAL:
                up, down, steps = rise[ladder[l] + i - 1], fall[ladder[l] + i - 1], ladder[m] - start
                cut = start + i * m // l
                for j in range(start, stop):
                    totals[j] += around(up, down, rise[steps + j], fall[steps + j], j < cut) * row[targets[j]]
            else:
                for j in range(start, stop):
                    totals[j] += table[cell - start + j] * row[targets[j]]
        clear(w.offsets, w.columns, w.unseen, e, row)


@kernel
def add_counts(
    w: Any, pairs: Any, first: int, last: int, longest: int, feature_too: bool, scale: Array, counts: Array,
    extra: Array,
) -> None:  # fmt: skip
    """counts[e, f] = t(f|e) Σ a_ij scale_j, of these types' rows; extra: Σ h of the diagonal, or the free table's."""
    base, feature = w.offsets[first + 1], 0.0
    row, added, a = scratch(len(w.null_row), w.unseen, w.unknown), np.zeros(len(w.null_row)), np.empty(longest)
    kind, ladder, rise, fall, table, cells = w.kind, w.ladder, w.rise, w.fall, w.table, w.table_starts
    sentence, position, classes, targets = pairs.sentence, pairs.position, pairs.classes, pairs.targets
    starts, widths, heights, wishes, wished = pairs.starts, pairs.widths, pairs.heights, pairs.wishes, pairs.wished
    columns, translation, wishful = w.columns, w.translation, len(wished) > 0
    for e in range(first, last):
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            added[columns[k]] = 0.0
        if feature_too or kind == FREE:
            spread(w.offsets, columns, translation, w.unknown, e, row)
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            soon = starts[min(o + AHEAD, len(starts) - 1)]
            prefetch(targets, soon)
            prefetch(scale, soon)
            prefetch(scale, soon + NEXT)
            start, stop = starts[o], starts[o] + widths[o]
            m = stop - start
            if kind == UNIFORM and not wishful:
                for j in range(start, stop):
                    added[targets[j]] += scale[j]
                continue
            i, l = position[o] + 1, heights[o]
            cell = cells[classes[sentence[o]]] + i * m if kind == FREE else 0
            if wishful:
                begin = wish(wished, sentence[o], i * m)
                near(kind, ladder, rise, fall, table, cell, wishes, begin, i, l, m, a)
                for j in range(m):
                    a[j] *= scale[start + j]
            elif kind == DIAGONAL:
                up, down, steps, cut = rise[ladder[l] + i - 1], fall[ladder[l] + i - 1], ladder[m], i * m // l
                for j in range(m):
                    a[j] = around(up, down, rise[steps + j], fall[steps + j], j < cut) * scale[start + j]
            else:
                for j in range(m):
                    share, f = table[cell + j] * scale[start + j], targets[start + j]
                    added[f] += share
                    extra[cell + j] += share * row[f]
                continue
            for j in range(m):
                added[targets[start + j]] += a[j]
            if feature_too:
                for j in range(m):
                    feature += a[j] * row[targets[start + j]] * closeness(i, l, j + 1, m)
            elif kind == FREE:
                for j in range(m):
                    extra[cell + j] += a[j] * row[targets[start + j]]
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            counts[k - base] = added[columns[k]] * translation[k]
        clear(w.offsets, columns, w.unseen, e, row)
    if kind == DIAGONAL:
        extra[0] += feature


@kernel
def settle(
    w: Any, pairs: Any, first: int, last: int, mode: int, uniforms: Array,
    totals: Array, best: Array, choice: Array, null_counts: Array, masses: Array, extra: Array,
) -> tuple[float, float, float, int]:  # fmt: skip
    """Adds the empty word to pairs first … last − 1, whose tokens alone `totals`, `best` and `choice` have.

    Returns log Z, the empty word's links, the others', and a pair that is impossible or −1. Afterwards SUM's `totals`
    is the scale by which a_ij t_ij becomes a posterior, and `choice` the chosen i.
    """
    log_norm, nulls, links, before = 0.0, 0.0, 0.0, pairs.bounds[first]
    kind, null, link, null_row, targets, wishes = w.kind, w.null, w.link, w.null_row, pairs.targets, pairs.wishes
    cells, starts = (w.cells, w.cell_starts) if kind == DIAGONAL else (w.table, w.table_starts)
    for s in range(first, last):
        l, m, start = pairs.lengths[s], pairs.bounds[s + 1] - pairs.bounds[s], pairs.bounds[s]
        if l == 0 or m == 0:
            continue
        begin, cell = wish(pairs.wished, s, 0), starts[pairs.classes[s]] if kind != UNIFORM else 0
        product = 1.0
        for j in range(m):
            f, t, place = targets[start + j], start + j - before, cell + j if kind != UNIFORM else 0
            empty, others = aside(kind, null, link, cells[place], null_row[f] * wishes[begin + j])
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
            if kind == DIAGONAL:
                masses[place] += 1.0 - share
            elif kind == FREE:
                extra[place] += share
        log_norm += np.log(product)
        if kind == UNIFORM:
            log_norm -= m * np.log(l + 1.0)
    return log_norm, nulls, links, -1
