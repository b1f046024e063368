"""Hidden values that become two, or two that become one, in all tables at once.

    a row of its own    is copied, or two are averaged by how often they are used:       word[k, ·], transition[k, ·]
    a share of others'  is halved, or two are added up:                                  cluster[k], transition[·, k]

N. Ueda, R. Nakano, Z. Ghahramani, G. Hinton, "SMEM algorithm for mixture models", Neural Computation 12(9), 2000;
all at once and back again: S. Petrov, L. Barrett, R. Thibaux, D. Klein, COLING/ACL 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables

NOISE = 1.0  # standard deviation of the logs by which the two halves differ at first


class Hidden(NamedTuple):
    """Which axis of a table lists hidden values: each with its row, or as what is shared out in a row."""

    row: int | None = None
    share: int | None = None


Axes = Mapping[str, Hidden]  # by table


def split_all(tables: Tables, axes: Axes, size: int, rng: np.random.Generator) -> Tables:
    """Value k becomes 2k and 2k + 1, alike but for noise in what they emit."""
    return _each(tables, axes, lambda table, hidden: _split(table, hidden, size, rng))


def _split(table: Array, hidden: Hidden, size: int, rng: np.random.Generator) -> Array:
    if hidden.share is not None:
        table = np.moveaxis(table, hidden.share, -1)
        halves = np.repeat(table[..., :size] / 2.0, 2, axis=-1)  # behind them may stand what is not hidden: the end
        table = np.moveaxis(np.concatenate([halves, table[..., size:]], axis=-1), -1, hidden.share)
    if hidden.row is not None:
        table = np.repeat(table, 2, axis=hidden.row)
    if hidden.share is None:
        table = table * np.exp(NOISE * rng.standard_normal(table.shape))
    return normalised(table)


def merged(tables: Tables, axes: Axes, pair: tuple[int, int], mass: Array) -> Tables:
    """The second of the pair goes into the first; `mass` is how often each value is used."""
    a, b = pair
    both = mass[a] + mass[b]
    of_a = mass[a] / both if both > 0.0 else 0.5

    def merge(table: Array, hidden: Hidden) -> Array:
        if hidden.share is not None:
            table = np.moveaxis(table.copy(), hidden.share, 0)
            table[a] += table[b]
            table = np.moveaxis(np.delete(table, b, axis=0), 0, hidden.share)
        if hidden.row is not None:
            table = np.moveaxis(table.copy(), hidden.row, 0)
            table[a] = of_a * table[a] + (1.0 - of_a) * table[b]
            table = np.moveaxis(np.delete(table, b, axis=0), 0, hidden.row)
        return normalised(table)

    return _each(tables, axes, merge)


def normalised(table: Array) -> Array:
    return np.asarray(table / np.maximum(table.sum(axis=-1, keepdims=True), 1e-300))


def _each(tables: Tables, axes: Axes, change: Callable[[Array, Hidden], Array]) -> Tables:
    fields = tables._asdict()
    new = {name: change(np.asarray(fields[name], np.float64), hidden) for name, hidden in axes.items()}
    return tables._replace(**new)


def distances(rows: Array) -> Array:
    """Hellinger distances of all pairs of rows; of a row to itself infinite."""
    roots = np.sqrt(rows)
    apart = np.sqrt(np.maximum(1.0 - roots @ roots.T, 0.0))
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart)
