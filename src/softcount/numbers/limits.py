"""How small and how large a number may be that somebody gives, so that results are numbers.

A double goes from 5e-324 to 1.8e308, and what is computed of a setting are reciprocals of small ones, squares of large
ones, and sums of many of either: all of them are finite from 1e-300 to 1e100.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from softcount.errors import InputError

LEAST, MOST = 1e-300, 1e100
LONGEST = 24  # characters of a number in a message


def check_size(name: str, number: Any) -> None:
    """Refuses a number with which nothing can be computed; zero is for others to judge."""
    if isinstance(number, Real) and not math.isfinite(_double(number)):
        raise InputError(f"{name} is {shorten(number)}; it must be finite")
    check_magnitude(name, number)


def check_magnitude(name: str, number: Any) -> None:
    """Of a number, or of all in a mapping; what is infinite or no number is for others to judge as well."""
    if isinstance(number, Mapping):
        for key, value in number.items():
            check_magnitude(f"{name}: {key}", value)
    elif isinstance(number, Real):
        size = abs(_double(number))
        if size > MOST and (isinstance(number, int) or size < math.inf):
            raise InputError(f"{name} is {shorten(number)}, which is too large; use at most {MOST:g}")
        if 0 < size < LEAST:
            raise InputError(f"{name} is {shorten(number)}, which is too small; use 0, or at least {LEAST:g}")


def _double(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # of a whole number
        return math.inf


def shorten(number: Any) -> str:
    text = str(number)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
