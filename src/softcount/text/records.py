"""Records: rows with a value, or nothing, for every variable; some rows may follow one another as a sequence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from softcount.numbers.ragged import Array, offsets_of


@dataclass(frozen=True, eq=False)
class Records:
    """Items are sequences of rows; where rows are independent, each is a sequence of its own."""

    cells: Array  # int32 [rows, variables]: the number of the value, −1 where the cell is missing
    offsets: Array  # int64 [items + 1]
    weights: Array  # float64 [items]: how often each was seen
    source: str = "<memory>"
    order: Array | None = None  # int64 [rows]: which row of the source each is; None: in the order of the source
    first_line: int = 1  # of the source: where its first row is

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_rows(self) -> int:
        return len(self.cells)

    @property
    def sizes(self) -> Array:
        return np.diff(self.offsets)

    def line_of(self, item: int) -> str:
        """Where in the source an item begins, as messages say it."""
        row = int(self.offsets[item])
        return f"{self.source}:{self.first_line + (row if self.order is None else int(self.order[row]))}"

    def in_source_order(self, rows: Array) -> Array:
        """What was found row by row, as the source has its rows."""
        if self.order is None:
            return rows
        found = np.empty_like(rows)
        found[self.order] = rows
        return found

    def weighted(self, weights: Array) -> Records:
        """With these weights, on top of those that the items have."""
        return replace(self, weights=self.weights * weights)

    def slice(self, start: int, stop: int) -> Records:
        return self.take(np.arange(start, stop))

    def take(self, items: Array) -> Records:
        offsets = offsets_of(self.sizes[items])
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][items] - offsets[:-1], self.sizes[items])
        order = rows if self.order is None else self.order[rows]
        return Records(self.cells[rows], offsets, self.weights[items], self.source, order, self.first_line)

    def digest(self) -> str:
        sha = hashlib.sha256()
        for part in (self.cells, self.offsets, self.weights):
            sha.update(np.ascontiguousarray(part).data)
        return sha.hexdigest()


def records(
    cells: Array, offsets: Array | None = None, weights: Array | None = None, source: str = "<memory>",
    order: Array | None = None, first_line: int = 1,
) -> Records:  # fmt: skip
    """With rows of their own, and a weight of one, where nothing else is said."""
    cells = np.ascontiguousarray(cells, dtype=np.int32)
    offsets = np.arange(len(cells) + 1, dtype=np.int64) if offsets is None else offsets
    weights = np.ones(len(offsets) - 1) if weights is None else np.asarray(weights, dtype=np.float64)
    return Records(cells, offsets, weights, source, order, first_line)
