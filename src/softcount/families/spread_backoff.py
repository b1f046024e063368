"""Translation rows that lean on stems (families/backoff.py), in ranges of source words that a worker each keeps.

All words of a coarsest stem are in one range, so that the rows which a row leans on are there as well. Columns are in
all ranges: their sums, a number for every target word and stem, are added up over the ranges and sent to each.

    by_row: of the range          by_column = Σ_r by_column_r          rates_r = leaning(counts_r, by_row_r, by_column)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softcount.families.backoff import Backoff, Estimate, counts_by_level, leaning, totals
from softcount.families.spread import Spread, SpreadFamily, itself
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Log


@dataclass(frozen=True, eq=False)
class SpreadBackoff(SpreadFamily):
    def log_weights(self, parameters: Spread) -> Spread:
        engine = self.engine
        rows = zip(self.families, self.ranges, parameters.parts, strict=True)
        tallies, columns = tallied(engine, rows)
        if not columns[-1]:  # nothing is counted yet
            return self.kept(_flat, shared=self.n_rows)
        return self.kept(_rates, tallies, shared=columns)


def tallied(engine: Any, rows: Any) -> tuple[list[Any], Array]:
    """(handles of what each range has, the column sums of all levels in all ranges, and how many have counts)"""
    tallies, sums = engine.keep(_tallied, rows, engine.share(None), 2)
    return tallies, engine.sum(itself, sums, engine.share(None))


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _tallied(values: Sequence[Any], shared: None) -> tuple[Any, Array]:
    """(the counts and row sums of every level; the column sums of all levels, and how many ranges have counts)"""
    family, _, counts = values
    tables = counts_by_level(family.levels, counts)
    found = [totals(*one) for one in zip(family.levels, tables, _priors(family), strict=True)]
    sums = [by_column for _, by_column in found]
    return (tables, [by_row for by_row, _ in found]), np.concatenate([*sums, [float(counts.any())]])


def _flat(values: Sequence[Any], n_rows: int) -> tuple[Log]:
    return (_allowed(values[0], values[0].flat(n_rows)),)


def _allowed(family: Backoff, rates: Array) -> Log:
    """Without what may not be."""
    if len(family.banned):
        rates[family.banned] = 0.0
    return Log(rates)


def _rates(values: Sequence[Any], columns: Array) -> tuple[Log]:
    family, _, tally = values
    return (_allowed(family, estimated(family, tally, columns)[0].rates),)


def estimated(family: Backoff, tally: Any, columns: Array) -> list[Estimate]:
    """What every level of a range has learned, from fine to coarse."""
    assert family.strengths is not None
    cuts, (tables, by_rows) = offsets_of([level.n_columns for level in family.levels])[1:], tally
    above, found = np.empty((0, 2), np.float32), list[Estimate]()
    levels = zip(family.levels, tables, _priors(family), (*family.strengths, 0.0), by_rows, strict=True)
    for (level, counts, prior, strength, by_row), sums in reversed(
        list(zip(levels, np.split(columns, cuts)[:-1], strict=True))
    ):
        above = leaning(level, counts, prior, strength, above, by_row, sums)
        found.insert(0, Estimate(above, by_row, sums, strength))
    return found


def _priors(family: Backoff) -> list[Array]:
    """Beliefs are of words; stems have none of their own."""
    return [family.prior, *(np.empty(0, np.float32) for _ in family.levels[1:])]
