"""Blocked Gibbs sampling: draw every hidden structure given the parameters, then the parameters given the counts.

    z ~ P(z | x, θ)      θ ~ Dirichlet(α + c(x, z))      objective: log P(x, z | α), the parameters integrated out

For HMM tagging: J. Gao, M. Johnson, EMNLP 2008.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights, under
from softcount.numbers.attribute import SAMPLE
from softcount.numbers.tables import Tables


class GibbsState(NamedTuple):
    log_weights: Tables  # log θ as drawn; in logs, because a sparse prior draws values below the smallest float
    mean: Tables  # E[θ | counts of the last draw]
    step: int


def gibbs(layout: Tables, prior: Tables, seed: tuple[int, ...]) -> Criterion:
    layout = under(layout, prior)

    def init(parameters: Tables, expect: Expect) -> GibbsState:
        return GibbsState(log_weights(layout, parameters), parameters, 0)

    def step(state: GibbsState, expect: Expect) -> tuple[GibbsState, Progress]:
        counts, log_norm = expect(state.log_weights, SAMPLE, key=state.step)
        rng = np.random.default_rng([*seed, state.step])
        drawn, means, log_joint = [], [], 0.0
        for spec, count, alpha in zip(layout, counts, prior, strict=True):
            posterior = spec.family.posterior(count, alpha)
            drawn.append(spec.family.draw(posterior, rng))
            means.append(spec.family.mean(posterior))
            log_joint += spec.family.log_evidence(count, alpha)
        tables = type(layout)
        parts = {"log_joint": log_joint, "log_likelihood": log_norm}
        return GibbsState(tables(*drawn), tables(*means), state.step + 1), Progress(log_joint, parts)

    def decoding(state: GibbsState) -> Tables:
        return log_weights(layout, state.mean)

    return Criterion(init=init, step=step, log_weights=decoding, parameters=lambda state: state.mean, settles=False)
