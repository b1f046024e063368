"""Rows of one direction that lean on coarser rows (families/leaning.py), in ranges that a worker each keeps.

    maximize(counts)_r = maximize_r(counts_r; κ)            κ = argmax Σ_r log-likelihood_r of links that are left out

All words of a coarsest stem are in one range, and a row leans by its own sums alone: so with strengths that are given,
a range needs nothing of others. Strengths by evidence are those that are best for all ranges together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from softcount.families.leaning import Leaning
from softcount.families.left_out import likeliest, likelihoods, summed
from softcount.families.penalty import Pseudo
from softcount.families.spread import Spread, SpreadFamily, itself
from softcount.numbers.ragged import Array


@dataclass(frozen=True, eq=False)
class SpreadLeaning(SpreadFamily):
    n_chosen: int = 0  # how many strengths are chosen by links that are left out

    @property
    def exact(self) -> bool:
        return False

    def maximize(self, counts: Spread, penalty: Pseudo, parameters: Spread) -> Spread:
        return self.by_range(_leant, counts, penalty, parameters, self._strengths(counts, penalty))

    def ascend(self, parameters: Spread, gradient: Spread, counts: Spread) -> Spread:
        return self.ask("ascend", parameters, gradient, counts)

    def _strengths(self, counts: Spread, penalty: Pseudo) -> tuple[float, ...] | None:
        if not self.n_chosen:
            return None
        tallies = self.by_range(_tallied, counts, penalty)

        def score(depth: int, coarser: tuple[float, ...]) -> Array:
            found = self.kept(_left_out, tallies.parts, shared=(depth, coarser))
            total: Array = self.engine.sum(itself, found.parts, self.engine.share(None))
            return total

        return likeliest(self.n_chosen, score)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _leant(family: Leaning, counts: Any, penalty: Pseudo, parameters: Any, chosen: tuple[float, ...] | None) -> Any:
    family = family if chosen is None else family._replace(strengths=chosen)
    return family.maximize(counts, penalty, parameters)


def _tallied(family: Leaning, counts: Any, penalty: Pseudo) -> Any:
    """The counts of every level, and their sums."""
    return summed(family.levels, family.free_counts(counts, penalty)[counts.offsets[family.bare] :], None)


def _left_out(values: Sequence[Any], shared: tuple[int, tuple[float, ...]]) -> tuple[Array]:
    (family, _, (tables, sums)), (depth, coarser) = values, shared
    return (likelihoods(family.levels, tables, sums, depth, coarser, None, sides=(0,)),)
