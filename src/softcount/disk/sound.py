"""Whether what a file says can be meant: values by the types that annotations say, tables by their shape and range.

Kernels trust shapes, types and signs, so whoever reads a file must not. Everything here raises ValueError.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Tables, row_sums, values

DOUBLE, EITHER = (np.float64,), (np.float32, np.float64)  # precisions of a table
ROUNDING = 1e-3  # how far from one a row of single precision may sum


@cache
def hints_of(what: Any) -> dict[str, Any]:
    """Annotations of a class or a function: to make types of them takes longer than to hold values to them."""
    return get_type_hints(what)


def check(name: str, value: Any, hint: Any) -> None:
    if not fits(value, hint):
        raise ValueError(
            f"{name} cannot be {value!r}" if type(value) in (int, float, str) else f"{name} is another thing"
        )


def fits(value: Any, hint: Any) -> bool:
    """Whether the value is of the annotated type, and all that is within it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in arguments)
    if hint in (None, NoneType):
        return value is None
    if hint in (int, float):
        kinds = (int, np.integer) if hint is int else (int, float, np.integer, np.floating)
        return isinstance(value, kinds) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if is_typeddict(hint):
        return _fits_fields(value, hint)
    if hasattr(hint, "_fields"):
        hints = hints_of(hint)
        return isinstance(value, hint) and all(
            fits(part, hints.get(f, Any)) for f, part in zip(hint._fields, value, strict=True)
        )
    return isinstance(value, origin or hint) and (origin is np.ndarray or _fits_within(value, arguments, origin))


def _fits_fields(value: Any, hint: Any) -> bool:
    """Of a mapping with known keys."""
    hints = hints_of(hint)
    if not isinstance(value, dict) or not hint.__required_keys__ <= value.keys() <= hints.keys():
        return False
    return all(fits(part, hints[key]) for key, part in value.items())


def _fits_within(value: Any, arguments: tuple[Any, ...], origin: Any) -> bool:
    if not arguments:
        return True
    if isinstance(value, Mapping):
        return all(fits(key, arguments[0]) and fits(part, arguments[1]) for key, part in value.items())
    if origin is tuple and arguments[-1] is not Ellipsis:
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    return all(fits(part, arguments[0]) for part in value)


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
        raise ValueError(f"{name} holds what is no number")
    return found


def check_finite(
    name: str, table: Any, *shape: int, least: float = -np.inf, precisions: tuple[type, ...] = DOUBLE
) -> None:
    found = check_table(name, table, *shape, precisions=precisions)
    if found.size and not (found.min() > -np.inf and found.min() >= least):
        raise ValueError(f"{name} holds what is no number" + ("" if least < 0 else ", or is negative"))


def check_rows(name: str, table: Any, *shape: int, precisions: tuple[type, ...] = DOUBLE) -> None:
    """Distributions along the last axis; of a sparse table the outcomes that it does not store may have a share."""
    check_finite(name, table, *shape, least=0.0, precisions=precisions)
    total = row_sums(table)
    if total.size and not (
        total.max() <= 1.0 + ROUNDING and (isinstance(table, Ragged) or total.min() >= 1.0 - ROUNDING)
    ):
        raise ValueError(f"{name} holds what does not sum to one")


def check_logs(name: str, table: Any, *shape: int) -> None:
    """Logarithms of probabilities, or their expectations."""
    found = check_table(name, table, *shape)
    if found.size and not (found.max() <= ROUNDING and found.max(axis=-1).min() > -np.inf):
        raise ValueError(f"{name} holds logarithms of more than one, or of nothing")


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
        raise ValueError(f"{name} holds numbers beyond what there is")
