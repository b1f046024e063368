"""What is added to a log-likelihood before it is maximised."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.numbers.ragged import Array


class Sparsity(NamedTuple):
    """A wish for rows with few entries: α Σ (exp(−θ/β) − 1), which is −α times the number of entries well above β."""

    alpha: float
    beta: float

    def log_prior(self, theta: Array) -> float:
        return float(self.alpha * np.sum(np.expm1(-np.asarray(theta, np.float64) / self.beta)))

    def slope(self, theta: Array) -> Array:
        """−d/dθ, one for each entry: how much an entry costs for being a little greater."""
        return np.asarray(self.alpha / self.beta * np.exp(-theta / self.beta))


class Pseudo(NamedTuple):
    """Counts imagined before any data were seen: the log prior is Σ amount · log θ, and that of sparse rows."""

    amount: float | Array = 0.0  # one number, or one per entry
    sparse: Sparsity | None = None

    def __bool__(self) -> bool:
        """Whether anything is imagined."""
        return self.amount != 0.0 if isinstance(self.amount, float) else bool(np.any(self.amount))

    @property
    def entries(self) -> Array | float:
        """What somebody imagined entry by entry; of one number for all, nothing."""
        return self.amount if isinstance(self.amount, np.ndarray) else 0.0


NOTHING = Pseudo()
