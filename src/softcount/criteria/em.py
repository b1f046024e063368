"""Expectation maximisation: count what you cannot see by its expectation, and normalise.

    θ ∝ E[c | x, θ] + pseudo            objective: log P(x | θ) + Σ pseudo · log θ, which never falls

A. P. Dempster, N. M. Laird, D. B. Rubin, J. Royal Statistical Society B 39(1), 1977. Read with MAX instead of SUM it
is hard EM (Viterbi training, k-means).
"""

from __future__ import annotations

from functools import partial

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights, maximize, unvisited
from softcount.numbers.tables import Tables


def em(layout: Tables, pseudo: Tables) -> Criterion:
    def step(parameters: Tables, expect: Expect) -> tuple[Tables, Progress]:
        counts, log_norm = expect(log_weights(layout, parameters))
        log_prior = sum(
            spec.family.log_prior(table, extra) for spec, table, extra in zip(layout, parameters, pseudo, strict=True)
        )
        parts = {"log_norm": log_norm, "log_prior": log_prior} if log_prior else {}
        new = maximize(layout, counts, pseudo, parameters)
        return new, Progress(log_norm + log_prior, parts, unvisited(layout, counts, pseudo))

    return Criterion(
        init=lambda parameters, expect: parameters,
        step=step,
        log_weights=partial(log_weights, layout),
        parameters=lambda parameters: parameters,
        never_falls=True,
    )
