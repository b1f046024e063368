"""Where the sum over shards is computed. To add an engine: one file here, one line in ENGINES."""

from __future__ import annotations

from collections.abc import Callable

from softcount.engines.engine import Engine
from softcount.engines.threads import Threads
from softcount.errors import InputError


def _ray(n_workers: int, address: str | None = None) -> Engine:
    from softcount.engines.ray import Ray  # here, because few runs need it

    return Ray(n_workers, address)


ENGINES: dict[str, Callable[..., Engine]] = {"threads": Threads, "ray": _ray}
ELSEWHERE = ("ray",)  # those that may be at an address

__all__ = ["ENGINES", "Engine", "Threads", "engine_of"]


def engine_of(engine: str | Engine, n_workers: int, address: str | None = None) -> Engine:
    """An engine by its name, or the one that is given."""
    if not isinstance(engine, str):
        return engine
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r}: unknown; use {', '.join(ENGINES)}")
    if address is None:
        return ENGINES[engine](n_workers)
    if engine not in ELSEWHERE:
        raise InputError(f"the engine {engine} has no address; use --engine {' or '.join(ELSEWHERE)} with --address")
    return ENGINES[engine](n_workers, address)
