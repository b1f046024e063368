"""What is added to a log-likelihood before it is maximised."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.numbers.ragged import Array


class Pseudo(NamedTuple):
    """Counts imagined before any data were seen: the log prior is Σ amount · log θ."""

    amount: float | Array = 0.0  # one number, or one per entry

    def __bool__(self) -> bool:
        return self.amount != 0.0 if isinstance(self.amount, float) else bool(np.any(self.amount))

    @property
    def entries(self) -> Array | float:
        """What somebody imagined entry by entry; of one number for all, nothing."""
        return self.amount if isinstance(self.amount, np.ndarray) else 0.0


NOTHING = Pseudo()
