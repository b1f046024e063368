"""Online training of any criterion: update after each mini-batch, from statistics that forget slowly.

    s ← (1 − γ_k) s + γ_k (N / B) c,   γ_k = (k + 2)^−decay,   then the inner criterion's update from s

O. Cappé, E. Moulines, J. Royal Statistical Society B 71(3), 2009; P. Liang, D. Klein, NAACL 2009. One step is one
pass over all mini-batches, so that steps cost the same under every criterion. The first s is that of all data under
the start: were it the first mini-batch's, a word that the batch lacks would have no probability left.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, State, around
from softcount.families.layout import by_family
from softcount.numbers.attribute import SUM
from softcount.numbers.tables import Expectation, Tables, each


class StepwiseState(NamedTuple):
    inner: State
    statistics: Tables  # s
    updates: int  # k
    step: int


def stepwise(layout: Tables, inner: Criterion, decay: float, seed: tuple[int, ...]) -> Criterion:
    def init(parameters: Tables, expect: Expect) -> StepwiseState:
        begun, whole = inner.init(parameters, expect), _Whole(expect)
        inner.step(begun, whole)
        return StepwiseState(begun, whole.statistics, 0, 0)

    def step(state: StepwiseState, expect: Expect) -> tuple[StepwiseState, Progress]:
        moved, statistics, updates, done = state
        order = np.random.default_rng([*seed, done]).permutation(np.flatnonzero(expect.batches))
        objective, last = 0.0, Progress(0.0)
        for batch in order.tolist():
            blend = _Blend(layout, expect, batch, statistics, float(updates + 2) ** -decay, updates)
            moved, last = inner.step(moved, blend)
            statistics, updates = blend.statistics, updates + 1
            objective += last.objective * float(expect.batches[batch])
        return StepwiseState(moved, statistics, updates, done + 1), Progress(objective, unvisited=last.unvisited)

    return around(inner, init, step)


class _Whole:
    """The E-step of all data, whose counts it keeps."""

    statistics: Tables

    def __init__(self, expect: Expect) -> None:
        self.expect, self.batches = expect, expect.batches

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        found = self.expect(log_weights, mode, key)
        self.statistics = found.counts
        return found


class _Blend:
    """The E-step of one mini-batch, as if it were the whole data, blended into the statistics so far."""

    def __init__(self, layout: Tables, expect: Expect, batch: int, statistics: Tables, rate: float, key: int) -> None:
        self.layout, self.expect, self.batch, self.statistics = layout, expect, batch, statistics
        self.rate, self.key, self.batches = rate, key, expect.batches

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        scale = 1.0 / float(self.batches[self.batch])
        counts, log_norm = self.expect(log_weights, mode, self.key, self.batch)
        mixed = partial(_mixed, self.rate, scale)
        self.statistics = by_family(self.layout, mixed, self.statistics, counts)
        return Expectation(self.statistics, log_norm * scale)


def _mixed(rate: float, scale: float, family: Any, old: Any, new: Any) -> Any:
    """(1 − γ) s + γ (N / B) c of one table, or of a range of it: also of a range that the mini-batch does not touch."""
    return each(lambda s, c: (1.0 - rate) * s + rate * (c * scale), old, new)
