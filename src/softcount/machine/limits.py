"""A limit on memory (ulimit -v, ulimit -d) that is too low for the compiled libraries is said before they are loaded.

The OpenBLAS of SciPy asks for its buffers while it is loaded, and asks again for ever where the system refuses, deaf to
signals; Numba's LLVM, Arrow and the start of a thread end the process. None of them can be caught, so what they need is
compared with what a limit leaves. Arrow's allocator reserves a gigabyte of addresses, unless it is told otherwise.
"""

from __future__ import annotations

import os
import sys

from softcount.errors import InputError
from softcount.machine.memory import left_of_limits

MB = 1 << 20
LIBRARIES = {"numpy": 90, "pyarrow": 160, "scipy": 100, "numba": 170, "sklearn": 120}  # MB of addresses, measured
COMPUTING = ("numpy", "pyarrow", "scipy", "numba")  # what comes with each other where anything is trained or asked
WORK = 170  # MB: kernels, two threads and a small input
BLAS_THREAD = 40  # MB: buffers and stack of each further thread of NumPy's and SciPy's OpenBLAS
MOST_BLAS_THREADS = 64
RESERVE = {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # takes what it needs


def check_limits(name: str, *others: str) -> None:
    """To be called before these libraries are loaded; costs microseconds where there is no limit."""
    left = left_of_limits()
    if left == float("inf"):
        return
    for setting, value in RESERVE.items():
        os.environ.setdefault(setting, value)
    need = MB * _need((name, *others))
    if left < need:
        raise InputError(
            f"the memory limit (ulimit -v, ulimit -d) leaves {left / MB:,.0f} MB, but softcount needs "
            f"about {need / MB:,.0f} MB for its libraries; raise the limit, for example: ulimit -v "
            "unlimited"
        )


def check_limits_of_import(name: str) -> None:
    """The same where a module is imported: SciPy and Numba are loaded to compute, and bring the others."""
    if name in LIBRARIES:
        check_limits(name, *(COMPUTING if name in ("scipy", "numba") else ()))


def _need(names: tuple[str, ...]) -> int:
    """MB of what is not loaded yet, and of the work that follows it."""
    missing = {name for name in names if name not in sys.modules}
    threads = BLAS_THREAD * (_blas_threads() - 1) * len(missing & {"numpy", "scipy"})
    return sum(LIBRARIES[name] for name in missing) + threads + (WORK if "numba" in names else 0)


def _blas_threads() -> int:
    for setting in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        if os.environ.get(setting, "").isdecimal():
            return max(1, min(int(os.environ[setting]), MOST_BLAS_THREADS))
    return min(os.cpu_count() or 1, MOST_BLAS_THREADS)
