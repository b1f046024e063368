"""What is known of a sentence's tree, as weights of its spans: zero for what cannot be.

A known bracket forbids every symbol of a span that crosses it, and, where its label is known, other symbols of its own
span. Where all brackets are known, other spans are nothing at all. Wishes are log-weights of spans and symbols.
"""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array, Ragged
from softcount.text.bracketed import ANY, NO_OTHERS

NOTHING = np.empty((0, 0))


def factors_of(n: int, n_symbols: int, brackets: Ragged | None, potentials: Ragged | None, i: int) -> Array:
    """[cells, symbols] of sentence i, or an empty table where nothing is known of it."""
    known = brackets is not None and len(brackets.row(i)) > 0
    if not known and potentials is None:
        return NOTHING
    factors = np.ones((n * (n + 1) // 2, n_symbols))
    if brackets is not None and known:
        _forbid(n, factors, brackets.row(i))
    if potentials is not None:
        factors *= np.exp(potentials.row(i))
    return factors


def _forbid(n: int, factors: Array, brackets: Array) -> None:
    end = np.repeat(np.arange(1, n + 1), np.arange(1, n + 1))
    start = np.arange(len(end)) - end * (end - 1) // 2
    listed = np.zeros(len(end), dtype=bool)
    labelled: dict[int, list[int]] = {}
    complete = False
    for a, b, symbol in brackets.tolist():
        if symbol == NO_OTHERS:
            complete = True
            continue
        factors[((start < a) & (a < end) & (end < b)) | ((a < start) & (start < b) & (b < end))] = 0.0
        cell = b * (b - 1) // 2 + a
        listed[cell] = True
        if symbol != ANY:
            labelled.setdefault(cell, []).append(symbol)
    for cell, symbols in labelled.items():
        others = np.ones(factors.shape[1], dtype=bool)
        others[symbols] = False
        factors[cell, others] = 0.0
    if complete:
        factors[~listed] = 0.0
