"""Whether a value is of the type that an annotation says: what comes from a file is held to one before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np


@cache
def hints_of(what: Any) -> dict[str, Any]:
    """Annotations of a class or a function: to make types of them takes longer than to hold values to them."""
    return get_type_hints(what)


def check(name: str, value: Any, hint: Any) -> None:
    if not fits(value, hint):
        raise ValueError(
            f"{name} cannot be {value!r}" if type(value) in (int, float, str) else f"{name} is another thing"
        )


@cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    return get_origin(hint), get_args(hint)


def fits(value: Any, hint: Any) -> bool:
    """Whether the value is of the annotated type, and all that is within it."""
    if hint is Any or hint is str:
        return hint is Any or isinstance(value, str)
    origin, arguments = _parts(hint)
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
