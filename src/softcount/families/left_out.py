"""How strongly rows lean on coarser rows, by the text itself: so that links that are left out are likely.

    κ = argmax Σ_(e,f) c · log t₋(f | e),     t₋ with one link of e and f taken out of the counts of every level

Leaving one out (H. Ney, U. Essen, R. Kneser, Computer Speech and Language 8(1), 1994), in both directions, level by
level from the coarsest: a pair of words that was seen once is then predicted by its stems alone, and where those were
seen once as well, by theirs. Counts are expected ones, so what is taken out is one link or all that there is of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from softcount.families.backoff import Level, counts_by_level
from softcount.numbers.ragged import Array

GRID = (0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 35.0, 60.0)
LEAST = 0.05  # counts below say nothing
FLOOR = 1e-7  # of what nothing predicts
ROUNDING = 1e-6  # of sums in float32: what is left of a count that was taken out whole


def held_out_strengths(
    levels: Sequence[Level], counts: Array, prior: Array | None = None, grid: Sequence[float] = GRID,
    sides: tuple[int, ...] = (0, 1),
) -> tuple[float, ...]:  # fmt: skip
    """κ of every level but the coarsest, from fine to coarse; `sides`: of which directions, 0 by row, 1 by column."""
    tables, sums = summed(levels, counts, prior)

    def score(depth: int, coarser: Sequence[float]) -> Array:
        return likelihoods(levels, tables, sums, depth, coarser, prior, grid, sides)

    return likeliest(len(levels) - 1, score, grid)


def likeliest(
    n: int, score: Callable[[int, tuple[float, ...]], Array], grid: Sequence[float] = GRID
) -> tuple[float, ...]:
    """The best n strengths, level by level from the coarsest: ``score(depth, those of coarser levels)`` of the grid."""
    found: tuple[float, ...] = ()
    for depth in range(n - 1, -1, -1):
        found = (grid[int(np.argmax(score(depth, found)))], *found)
    return found


def likelihoods(
    levels: Sequence[Level], tables: Sequence[Array], sums: Sequence[tuple[Array, Array]], depth: int,
    coarser: Sequence[float], prior: Array | None, grid: Sequence[float] = GRID, sides: tuple[int, ...] = (0, 1),
) -> Array:  # fmt: skip
    """Of a level's entries under every strength of the grid; what adds up over entries may be of some rows alone."""
    believed = prior if depth == 0 else None
    tried = ((k, *coarser) for k in grid)
    return np.array([left_out_likelihood(levels, tables, sums, depth, one, believed, sides) for one in tried])


def left_out_likelihood(
    levels: Sequence[Level], tables: Sequence[Array], sums: Sequence[tuple[Array, Array]], depth: int,
    strengths: Sequence[float], prior: Array | None = None, sides: tuple[int, ...] = (0, 1),
) -> float:  # fmt: skip
    """Σ c · log t₋, both directions or one, of the entries of one level; strengths from there on."""
    entries = np.flatnonzero(tables[depth] > LEAST)
    weights = np.asarray(tables[depth][entries], float)
    rates = _rates(levels, tables, sums, depth, strengths, entries, np.minimum(weights, 1.0), prior)
    return float(np.sum(weights[:, None] * np.log(rates[:, list(sides)] + FLOOR)))


def _rates(
    levels: Sequence[Level], tables: Sequence[Array], sums: Sequence[tuple[Array, Array]], depth: int,
    strengths: Sequence[float], entries: Array, less: Array, prior: Array | None = None,
) -> Array:  # fmt: skip
    """[entries, 2]: t₋(column | row), t₋(row | column), where so much is taken out of each entry."""
    level, whole = levels[depth], tables[depth][entries]
    counts = np.where(whole - less > ROUNDING * whole, whole - less, 0.0)
    rows, columns = level.row_of[entries], level.rows.values[entries]
    totals = np.stack([sums[depth][0][rows], sums[depth][1][columns]], axis=1) - less[:, None]
    more = np.zeros(len(entries)) if prior is None else prior[entries]
    if depth == len(levels) - 1:
        return np.asarray(counts[:, None] / np.maximum(totals, 1e-9))
    above = _rates(levels, tables, sums, depth + 1, strengths[1:], level.parent[entries], less)
    shares = np.stack([level.column_share[columns], level.row_share[rows]], axis=1)
    leaning = strengths[0] * above * shares
    return np.asarray(((counts + more)[:, None] + leaning) / (totals + strengths[0]))


def summed(
    levels: Sequence[Level], counts: Array, prior: Array | None
) -> tuple[list[Array], list[tuple[Array, Array]]]:
    """The counts of every level, and their sums by row and by column, with what is believed of words."""
    tables, sums = counts_by_level(levels, counts), []
    for depth, (level, table) in enumerate(zip(levels, tables, strict=True)):
        whole = table if prior is None or depth else table + prior
        by_column = np.bincount(level.rows.values, whole, level.n_columns)
        sums.append((np.bincount(level.row_of, whole, level.rows.n_rows), by_column))
    return tables, sums
