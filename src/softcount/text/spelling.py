"""What spelling alone says: stems of words, and which words of two languages look alike.

Names, numbers, punctuation and loan words are spelt the same, or begin the same, on both sides; forms of one word begin
the same within a language. Both are beliefs from before any sentence is seen, and enter as pseudo-counts and classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged

LETTERS = 4  # that must agree at the beginning


def prefixes(words: Sequence[str], length: int) -> Array:
    """int32: which words have the same first letters; a shorter word is a class by itself."""
    return _numbered([word[:length] for word in words], {})


def nested(words: Sequence[str], lengths: Sequence[int]) -> list[Array]:
    """Classes of words, classes of those classes, and so on; lengths fall."""
    result, names = [], list(words)
    for length in lengths:
        found: dict[str, int] = {}
        result.append(_numbered([name[:length] for name in names], found))
        names = list(found)
    return result


def _numbered(names: Sequence[str], found: dict[str, int]) -> Array:
    return np.array([found.setdefault(name, len(found)) for name in names], dtype=np.int32)


def alike(
    rows: Ragged, source: Sequence[str], target: Sequence[str], same: float = 0.3, begin: float = 0.15
) -> Array:
    """float32 pseudo-counts, one per entry: `same` for identical words, `begin` where their first letters agree."""
    known: dict[str, int] = {}
    whole = _numbered(source, known), _numbered(target, known)
    starts: dict[str, int] = {}
    first = _beginnings(source, starts), _beginnings(target, starts)
    result = np.zeros(len(rows.values), np.float32)
    _compare(rows.offsets, rows.values, *whole, *first, same, begin, result)
    return result


def _beginnings(words: Sequence[str], found: dict[str, int]) -> Array:
    """−1 where a beginning says nothing: short words and numbers."""
    return np.array(
        [
            found.setdefault(word[:LETTERS], len(found)) if len(word) >= LETTERS and not word[0].isdigit() else -1
            for word in words
        ],
        dtype=np.int32,
    )


@kernel
def _compare(
    offsets: Array, values: Array, source: Array, target: Array, begin: Array, begins: Array, same: float, alike: float,
    result: Array,
) -> None:  # fmt: skip
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            column = values[k]
            if source[row] == target[column]:
                result[k] = same
            elif begin[row] >= 0 and begin[row] == begins[column]:
                result[k] = alike
