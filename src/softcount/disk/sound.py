"""Whether what a file says can be meant: values by the types that annotations say, tables by their shape and range.

Kernels trust shapes, types and signs, so whoever reads a file must not. Everything here raises ValueError.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from softcount.machine.annotation import check as check
from softcount.machine.annotation import fits as fits
from softcount.machine.annotation import hints_of as hints_of
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Tables, row_sums, values

DOUBLE, EITHER = (np.float64,), (np.float32, np.float64)  # precisions of a table
ROUNDING = 1e-3  # how far from one a row of single precision may sum


def annotated(cls: type) -> dict[str, Any]:
    """What a class of ours says of its attributes, those that it inherits included."""
    ours = [base for base in reversed(cls.__mro__) if base.__module__.startswith("softcount.")]
    return {name: hint for base in ours for name, hint in inspect.get_annotations(base, eval_str=True).items()}


# --- tables -----------------------------------------------------------------------------------------------------------


def check_table(name: str, table: Any, *shape: int, precisions: tuple[type, ...] = DOUBLE) -> Array:
    """Of this shape, with no NaN and no infinity but minus infinity, which is log 0."""
    found = values(table)
    if not isinstance(found, np.ndarray) or found.dtype not in precisions or found.shape != shape:
        raise ValueError(f"{name} is not a table of {' × '.join(map(str, shape))} numbers")
    if found.size and not found.max() < np.inf:
        raise ValueError(f"{name} contains NaN")
    return found


def check_finite(
    name: str, table: Any, *shape: int, least: float = -np.inf, precisions: tuple[type, ...] = DOUBLE
) -> None:
    found = check_table(name, table, *shape, precisions=precisions)
    if found.size and not (found.min() > -np.inf and found.min() >= least):
        raise ValueError(f"{name} contains NaN" + ("" if least < 0 else ", or negative numbers"))


def check_rows(name: str, table: Any, *shape: int, precisions: tuple[type, ...] = DOUBLE) -> None:
    """Distributions along the last axis; of a sparse table the outcomes that it does not store may have a share."""
    check_finite(name, table, *shape, least=0.0, precisions=precisions)
    total = row_sums(table)
    if total.size and not (
        total.max() <= 1.0 + ROUNDING and (isinstance(table, Ragged) or total.min() >= 1.0 - ROUNDING)
    ):
        raise ValueError(f"{name} contains rows that do not sum to one")


def check_logs(name: str, table: Any, *shape: int) -> None:
    """Logarithms of probabilities, or their expectations."""
    found = check_table(name, table, *shape)
    if found.size and not (found.max() <= ROUNDING and found.max(axis=-1).min() > -np.inf):
        raise ValueError(f"{name} contains log-probabilities above zero")


def check_tables(
    tables: Tables, kind: type, sound: Callable[..., None] = check_rows, **shapes: tuple[int, ...]
) -> None:
    """Tables of this kind, each of its shape: distributions, or what else `sound` takes."""
    check("tables", tables, kind)
    for name, shape in shapes.items():
        sound(name, getattr(tables, name), *shape)


def check_whole(name: str, numbers: Any, n: int | None, below: float) -> None:
    """Integers from 0 on, `n` of them where their number is known."""
    right = isinstance(numbers, np.ndarray) and numbers.dtype.kind in "iu" and numbers.ndim == 1
    if not right or (n is not None and len(numbers) != n):
        raise ValueError(f"{name} is not a list of whole numbers")
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < below:
        raise ValueError(f"{name} contains numbers out of range")
