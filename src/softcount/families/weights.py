"""Weights of any sign, such as those of features in an encoder: free real numbers under a Gaussian prior.

    log prior = −(penalty / 2) · |w|²

They are log-weights themselves, no distribution, so counts alone do not say what they should be: they follow a
gradient (`criteria/autoencode.py`), and no other criterion has an update for them.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np

from softcount.errors import InputError
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array

SMALL = 0.1  # standard deviation of random weights


class Weights(NamedTuple):
    shape: tuple[int, ...]
    penalty: float = 0.0
    held: Array | None = None  # bool: the entries that stay as they are

    def size(self) -> tuple[int, ...]:
        return self.shape

    def uniform(self) -> Array:
        return np.zeros(self.shape)

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        return rng.normal(0.0, SMALL, self.shape)

    def impossible(self, parameters: Array) -> Array:
        return np.asarray(parameters == -np.inf)

    def hold(self, parameters: Array, held: Array) -> Weights:
        return self._replace(held=np.broadcast_to(held, self.shape) if np.any(held) else None)

    def unvisited(self, counts: Array) -> Array:
        return np.empty(0, dtype=np.int64)

    def maximize(self, counts: Array, penalty: Pseudo, parameters: Array) -> NoReturn:
        raise InputError("feature weights need a gradient; use the criterion autoencode")

    def log_weights(self, parameters: Array) -> Array:
        return parameters

    def log_prior(self, parameters: Array, penalty: Pseudo) -> float:
        return -0.5 * self.penalty * float(np.vdot(parameters, parameters))

    def slope(self, parameters: Array) -> Array:
        """Of the log prior."""
        return np.asarray(-self.penalty * parameters)

    def moved(self, parameters: Array, by: Array) -> Array:
        return parameters + (by if self.held is None else np.where(self.held, 0.0, by))
