"""Which column each row is given, all different, so that the sum is largest: the assignment problem, in whole numbers.

    max_σ Σ_r weights[r, σ(r)]

R. Jonker, A. Volgenant, Computing 38, 1987: row by row along the shortest way to a free column. SciPy has it as well,
but takes longer to import than this takes to compute for as many classes as people name.
"""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array

FAR = np.iinfo(np.int64).max // 4


def matched(weights: Array) -> tuple[Array, Array]:
    """(rows, columns) of the chosen cells; of the longer side some are left over."""
    if weights.shape[0] > weights.shape[1]:
        columns, rows = matched(weights.T)
        return rows, columns
    cost = weights.max(initial=0) - weights.astype(np.int64)
    owner = np.full(cost.shape[1], -1)  # the row of each column
    of_row, of_column = np.zeros(cost.shape[0], np.int64), np.zeros(cost.shape[1], np.int64)  # prices
    for row in range(cost.shape[0]):
        _place(row, cost, owner, of_row, of_column)
    columns = np.flatnonzero(owner >= 0)
    return owner[columns], columns


def _place(new: int, cost: Array, owner: Array, of_row: Array, of_column: Array) -> None:
    """Gives the new row a column; rows on the way there move on to the next best for them."""
    away, before = np.full(len(owner), FAR), np.full(len(owner), -1)
    visited = np.zeros(len(owner), dtype=bool)
    row, column = new, -1
    while True:
        reduced = cost[row] - of_row[row] - of_column
        nearer = ~visited & (reduced < away)
        away[nearer], before[nearer] = reduced[nearer], column
        column = int(np.argmin(np.where(visited, FAR, away)))
        step = away[column]
        of_row[new] += step
        of_row[owner[visited]] += step
        of_column[visited] -= step
        away[~visited] -= step
        visited[column] = True
        if owner[column] < 0:
            break
        row = int(owner[column])
    while column >= 0:
        owner[column] = new if before[column] < 0 else owner[before[column]]
        column = int(before[column])
