"""Arithmetic on rows that categorical tables, dense or ragged, share."""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Table, by_row, like, row_sums, values


def row_max(table: Table) -> Array:
    if not isinstance(table, Ragged):
        return np.asarray(table.max(axis=-1))
    tops = np.full(table.n_rows, -np.inf)
    filled = np.flatnonzero(table.lengths)
    if len(filled):
        tops[filled] = np.maximum.reduceat(table.values, table.offsets[:-1][filled])
    return tops


def row_logsumexp(table: Table) -> Array:
    top = row_max(table)
    finite = np.where(np.isfinite(top), top, 0.0)
    return np.asarray(np.log(row_sums(like(table, np.exp(values(table) - by_row(finite, table))))) + finite)


def xproduct(a: Array, b: Array) -> Array:
    """a · b where 0 · ±inf is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(a == 0.0, 0.0, a * b)
