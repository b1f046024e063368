"""Where k-means starts: points far from one another; and what else is asked of points, dense or sparse."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from softcount.numbers.ragged import Array


def squared_norms(X: Any) -> Array:
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def plus_plus(X: Any, n_clusters: int, rng: np.random.Generator) -> Array:
    """k-means++: each next centre is a point drawn in proportion to its squared distance to the nearest so far.

    D. Arthur, S. Vassilvitskii, SODA 2007; of a few draws the one that helps most is kept.
    """
    norms = squared_norms(X)
    chosen = [int(rng.integers(len(norms)))]
    nearest = _distances(X, norms, chosen)[:, 0]
    for _ in range(1, n_clusters):
        ladder = np.cumsum(nearest)
        draws = rng.random(2 + int(np.log(n_clusters))) * ladder[-1]
        candidates = np.minimum(np.searchsorted(ladder, draws, side="right"), len(norms) - 1)
        reach = np.minimum(nearest[:, None], _distances(X, norms, candidates.tolist()))
        best = int(np.argmin(reach.sum(axis=0)))
        nearest = reach[:, best]
        chosen.append(int(candidates[best]))
    rows = X[chosen]
    return np.asarray(rows.todense() if sparse.issparse(rows) else rows, dtype=np.float64)


def _distances(X: Any, norms: Array, rows: list[int]) -> Array:
    centres = X[rows]
    dense = centres.toarray() if sparse.issparse(centres) else centres
    squared = norms[:, None] + norms[rows][None] - 2.0 * (X @ dense.T)
    squared[rows, range(len(rows))] = 0.0
    return np.asarray(np.maximum(squared, 0.0))


def digest_of(points: Any) -> str:
    sha = hashlib.sha256(str(points.shape).encode())
    for part in (points.indptr, points.indices, points.data) if sparse.issparse(points) else (points,):
        sha.update(np.ascontiguousarray(part).data)
    return sha.hexdigest()
