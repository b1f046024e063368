"""IBM Models 1 and 2 read by MAX and SAMPLE: per target word one source word, the winner of a race.

    argmax_i term_i, or argmax_i term_i / Exp(1), which is distributed as term_i / Σ term

A race needs no order, so it is run in source-type order as in ibm_kernel.py, and parts of it are merged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.ibm_kernel import DIAGONAL, FREE, near, noise
from softcount.numbers.attribute import SAMPLE
from softcount.numbers.ragged import Array


@kernel
def race(
    w: Any, pairs: Any, first: int, last: int, longest: int, mode: int, uniforms: Array,
    totals: Array, best: Array, choice: Array,
) -> None:  # fmt: skip
    """Per target token the largest term (MAX), or the largest over an exponential variate (SAMPLE), and its i.

    argmax_i term_i / Exp(1) is distributed as term_i / Σ term. Ties go to the lower i, in whatever order types come.
    """
    row = np.zeros(len(w.null_row))
    a = np.empty(longest)
    for e in range(first, last):
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            row[w.columns[k]] = w.translation[k]
        for o in range(pairs.offsets[e], pairs.offsets[e + 1]):
            s, i = pairs.sentence[o], pairs.position[o] + 1
            start, m = pairs.bounds[s], pairs.bounds[s + 1] - pairs.bounds[s]
            near(w, pairs, s, i, a)
            for j in range(m):
                term = a[j] * row[pairs.targets[start + j]]
                if mode == SAMPLE:
                    totals[start + j] += term
                    term /= noise(uniforms[start + j], i)
                if term > best[start + j] or (term == best[start + j] and term > 0.0 and i < choice[start + j]):
                    best[start + j] = term
                    choice[start + j] = i


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
            s, i = pairs.sentence[o], pairs.position[o] + 1
            start, m = pairs.bounds[s], pairs.bounds[s + 1] - pairs.bounds[s]
            for j in range(m):
                if choice[start + j] == i:
                    added[pairs.targets[start + j]] += 1.0
                    feature -= abs(i / pairs.lengths[s] - (j + 1) / m)
                    if w.kind == FREE:
                        extra[w.table_starts[pairs.classes[s]] + i * m + j] += 1.0
        for k in range(w.offsets[e + 1], w.offsets[e + 2]):
            counts[k - base] = added[w.columns[k]]
    if w.kind == DIAGONAL:
        extra[0] += feature
