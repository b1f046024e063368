"""Threads on this machine: kernels release the GIL, each shard has private counts, and the sum goes in shard order.

So the result has the same bits whatever the number of workers. One BLAS thread per worker: threaded BLAS collapses
on products as small as ours.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from softcount.machine.subnormal import subnormals_as_zero

Result = TypeVar("Result")


def cpu_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """Use as a context: ``with Threads(2) as engine: engine.sum(task, shards)``."""

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads = cpu_count() if n_threads == -1 else n_threads
        if self.n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, or -1 for all cores, not {n_threads}")

    def __enter__(self) -> Threads:
        import scipy.linalg  # noqa: F401  the BLAS that compiled kernels call must be loaded before it is limited

        self._limits = threadpool_limits(limits=1, user_api="blas")
        self._pool = ThreadPoolExecutor(self.n_threads) if self.n_threads > 1 else None
        return self

    def __exit__(self, *exc: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        self._limits.restore_original_limits()

    def place(self, pack: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
        """Bring the data to where the sums will be computed; once."""
        return list(self.map(pack, parts))

    def map(self, task: Callable[[Any], Result], shards: Sequence[Any]) -> Iterator[Result]:
        """task(shard) of every shard, in order; at most a few results wait, so memory stays bounded."""
        task = subnormals_as_zero()(task)
        if self._pool is None:
            yield from map(task, shards)
            return
        waiting: deque[Future[Result]] = deque()
        try:
            for shard in shards:
                waiting.append(self._pool.submit(task, shard))
                if len(waiting) > self.n_threads + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def sum(self, task: Callable[[Any], Any], shards: Sequence[Any]) -> Any:
        """Σ task(shard), added up in shard order."""
        results = self.map(task, shards)
        total = next(results)
        for result in results:
            total += result
        return total
