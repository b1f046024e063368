"""SUM, MAX, SAMPLE: the shares of a total.

Every E-step asks the same question of a list of non-negative terms: how much of the total is due to each? The three
readings answer with posteriors, with the best term, or with one drawn term. `mode` is an integer because functions
as arguments would defeat Numba's cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel

SUM, MAX, SAMPLE = 0, 1, 2


@kernel
def attribute(terms: np.ndarray[Any, Any], mode: int, uniform: float) -> float:
    """Replace terms by their shares and return the total (of MAX: the largest term).

    SUM: ``terms / terms.sum()``. MAX: one-hot at ``terms.argmax()``. SAMPLE: one-hot at
    ``searchsorted(terms.cumsum(), uniform * terms.sum())``, returning the sum. A total of zero leaves zeros.
    """
    n = len(terms)
    if mode == MAX:
        best = 0
        for i in range(1, n):
            if terms[i] > terms[best]:
                best = i
        total = terms[best]
        for i in range(n):
            terms[i] = 0.0
        if total > 0.0:
            terms[best] = 1.0
        return total
    total = 0.0
    for i in range(n):
        total += terms[i]
    if not total > 0.0:
        return 0.0
    if mode == SUM:
        for i in range(n):
            terms[i] /= total
        return total
    pick = draw(terms, uniform * total)
    for i in range(n):
        terms[i] = 0.0
    terms[pick] = 1.0
    return total


@kernel
def draw(terms: np.ndarray[Any, Any], threshold: float) -> int:
    """The first index whose cumulative sum exceeds the threshold, never one whose term is zero."""
    pick = -1
    running = 0.0
    for i in range(len(terms)):
        if terms[i] > 0.0:
            pick = i
            running += terms[i]
            if running > threshold:
                break
    return pick
