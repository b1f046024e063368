"""Sums over the entries of Dirichlet rows, in one traversal each: a sparse table may have a hundred million entries.

    E[log θ_k] = ψ(λ_k) − ψ(Σ λ)            KL = log B(α) − log B(λ) + Σ_k (λ_k − α_k) E[log θ_k]

A row's mass `beyond` belongs to outcomes that are not stored and keep λ = α: they enter the sums Σ λ and Σ α alone.
"""

from __future__ import annotations

import math

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array


@kernel
def digamma(x: float) -> float:
    """scipy.special.digamma for x > 0: ψ(x) = ψ(x + 6) − P′(x)/P(x) with P = x(x+1)…(x+5), then the series."""
    if x <= 0.0:
        return -np.inf
    shift = 0.0
    if x < 6.0:
        rising = x * (120.0 + x * (274.0 + x * (225.0 + x * (85.0 + x * (15.0 + x)))))
        slope = 120.0 + x * (548.0 + x * (675.0 + x * (340.0 + x * (75.0 + x * 6.0))))
        shift = slope / rising
        x += 6.0
    inverse = 1.0 / x
    square = inverse * inverse
    tail = 1 / 252 - square * (1 / 240 - square * (1 / 132 - square * (691 / 32760 - square / 12)))
    return math.log(x) - 0.5 * inverse - square * (1 / 12 - square * (1 / 120 - square * tail)) - shift


@kernel
def log_gamma(x: float) -> float:
    """scipy.special.gammaln for x > 0, by the same shift and Stirling's series."""
    shift = 0.0
    if x < 6.0:
        shift = math.log(x * (120.0 + x * (274.0 + x * (225.0 + x * (85.0 + x * (15.0 + x))))))
        x += 6.0
    inverse = 1.0 / x
    square = inverse * inverse
    tail = 1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * (691 / 360360 - square / 156)))
    series = inverse * (1 / 12 - square * (1 / 360 - square * tail))
    return (x - 0.5) * math.log(x) - x + 0.9189385332046727 + series - shift


@kernel
def digammas(x: Array, out: Array) -> None:
    """out = scipy.special.digamma(x), entry by entry"""
    last, psi = -1.0, 0.0
    for k in range(len(x)):
        if x[k] != last:
            last = x[k]
            psi = digamma(last)
        out[k] = psi


@kernel
def entry_divergence(posterior: Array, prior: Array, expected: Array) -> float:
    """(gammaln(prior) − gammaln(posterior) + (posterior − prior) · expected).sum(), where both are positive"""
    result, last, of_prior = 0.0, -1.0, 0.0
    for k in range(len(posterior)):
        gained = posterior[k] - prior[k]
        if gained != 0.0 and not (prior[k] <= 0.0 or posterior[k] <= 0.0):  # what is not a number is not hidden
            if prior[k] != last:  # most priors are the same for all entries, or for all states of a word
                last = prior[k]
                of_prior = log_gamma(last)
            result += of_prior - log_gamma(posterior[k]) + gained * expected[k]
    return result


@kernel
def expected_logs(offsets: Array, posterior: Array, beyond: Array, out: Array) -> None:
    """out = digamma(posterior) − digamma(row_sums(posterior) + beyond), row by row"""
    last, psi = -1.0, 0.0
    for row in range(len(offsets) - 1):
        total = beyond[row]
        for k in range(offsets[row], offsets[row + 1]):
            total += posterior[k]
        offset = digamma(total)
        for k in range(offsets[row], offsets[row + 1]):
            if posterior[k] != last:  # most entries of a sparse posterior are the prior, to the bit
                last = posterior[k]
                psi = digamma(last)
            out[k] = psi - offset


@kernel
def divergences(offsets: Array, posterior: Array, prior: Array, expected: Array, beyond: Array) -> float:
    """Σ over rows of KL(Dirichlet(posterior) ‖ Dirichlet(prior)); entries whose prior is zero are not part of it.

    `prior` has one value per entry, or a single one for all.
    """
    result = 0.0
    one = len(prior) == 1
    constant = log_gamma(prior[0]) if one and prior[0] > 0.0 else 0.0
    for row in range(len(offsets) - 1):
        total, prior_total, entries = beyond[row], beyond[row], 0
        part = 0.0
        for k in range(offsets[row], offsets[row + 1]):
            alpha = prior[0] if one else prior[k]
            if not (alpha > 0.0 and posterior[k] > 0.0):
                continue
            entries += 1
            total += posterior[k]
            prior_total += alpha
            gained = posterior[k] - alpha
            if gained != 0.0:
                part += (constant if one else log_gamma(alpha)) - log_gamma(posterior[k]) + gained * expected[k]
        if entries > 0:
            result += part + log_gamma(total) - log_gamma(prior_total)
    return result
