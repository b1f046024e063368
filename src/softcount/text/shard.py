"""Cutting a corpus into contiguous pieces of about equal cost.

Item i, whose cost covers the interval from C_i − c_i to C_i of the total C, goes to piece ⌊n·(C_i − c_i/2) / C⌋: its
middle decides. Where the cuts fall depends on the costs alone, never on the workers, so neither do sums over pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from softcount.numbers.ragged import Array


def shards(costs: Array, target: int) -> list[tuple[int, int]]:
    """Ranges (start, stop) of cost about ``target``: ⌈total / target⌉ of them, but never more than items."""
    if target < 1:
        raise ValueError(f"target must be at least 1, not {target}")
    costs = np.asarray(costs, dtype=np.int64)
    total = int(costs.sum())
    n = max(1, min(-(-total // target), len(costs)))
    middles = np.cumsum(costs) - costs / 2
    cuts = np.searchsorted(middles, total * np.arange(1, n) / n)
    bounds = [0, *spread(cuts, len(costs)).tolist(), len(costs)]
    return list(pairwise(bounds))


def cut(items: Any, costs: Callable[[Any], Array], target: int) -> list[tuple[int, int]]:
    """The same of items that may be in files, where nobody knows the costs of all at once."""
    own = getattr(items, "cut", None)
    found: list[tuple[int, int]] = own(costs, target) if own else shards(costs(items), target)
    return found


def spread(cuts: Array, n_items: int) -> Array:
    """Moves cuts that fall together around one big item apart, so that no piece is empty."""
    rank = np.arange(len(cuts))
    cuts = np.maximum.accumulate(np.maximum(cuts, 1) - rank) + rank
    return np.asarray(np.minimum(cuts, n_items - len(cuts) + rank), dtype=np.int64)
