"""A family without a conjugate prior, where a posterior is asked for: it stays a point, the counts' best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.family import ConjugateFamily, PointFamily, PosteriorFamily
from softcount.families.penalty import NOTHING
from softcount.numbers.tables import values


def conjugate(family: PointFamily) -> ConjugateFamily:
    return family if isinstance(family, PosteriorFamily) else Point(family)  # type: ignore[return-value]


class Point(NamedTuple):
    family: PointFamily

    def under(self, prior: Any) -> Point:
        return self

    def posterior(self, counts: Any, prior: Any) -> Any:
        return self.family.maximize(counts, NOTHING, None)

    def moved(self, counts: Any, before: Any) -> Any:
        """From the point before, for families that go on from there."""
        return self.family.maximize(counts, NOTHING, before)

    def mean(self, posterior: Any) -> Any:
        return posterior

    def expected_log(self, posterior: Any) -> Any:
        return self.family.log_weights(posterior)

    def divergence(self, posterior: Any, prior: Any, expected_log: Any = None) -> float:
        """Of a point that is held by a prior of its own, minus its logarithm."""
        return -self.family.log_prior(posterior, NOTHING)

    def draw(self, posterior: Any, rng: np.random.Generator) -> Any:
        return self.family.log_weights(posterior)

    def log_evidence(self, counts: Any, prior: Any) -> float:
        weights, counted = values(self.family.log_weights(self.posterior(counts, prior))), values(counts)
        used = counted != 0
        return float(np.sum(weights[used] * counted[used]))
