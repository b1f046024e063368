"""Clusters of points that count more or less, joined two by two: always the two that it costs least to join.

    cost of joining a and b = w_a w_b / (w_a + w_b) · |μ_a − μ_b|²        what Σ_i w_i |x_i − μ_{c_i}|² rises by

Nothing is drawn, so it is the same every time, and nearly the same for a text that is nearly the same. Memory and time
grow with the square of the points. J. H. Ward, JASA 58, 1963; the update of costs: G. N. Lance, W. T. Williams 1967.
"""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array


def weighted_ward(points: Array, weights: Array, n_clusters: int) -> Array:
    """The cluster of every point, numbered by the first of its points; fewer clusters only where points are fewer."""
    n, sizes, cluster = len(points), weights.astype(np.float64), np.arange(len(points))
    costs = _costs(points, sizes)
    nearest = costs.argmin(axis=1) if n > 1 else np.zeros(n, np.int64)
    least = costs[np.arange(n), nearest]
    for _ in range(n - n_clusters):
        a = int(least.argmin())
        b = int(nearest[a])
        a, b = min(a, b), max(a, b)
        row = _joined(costs, sizes, a, b)
        sizes[a] += sizes[b]
        cluster[cluster == b] = a
        costs[b], costs[:, b], least[b] = np.inf, np.inf, np.inf  # gone
        costs[a], costs[:, a] = row, row
        closer = row < least
        nearest[closer], least[closer] = a, row[closer]
        lost = np.flatnonzero(((nearest == a) | (nearest == b)) & ~closer & np.isfinite(least))  # whose nearest changed
        for k in {*lost.tolist(), a}:
            nearest[k] = costs[k].argmin()
            least[k] = costs[k, nearest[k]]
    return np.unique(cluster, return_inverse=True)[1].ravel()


def _costs(points: Array, sizes: Array) -> Array:
    squared = (points**2).sum(axis=1)
    distances = np.maximum(squared[:, None] + squared - 2.0 * (points @ points.T), 0.0)
    costs: Array = np.asarray(distances * (sizes[:, None] * sizes / (sizes[:, None] + sizes)))
    np.fill_diagonal(costs, np.inf)
    return costs


def _joined(costs: Array, sizes: Array, a: int, b: int) -> Array:
    """What joining a and b with each of the others would cost."""
    both = (sizes[a] + sizes) * costs[a] + (sizes[b] + sizes) * costs[b]
    with np.errstate(invalid="ignore"):  # infinite for those that are gone
        row = (both - sizes * costs[a, b]) / (sizes[a] + sizes[b] + sizes)
    row[[a, b]] = np.inf
    return np.asarray(row)
