"""Tables that are what was counted last: of what a model computes from them it knows itself.

Also the base of families whose entries nobody holds or forbids, and which never lack counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array
from softcount.numbers.tables import values


class Unheld:
    """A PointFamily's answers where no entry is held."""

    def size(self) -> tuple[int, ...]:
        raise NotImplementedError

    def uniform(self) -> Array:
        raise NotImplementedError

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        return self.uniform()

    def impossible(self, parameters: Any) -> Array:
        return np.zeros(self.size(), dtype=bool)

    def hold(self, parameters: Any, held: Array) -> Self:
        return self

    def unvisited(self, counts: Any) -> Array:
        return np.empty(0, dtype=np.int64)

    def log_prior(self, parameters: Any, penalty: Pseudo) -> float:
        return 0.0

    def log_weights(self, parameters: Any) -> Any:
        return parameters


@dataclass(frozen=True, eq=False)
class Kept(Unheld):
    shape: tuple[int, ...]
    learn: bool = True  # or stay at zero

    def size(self) -> tuple[int, ...]:
        return self.shape

    def uniform(self) -> Array:
        return np.zeros(self.shape)

    def maximize(self, counts: Any, penalty: Pseudo, parameters: Array) -> Array:
        """With what was imagined entry by entry; as before where nothing was counted."""
        found = np.asarray(values(counts)) + penalty.entries
        return found if self.learn and found.any() else parameters
