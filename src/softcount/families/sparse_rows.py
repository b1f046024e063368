"""Rows with few entries: the M-step under a smooth stand-in for the number of entries that are not zero.

    maximise  Q(θ) = Σ c log θ + α Σ exp(−θ/β)   over rows that sum to one (or to what their held entries leave)

A. Vaswani, A. Pauls, D. Chiang, "Efficient optimization of an MDL-inspired objective function for unsupervised part-of-
speech tagging", ACL 2010; for alignment A. Vaswani, L. Huang, D. Chiang, ACL 2012. They climb by projected gradient.
exp(−θ/β) is convex, hence above its tangent, and with the tangents in its place the maximum has a closed form,

    θ_v = c_v / (μ + s_v),      s = α/β · exp(−θ/β) at the θ before,      μ such that the row sums up

so that Q rises with every round, without a step size or a projection, to points where projected gradient rests too. A
row ends when it is still, whatever others do: so rows may be anywhere, in one table or in ranges.
"""

from __future__ import annotations

import numpy as np

from softcount.families.categorical_rows import row_max
from softcount.families.penalty import Sparsity
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Table, by_row, like, row_sums, values

ROUNDS = 20  # of tangents in one M-step, at most
STILL = 1e-6  # a round that moves no entry of a row by more ends the row
NEWTON = 60  # steps towards μ, at most; five are usual


def sparsest(weights: Table, wish: Sparsity, plain: Table, before: Table, mass: Array, rounds: int = ROUNDS) -> Array:
    """θ where all entries of `weights` are free: from the better of `plain`, which is in proportion to them, and
    `before`, row by row; rows without weights are to be left out by whoever asks."""
    counted = like(weights, np.asarray(values(weights), np.float64))
    theta = _better(counted, wish, plain, before)
    moves = np.ones(np.shape(mass), dtype=bool)
    for _ in range(rounds):
        moved = np.where(by_row(moves, weights), _tangent(counted, np.asarray(wish.slope(theta)), mass), theta)
        moves = row_max(like(weights, np.abs(moved - theta))) > STILL
        theta = moved
        if not moves.any():
            break
    return theta


def worth(weights: Table, wish: Sparsity, theta: Array) -> Array:
    """Q of every row."""
    c = values(weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        fit = np.where(c > 0.0, c * np.log(theta), 0.0)
    return row_sums(like(weights, fit + wish.alpha * np.exp(-theta / wish.beta)))


def _better(weights: Table, wish: Sparsity, plain: Table, before: Table) -> Array:
    one, two = (np.asarray(values(table), np.float64) for table in (plain, before))
    # what has no count takes no part: zero there is better in any case
    two = np.where(values(weights) > 0.0, two, 0.0)
    first = worth(weights, wish, one) >= worth(weights, wish, two)
    return np.asarray(np.where(by_row(first, weights), one, two))


def _tangent(weights: Table, slopes: Array, mass: Array) -> Array:
    """θ_v = c_v / (μ + s_v), and μ by Newton's method from below, where the sum is convex and falls."""
    c = np.asarray(values(weights))
    used = c > 0.0
    # from the least slope of the row on, or μ + s would be a small difference of great numbers
    least = -row_max(like(weights, np.where(used, -slopes, -np.inf)))
    slopes = np.where(used, slopes - by_row(np.where(np.isfinite(least), least, 0.0), weights), 0.0)
    alone = np.where(used, c / by_row(mass, weights) - slopes, -np.inf)  # the μ at which an entry had all mass
    mu = row_max(like(weights, alone))
    mu = np.where(np.isfinite(mu), mu, 1.0)
    for _ in range(NEWTON):
        below = np.where(used, by_row(mu, weights) + slopes, 1.0)
        shares = c / below
        excess = row_sums(like(weights, shares)) - mass
        far = excess > 1e-13 * mass
        if not far.any():
            break
        fall = row_sums(like(weights, shares / below))
        mu = mu + np.where(far, excess / np.maximum(fall, 1e-300), 0.0)
    total = row_sums(like(weights, shares))
    return np.asarray(shares * by_row(mass / np.where(total > 0.0, total, 1.0), weights))
