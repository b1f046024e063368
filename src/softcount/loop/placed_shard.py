"""A shard as an engine has it, and how what goes wrong in it is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from softcount.errors import ImpossibleItem
from softcount.machine.subnormal import subnormals_as_zero


class Placed(NamedTuple):
    """A shard, which one it is, the number of its first item, and what each of its items counts."""

    number: int
    first: int
    shard: Any
    weight: float = 1.0
    drawn: int = 0  # how many random numbers come before its own


@contextmanager
def located(placed: Placed) -> Iterator[None]:
    """An impossible item is numbered within all items, not within the shard. What decays to nothing costs nothing."""
    try:
        with subnormals_as_zero():
            yield
    except ImpossibleItem as impossible:
        raise ImpossibleItem(placed.first + impossible.item) from None
