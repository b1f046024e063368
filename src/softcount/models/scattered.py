"""Counts of a shard's own entries, which add up to those of all: a shard need not carry what it never met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Addable


@dataclass(frozen=True)
class Scattered(Addable):
    """Counts of these entries, or, after the first sum, of all."""

    size: int
    entries: Array | None  # None: all, in order
    counts: Array
    offsets: Array | None = None  # of the rows, where the whole is a Ragged

    def __add__(self, other: Self) -> Scattered:
        total = self._whole()
        if other.entries is None:
            total += other.counts
        else:
            add_at(other.counts, other.entries, total)
        return Scattered(self.size, None, total, self.offsets)

    def times(self, weight: float) -> Scattered:
        counts = self.counts * self.counts.dtype.type(weight)
        return Scattered(self.size, self.entries, counts, self.offsets)

    def whole(self) -> Any:
        return self._whole() if self.offsets is None else Ragged(self.offsets, self._whole())

    def _whole(self) -> Array:
        if self.entries is None:
            return self.counts
        total = np.zeros(self.size, self.counts.dtype)
        add_at(self.counts, self.entries, total)
        return total


@kernel
def add_at(counts: Array, entries: Array, total: Array) -> None:
    """total[entries] += counts"""
    for k in range(len(counts)):
        total[entries[k]] += counts[k]
