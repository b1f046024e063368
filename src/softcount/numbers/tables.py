"""Arithmetic on a model's tables.

A model's tables are a NamedTuple: one array (rows along the last axis) or one Ragged per table, or tables again (two
directions, a net of parts). The same type holds log-weights, counts, priors and exponents, and for the simplest
families parameters as well, so everything here works on all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from softcount.numbers.ragged import Array, Ragged


class Log:
    """The logarithm of a table, taken when somebody looks: a model that wants the weights themselves need not."""

    def __init__(self, weights: Array) -> None:
        self.weights = weights

    @cached_property
    def values(self) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.weights))

    @property
    def shape(self) -> Any:
        return self.weights.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.values, dtype=dtype)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]


Table = Array | Ragged
Tables = Any  # a NamedTuple of Table; which one is the model's business


def values(table: Table | Log | float) -> Any:
    return table.values if isinstance(table, Ragged | Log) else table


def like(table: Table, new: Array) -> Table:
    return table.with_values(new) if isinstance(table, Ragged) else new


def nested(value: Any) -> bool:
    """Whether this is tables rather than a table."""
    return isinstance(value, tuple) and hasattr(value, "_fields") and not isinstance(value, Ragged)


def each(function: Callable[..., Any], *tables: Tables) -> Tables:
    """`function` applied to the values of corresponding tables, in the type of the first."""
    first = tables[0]
    if nested(first):
        return type(first)(*(each(function, *parts) for parts in zip(*tables, strict=True)))
    return like(first, function(*(values(table) for table in tables)))


def leaves(tables: Any) -> Iterator[Any]:
    """The tables themselves, however deep they are nested."""
    if not nested(tables):
        yield tables
        return
    for part in tables:
        yield from leaves(part)


def by_name(tables: Any, within: str = "") -> dict[str, Any]:
    """The tables themselves, by their names: ``transition``, ``forward.translation``."""
    if not nested(tables):
        return {within: tables}
    dot = f"{within}." if within else ""
    parts = zip(tables._fields, tables, strict=True)
    return {name: table for field, part in parts for name, table in by_name(part, f"{dot}{field}").items()}


def row_sums(table: Table) -> Array:
    if not isinstance(table, Ragged):  # einsum: many short rows, or few long strided ones are faster than by sum
        if np.asarray(table).dtype == np.float32:  # one after the other, 30,000 numbers lose three of seven digits
            return np.asarray(np.einsum("...j->...", table, dtype=np.float64), dtype=np.float32)
        return np.asarray(np.einsum("...j->...", table))
    sums = np.zeros(table.n_rows, dtype=table.values.dtype)
    filled = np.flatnonzero(table.lengths)  # reduceat reads the next row's first value for an empty row
    if len(filled):
        sums[filled] = np.add.reduceat(table.values, table.offsets[:-1][filled])
    return sums


def by_row(vector: Array, table: Table) -> Array:
    """One number per row, in a shape that broadcasts against the table's values."""
    if isinstance(table, Ragged):
        return np.repeat(vector, table.lengths)
    return np.asarray(vector)[..., None]


def scale(powers: Tables, log_weights: Tables) -> Tables:
    """κ∘η; a weight of zero (−inf) stays zero."""
    return each(lambda log_weight, power: log_weight * power, log_weights, powers)


def inner(log_weights: Tables, counts: Tables) -> float:
    """⟨η, c⟩, where a count of zero on an impossible entry contributes nothing."""
    total = 0.0
    for weight, count in zip(leaves(log_weights), leaves(counts), strict=True):
        w, c = values(weight), values(count)
        used = c != 0
        total += float(np.sum(w[used] * c[used]))
    return total


class Addable(ABC):
    """Counts of a shard that add up in a way of their own; what the sum stands for is known when all are added."""

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...

    @abstractmethod
    def times(self, weight: float) -> Self:
        """The counts of items that count so often."""

    @abstractmethod
    def whole(self) -> Any:
        """The table."""


@dataclass(frozen=True)
class Parts(Addable):
    """Rows of a table that are counted where their items are: their sum puts them side by side, and adds nothing."""

    n_rows: int
    rows: tuple[Array, ...]
    arrays: tuple[Array, ...]

    def __add__(self, other: Parts) -> Parts:
        return Parts(self.n_rows, self.rows + other.rows, self.arrays + other.arrays)

    def times(self, weight: float) -> Parts:
        return Parts(self.n_rows, self.rows, tuple(array * weight for array in self.arrays))

    def whole(self) -> Array:
        """Rows that no part has are zero."""
        first = self.arrays[0]
        table = np.zeros((self.n_rows, *first.shape[1:]), first.dtype)
        for rows, array in zip(self.rows, self.arrays, strict=True):
            table[rows] = array
        return table


class Expectation(NamedTuple):
    """What an E-step returns; expectations over disjoint data add."""

    counts: Tables
    log_norm: float

    def __add__(self, other: Any) -> Expectation:
        return Expectation(_sum(self.counts, other.counts), self.log_norm + other.log_norm)

    def __iadd__(self, other: Any) -> Expectation:
        """In place: a running total is private to whoever adds up."""
        return Expectation(_sum(self.counts, other.counts, in_place=True), self.log_norm + other.log_norm)

    def times(self, weight: float) -> Expectation:
        """Of the same items, each counted so often."""
        return self if weight == 1.0 else Expectation(_times(self.counts, weight), self.log_norm * weight)

    def whole(self) -> Expectation:
        """With tables in place of what adds up in a way of its own."""
        return Expectation(_whole(self.counts), self.log_norm)


def _sum(mine: Any, theirs: Any, in_place: bool = False) -> Any:
    if nested(mine):
        return type(mine)(*(_sum(*parts, in_place) for parts in zip(mine, theirs, strict=True)))
    if isinstance(mine, Addable):
        return mine + theirs
    return like(mine, np.add(values(mine), values(theirs), out=values(mine) if in_place else None))


def _times(counts: Any, weight: float) -> Any:
    if nested(counts):
        return type(counts)(*(_times(part, weight) for part in counts))
    if isinstance(counts, Addable):
        return counts.times(weight)
    table = values(counts)
    return like(counts, table * table.dtype.type(weight))


def _whole(counts: Any) -> Any:
    if nested(counts):
        return type(counts)(*(_whole(part) for part in counts))
    return counts.whole() if isinstance(counts, Addable) else counts
