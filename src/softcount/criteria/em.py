"""Expectation maximisation: count what you cannot see by its expectation, and normalise.

    θ ∝ E[c | x, θ] + pseudo            objective: log P(x | θ) + Σ pseudo · log θ, which never falls

A. P. Dempster, N. M. Laird, D. B. Rubin, J. Royal Statistical Society B 39(1), 1977. Read with MAX instead of SUM it
is hard EM (Viterbi training, k-means).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights, maximize, unvisited
from softcount.families.layout import TableLayout, total
from softcount.families.penalty import Pseudo
from softcount.numbers.tables import Tables


def em(layout: Tables, penalties: Tables) -> Criterion:
    def log_prior(spec: TableLayout, table: Any, penalty: Pseudo) -> float:
        return spec.family.log_prior(table, penalty)

    def step(parameters: Tables, expect: Expect) -> tuple[Tables, Progress]:
        counts, log_norm = expect(log_weights(layout, parameters))
        prior = total(layout, log_prior, parameters, penalties)
        parts = {"log_norm": log_norm, "log_prior": prior} if prior else {}
        new = maximize(layout, counts, penalties, parameters)
        return new, Progress(log_norm + prior, parts, unvisited(layout, counts, penalties))

    return Criterion(
        init=lambda parameters, expect: parameters,
        step=step,
        log_weights=partial(log_weights, layout),
        parameters=lambda parameters: parameters,
        never_falls=True,
    )
