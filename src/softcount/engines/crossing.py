"""How values cross to other processes: arrays lie in shared memory and are mapped there, and what all share goes once.

    head, buffers = pickle(value)            open(head, buffers) = the value, whose arrays are views of the buffers

Kernels are compiled for arrays that can be written, and a second time for those that cannot; so the views are of the
first kind. Nobody writes into them: what an engine is given are pure functions.
"""

from __future__ import annotations

import ctypes
import io
import pickle
from collections.abc import Sequence
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

Buffer = Any  # of bytes: uint8 [n]


class Sealed(NamedTuple):
    """A value on its way. `common` is where its objects are that other values have as well."""

    head: bytes
    buffers: list[Buffer]
    common: Any = None

    @property
    def size(self) -> int:
        return len(self.head) + sum(len(buffer) for buffer in self.buffers)


def seal(value: Any, shared: Sequence[Any] = (), common: Any = None) -> Sealed:
    """The value without the objects `shared`, which are at `common`."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    pickler = _pickler()(stream, protocol=5, buffer_callback=buffers.append)
    pickler.known = {id(one): k for k, one in enumerate(shared)}
    pickler.dump(value)
    return Sealed(stream.getvalue(), [np.frombuffer(one.raw(), np.uint8) for one in buffers], common)


def unseal(sealed: Sealed, shared: Sequence[Any] = (), own: bool = False) -> Any:
    """The value; `own`: with arrays of its own, to be written and kept."""
    buffers = [memoryview(one.copy()) if own else _view(one) for one in sealed.buffers]
    unpickler = _Unpickler(io.BytesIO(sealed.head), buffers=buffers)
    unpickler.known = shared
    return unpickler.load()


def common(first: Any, second: Any) -> list[Any]:
    """The very objects that are within both: a model's arrays, a vocabulary."""
    one, two = _within(first), _within(second)
    return [one[key] for key in one.keys() & two.keys()]


def _within(value: Any) -> dict[int, Any]:
    pickler = _pickler()(io.BytesIO(), protocol=5, buffer_callback=lambda buffer: None)
    pickler.met = {}
    pickler.dump(value)
    met: dict[int, Any] = pickler.met
    return met


def _view(buffer: Buffer) -> memoryview:
    """The same memory, as memory that can be written; it is there for as long as somebody looks at it."""
    room: Any = (ctypes.c_char * len(buffer)).from_address(buffer.ctypes.data)
    room.owner = buffer
    return memoryview(room).cast("B")


def _is_whole(value: Any) -> bool:
    """Whether this is an object of its own, and not a part of speech."""
    if isinstance(value, np.ndarray):
        return True
    return hasattr(value, "__dict__") and not isinstance(value, type | FunctionType | ModuleType)


@cache
def _pickler() -> Any:
    from ray import cloudpickle  # functions of a notebook or a script cross as well

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        known: dict[int, int] | None = None
        met: dict[int, Any] | None = None

        def persistent_id(self, value: Any) -> int | None:
            if self.met is not None:
                if _is_whole(value):
                    self.met[id(value)] = value
                return None
            return self.known.get(id(value)) if self.known else None

    return Pickler


class _Unpickler(pickle.Unpickler):
    known: Sequence[Any]

    def persistent_load(self, key: int) -> Any:
        return self.known[key]
