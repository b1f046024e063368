"""Variational Bayes: a Dirichlet posterior over each row of parameters instead of a point.

    λ = α + E[c]      weights exp(ψ(λ) − ψ(Σ λ))      objective: ELBO = log Z − KL(q ‖ prior), which never falls

M. J. Beal, "Variational algorithms for approximate Bayesian inference", 2003; for HMM tagging M. Johnson, EMNLP 2007.
The ELBO is exact because log Z is taken at the same weights as the counts.
"""

from __future__ import annotations

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights, under
from softcount.numbers.tables import Tables


def vb(layout: Tables, prior: Tables) -> Criterion:
    layout = under(layout, prior)

    def init(parameters: Tables, expect: Expect) -> Tables:
        """The posterior after seeing the data through the start's eyes."""
        return posterior(expect(log_weights(layout, parameters)).counts)

    def posterior(counts: Tables) -> Tables:
        return type(layout)(
            *(spec.family.posterior(count, alpha) for spec, count, alpha in zip(layout, counts, prior, strict=True))
        )

    def weights(state: Tables) -> Tables:
        return type(layout)(*(spec.family.expected_log(table) for spec, table in zip(layout, state, strict=True)))

    def step(state: Tables, expect: Expect) -> tuple[Tables, Progress]:
        asked = weights(state)
        counts, log_norm = expect(asked)
        divergence = sum(spec.family.divergence(*rest) for spec, *rest in zip(layout, state, prior, asked, strict=True))
        return posterior(counts), Progress(log_norm - divergence, {"log_norm": log_norm, "kl": divergence})

    def mean(state: Tables) -> Tables:
        return type(layout)(*(spec.family.mean(table) for spec, table in zip(layout, state, strict=True)))

    return Criterion(init=init, step=step, log_weights=weights, parameters=mean, never_falls=True)
