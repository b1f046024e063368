"""Items as every engine cuts them: into mini-batches, and within those into runs of one weight.

    items  →  shuffled, where there are mini-batches  →  mini-batches of about equal size  →  runs of one weight

How a run is cut further is a matter of costs, and of the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcount.loop.weighted import runs_of
from softcount.numbers.ragged import Array
from softcount.text.shard import shards


def shuffled(items: Any, weights: Array | None, n: int, seed: Sequence[int]) -> tuple[Any, Array | None, Array]:
    """(items, their weights, which each of them was) for n mini-batches.

    Neighbouring items are alike; a mini-batch should be a sample of all. Within one, items of a weight stay together.
    """
    order = np.random.default_rng([*seed, 1]).permutation(len(items))
    if weights is not None:
        for a, b in mini_batches(items.sizes[order], n):
            order[a:b] = order[a:b][np.argsort(weights[order[a:b]], kind="stable")]
        weights = weights[order]
    return items.take(order), weights, order


def pieces(sizes: Array, weights: Array | None, n: int) -> list[tuple[int, int, int]]:
    """(mini-batch, start, stop) of the runs of one weight in each of n mini-batches; 0: all items are one."""
    return [
        (batch, a + start, a + stop)
        for batch, (a, b) in enumerate(mini_batches(sizes, n) if n else [(0, len(sizes))])
        for start, stop in ([(0, b - a)] if weights is None else runs_of(weights[a:b]))
    ]


def mini_batches(sizes: Array, n: int) -> list[tuple[int, int]]:
    return shards(sizes, max(1, -(-int(sizes.sum()) // n)))
