"""Threads on this machine: kernels release the GIL, each shard has private counts, and the sum goes in shard order.

So the result has the same bits whatever the number of workers. One BLAS thread per worker: threaded BLAS collapses
on products as small as ours. Nothing is copied: a handle is the thing itself, but for what is to be kept, which goes to
files, because whoever asks for that has no room for all of it.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

from softcount.engines.engine import Nested
from softcount.engines.spilled import Folder, here
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.alone import one_thread_whatever_is_loaded
from softcount.numbers.rounds import add_up


def cpu_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """For products of matrices, those that are loaded. To look for them takes milliseconds, as long as a small E-step;
    so they are looked for only when something has been imported since."""
    return ThreadpoolController().select(user_api="blas")


class Threads(Nested):
    """Use as a context: ``with Threads(2) as engine: engine.sum(fn, engine.place(pack, parts), engine.share(x))``."""

    name, near = "threads", True
    _folder: Folder | None = None

    def __init__(self, n_workers: int = 1) -> None:
        self.n_workers = cpu_count() if n_workers == -1 else n_workers
        if self.n_workers < 1:
            raise ValueError(f"n_workers is {n_workers}; it must be at least 1, or -1 for all cores")

    def _open(self) -> None:
        if not one_thread_whatever_is_loaded():
            import scipy.linalg  # noqa: F401  the BLAS that compiled kernels call must be loaded before it is limited

        self._limits = _libraries(len(sys.modules)).limit(limits=1)
        self._pool = ThreadPoolExecutor(self.n_workers) if self.n_workers > 1 else None

    def _close(self) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        if self._folder:
            self._folder.close()
        self._folder = None
        self._limits.restore_original_limits()

    def place(self, pack: Callable[[Any], Any], parts: Iterable[Any]) -> list[Any]:
        return list(self._in_order(pack, parts))

    def share(self, value: Any) -> Any:
        return value

    def map(self, fn: Callable[[Any, Any], Any], handles: Sequence[Any], shared: Any) -> Iterator[Any]:
        return self._in_order(lambda shard: fn(here(shard), shared), handles)

    def sum(self, fn: Callable[[Any, Any], Any], handles: Sequence[Any], shared: Any) -> Any:
        return add_up(stage.counted(self.map(fn, handles, shared), len(handles)))

    def keep(
        self,
        fn: Callable[[Sequence[Any], Any], tuple[Any, ...]],
        rows: Iterable[Sequence[Any]],
        shared: Any,
        n: int = 1,
    ) -> list[list[Any]]:
        self._folder = folder = self._folder or Folder()

        def kept(row: Sequence[Any]) -> list[Any]:
            return [folder.spill(one) for one in fn([here(handle) for handle in row], shared)]

        found = list(self._in_order(kept, rows))
        return [[results[k] for results in found] for k in range(n)]

    def _in_order(self, task: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
        """task(part) of every part, in order; at most a few results wait, so memory stays bounded."""
        if self._pool is None:
            yield from map(task, parts)
            return
        waiting: deque[Future[Any]] = deque()
        try:
            for part in parts:
                waiting.append(_submit(self._pool, task, part))
                if len(waiting) > self.n_workers + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _submit(pool: ThreadPoolExecutor, task: Callable[[Any], Any], part: Any) -> Future[Any]:
    try:
        return pool.submit(task, part)
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        remedy = "use fewer threads (--threads, n_jobs), or raise ulimit -v or -u"
        raise InputError(f"the system does not start more threads; {remedy}") from None
