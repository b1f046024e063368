"""Points: one a line, as many numbers on each, with blanks, commas or tabs between."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.text.source import lines, name_of, quoted

_BETWEEN = re.compile(r"[\s,;]+")
LARGEST = 1e100  # whose square is still a number


def read_points(path: str | Path) -> Array:
    """[points, features]; empty lines are left out."""
    name, rows = name_of(path), list[list[float]]()
    for number, line in enumerate(lines(path).to_pylist(), 1):
        if not line.strip():
            continue
        rows.append([_number(word, f"{name}:{number}") for word in _BETWEEN.split(line.strip()) if word])
        if len(rows[-1]) != len(rows[0]) or not rows[0]:
            wrong = f"{len(rows[-1])} numbers, but the first point has {len(rows[0])}"
            raise InputError(f"{name}:{number}: {wrong}; give all points the same number of coordinates, at least one")
    if not rows:
        raise InputError(f"{name}: empty file; give at least one point, one per line")
    return np.array(rows)


def _number(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        raise InputError(f"{where}: {quoted(word)} is not a number; write numbers separated by spaces")
    return value
