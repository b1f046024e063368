"""What an engine is: it brings data to where sums are computed, and computes them there.

    Σ_shards fn(shard, shared)          fn: a pure function at the top level of a module, of values alone

So whatever crosses an engine can be sent elsewhere, and what comes back adds (`+=`). Sums go in the order of the
shards, so that results do not depend on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, Self, runtime_checkable

Handle = Any  # where a shard or a shared value is; the engine's own


@runtime_checkable
class Engine(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def n_workers(self) -> int: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...

    def place(self, pack: Callable[[Any], Any], parts: Iterable[Any]) -> Sequence[Handle]:
        """pack(part) of every part, where the sums will be computed; once."""

    def share(self, value: Any) -> Handle:
        """A value that all shards need, such as weights; once per round."""

    def map(self, fn: Callable[[Any, Any], Any], handles: Sequence[Handle], shared: Handle) -> Iterator[Any]:
        """fn(shard, shared) of every shard, in order, as they are done."""

    def sum(self, fn: Callable[[Any, Any], Any], handles: Sequence[Handle], shared: Handle) -> Any:
        """Σ fn(shard, shared), added in the order of the shards."""
