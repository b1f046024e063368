"""A process of our own, as the command line's is, spares what only other people's programs would ask of us.

scikit-learn takes a second to import, and nobody there clones our estimators or puts them into a pipeline; pandas
takes half a second, pyarrow and scikit-learn import it wherever it is installed, and no data frame comes in there.
SciPy asks for Cython, to test itself, and for all of NumPy, with its compiler of Fortran and its tools for tests. Numba
asks for SciPy's linear algebra, a sixth of a second, whether or not a kernel multiplies matrices: where one does, it
looks up the functions by an attribute, and has the real thing then.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

from softcount.machine.limits import check_limits_of_import

SPARED = ("pandas", "Cython", "cython")
LATER = ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack")
UNASKED = ("f2py", "testing")  # of NumPy; whoever imports them by name still gets them
# One thread for products of matrices: ours are small, and workers are many. A library that is loaded later heeds it.
BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_alone = False


def go_alone() -> None:
    """To be called before anything else is imported."""
    global _alone
    _alone = True
    sys.meta_path.insert(0, _Spare())
    for name in LATER:
        sys.modules.setdefault(name, _Later(name))
    for setting in BLAS:
        os.environ.setdefault(setting, "1")


def is_alone() -> bool:
    return _alone


def one_thread_whatever_is_loaded() -> bool:
    """Whether every library for products of matrices was told so before it was loaded, and nobody told it otherwise."""
    return _alone and all(os.environ.get(setting) == "1" for setting in BLAS)


class _Later(ModuleType):
    """A module that is imported when somebody asks it for something."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__pyx_capi__":  # what the import system itself asks every module
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


class _Spare(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        check_limits_of_import(name)
        if name in SPARED:
            raise ModuleNotFoundError(f"{name} is not imported on the command line", name=name)
        if name == "scipy" and "numpy" in sys.modules:
            for part in UNASKED:
                if f"numpy.{part}" not in sys.modules:
                    vars(sys.modules["numpy"])[part] = ModuleType(f"numpy.{part}")
