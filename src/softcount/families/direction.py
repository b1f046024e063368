"""Rows that are directions: centres of length one, to which points are near by their cosine.

    parameters (1, μ), |μ| = 1      counts (n, Σx)      log-weights η = (0, μ), so log P(x, z) = ⟨μ_z, x⟩ + constant

I. S. Dhillon, D. S. Modha, "Concept decompositions for large sparse text data using clustering", Machine Learning 42,
2001: a von Mises–Fisher distribution of concentration one, of which MAX makes spherical k-means. Of all vectors of
length one Σx / |Σx| has the largest ⟨μ, Σx⟩. There is no conjugate prior here: under VB and Gibbs a direction stays a
point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.families.categorical import UNVISITED
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array

LENGTH = 1e-6  # how far from one the length of a direction that was read may be


class Direction(NamedTuple):
    n_rows: int
    n_features: int
    centre: Array  # [F], of the data
    given: Array | None = None  # the whole table, where it is fixed

    def size(self) -> tuple[int, ...]:
        return (self.n_rows, 1 + self.n_features)

    def split(self, table: Array) -> tuple[Array, Array, Array]:
        """(constant [K, 1], linear [K, F], nothing [K, 0]), as of a Gaussian."""
        return table[:, :1], table[:, 1:], table[:, :0]

    # --- constraints and starts -------------------------------------------------------------------------------

    def impossible(self, parameters: Array) -> Array:
        return np.zeros(parameters.shape, dtype=bool)

    def sound(self, parameters: Array) -> bool:
        return bool((np.abs(np.linalg.norm(parameters[:, 1:], axis=1) - 1.0) < LENGTH).all())

    def hold(self, parameters: Array, held: Array) -> Direction:
        if held.any() and not held.all():
            raise InputError("directions are fixed as a whole; name the table instead of giving a mask")
        return self._replace(given=parameters if held.all() else None)

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        """Any direction is as likely; `spread` is a matter of rows that sum to one."""
        return self.around(rng.standard_normal((self.n_rows, self.n_features)))

    def uniform(self) -> Array:
        return self.around(np.broadcast_to(self.centre, (self.n_rows, self.n_features)))

    def around(self, means: Array) -> Array:
        """The directions of these vectors; of nothing, that of all features alike."""
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        alike = np.full(self.n_features, 1.0 / np.sqrt(max(self.n_features, 1)))
        rows = np.where(lengths > UNVISITED, means / np.maximum(lengths, UNVISITED), alike)
        return np.concatenate([np.ones((self.n_rows, 1)), rows], axis=1)

    # --- point estimates --------------------------------------------------------------------------------------

    def unvisited(self, weights: Array) -> Array:
        return np.flatnonzero(weights[:, 0] <= UNVISITED) if self.given is None else np.empty(0, np.int64)

    def maximize(self, counts: Array, penalty: Pseudo, parameters: Array | None) -> Array:
        """μ = Σx / |Σx|; a row whose points cancel out, or that has none, keeps its old direction."""
        if self.given is not None:
            return self.given
        if penalty:
            counts = counts + self._imagined(penalty.amount)
        found = self.around(counts[:, 1:])
        visited = np.linalg.norm(counts[:, 1:], axis=1, keepdims=True) > UNVISITED
        return np.where(visited, found, self.uniform() if parameters is None else parameters)

    def _imagined(self, alpha: float | Array) -> Array:
        """alpha points in the middle of the data."""
        row = np.concatenate([np.ones(1), self.centre])[None]
        return np.asarray(np.broadcast_to(alpha, (self.n_rows, 1)) * row if np.ndim(alpha) < 2 else alpha)

    def log_weights(self, parameters: Array) -> Array:
        return np.concatenate([np.zeros((len(parameters), 1)), parameters[:, 1:]], axis=1)

    def log_prior(self, parameters: Array, penalty: Pseudo) -> float:
        if not penalty or self.given is not None:
            return 0.0
        return float(np.sum(self.log_weights(parameters) * self._imagined(penalty.amount)))
