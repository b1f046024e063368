"""Sums along a tree that is fixed by the number of terms alone:

    sum(a_1 … a_n) = sum(a_1 … a_p) + sum(a_p+1 … a_n)          p: the largest power of two below n

So whoever adds up blocks of 2^k terms each, in one place or in many, and then the blocks, has the same bits. In single
precision another order would be seen, and what adds up in a way of its own is small until it is added: such terms are
added one after the other instead, as threads add them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from softcount.numbers.tables import Addable


def tree_sum(terms: Iterable[Any]) -> Any:
    """Adds into every other term, from the first on; log₂ n sums wait at a time."""
    waiting: list[tuple[int, Any]] = []
    for term in terms:
        size, total = 1, term
        while waiting and waiting[-1][0] == size:
            _, left = waiting.pop()
            left += total
            size, total = 2 * size, left
        waiting.append((size, total))
    _, total = waiting.pop()
    while waiting:
        _, left = waiting.pop()
        left += total
        total = left
    return total


def block(n: int, least: int) -> int:
    """The largest power of two of which n terms are at least so many blocks, or one."""
    size = 1
    while n >= 2 * size * least:
        size *= 2
    return size


def in_order(term: Any) -> bool:
    """Whether terms of this kind are added one after the other."""
    if isinstance(term, np.ndarray):
        return bool(term.dtype == np.float32)
    return isinstance(term, Addable) or (isinstance(term, tuple | list) and any(in_order(part) for part in term))
