"""Rows drawn from a network, parents before children."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.models.network import Network, NetworkTables
from softcount.numbers.ragged import Array


def draw_rows(
    model: Network, order: Sequence[int], tables: NetworkTables, n: int, length: int, rng: np.random.Generator
) -> Array:
    """[n · length, variables]: n sequences one after the other, of one row each where rows are independent."""
    rows = np.empty((n, length, len(model.names)), dtype=np.int32)
    for t in range(length):
        by_variable = {use.scope[-1][0]: use for use in (model.later if t and model.later else model.first)}
        for v in order:
            use = by_variable[v]
            given = tuple(rows[:, t - back, p] for p, back in use.scope[:-1])
            ladder = np.cumsum(np.broadcast_to(np.asarray(tables[use.table])[given], (n, model.sizes[v])), axis=1)
            rows[:, t, v] = (ladder < rng.random((n, 1)) * ladder[:, -1:]).sum(axis=1)
    return rows.reshape(n * length, len(model.names))
