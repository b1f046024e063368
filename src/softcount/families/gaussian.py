"""Rows that are Gaussians: spherical, diagonal, or with unit variance, in the same table type as all families.

    parameters (1, μ, σ²)      counts (n, Σx, Σx²)      log-weights η = (−½ Σ_f (log 2πσ² + μ²/σ²), μ/σ², −½/σ²)

A diagonal row keeps x² per feature, the others |x|² alone. The conjugate prior is α imaginary observations spread as
the data are: χ = α · (1, centre, centre² + spread); with τ = 1/σ² and a base measure that makes it proper for every
α > 0, q(τ) = Gamma(½Fχ₀, ½(χ₂ − χ₁²/χ₀)) and q(μ | τ) = N(χ₁/χ₀, 1/(χ₀τ)). C. M. Bishop, "Pattern recognition and
machine learning", 2006, ch. 10, up to that measure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from softcount.errors import InputError
from softcount.families.categorical import UNVISITED
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array

KINDS = ("unit", "spherical", "diagonal", "full")  # the last one in full_gaussian.py
FLOOR = 1e-6  # of the data's own spread: no variance falls below, so that no component ends on one point
LOG_2PI = float(np.log(2.0 * np.pi))


class Gaussian(NamedTuple):
    n_rows: int
    n_features: int
    kind: str
    centre: Array  # [F], of the data
    spread: Array  # [F] of a diagonal family, else [1]: the data's variance per feature
    given: Array | None = None  # the whole table, where it is fixed

    def under(self, prior: float | Array) -> Gaussian:
        return self

    def size(self) -> tuple[int, ...]:
        return (self.n_rows, 1 + self.n_features + len(self.spread))

    @property
    def shared(self) -> int:
        """How many features one variance serves."""
        return 1 if self.kind == "diagonal" else self.n_features

    def split(self, table: Array) -> tuple[Array, Array, Array]:
        """(constant [K, 1], linear [K, F], quadratic [K, S])."""
        return table[:, :1], table[:, 1 : 1 + self.n_features], table[:, 1 + self.n_features :]

    def _pooled(self, per_feature: Array) -> Array:
        return per_feature if self.kind == "diagonal" else per_feature.sum(axis=1, keepdims=True)

    # --- constraints and starts -------------------------------------------------------------------------------

    def impossible(self, parameters: Array) -> Array:
        return np.zeros(parameters.shape, dtype=bool)

    def sound(self, parameters: Array) -> bool:
        return bool((self.split(parameters)[2] > 0.0).all())

    def hold(self, parameters: Array, held: Array) -> Gaussian:
        if held.any() and not held.all():
            raise InputError("Gaussian components are fixed as a whole; name the table instead of giving a mask")
        return self._replace(given=parameters if held.all() else None)

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        """Means drawn as the data are spread; `spread` is a matter of rows that sum to one."""
        noise = rng.standard_normal((self.n_rows, self.n_features))
        return self.around(self.centre + noise * np.sqrt(self.spread))

    def uniform(self) -> Array:
        return self.around(np.broadcast_to(self.centre, (self.n_rows, self.n_features)))

    def around(self, means: Array) -> Array:
        """Components with these means and the data's spread."""
        variance = np.ones(1) if self.kind == "unit" else np.maximum(self.spread, np.finfo(float).tiny)
        tiled = np.broadcast_to(variance, (self.n_rows, len(variance)))
        return np.concatenate([np.ones((self.n_rows, 1)), means, tiled], axis=1)

    # --- point estimates --------------------------------------------------------------------------------------

    def _imagined(self, alpha: float | Array) -> Array:
        """χ: alpha observations that are spread as the data are."""
        spread = 1.0 if self.kind == "unit" else self.spread * self.shared
        second = self._pooled(self.centre[None] ** 2) + spread
        row = np.concatenate([np.ones((1, 1)), self.centre[None], second], axis=1)
        return np.asarray(np.broadcast_to(alpha, (self.n_rows, 1)) * row if np.ndim(alpha) < 2 else alpha)

    def unvisited(self, weights: Array) -> Array:
        return np.flatnonzero(weights[:, 0] <= UNVISITED) if self.given is None else np.empty(0, np.int64)

    def maximize(self, counts: Array, penalty: Pseudo, parameters: Array) -> Array:
        """μ = Σx / n, σ² = Σx² / n − μ², not below the floor; a row without counts keeps its old values."""
        if self.given is not None:
            return self.given
        if penalty:
            counts = counts + self._imagined(penalty.amount)
        visited = counts[:, :1] > UNVISITED
        return np.where(visited, self._moments(counts), parameters)

    def _moments(self, counts: Array) -> Array:
        n, first, second = self.split(counts)
        n = np.maximum(n, UNVISITED)
        mean = first / n
        if self.kind == "unit":
            variance = np.ones((len(n), 1))
        else:
            variance = (second / n - self._pooled(mean**2)) / self.shared
            variance = np.maximum(variance, np.maximum(FLOOR * self.spread, np.finfo(float).tiny))
        return np.concatenate([np.ones_like(n), mean, variance], axis=1)

    def log_weights(self, parameters: Array) -> Array:
        _, mean, variance = self.split(parameters)
        precision = 1.0 / variance
        constant = self.shared * (LOG_2PI + np.log(variance)) + self._pooled(mean**2) * precision
        return np.concatenate([-0.5 * constant.sum(axis=1, keepdims=True), mean * precision, -0.5 * precision], axis=1)

    def log_prior(self, parameters: Array, penalty: Pseudo) -> float:
        if not penalty or self.given is not None:
            return 0.0
        return float(np.sum(self.log_weights(parameters) * self._imagined(penalty.amount)))

    # --- conjugate posteriors ---------------------------------------------------------------------------------

    def posterior(self, counts: Array, prior: float | Array) -> Array:
        return counts + self._imagined(prior)

    def mean(self, posterior: Array) -> Array:
        return self._moments(posterior) if self.given is None else self.given

    def _shape_rate(self, posterior: Array) -> tuple[Array, Array]:
        """Of q(τ): ½Fχ₀ and ½(χ₂ − χ₁²/χ₀)."""
        n, first, second = self.split(posterior)
        scatter = second - self._pooled(first**2 / n)
        return 0.5 * self.shared * n, 0.5 * np.maximum(scatter, np.finfo(float).tiny)

    def expected_log(self, posterior: Array) -> Array:
        """E_q[η]."""
        if self.given is not None:
            return self.log_weights(self.given)
        n, first, second = self.split(posterior)
        mean = first / n
        tau, log_tau = np.ones_like(second), np.zeros_like(second)
        if self.kind != "unit":
            shape, rate = self._shape_rate(posterior)
            tau, log_tau = shape / rate, digamma(shape) - np.log(rate)
        constant = self.shared * (LOG_2PI - log_tau + 1.0 / n) + tau * self._pooled(mean**2)
        return np.concatenate([-0.5 * constant.sum(axis=1, keepdims=True), tau * mean, -0.5 * tau], axis=1)

    def divergence(self, posterior: Array, prior: float | Array, expected_log: Array | None = None) -> float:
        """KL(q_λ ‖ q_α) = ⟨E[η], λ − α⟩ − A(λ) + A(α), summed over the rows."""
        if self.given is not None:
            return 0.0
        alpha = self._imagined(prior)
        gained = float(np.sum(self.expected_log(posterior) * (posterior - alpha)))
        return gained - self._log_normalizer(posterior) + self._log_normalizer(alpha)

    def log_evidence(self, counts: Array, prior: float | Array) -> float:
        if self.given is not None:
            return float(np.sum(self.log_weights(self.given) * counts))
        alpha = self._imagined(prior)
        return self._log_normalizer(counts + alpha) - self._log_normalizer(alpha)

    def _log_normalizer(self, posterior: Array) -> float:
        """A(χ) = log ∫ exp⟨η, χ⟩ over μ and τ, summed over the rows."""
        n, _, second = self.split(posterior)
        shape, rate = self._shape_rate(posterior)
        total = 0.5 * self.n_features * (LOG_2PI - np.log(n) - n * LOG_2PI).sum()
        if self.kind == "unit":
            return float(total - rate.sum())
        shape = np.broadcast_to(shape, second.shape)
        return float(total + np.sum(gammaln(shape) - shape * np.log(rate)))

    def draw(self, posterior: Array, rng: np.random.Generator) -> Array:
        """η of components drawn from the posterior."""
        if self.given is not None:
            return self.log_weights(self.given)
        n, first, second = self.split(posterior)
        variance = np.ones_like(second)
        if self.kind != "unit":
            shape, rate = self._shape_rate(posterior)
            variance = rate / np.maximum(rng.standard_gamma(np.broadcast_to(shape, second.shape)), 1e-290)
        mean = first / n + rng.standard_normal(first.shape) * np.sqrt(variance / n)
        return self.log_weights(np.concatenate([np.ones_like(n), mean, variance], axis=1))
