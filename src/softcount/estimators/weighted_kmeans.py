"""k-means of points that count more or less, some of which may be in few clusters only.

    min Σ_i w_i |x_i − μ_{c_i}|²,   c_i allowed

By chance: k-means++ for the start (D. Arthur, S. Vassilvitskii, SODA 2007), then S. P. Lloyd's two steps by turns. Or
without chance: the nearest of Ward's clusters of the heaviest points.
"""

from __future__ import annotations

import numpy as np

from softcount.estimators.weighted_ward import weighted_ward
from softcount.numbers.ragged import Array

STEPS = 30
HEAVIEST = 1_500  # points that Ward's clusters are of


def weighted_kmeans(
    points: Array, weights: Array, n_clusters: int, rng: np.random.Generator, allowed: Array | None = None
) -> Array:
    """The cluster of every point; `allowed` [points, clusters] says which it may be in."""
    centres = _plus_plus(points, weights, _named(points, weights, n_clusters, allowed), rng)
    clusters = np.full(len(points), -1)
    for _ in range(STEPS):
        before, clusters = clusters, _nearest(points, centres, allowed)
        if (before == clusters).all():
            break
        centres = _means(points, weights, clusters, centres)
    return clusters


def nearest_wards(points: Array, weights: Array, n_clusters: int, allowed: Array | None = None) -> Array:
    """The cluster of every point: that of Ward's clusters of the heaviest points whose mean is nearest."""
    free = np.ones(len(points), bool) if allowed is None else np.asarray(allowed.all(axis=1))
    centres = _wards(points[free], weights[free], _named(points, weights, n_clusters, allowed))
    return _nearest(points, centres, allowed)


def _named(points: Array, weights: Array, n_clusters: int, allowed: Array | None) -> Array:
    """Centres [clusters, D]: the mean of the points that may be in few clusters; NaN where there are none."""
    centres = np.full((n_clusters, points.shape[1]), np.nan)
    if allowed is None:
        return centres
    choices = allowed.sum(axis=1)
    told = np.flatnonzero(choices < n_clusters)
    shares = allowed[told] * (weights[told] / choices[told])[:, None]
    totals = shares.sum(axis=0)
    found = totals > 0.0
    centres[found] = (shares.T[found] @ points[told]) / totals[found, None]
    return centres


def _wards(points: Array, weights: Array, centres: Array) -> Array:
    """Fills in the missing centres by Ward's clusters of these points; where they are too few, some are there twice."""
    missing = np.flatnonzero(np.isnan(centres[:, 0]))
    if not len(missing):
        return centres
    if not len(points):  # every point is told where it may be, and that is not here
        return np.nan_to_num(centres)
    heavy = np.argsort(-weights, kind="stable")[: max(HEAVIEST, 2 * len(missing))]
    clusters = weighted_ward(points[heavy], weights[heavy], len(missing))
    found = _means(points[heavy], weights[heavy], clusters, np.zeros((clusters.max() + 1, points.shape[1])))
    centres[missing] = np.resize(found, (len(missing), points.shape[1]))
    return centres


def _plus_plus(points: Array, weights: Array, centres: Array, rng: np.random.Generator) -> Array:
    """Fills in the missing centres: points drawn by weight times squared distance to the nearest centre so far.

    Of a few draws the one that helps most is kept.
    """
    known = ~np.isnan(centres[:, 0])
    nearest = np.ones(len(points))
    if known.any():
        nearest = _distances(points, centres[known]).min(axis=1)
    tries = 2 + int(np.log(len(centres)))
    for k in np.flatnonzero(~known):
        ladder = np.cumsum(weights * nearest)
        draws = np.searchsorted(ladder, rng.random(tries) * ladder[-1], side="right")
        draws = np.minimum(draws, len(points) - 1)
        reach = _distances(points, points[draws])
        reach = np.minimum(reach, nearest[:, None]) if known.any() else reach
        best = int(np.argmin(weights @ reach))
        nearest, centres[k], known[k] = reach[:, best], points[draws[best]], True
    return centres


def _distances(points: Array, centres: Array) -> Array:
    squared = (points**2).sum(axis=1)[:, None] - 2.0 * (points @ centres.T) + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(squared, 0.0))


def _nearest(points: Array, centres: Array, allowed: Array | None) -> Array:
    distances = (centres**2).sum(axis=1) - 2.0 * (points @ centres.T)  # but for each point's own length
    if allowed is not None:
        distances[~allowed] = np.inf
    return np.asarray(distances.argmin(axis=1))


def _means(points: Array, weights: Array, clusters: Array, before: Array) -> Array:
    """A cluster that nobody is in stays where it was."""
    totals = np.bincount(clusters, weights=weights, minlength=len(before))
    members = np.zeros((len(points), len(before)))
    members[np.arange(len(points)), clusters] = weights
    return np.where(totals[:, None] > 0.0, members.T @ points / np.maximum(totals, 1e-300)[:, None], before)
