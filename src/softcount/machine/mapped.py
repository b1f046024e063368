"""Arrays in files of their own, mapped into memory: for tables that may be larger than memory has room for.

A file has no name, and is gone when nobody looks at its array any more. It is where the system keeps temporary files
(TMPDIR). What was touched of it counts as memory of this process until it is given back, which loses nothing. So it
is with memory that processes share.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import mmap
import tempfile
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SMALL = 1 << 20  # bytes: below, memory is the better place


def in_file(shape: int | tuple[int, ...], dtype: Any = float) -> Array:
    """Room for an array, all zeros; as `np.zeros`, but in a file, where it is not small."""
    sides = (shape,) if isinstance(shape, int) else shape
    if math.prod(sides) * np.dtype(dtype).itemsize <= SMALL:
        return np.zeros(sides, dtype)
    with tempfile.TemporaryFile(prefix="softcount-") as file:
        return np.asarray(np.memmap(file, dtype, "w+", shape=sides))


def give_back(array: Any) -> None:
    """The memory of an array that is in a file; the system brings back what is asked for again."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    if array is not None and hasattr(mmap, "MADV_DONTNEED"):
        array.madvise(mmap.MADV_DONTNEED)


def give_back_shared(name: str) -> None:
    """All memory that is shared with other processes in files of such a name; they keep it, and so nothing is lost."""
    advise = _madvise()
    if advise is None:
        return
    with contextlib.suppress(OSError), open("/proc/self/maps", "rb") as maps:
        for line in maps:
            place, permissions, *_, path = line.split(maxsplit=5)
            if permissions.endswith(b"s") and name.encode() in path:
                start, stop = (int(edge, 16) for edge in place.split(b"-"))
                advise(start, stop - start, mmap.MADV_DONTNEED)


@cache
def _madvise() -> Any:
    try:
        found = ctypes.CDLL(None, use_errno=True).madvise
        found.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        return found if hasattr(mmap, "MADV_DONTNEED") else None
    except (AttributeError, OSError, TypeError):  # not everywhere
        return None
