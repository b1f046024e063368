"""Arithmetic on a model's tables.

A model's tables are a NamedTuple: one array (rows along the last axis) or one Ragged per table. The same type holds
parameters, log-weights, counts, priors and exponents, so everything here works on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
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


def each(function: Callable[..., Any], *tables: Tables) -> Tables:
    """`function` applied to the values of corresponding tables, in the type of the first."""
    first = tables[0]
    return type(first)(*(like(leaf[0], function(*(values(t) for t in leaf))) for leaf in zip(*tables, strict=True)))


def row_sums(table: Table) -> Array:
    if not isinstance(table, Ragged):
        return np.asarray(np.einsum("...j->...", table))  # many short rows, or few long strided ones: faster than sum
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
    for weight, count in zip(log_weights, counts, strict=True):
        w, c = values(weight), values(count)
        used = c != 0
        total += float(np.sum(w[used] * c[used]))
    return total


MOST_PSEUDO = 1e30  # beyond, sums overflow in float32, and no data would have a say anyway


def per_table(layout: Tables, setting: float | Mapping[str, Any], default: float = 0.0) -> Tables:
    """One setting for all tables, or a mapping by table name, as tables."""
    if isinstance(setting, Mapping):
        unknown = sorted(set(setting) - set(layout._fields))
        if unknown:
            raise InputError(f"no table {unknown[0]!r}; the tables are {', '.join(layout._fields)}")
        found = [setting.get(name, default) for name in layout._fields]
    else:
        found = [setting for _ in layout._fields]
    wrong = next((n for n in found if isinstance(n, int | float) and not 0 <= n <= MOST_PSEUDO), None)
    if wrong is not None:
        raise InputError(f"pseudo-counts of {wrong}; give a number from 0 to {MOST_PSEUDO:g}")
    return type(layout)(*found)


class Parts(NamedTuple):
    """Rows of a table that are counted where their items are: their sum puts them side by side, and adds nothing."""

    n_rows: int
    rows: tuple[Array, ...]
    arrays: tuple[Array, ...]

    def __add__(self, other: Any) -> Parts:
        return Parts(self.n_rows, self.rows + other.rows, self.arrays + other.arrays)

    def joined(self) -> Array:
        """The whole table; rows that no part has are zero."""
        first = self.arrays[0]
        whole = np.zeros((self.n_rows, *first.shape[1:]), first.dtype)
        for rows, array in zip(self.rows, self.arrays, strict=True):
            whole[rows] = array
        return whole


class Expectation(NamedTuple):
    """What an E-step returns; expectations over disjoint data add."""

    counts: Tables
    log_norm: float

    def __add__(self, other: Any) -> Expectation:
        both = zip(self.counts, other.counts, strict=True)
        return Expectation(type(self.counts)(*(_sum(*leaf) for leaf in both)), self.log_norm + other.log_norm)

    def __iadd__(self, other: Any) -> Expectation:
        """In place: the engine's running total is private to it."""
        both = zip(self.counts, other.counts, strict=True)
        return Expectation(type(self.counts)(*(_add(*leaf) for leaf in both)), self.log_norm + other.log_norm)

    def joined(self) -> Expectation:
        """With whole tables in place of parts, and of whatever else adds up in a way of its own."""
        if not any(hasattr(leaf, "joined") for leaf in self.counts):
            return self
        whole = (leaf.joined() if hasattr(leaf, "joined") else leaf for leaf in self.counts)
        return Expectation(type(self.counts)(*whole), self.log_norm)


def _sum(mine: Any, theirs: Any) -> Any:
    return mine + theirs if hasattr(mine, "joined") else like(mine, values(mine) + values(theirs))


def _add(mine: Any, theirs: Any) -> Any:
    if hasattr(mine, "joined"):
        return mine + theirs
    values(mine)[...] += values(theirs)
    return mine
