"""Whether chains of draws can be trusted: do they agree, and how many independent draws are they worth?

    R̂ = √(((n − 1) W/n + B/n) / W)        ESS = m n / (−1 + 2 Σ_t ρ_t)

of halves of chains, m of n draws, by ranks put through the normal distribution; B is the variance between their means,
W that within them, ρ_t how much draws t apart have in common. R̂ is the greater of that of the draws and that of their
distances from the median; ρ_t are added up in pairs, as long as those are positive, and no pair counts more than the
one before it. A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner, Bayesian Analysis 16(2), 2021; what
ArviZ computes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # whose `special` is loaded when first used

from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables

FEWEST = 4  # draws of a chain
AGREE = 1.05  # R̂ above says that chains do not


class Chains(NamedTuple):
    """Averages over the retained draws of Gibbs chains, with convergence diagnostics.

    Read more in the :doc:`guide to Gibbs sampling </background/criteria/gibbs>`.

    >>> from softcount import NaiveBayesMixture, sample_posterior
    >>> docs = ["stars planets moon", "moon stars orbit", "bread butter jam", "jam bread tea"]
    >>> model = NaiveBayesMixture(2, random_state=0).fit(docs)
    >>> found = sample_posterior(model, docs, chains=2, draws=20, burn=10)
    >>> found.n_draws, len(found.labels)
    (40, 4)

    `parameters` are tables like the model's; `posteriors` has an array for every item, [tokens, values], of documents
    [1, values], of pairs (l + 1) · m links; `labels` is the most probable value of each, of pairs nothing; `log_joint`
    is [chains, draws].
    """

    parameters: Tables
    posteriors: list[Array]  # of every item [tokens, values]; of documents [1, values]; of pairs (l + 1) · m links
    labels: list[list[int]]  # the most probable value of each; of pairs none
    log_joint: Array  # [chains, draws]

    @property
    def n_draws(self) -> int:
        """How many draws count, of all chains together."""
        return int(self.log_joint.size)

    @property
    def r_hat(self) -> float:
        """Near one where the chains agree; not a number where there are fewer than two chains of four draws."""
        return r_hat(self.log_joint)

    @property
    def ess(self) -> float:
        """How many independent draws the chains are worth."""
        return effective_size(self.log_joint)

    def told(self) -> str:
        """In a line."""
        n = len(self.log_joint)
        averaged = f"averages of {self.n_draws:,} draws of {n} chain{'s' * (n > 1)}"
        if self.r_hat != self.r_hat:
            return f"{averaged}; R-hat is not available (it needs two chains of four different draws)"
        trusted = f"{averaged}: R-hat {self.r_hat:.3f}, effective sample size {self.ess:.0f}"
        return f"{trusted}; the chains have not converged, use more sweeps" if self.r_hat > AGREE else trusted


def r_hat(draws: Array) -> float:
    """Of [chains, draws]; near one where chains agree. Not a number of one chain, of few draws, or if all are alike."""
    if draws.shape[0] < 2 or not _enough(draws):
        return float("nan")
    halves = _halves(draws)
    return max(_shrinkage(_normal_scores(halves)), _shrinkage(_normal_scores(np.abs(halves - np.median(halves)))))


def effective_size(draws: Array) -> float:
    """Of [chains, draws]: how many independent draws they are worth."""
    if not _enough(draws):
        return float("nan")
    scores = _normal_scores(_halves(draws))
    m, n = scores.shape
    shared = _autocovariances(scores).mean(axis=0)
    within = shared[0] * n / (n - 1.0)
    everywhere = shared[0] + scores.mean(axis=1).var(ddof=1)
    rho = 1.0 - (within - shared) / everywhere
    rho[0] = 1.0
    last = (n - 3) // 2
    pairs = rho[0 : 2 * last : 2] + rho[1 : 2 * last : 2]
    ends = np.flatnonzero(pairs <= 0.0)
    stop = int(ends[0]) if len(ends) else last
    tau = -1.0 + 2.0 * np.minimum.accumulate(pairs[:stop]).sum() + max(float(rho[2 * stop]), 0.0)
    return float(m * n / max(tau, 1.0 / np.log10(m * n)))


def _enough(draws: Array) -> bool:
    return draws.shape[1] >= FEWEST and bool(np.isfinite(draws).all()) and float(np.ptp(draws)) > 0.0


def _halves(draws: Array) -> Array:
    """Every chain as two, so that one which has not settled disagrees with itself."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _normal_scores(draws: Array) -> Array:
    _, place, times = np.unique(draws, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2.0)[place].reshape(draws.shape)
    return np.asarray(scipy.special.ndtri((ranks - 0.375) / (draws.size + 0.25)))


def _shrinkage(scores: Array) -> float:
    n, within = scores.shape[1], scores.var(axis=1, ddof=1).mean()
    between = n * scores.mean(axis=1).var(ddof=1)
    return float(np.sqrt((between / within + n - 1.0) / n)) if within > 0.0 else float("nan")


def _autocovariances(scores: Array) -> Array:
    """[chains, lags], by the Fourier transform."""
    n = scores.shape[1]
    power = np.abs(np.fft.rfft(scores - scores.mean(axis=1, keepdims=True), 2 * n, axis=1)) ** 2
    return np.asarray(np.fft.irfft(power, 2 * n, axis=1)[:, :n] / n)
