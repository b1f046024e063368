"""Rows of one direction that lean on coarser rows: the prior of families/backoff.py, for any translation model.

    t(f | e) = [c(e, f) + κ · t(s(f) | s(e)) · p(f | s(f))] / (c(e) + κ)         and so on up the levels

The posterior mean under a Dirichlet prior whose mean is what the stems' row predicts, which is learned from the same
counts. So a step is no maximum of anything, and where rows lean no objective is promised never to fall. Row 0, the
empty word's, leans on nothing. What a prediction gives to words that never meet e is lost: a row may sum to less than
one. Of a table in ranges (families/spread_leaning.py), words of a coarsest stem are in one range, so that it has all
that its rows lean on. Held entries stay where they are. There is no posterior: a prior that the counts decide is not
one of variational Bayes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.families.backoff import LEAST, Level
from softcount.families.categorical import Categorical
from softcount.families.penalty import NOTHING, Pseudo
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array
from softcount.numbers.tables import by_row, like, values


class Leaning(NamedTuple):
    base: Categorical  # the shape of the table, row 0 the empty word's, and its held entries
    levels: Sequence[Level]  # of the other rows
    strengths: tuple[float, ...] | None  # κ, from fine to coarse; None: those that families/left_out.py finds
    bare: int = 1  # rows that lean on nothing; 0: the empty word's is in another range

    @property
    def exact(self) -> bool:
        return False

    def size(self) -> tuple[int, ...]:
        return self.base.size()

    def uniform(self) -> Any:
        return self.base.uniform()

    def random(self, rng: np.random.Generator, spread: float) -> Any:
        return self.base.random(rng, spread)

    def impossible(self, parameters: Any) -> Array:
        return self.base.impossible(parameters)

    def hold(self, parameters: Any, held: Array) -> Leaning:
        return self._replace(base=self.base.hold(parameters, held))

    def unvisited(self, counts: Any) -> Array:
        return np.empty(0, dtype=np.int64)  # where nothing is counted, the stems' row is

    def log_weights(self, parameters: Any) -> Any:
        return self.base.log_weights(parameters)

    def log_prior(self, parameters: Any, penalty: Pseudo) -> float:
        return 0.0

    def maximize(self, counts: Any, penalty: Pseudo, parameters: Any) -> Any:
        """A row that neither has counts nor stems with counts keeps its old values."""
        flat, first = self.free_counts(counts, penalty), int(counts.offsets[self.bare])
        rates = np.concatenate([flat[:first] / max(flat[:first].sum(), LEAST), self._leaning(flat[first:])])
        found = rates * by_row(np.broadcast_to(self.base.mass(), (counts.n_rows,)), counts)
        if self.base.free is not None:
            found = np.where(self.base.free, found, 0.0 if self.base.held is None else self.base.held)
        if parameters is None:
            return like(counts, found)
        filled = np.add.reduceat(np.append(rates, 0.0), counts.offsets[:-1]) * (counts.lengths > 0) > 0.0
        return like(counts, np.where(by_row(filled, counts), found, values(parameters)))

    def free_counts(self, counts: Any, penalty: Pseudo) -> Array:
        """With pseudo-counts, and without those of held entries."""
        flat = np.asarray(values(counts) + penalty.amount, dtype=np.float64)
        return flat if self.base.free is None else np.where(self.base.free, flat, 0.0)

    def ascend(self, parameters: Any, gradient: Any, counts: Any) -> Any:
        """MRE's step: rows of the counts that its gradient points to."""
        return self.maximize(like(counts, np.maximum(values(counts) + values(gradient), 0.0)), NOTHING, parameters)

    def _leaning(self, counts: Array) -> Array:
        return leaning_rows(self.levels, counts, self.strengths_of(counts))

    def strengths_of(self, counts: Array) -> tuple[float, ...]:
        if self.strengths is not None:
            return self.strengths
        from softcount.families.left_out import held_out_strengths

        return held_out_strengths(self.levels, counts, sides=(0,))


def leaning_rows(levels: Sequence[Level], counts: Array, strengths: Sequence[float]) -> Array:
    """t(f | e) of every entry of the finest level."""
    tables = [counts]
    for level in levels[:-1]:
        tables.append(np.bincount(level.parent, tables[-1], len(levels[len(tables)].rows.values)))
    above = np.empty(0)
    for depth in range(len(levels) - 1, -1, -1):
        rates = np.empty(len(tables[depth]))
        strength = float(strengths[depth]) if depth < len(levels) - 1 else 0.0
        _lean_rows(levels[depth], tables[depth], strength, above, rates)
        above = rates
    return above


@kernel
def _lean_rows(level: Level, counts: Array, strength: float, above: Array, result: Array) -> None:
    """result = (counts + strength · above[parent] · column's share) / (row's sum + strength); or zero"""
    offsets = level.rows.offsets
    for row in range(len(offsets) - 1):
        total = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            total += counts[k]
        inverse = 1.0 / max(total + strength, LEAST)
        for k in range(offsets[row], offsets[row + 1]):
            leans = 0.0
            if len(level.parent) > 0:
                leans = strength * above[level.parent[k]] * level.column_share[level.rows.values[k]]
            result[k] = (counts[k] + leans) * inverse
