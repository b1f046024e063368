"""An engine whose workers are elsewhere: all that crosses it is pickled, sent, and unpickled, the functions too."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from softcount.numbers.rounds import add_up


def sent(value: Any) -> Any:
    """What arrives. Arrays arrive read-only where they are shared, as they do where workers map the same memory."""
    return pickle.loads(pickle.dumps(value))


class Copying:
    name = "copying"
    n_workers = 1

    def __init__(self, near: bool = True) -> None:
        self.near = near  # whether parts of one shard may be handed out
        self.crossed = 0  # how often something was sent

    def __enter__(self) -> Copying:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def place(self, pack: Callable[[Any], Any], parts: Iterable[Any]) -> list[bytes]:
        return [pickle.dumps(sent(pack)(sent(part))) for part in parts]

    def share(self, value: Any) -> bytes:
        return pickle.dumps(value)

    def map(self, fn: Callable[[Any, Any], Any], handles: Sequence[bytes], shared: bytes) -> Iterator[Any]:
        for handle in handles:
            self.crossed += 1
            try:
                found = sent(fn)(pickle.loads(handle), pickle.loads(shared))
            except Exception as error:
                raise sent(error) from None
            yield sent(found)

    def sum(self, fn: Callable[[Any, Any], Any], handles: Sequence[bytes], shared: bytes) -> Any:
        return add_up(self.map(fn, handles, shared))

    def keep(
        self, fn: Callable[..., Any], rows: Iterable[Sequence[bytes]], shared: bytes, n: int = 1
    ) -> list[list[bytes]]:
        columns: list[list[bytes]] = [[] for _ in range(n)]
        for row in rows:
            self.crossed += 1
            try:
                found = sent(fn)([pickle.loads(handle) for handle in row], pickle.loads(shared))
            except Exception as error:
                raise sent(error) from None
            for column, one in zip(columns, found, strict=True):
                column.append(pickle.dumps(one))
        return columns
