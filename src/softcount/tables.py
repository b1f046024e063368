"""Arithmetic on a model's tables.

A model's tables are a NamedTuple: one array (rows along the last axis) or one Ragged per table. The same type holds
parameters, log-weights, counts, priors and exponents, so everything here works on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.ragged import Array, Ragged

Table = Array | Ragged
Tables = Any  # a NamedTuple of Table; which one is the model's business


def values(table: Table | float) -> Any:
    return table.values if isinstance(table, Ragged) else table


def like(table: Table, new: Array) -> Table:
    return table.with_values(new) if isinstance(table, Ragged) else new


def each(function: Callable[..., Any], *tables: Tables) -> Tables:
    """`function` applied to the values of corresponding tables, in the type of the first."""
    first = tables[0]
    return type(first)(*(like(leaf[0], function(*(values(t) for t in leaf))) for leaf in zip(*tables, strict=True)))


def row_sums(table: Table) -> Array:
    if not isinstance(table, Ragged):
        return np.asarray(table.sum(axis=-1))
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


def per_table(layout: Tables, setting: float | Mapping[str, Any], default: float = 0.0) -> Tables:
    """One setting for all tables, or a mapping by table name, as tables."""
    if isinstance(setting, Mapping):
        unknown = sorted(set(setting) - set(layout._fields))
        if unknown:
            raise InputError(f"no table {unknown[0]!r}; the tables are {', '.join(layout._fields)}")
        return type(layout)(*(setting.get(name, default) for name in layout._fields))
    return type(layout)(*(setting for _ in layout._fields))


class Expectation(NamedTuple):
    """What an E-step returns; expectations over disjoint data add."""

    counts: Tables
    log_norm: float

    def __add__(self, other: Any) -> Expectation:
        return Expectation(each(np.add, self.counts, other.counts), self.log_norm + other.log_norm)

    def __iadd__(self, other: Any) -> Expectation:
        """In place: the engine's running total is private to it."""
        for mine, theirs in zip(self.counts, other.counts, strict=True):
            values(mine)[...] += values(theirs)
        return Expectation(self.counts, self.log_norm + other.log_norm)
