"""Rows of multipliers that share a budget: a step along a gradient, and the Euclidean projection onto λ ≥ 0 and
Σ_group λ ≤ budget.

    max(v − τ, 0)        τ = 0 where Σ max(v, 0) fits the budget, else such that the rest is the budget

Every column of a group has a budget of its own. τ is found by taking away what is above the mean of what still counts,
until that is all: C. Michelot, J. Optimization Theory and Applications 50(1), 1986.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, offsets_of


class Groups(NamedTuple):
    """Which rows belong together; rows that belong nowhere are left out."""

    rows: Array  # int64, group by group
    offsets: Array  # int64 [groups + 1]


def grouped(names: Array, least: int) -> Groups:
    """Rows of the same name, if there are at least so many; names below zero are nobody's."""
    rows = np.flatnonzero(names >= 0)
    rows = rows[np.argsort(names[rows], kind="stable")]
    _, sizes = np.unique(names[rows], return_counts=True)
    keep = sizes >= least
    return Groups(rows[np.repeat(keep, sizes)], offsets_of(sizes[keep]))


def alone(n: int) -> Groups:
    """Every row by itself."""
    return Groups(np.arange(n), np.arange(n + 1))


@kernel
def along(multipliers: Array, values: Array, bound: float, rate: float, rows: Array) -> Array:
    """λ + rate · (values − bound) of these rows, and nothing of all others."""
    found = np.zeros_like(multipliers)
    for row in rows:
        for k in range(multipliers.shape[1]):
            found[row, k] = multipliers[row, k] + rate * (values[row, k] - bound)
    return found


@kernel
def promised(multipliers: Array, found: Array, values: Array, bound: float) -> float:
    """⟨found − λ, values − bound⟩."""
    total = 0.0
    for row in range(len(multipliers)):
        for k in range(multipliers.shape[1]):
            total += (found[row, k] - multipliers[row, k]) * (values[row, k] - bound)
    return total


@kernel
def project(multipliers: Array, rows: Array, offsets: Array, budget: float) -> None:
    """In place; rows of no group are not touched."""
    K = multipliers.shape[1]
    level, total, n = np.empty(K), np.empty(K), np.empty(K)
    for group in range(len(offsets) - 1):
        mine = rows[offsets[group] : offsets[group + 1]]
        level[:] = 0.0
        moved = True
        while moved:
            total[:], n[:] = 0.0, 0.0
            for row in mine:
                for k in range(K):
                    above = multipliers[row, k] > level[k]
                    total[k] += multipliers[row, k] if above else 0.0
                    n[k] += 1.0 if above else 0.0
            moved = False
            for k in range(K):
                if total[k] - n[k] * level[k] > budget * (1.0 + 1e-12):
                    raised = (total[k] - budget) / n[k]
                    moved = moved or raised > level[k]
                    level[k] = max(raised, level[k])
        for row in mine:
            for k in range(K):
                multipliers[row, k] = max(multipliers[row, k] - level[k], 0.0)


@kernel
def excess(values: Array, rows: Array, offsets: Array, bound: float) -> float:
    """Σ over groups and columns of max(0, max over the group's rows of values − bound)."""
    K = values.shape[1]
    top, found = np.empty(K), 0.0
    for group in range(len(offsets) - 1):
        top[:] = bound
        for row in rows[offsets[group] : offsets[group + 1]]:
            for k in range(K):
                top[k] = max(top[k], values[row, k])
        found += (top - bound).sum()
    return found
