"""What an engine is: it brings data to where sums are computed, and computes them there.

    Σ_shards fn(shard, shared)          fn: a pure function at the top level of a module, of values alone

So whatever crosses an engine can be sent elsewhere, and what comes back adds (`+=`). Sums go in the order of the
shards, or along a tree that their number alone decides, so that results do not depend on the number of workers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, Self, runtime_checkable

Handle = Any  # where a shard or a shared value is; the engine's own


@runtime_checkable
class Engine(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def n_workers(self) -> int: ...

    @property
    def near(self) -> bool:
        """Whether shards are in this process: then parts of one may be handed out, each with the whole."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...

    def place(self, pack: Callable[[Any], Any], parts: Iterable[Any]) -> Sequence[Handle]:
        """pack(part) of every part, where the sums will be computed; once."""

    def share(self, value: Any) -> Handle:
        """A value that all shards need, such as weights; once per round."""

    def map(self, fn: Callable[[Any, Any], Any], handles: Sequence[Handle], shared: Handle) -> Iterator[Any]:
        """fn(shard, shared) of every shard, in order, as they are done."""

    def sum(self, fn: Callable[[Any, Any], Any], handles: Sequence[Handle], shared: Handle) -> Any:
        """Σ fn(shard, shared), added in the order of the shards, or along a fixed tree."""


@runtime_checkable
class Keeping(Engine, Protocol):
    """An engine whose workers keep what they find: values that are too large for whoever asks never come to him."""

    def keep(
        self, fn: Callable[[Sequence[Any], Any], tuple[Any, ...]], rows: Iterable[Sequence[Handle]], shared: Handle,
        n: int = 1,
    ) -> list[list[Handle]]:  # fmt: skip
        """fn(values, shared) of the values of each row of handles: n results, which stay there, as n columns."""


class Nested(ABC):
    """An engine that may be entered again within itself; the outermost opens it and closes it."""

    _depth = 0

    def __enter__(self) -> Self:
        if self._depth == 0:
            self._open()
        self._depth += 1
        return self

    def __exit__(self, *exc: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._close()

    @abstractmethod
    def _open(self) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...
