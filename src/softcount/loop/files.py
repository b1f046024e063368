"""The E-step over items in files (`text.stored`): cut as items in memory are, known by where they are.

What is packed of them stays where there is room for it, and else is packed again whenever it is asked for: then no
more of a corpus is in memory than the workers work on, and the results have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.loop.model import InRounds, Model
from softcount.loop.placed_shard import Placed
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
        return file_batches(items, seed, n_batches)
    target = model.shard_cost * (LARGER if isinstance(model, InRounds) else 1)
    return [FileRange(batch, *bounds) for batch, bounds in enumerate(items.cut(model.costs, target))]


def file_batches(items: Stored, seed: Sequence[int], n_batches: int) -> list[FileRange]:
    """Pieces of about equal size, dealt out to the mini-batches at random."""
    ranges = items.cut(_sizes, max(1, int(items.amount) // (n_batches * PIECES)))
    order = np.random.default_rng([*seed, 1]).permutation(len(ranges)).tolist()
    return [FileRange(k * n_batches // len(order), *ranges[i]) for k, i in enumerate(order)]


def _sizes(items: Any) -> Array:
    sizes: Array = items.sizes
    return sizes


def packing(model: Model, items: Stored, bounds: Sequence[tuple[int, int]]) -> Callable[[Placed], Placed]:
    """How these pieces are placed: packed where all may stay in memory, by what the first of them takes."""
    first = model.pack(opened(items.slice(*bounds[0])))
    return pack_placed if len(bounds) * _bytes(first) <= available() / 2 else unpacked


def _bytes(packed: Any) -> int:
    if isinstance(packed, np.ndarray):
        return packed.nbytes
    return sum(map(_bytes, packed)) if isinstance(packed, tuple) else 0


def pack_placed(part: Placed) -> Placed:
    """A model and items as the model's shard."""
    model, items = part.shard
    return part._replace(shard=model.pack(opened(items)))


def unpacked(part: Placed) -> Placed:
    """To be packed whenever it is asked for."""
    return part._replace(shard=part.shard[1])


def packed(model: Any, shard: Any) -> Any:
    """As it was placed, or packed only now."""
    return model.pack(shard.opened()) if isinstance(shard, Part) else shard
