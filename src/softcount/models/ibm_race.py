"""IBM Models 1 and 2 read by MAX and SAMPLE: per target word one source word, the winner of a race.

    argmax_i term_i, or argmax_i term_i / Exp(1), which is distributed as term_i / Σ term

A race needs no order, so it is run in source-type order as in ibm_kernel.py, and parts of it are merged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.families.diagonal import closeness
from softcount.machine.kernel import kernel
from softcount.models.ibm_link import DIAGONAL, FREE, clear, near, scratch, spread, wish
from softcount.numbers.attribute import SAMPLE
from softcount.numbers.ragged import Array


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
def race(
    w: Any, pairs: Any, first: int, last: int, longest: int, mode: int, uniforms: Array,
    totals: Array, best: Array, choice: Array,
) -> None:  # fmt: skip
    """Per target token the largest term (MAX), or the largest over an exponential variate (SAMPLE), and its i.

    argmax_i term_i / Exp(1) is distributed as term_i / Σ term. Ties go to the lower i, in whatever order types come.
    """
    row, a = scratch(len(w.null_row), w.unseen, w.unknown), np.empty(longest)
    kind, ladder, rise, fall, table, cells = w.kind, w.ladder, w.rise, w.fall, w.table, w.table_starts
    wishes, wished, sentence, classes = pairs.wishes, pairs.wished, pairs.sentence, pairs.classes
    position, targets, starts, widths, heights = (
        pairs.position, pairs.targets, pairs.starts, pairs.widths, pairs.heights
    )  # fmt: skip
    for e in range(first, last):
        spread(w.offsets, w.columns, w.translation, w.unknown, e, row)
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            start, i, l = starts[o], position[o] + 1, heights[o]
            m = start + widths[o] - start  # of the type of start
            cell = cells[classes[sentence[o]]] + i * m if kind == FREE else 0
            begin = wish(wished, sentence[o], i * m)
            near(kind, ladder, rise, fall, table, cell, wishes, begin, i, l, m, a)
            for j in range(m):
                term = a[j] * row[targets[start + j]]
                if mode == SAMPLE:
                    totals[start + j] += term
                    term /= noise(uniforms[start + j], i)
                if term > best[start + j] or (term == best[start + j] and term > 0.0 and i < choice[start + j]):
                    best[start + j] = term
                    choice[start + j] = i
        clear(w.offsets, w.columns, w.unseen, e, row)


@kernel
def add_chosen(w: Any, pairs: Any, first: int, last: int, choice: Array, counts: Array, extra: Array) -> None:
    """As add_counts, of the one chosen source word of every target word."""
    base = w.offsets[first + 1]
    added = np.zeros(len(w.null_row))
    feature = 0.0
    for e in range(first, last):
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            added[w.columns[k]] = 0.0
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            s, i, start, m = pairs.sentence[o], pairs.position[o] + 1, pairs.starts[o], pairs.widths[o]
            for j in range(m):
                if choice[start + j] == i:
                    added[pairs.targets[start + j]] += 1.0
                    feature += closeness(i, pairs.heights[o], j + 1, m)
                    if w.kind == FREE:
                        extra[w.table_starts[pairs.classes[s]] + i * m + j] += 1.0
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            counts[k - base] = added[w.columns[k]]
    if w.kind == DIAGONAL:
        extra[0] += feature
