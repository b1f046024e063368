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
from softcount.families.left_out import likeliest, likelihoods
from softcount.families.spread import Spread, SpreadFamily, itself
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Log


@dataclass(frozen=True, eq=False)
class SpreadBackoff(SpreadFamily):
    n_chosen: int = 0  # how many strengths are chosen by links that are left out (families/left_out.py)

    def log_weights(self, parameters: Spread) -> Spread:
        engine = self.engine
        rows = zip(self.families, self.ranges, parameters.parts, strict=True)
        tallies, columns = tallied(engine, rows)
        if not columns[-1]:  # nothing is counted yet
            return self.kept(_flat, shared=self.n_rows)
        return self.kept(_rates, tallies, shared=(columns, self.strengths(tallies, columns)))

    def strengths(self, tallies: Sequence[Any], columns: Array) -> tuple[float, ...] | None:
        """Those that are chosen, by sums over all ranges."""
        if not self.n_chosen:
            return None

        def score(depth: int, coarser: tuple[float, ...]) -> Array:
            found = self.kept(_left_out, tallies, shared=(columns, depth, coarser))
            total: Array = self.engine.sum(itself, found.parts, self.engine.share(None))
            return total

        return likeliest(self.n_chosen, score)


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


def _rates(values: Sequence[Any], shared: tuple[Array, tuple[float, ...] | None]) -> tuple[Log]:
    (family, _, tally), (columns, chosen) = values, shared
    return (_allowed(family, estimated(family, tally, columns, chosen)[0].rates),)


def estimated(family: Backoff, tally: Any, columns: Array, chosen: tuple[float, ...] | None = None) -> list[Estimate]:
    """What every level of a range has learned, from fine to coarse; with strengths that are chosen, or its own."""
    strengths, (tables, by_rows) = family.strengths if chosen is None else chosen, tally
    assert strengths is not None
    found = list[Estimate]()
    above = np.empty((0, 2), np.float32)
    levels = zip(family.levels, tables, _priors(family), (*strengths, 0.0), by_rows, strict=True)
    for (level, counts, prior, strength, by_row), sums in reversed(
        list(zip(levels, _by_level(family, columns), strict=True))
    ):
        above = leaning(level, counts, prior, strength, above, by_row, sums)
        found.insert(0, Estimate(above, by_row, sums, strength))
    return found


def _left_out(values: Sequence[Any], shared: tuple[Array, int, tuple[float, ...]]) -> tuple[Array]:
    """How likely links of the range are that are left out, under every strength."""
    (family, _, (tables, by_rows)), (columns, depth, coarser) = values, shared
    sums = list(zip(by_rows, _by_level(family, columns), strict=True))
    return (likelihoods(family.levels, tables, sums, depth, coarser, family.prior),)


def _by_level(family: Backoff, columns: Array) -> list[Array]:
    """The column sums of each level."""
    return np.split(columns, offsets_of([level.n_columns for level in family.levels])[1:])[:-1]


def _priors(family: Backoff) -> list[Array]:
    """Beliefs are of words; stems have none of their own."""
    return [family.prior, *(np.empty(0, np.float32) for _ in family.levels[1:])]
