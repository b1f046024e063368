"""Parameters of estimators: what each takes is its annotation, and whoever gives it another thing is told so.

    n_states='ten': HMM takes a whole number or None for n_states

Annotations say the type; the range (at least one, between zero and one) is the estimator's own business, in `_check`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Protocol, Union, get_args, get_origin, runtime_checkable

import numpy as np

from softcount.disk.sound import fits, hints_of
from softcount.engines.engine import Engine
from softcount.errors import InputError
from softcount.numbers.limits import check_magnitude


@runtime_checkable
class Function(Protocol):
    def __call__(self, *given: Any, **named: Any) -> Any: ...


@runtime_checkable
class Matrix(Protocol):
    """Dense or sparse."""

    @property
    def shape(self) -> tuple[int, ...]: ...


# What parameters of several estimators take.
Fixed = str | Mapping[str, Any] | Collection[str]
PerTable = float | Mapping[str, Any]
Features = str | Path | Function | Matrix | Sequence[Any] | None  # of words; a list has several of the others
Sparse = Sequence[float] | Mapping[str, Any] | None  # (α, β), or by table
Seed = int | np.random.RandomState | None
Where = str | Engine
Share = int | float  # of documents: a number of them, or, below one or as a float, a share

WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a str",
    bool: "True or False",
    NoneType: "None",
    Path: "a path",
    np.ndarray: "an array",
    np.random.RandomState: "a RandomState",
    Engine: "an engine",
    Function: "a function",
    Matrix: "a matrix",
}
SHOWN = 40  # letters of a value


def check_parameters(estimator: Any) -> None:
    """Refuses what cannot be meant, by its name."""
    try:
        hints = hints_of(type(estimator).__init__)
    except NameError:  # of an estimator from elsewhere, whose annotations are for its checker alone
        return
    for name, value in estimator.get_params(deep=False).items():
        hint = hints.get(name, Any)
        if not fits(value, hint):
            shown = repr(value)
            shown = shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"
            raise InputError(f"{name}={shown}: {type(estimator).__name__} takes {in_words(hint)} for {name}")
        check_magnitude(name, value)


def in_words(hint: Any) -> str:
    """``a whole number or None``."""
    if get_origin(hint) in (Union, UnionType):
        found = list(dict.fromkeys(in_words(one) for one in get_args(hint)))
        if "a number" in found and "a whole number" in found:
            found.remove("a whole number")
        return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"
    kind = get_origin(hint) or hint
    if kind in WORDS:
        return WORDS[kind]
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return "a mapping"
    if isinstance(kind, type) and issubclass(kind, Collection):
        return "a list"
    return f"a {kind.__name__}"


# --- ranges that several estimators share ----------------------------------------------------------------------------


def at_least(estimator: Any, least: float, *names: str) -> None:
    """None is for the estimator to judge."""
    for name in names:
        value = getattr(estimator, name)
        if value is not None and not least <= value < float("inf"):
            raise InputError(f"{name} is {value}; it must be at least {least:g}")
