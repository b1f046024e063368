"""What a family can do: turn the counts of a table into parameters, weights, or a posterior.

`counts` is what the E-step returns and `log_weights` what it is asked about (η of equation 1): they share a type, an
array or a Ragged. `parameters` and `posterior` are the family's own: for free categorical rows tables again, for rows
that are computed from something else, whatever they are computed from. So an update that needs to remember where the
last one ended remembers it in its parameters.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array

Table = Any  # dense or ragged; which, the family knows
Parameters = Any  # the family's own
Posterior = Any


class PointFamily(Protocol):
    """What a point estimate needs: every family has this."""

    def size(self) -> tuple[int, ...]:
        """The shape of the table's values."""

    def uniform(self) -> Parameters: ...

    def random(self, rng: np.random.Generator, spread: float) -> Parameters: ...

    def impossible(self, parameters: Parameters) -> Array:
        """The entries that no data will ever bring back."""

    def hold(self, parameters: Parameters, held: Array) -> Self:
        """This family with the entries in the mask `held` kept as they are in `parameters`."""

    def unvisited(self, counts: Table) -> Array:
        """The rows that have something to learn and nothing to learn it from."""

    def maximize(self, counts: Table, penalty: Pseudo, parameters: Parameters) -> Parameters:
        """argmax of ⟨log-weights, counts⟩ + log prior; `parameters` are those before."""

    def log_weights(self, parameters: Parameters) -> Table: ...

    def log_prior(self, parameters: Parameters, penalty: Pseudo) -> float: ...


@runtime_checkable
class PosteriorFamily(PointFamily, Protocol):
    """What variational Bayes needs: a posterior of the form of the prior."""

    def under(self, prior: Any) -> Self:
        """The family under this prior, where the prior says more than the table stores."""

    def posterior(self, counts: Table, prior: Any) -> Posterior: ...

    def mean(self, posterior: Posterior) -> Parameters: ...

    def expected_log(self, posterior: Posterior) -> Table: ...

    def divergence(self, posterior: Posterior, prior: Any, expected_log: Table | None = None) -> float: ...


@runtime_checkable
class ConjugateFamily(PosteriorFamily, Protocol):
    """What Gibbs sampling needs besides: draws from the posterior."""

    def log_evidence(self, counts: Table, prior: Any) -> float: ...

    def draw(self, posterior: Posterior, rng: np.random.Generator) -> Table:
        """Log-weights of parameters drawn from the posterior."""


@runtime_checkable
class SimplexFamily(PointFamily, Protocol):
    """Rows that are distributions, so that multiplicative updates have a meaning."""

    def normalize(self, weights: Table, otherwise: Table | None = None) -> Table: ...


@runtime_checkable
class SoundFamily(PointFamily, Protocol):
    """Parameters that are more than finite numbers, and that a file may get wrong."""

    def sound(self, parameters: Parameters) -> bool:
        """Whether they can be this family's."""


@runtime_checkable
class AscendingFamily(PointFamily, Protocol):
    """Parameters without rows to multiply, which follow a gradient their own way."""

    def ascend(self, parameters: Parameters, gradient: Table, counts: Table) -> Parameters: ...


@runtime_checkable
class SmoothFamily(PointFamily, Protocol):
    """Parameters that any vector of numbers makes, so that a gradient may be followed without leaving them."""

    def vector(self, parameters: Parameters) -> Array: ...

    def of_vector(self, vector: Array, parameters: Parameters) -> Parameters:
        """Of the kind of `parameters`."""

    def gradient(self, counts: Table, penalty: Pseudo, parameters: Parameters) -> Array:
        """Of ⟨log-weights, counts⟩ + log prior in the vector; with expected counts that of the log-likelihood."""


@runtime_checkable
class ComputedFamily(PointFamily, Protocol):
    """Rows that are computed from parameters of another kind."""

    def shown(self, parameters: Parameters) -> Table:
        """The rows."""


@runtime_checkable
class WeightFamily(PointFamily, Protocol):
    """Weights of any sign, which follow the gradient of an encoder."""

    def slope(self, parameters: Parameters) -> Table:
        """The gradient of the log prior."""

    def moved(self, parameters: Parameters, by: Table) -> Parameters: ...
