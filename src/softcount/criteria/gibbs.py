"""Blocked Gibbs sampling: draw every hidden structure given the parameters, then the parameters given the counts.

    z ~ P(z | x, θ)      θ ~ Dirichlet(α + c(x, z))      objective: log P(x, z | α), the parameters integrated out

For HMM tagging: J. Gao, M. Johnson, EMNLP 2008. What is kept is the mean of E[θ | c(x, z)] the draws after the
first `burn`, or every `thin`-th of them: A. E. Gelfand, A. F. M. Smith, J. American Statistical Association 85, 1990.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights
from softcount.criteria.posterior import Conjugate, posteriors
from softcount.families.family import SoundFamily
from softcount.families.layout import by_table, total
from softcount.families.point import Point
from softcount.numbers.attribute import SAMPLE
from softcount.numbers.tables import Tables, like, values


class GibbsState(NamedTuple):
    log_weights: Tables  # log θ as drawn; in logs, because a sparse prior draws values below the smallest float
    mean: Tables  # of E[θ | counts of a draw], over the draws so far that count
    step: int


def gibbs(layout: Tables, prior: Tables, seed: tuple[int, ...], burn: int, thin: int = 1) -> Criterion:
    families = posteriors(layout, prior)

    def init(parameters: Tables, expect: Expect) -> GibbsState:
        return GibbsState(log_weights(layout, parameters), parameters, 0)

    def step(state: GibbsState, expect: Expect) -> tuple[GibbsState, Progress]:
        counts, log_norm = expect(state.log_weights, SAMPLE, key=state.step)
        rng = np.random.default_rng([*seed, state.step])

        def posterior(spec: Conjugate, count: Any, alpha: Any) -> Any:
            return spec.family.posterior(count, alpha)

        def draw(spec: Conjugate, table: Any) -> Any:
            return spec.family.draw(table, rng)

        def mean(spec: Conjugate, table: Any) -> Any:
            return spec.family.mean(table)

        def evidence(spec: Conjugate, count: Any, alpha: Any) -> float:
            return spec.family.log_evidence(count, alpha)

        found = by_table(families, posterior, counts, prior)
        log_joint = total(families, evidence, counts, prior)
        parts = {"log_joint": log_joint, "log_likelihood": log_norm}
        past = state.step + 1 - burn
        n = -(-past // thin) if past > 0 else 1  # draws that count, this one included, if it does
        skipped = past > 0 and (past - 1) % thin != 0

        def averaged(spec: Conjugate, old: Any, new: Any) -> Any:
            if isinstance(spec.family, Point) or (n == 1 and not skipped):
                return new
            if skipped:
                return old
            mean = like(new, values(old) + (values(new) - values(old)) / n)
            sound = not isinstance(spec.family, SoundFamily) or spec.family.sound(mean)
            return mean if sound else new  # entries that follow from others have no mean

        means = by_table(families, averaged, state.mean, by_table(families, mean, found))
        drawn = GibbsState(by_table(families, draw, found), means, state.step + 1)
        return drawn, Progress(log_joint, parts)

    def decoding(state: GibbsState) -> Tables:
        return log_weights(layout, state.mean)

    return Criterion(init=init, step=step, log_weights=decoding, parameters=lambda state: state.mean, settles=False)
