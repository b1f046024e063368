"""A text that is asked block by block, where an engine has it, by somebody who has all that a block needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from softcount.engines import Engine
from softcount.families.spread import itself
from softcount.machine import stage
from softcount.numbers.ragged import Array


def in_blocks(
    fn: Callable[[Any, Any], Any], engine: Engine, items: Any, bounds: Sequence[tuple[int, int]], shared: Any
) -> Iterator[Any]:
    """``fn(block, shared)`` of every block between these bounds, in order."""
    blocks = engine.place(itself, (items.slice(*of) for of in bounds))
    return stage.counted(engine.map(fn, blocks, engine.share(shared)), len(blocks))


def stacked(found: Iterable[Array]) -> Array:
    """[pairs, 2] of all blocks."""
    return np.concatenate([np.empty((0, 2)), *found])
