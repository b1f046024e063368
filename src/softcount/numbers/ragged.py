"""Ragged(offsets, values): rows of unequal length in one flat array.

Sentences, sparse tables and their counts all have this shape, so all of them share these few functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Ragged(NamedTuple):
    """Row r is ``values[offsets[r]:offsets[r + 1]]``."""

    offsets: Array  # int64 [R + 1]
    values: Array

    @property
    def n_rows(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Array:
        return np.diff(self.offsets)

    def row(self, r: int) -> Array:
        return self.values[self.offsets[r] : self.offsets[r + 1]]

    def rows(self) -> Iterator[Array]:
        for start, stop in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield self.values[start:stop]

    def slice(self, start: int, stop: int) -> Ragged:
        """Rows start … stop − 1; the values are a view."""
        offsets = self.offsets[start : stop + 1]
        return Ragged(offsets - offsets[0], self.values[offsets[0] : offsets[-1]])

    def take(self, rows: Array) -> Ragged:
        """The given rows, in the given order."""
        lengths = self.lengths[rows]
        offsets = offsets_of(lengths)
        positions = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        return Ragged(offsets, self.values[positions])

    def with_values(self, values: Array) -> Ragged:
        return Ragged(self.offsets, values)


def offsets_of(lengths: Array | Sequence[int]) -> Array:
    """Where rows of these lengths begin and end."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def from_rows(rows: Iterable[Sequence[Any] | Array], dtype: Any) -> Ragged:
    arrays = [np.asarray(row, dtype=dtype) for row in rows]
    values = np.concatenate(arrays) if arrays else np.empty(0, dtype)
    return Ragged(offsets_of([len(a) for a in arrays]), values)


def concatenate(parts: Sequence[Ragged]) -> Ragged:
    """The rows of all parts, one part after the other."""
    lengths = np.concatenate([part.lengths for part in parts])
    return Ragged(offsets_of(lengths), np.concatenate([part.values for part in parts]))
