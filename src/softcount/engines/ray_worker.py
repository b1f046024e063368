"""What runs in Ray's workers: pure functions of sealed values, each of which may run again after a failure.

One worker has one core: BLAS with one thread, kernels with one, and the compiled ones in the cache of its machine.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from softcount.engines.crossing import Sealed, seal, unseal
from softcount.engines.tree import in_order, tree_sum

KEPT = 4  # sets of common objects that stay unpacked in a worker
# Bytes below which a result goes to the driver, and from there to whoever asks for it, in place of shared memory. Ray
# has 100 kB, and a shard's entries of a range are fewer, so that all that workers find for one another went through the
# driver. Notes are shorter.
KEEPING = {"RAY_max_direct_call_object_size": "4096"}

_common: dict[Any, list[Any]] = {}
_settled = False


class Note(NamedTuple):
    """What the driver hears of a task, apart from its result."""

    size: int = 0  # bytes
    loose: bool = False  # whether the result is a list of terms, to be added in their order
    error: bytes | None = None  # what was raised


def pack(fn: Sealed, part: Sealed) -> tuple[Note, Sealed | None]:
    """fn(part), with what parts have in common left where it is."""
    settle()
    try:
        shared = common_of(part)
        return _noted(seal(unseal(fn)(unseal(part, shared)), shared, part.common))
    except Exception as error:
        return _failed(error)


def ask(fn: Sealed, shared: Sealed, shard: Sealed) -> tuple[Note, Sealed | None]:
    """fn(shard, shared)."""
    settle()
    try:
        return _noted(seal(unseal(fn)(opened(shard), opened(shared))))
    except Exception as error:
        return _failed(error)


def keep(fn: Sealed, n: int, shared: Sealed, *values: Sealed) -> tuple[Any, ...]:
    """The n results of fn(values, shared), each by itself."""
    settle()
    try:
        found = [seal(one) for one in unseal(fn)([opened(value) for value in values], opened(shared))]
        assert len(found) == n, f"{len(found)} results in place of {n}"
        return Note(sum(one.size for one in found)), *found
    except Exception as error:
        return _failed(error)[0], *[None] * n


def add(fn: Sealed, shared: Sealed, *shards: Sealed) -> tuple[Note, Sealed | None]:
    """Σ fn(shard, shared), or its terms."""
    settle()
    try:
        function, value = unseal(fn), opened(shared)
        found = (function(opened(shard), value) for shard in shards)
        first = next(found)
        if in_order(first):
            return _noted(seal([first, *found]), loose=True)
        return _noted(seal(tree_sum(chain([first], found))))
    except Exception as error:
        return _failed(error)


def join(*sums: Sealed) -> tuple[Note, Sealed]:
    """Σ of sums."""
    return _noted(seal(tree_sum(terms(sums))))


def terms(sums: Any) -> Iterator[Any]:
    """The values, of which those that are added to are private."""
    for number, one in enumerate(sums):
        yield unseal(one, own=number % 2 == 0)


def opened(sealed: Sealed) -> Any:
    return unseal(sealed, common_of(sealed))


def common_of(sealed: Sealed) -> list[Any]:
    """The objects that this value shares with others; unpacked once."""
    if sealed.common is None:
        return []
    if sealed.common not in _common:
        import ray

        while len(_common) >= KEPT:
            del _common[next(iter(_common))]
        _common[sealed.common] = unseal(ray.get(sealed.common))
    return _common[sealed.common]


def settle() -> None:
    """Once per process: the BLAS that compiled kernels call has one thread, as it has under threads."""
    global _settled
    if not _settled:
        import scipy.linalg  # noqa: F401  must be loaded before it is limited
        from threadpoolctl import threadpool_limits

        threadpool_limits(limits=1, user_api="blas")
        _settled = True


def about() -> str:
    """The version of softcount that this worker has."""
    from softcount.version import VERSION

    return VERSION


def keeps() -> bool:
    """Whether somebody has said, where this worker's machine was started, how small a result is that is not kept."""
    return all(name in os.environ for name in KEEPING)


def _noted(result: Sealed, loose: bool = False) -> tuple[Note, Sealed]:
    return Note(result.size, loose), result


def _failed(error: Exception) -> tuple[Note, None]:
    try:
        return Note(error=pickle.dumps(error)), None
    except Exception:  # an error that cannot be sent is told in words
        return Note(error=pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))), None
