"""Variational Bayes: a Dirichlet posterior over each row of parameters instead of a point.

    λ = α + E[c]      weights exp(ψ(λ) − ψ(Σ λ))      objective: ELBO = log Z − KL(q ‖ prior), which never falls

M. J. Beal, "Variational algorithms for approximate Bayesian inference", 2003; for HMM tagging M. Johnson, EMNLP 2007.
The ELBO is exact because log Z is taken at the same weights as the counts.
"""

from __future__ import annotations

from typing import Any

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights
from softcount.criteria.posterior import Conjugate, posteriors
from softcount.families.layout import by_table, total
from softcount.families.point import Point
from softcount.numbers.tables import Tables


def vb(layout: Tables, prior: Tables) -> Criterion:
    families = posteriors(layout, prior)

    def init(parameters: Tables, expect: Expect) -> Tables:
        """The posterior after seeing the data through the start's eyes."""
        return posterior(expect(log_weights(layout, parameters)).counts, parameters)

    def posterior(counts: Tables, before: Tables) -> Tables:
        def of(spec: Conjugate, count: Any, alpha: Any, point: Any) -> Any:
            if isinstance(spec.family, Point):
                return spec.family.moved(count, point)
            return spec.family.posterior(count, alpha)

        return by_table(families, of, counts, prior, before)

    def weights(state: Tables) -> Tables:
        def of(spec: Conjugate, table: Any) -> Any:
            return spec.family.expected_log(table)

        return by_table(families, of, state)

    def kl(spec: Conjugate, table: Any, alpha: Any, expected: Any) -> float:
        return spec.family.divergence(table, alpha, expected)

    def step(state: Tables, expect: Expect) -> tuple[Tables, Progress]:
        asked = weights(state)
        counts, log_norm = expect(asked)
        divergence = total(families, kl, state, prior, asked)
        return posterior(counts, state), Progress(log_norm - divergence, {"log_norm": log_norm, "kl": divergence})

    def mean(state: Tables) -> Tables:
        def of(spec: Conjugate, table: Any) -> Any:
            return spec.family.mean(table)

        return by_table(families, of, state)

    def shown(state: Tables) -> Tables:
        return by_table(families, lambda spec, table: None if isinstance(spec.family, Point) else table, state)

    return Criterion(init=init, step=step, log_weights=weights, parameters=mean, never_falls=True, posterior=shown)
