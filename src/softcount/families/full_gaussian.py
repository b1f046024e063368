"""Rows that are Gaussians with full covariance matrices, in the same table type as all families.

    parameters (1, μ, Σ)     counts (n, Σx, Σxxᵀ)     log-weights η = (−½(F log 2π + log|Σ| + μᵀΣ⁻¹μ), Σ⁻¹μ, −½Σ⁻¹)

Of a symmetric matrix the upper triangle is kept, row by row; in η what is off the diagonal stands for two entries. The
conjugate prior is again α imaginary observations, χ = α · (1, centre, centre centreᵀ + diag(spread)): with the scatter
S = χ₂ − χ₁χ₁ᵀ/χ₀ and ν = χ₀ + F − 1, which is proper for every α > 0, q(Λ) = Wishart(ν, S⁻¹) and
q(μ | Λ) = N(χ₁/χ₀, (χ₀Λ)⁻¹). C. M. Bishop, "Pattern recognition and machine learning", 2006, §10.2, up to ν.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln

from softcount.families.gaussian import FLOOR, LOG_2PI, Gaussian
from softcount.numbers.ragged import Array

TINY = float(np.finfo(float).tiny)


def n_pairs(n_features: int) -> int:
    return n_features * (n_features + 1) // 2


def packed(matrices: Array) -> Array:
    """The upper triangles of [K, F, F] matrices, [K, F (F + 1) / 2]."""
    i, j = np.triu_indices(matrices.shape[-1])
    return np.ascontiguousarray(matrices[..., i, j])


def unpacked(triangles: Array, n_features: int) -> Array:
    i, j = np.triu_indices(n_features)
    matrices = np.empty((len(triangles), n_features, n_features))
    matrices[:, i, j] = matrices[:, j, i] = triangles
    return matrices


class FullGaussian(Gaussian):
    """`spread` is the data's variance per feature, and `kind` is "full"."""

    def size(self) -> tuple[int, ...]:
        return (self.n_rows, 1 + self.n_features + n_pairs(self.n_features))

    def sound(self, parameters: Array) -> bool:
        return bool((np.linalg.eigvalsh(self.covariances(parameters)) > 0.0).all())

    def covariances(self, table: Array) -> Array:
        """The quadratic part as matrices, [K, F, F]."""
        return unpacked(self.split(table)[2], self.n_features)

    def around(self, means: Array) -> Array:
        """Components with these means and the data's spread."""
        one = packed(np.diag(np.maximum(self.spread, TINY))[None])
        return np.concatenate([np.ones((self.n_rows, 1)), means, np.repeat(one, self.n_rows, axis=0)], axis=1)

    def _imagined(self, alpha: float | Array) -> Array:
        if np.ndim(alpha) >= 2:
            return np.asarray(alpha)
        second = packed((np.outer(self.centre, self.centre) + np.diag(self.spread))[None])
        row = np.concatenate([np.ones((1, 1)), self.centre[None], second], axis=1)
        return np.asarray(np.broadcast_to(alpha, (self.n_rows, 1)) * row)

    def _scatter(self, counts: Array) -> tuple[Array, Array, Array]:
        """(n [K], mean [K, F], Σ (x − mean)(x − mean)ᵀ [K, F, F])."""
        n, first, _ = self.split(counts)
        n = np.maximum(n, TINY)
        mean = first / n
        return n[:, 0], mean, self.covariances(counts) - first[:, :, None] * mean[:, None, :]

    def _moments(self, counts: Array) -> Array:
        """The best matrix none of whose variances, measured by the data's own, is below the floor: clipped there."""
        n, mean, scatter = self._scatter(counts)
        unit = np.sqrt(np.maximum(self.spread, TINY))
        scaled = scatter / n[:, None, None] / unit[:, None] / unit
        variance, axes = np.linalg.eigh(scaled)
        low = (variance < FLOOR).any(axis=1)
        clipped = np.maximum(variance[low], FLOOR)[:, None, :] * axes[low]
        scaled[low] = clipped @ np.swapaxes(axes[low], 1, 2)
        return np.concatenate([np.ones((len(n), 1)), mean, packed(scaled * unit[:, None] * unit)], axis=1)

    def log_weights(self, parameters: Array) -> Array:
        covariance = self.covariances(parameters)
        return _natural(self.split(parameters)[1], np.linalg.inv(covariance), -np.linalg.slogdet(covariance)[1], 0.0)

    # --- conjugate posteriors ---------------------------------------------------------------------------------

    def _degrees(self, n: Array) -> Array:
        """Of the Wishart's χ² variables, [K, F]: ν, ν − 1, …; ν = χ₀ + F − 1."""
        return n[:, None] + np.arange(self.n_features - 1, -1, -1)

    def expected_log(self, posterior: Array) -> Array:
        """E_q[η]."""
        if self.given is not None:
            return self.log_weights(self.given)
        n, mean, scatter = self._scatter(posterior)
        degrees = self._degrees(n)
        log_precision = digamma(degrees / 2).sum(axis=1) + self.n_features * np.log(2.0)
        log_precision -= np.linalg.slogdet(scatter)[1]
        return _natural(mean, degrees[:, :1, None] * np.linalg.inv(scatter), log_precision, self.n_features / n)

    def _log_normalizer(self, posterior: Array) -> float:
        """A(χ) = log ∫ exp⟨η, χ⟩ over μ and Λ, summed over the rows."""
        n, _, scatter = self._scatter(posterior)
        degrees, F = self._degrees(n), self.n_features
        total = 0.5 * F * (LOG_2PI - np.log(n) - n * LOG_2PI) + 0.5 * degrees[:, 0] * F * np.log(2.0)
        total += 0.25 * F * (F - 1) * np.log(np.pi) + gammaln(degrees / 2).sum(axis=1)
        return float((total - 0.5 * degrees[:, 0] * np.linalg.slogdet(scatter)[1]).sum())

    def draw(self, posterior: Array, rng: np.random.Generator) -> Array:
        """η of components drawn from the posterior; the Wishart by M. S. Bartlett's triangle of χ and normal draws."""
        if self.given is not None:
            return self.log_weights(self.given)
        n, mean, scatter = self._scatter(posterior)
        degrees, F = self._degrees(n), self.n_features
        triangle = np.tril(rng.standard_normal((len(n), F, F)), -1)
        triangle[:, range(F), range(F)] = np.sqrt(np.maximum(2.0 * rng.standard_gamma(degrees / 2), 1e-290))
        root = np.linalg.cholesky(np.linalg.inv(scatter)) @ triangle  # Λ = root rootᵀ
        noise = np.linalg.solve(np.swapaxes(root, 1, 2), rng.standard_normal((len(n), F, 1)))[:, :, 0]
        precision = root @ np.swapaxes(root, 1, 2)
        return _natural(mean + noise / np.sqrt(n)[:, None], precision, np.linalg.slogdet(precision)[1], 0.0)


def _natural(mean: Array, precision: Array, log_precision: Array, more: Array | float) -> Array:
    """η of Gaussians; `more` is what E[μᵀΛμ] has beyond that of the means."""
    F = mean.shape[1]
    linear = np.einsum("kij,kj->ki", precision, mean)
    constant = F * LOG_2PI - log_precision + np.einsum("ki,ki->k", linear, mean) + more
    i, j = np.triu_indices(F)
    second = -packed(precision) * np.where(i == j, 0.5, 1.0)
    return np.concatenate([-0.5 * constant[:, None], linear, second], axis=1)
