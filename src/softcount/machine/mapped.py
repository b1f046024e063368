"""Arrays in files of their own, mapped into memory: for tables that may be larger than memory has room for.

A file has no name, and is gone when nobody looks at its array any more. It is where the system keeps temporary files
(TMPDIR). What was touched of it counts as memory of this process until it is given back, which loses nothing.
"""

from __future__ import annotations

import math
import mmap
import tempfile
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
