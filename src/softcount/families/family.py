"""What every family can do: turn a table of counts into parameters, weights, or a posterior.

One table type holds all of them. `parameters` is what users see, `log_weights` what the E-step asks about (η of
equation 1), `counts` what it returns, `posterior` a conjugate posterior in (pseudo-)counts.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from softcount.numbers.ragged import Array

Table = Any  # dense or ragged; which, the family knows


class Family(Protocol):
    @property
    def simplex(self) -> bool:
        """Whether rows are distributions, so that multiplicative updates have a meaning."""

    def impossible(self, parameters: Table) -> Array: ...

    def hold(self, parameters: Table, held: Array) -> Any: ...

    def random(self, rng: np.random.Generator, spread: float) -> Table: ...

    def uniform(self) -> Table: ...

    def unvisited(self, weights: Table) -> Array: ...

    def maximize(self, counts: Table, pseudo: float | Array, parameters: Table) -> Table: ...

    def log_weights(self, parameters: Table) -> Table: ...

    def log_prior(self, parameters: Table, pseudo: float | Array) -> float: ...

    def posterior(self, counts: Table, prior: float | Array) -> Table: ...

    def mean(self, posterior: Table) -> Table: ...

    def expected_log(self, posterior: Table) -> Table: ...

    def under(self, prior: float | Array) -> Any:
        """The family under this prior, where the prior says more than the table stores."""

    def divergence(self, posterior: Table, prior: float | Array, expected_log: Table | None = None) -> float: ...

    def log_evidence(self, counts: Table, prior: float | Array) -> float: ...

    def draw(self, posterior: Table, rng: np.random.Generator) -> Table: ...
