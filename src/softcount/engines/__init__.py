"""Where the sum over shards is computed. To add an engine: one file here, one line in ENGINES."""

from __future__ import annotations

from collections.abc import Callable

from softcount.engines.engine import Engine
from softcount.engines.threads import Threads
from softcount.errors import InputError

ENGINES: dict[str, Callable[[int], Engine]] = {"threads": Threads}

__all__ = ["ENGINES", "Engine", "Threads", "engine_of"]


def engine_of(engine: str | Engine, n_workers: int) -> Engine:
    """An engine by its name, or the one that is given."""
    if not isinstance(engine, str):
        return engine
    if engine not in ENGINES:
        raise InputError(f"no engine {engine!r}; use {', '.join(ENGINES)}")
    return ENGINES[engine](n_workers)
