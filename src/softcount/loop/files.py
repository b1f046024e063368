"""The E-step over items in files (`text.stored`): cut as items in memory are, known by where they are.

What is packed of them stays where there is room for it, and else is packed again whenever it is asked for: then no
more of a corpus is in memory than the workers work on, and the results have the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.loop.model import InRounds, Model
from softcount.machine.memory import available
from softcount.numbers.ragged import Array
from softcount.text.stored import Part, Stored, opened

LARGER = 16  # times a shard of a model that works in rounds, whose counts are as large as all its tables
PIECES = 16  # of which a mini-batch is drawn, for single items would be read from everywhere


class FileRange(NamedTuple):
    batch: int
    start: int
    stop: int


def file_ranges(model: Model, items: Stored, seed: Sequence[int], n_batches: int) -> list[FileRange]:
    if n_batches:
        return _shuffled(items, seed, n_batches)
    target = model.shard_cost * (LARGER if isinstance(model, InRounds) else 1)
    return [FileRange(batch, *bounds) for batch, bounds in enumerate(items.cut(model.costs, target))]


def _shuffled(items: Stored, seed: Sequence[int], n_batches: int) -> list[FileRange]:
    """Pieces of about equal size, dealt out to the mini-batches at random."""
    ranges = items.cut(_sizes, max(1, int(items.amount) // (n_batches * PIECES)))
    order = np.random.default_rng([*seed, 1]).permutation(len(ranges)).tolist()
    return [FileRange(k * n_batches // len(order), *ranges[i]) for k, i in enumerate(order)]


def _sizes(items: Any) -> Array:
    sizes: Array = items.sizes
    return sizes


def fits(model: Model, items: Stored, ranges: Sequence[FileRange]) -> bool:
    """Whether all that is packed may stay in memory, by what the first of it takes."""
    first = model.pack(opened(items.slice(*ranges[0][1:])))
    return len(ranges) * _bytes(first) <= available() / 2


def _bytes(packed: Any) -> int:
    if isinstance(packed, np.ndarray):
        return packed.nbytes
    return sum(map(_bytes, packed)) if isinstance(packed, tuple) else 0


def packed(model: Any, shard: Any) -> Any:
    """As it was placed, or packed only now."""
    return model.pack(shard.opened()) if isinstance(shard, Part) else shard
