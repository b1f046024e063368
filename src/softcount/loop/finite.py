"""Whether a step led to numbers: no training goes on from NaN or infinity, and none ends with it.

An item of probability zero is told by its own name before (`errors.ImpossibleItem`), so an objective is always finite,
unless a number that was given is too small or too large for the arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from softcount.criteria.spec import BASES, Settings, Stage
from softcount.errors import InputError
from softcount.numbers.limits import shorten
from softcount.numbers.tables import Tables, by_name, values


def check_objective(objective: float, step: int, stage: Stage, settings: Settings) -> None:
    if not math.isfinite(objective):
        raise _not_finite(f"the objective at iteration {step} is {objective}", stage, settings)


def check_parameters(parameters: Tables, stage: Stage, settings: Settings) -> None:
    """One look at every table that is an array; minus infinity is the weight of what is impossible."""
    for name, table in by_name(parameters).items():
        found = values(table)
        if isinstance(found, np.ndarray) and found.size and found.dtype.kind == "f" and not found.max() < np.inf:
            raise _not_finite(f"the table {name!r} has entries that are not finite", stage, settings)


def _not_finite(what: str, stage: Stage, settings: Settings) -> InputError:
    given = ", ".join(f"{name}={shorten(value)}" for name, value in _given(stage, settings))
    numbers = f"one of {given}" if given else "a number in the data"
    return InputError(f"criterion {stage.text!r}: {what}; {numbers} is too small or too large, use a moderate one")


def _given(stage: Stage, settings: Settings) -> Iterator[tuple[str, object]]:
    """The numbers that the arithmetic depends on."""
    asked = BASES[stage.innermost.name].options
    for name in ("pseudo", "prior", "sparse"):
        value = getattr(settings, name)
        if isinstance(value, int | float | tuple) and (name in asked or name == "sparse"):
            yield name, value
    at: Stage | None = stage
    while at is not None:
        yield from at.options.items()
        at = at.inner
