"""softcount.KMeans: hard EM on Gaussians of unit variance, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from softcount.criteria.spec import parse
from softcount.errors import InputError
from softcount.estimators.points import PointEstimator
from softcount.estimators.scikit import ClusterMixin, TransformerMixin
from softcount.estimators.seeding import squared_norms
from softcount.estimators.settings import check_is_fitted
from softcount.loop.trace import Step
from softcount.numbers.ragged import Array

KINDS = {"euclidean": "unit", "cosine": "direction"}


class KMeans(ClusterMixin, TransformerMixin, PointEstimator):  # type: ignore[misc]
    """k-means: hard EM on Gaussians of unit variance and equal weights. Dense and CSR input, or text as tf-idf.

    metric : "euclidean", or "cosine": spherical k-means, in which rows and centres have length one
    start : "k-means++", "random" (points), or an array of centres
    restarts : the best of so many starts, by inertia
    lowercase : whether text is lower-cased first, here and in whatever is read later

    A cluster that loses all its points goes on from the point farthest from its centre, as in scikit-learn.
    """

    kind = "k-means"
    _learned = (*PointEstimator._learned, "inertia_")
    inertia_: float
    fixed = ("cluster",)
    pseudo, prior = 0.0, 0.1

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "euclidean",
        criterion: str = "hard:100",
        start: Any = "k-means++",
        restarts: int = 1,
        tolerance: float = 0.0,
        engine: Any = "threads",
        lowercase: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.criterion = criterion
        self.start = start
        self.restarts = restarts
        self.tolerance = tolerance
        self.engine = engine
        self.lowercase = lowercase
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _kind(self) -> str:
        if self.metric not in KINDS:
            raise InputError(f"no metric {self.metric!r}; use {' or '.join(KINDS)}")
        return KINDS[self.metric]

    def _refills(self) -> bool:
        """Not with mini-batches: a cluster that is empty in one of them is not empty."""
        return not any(stage.n_batches for stage in parse(self.criterion))

    def fit(
        self, X: Any, y: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> KMeans:  # fmt: skip
        """`checkpoint`: a file for the state, every `checkpoint_every` steps; the same call again goes on from it."""
        points = self._fit(X, on_step, checkpoint, checkpoint_every)
        nearest = self._squared(points)[np.arange(points.shape[0]), self.labels_]
        self.inertia_ = float(nearest.sum())
        return self

    def _show(self) -> None:
        super()._show()
        self.cluster_centers_ = self.means_

    def transform(self, X: Any) -> Array:
        """The distance of each row to each centre; by the cosine, one minus it."""
        check_is_fitted(self, "means_")
        squared = self._squared(self._points(X, reset=False))
        return squared / 2.0 if self.metric == "cosine" else np.sqrt(squared)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the sum of squared distances to the nearest centres."""
        check_is_fitted(self, "means_")
        return -float(self._squared(self._points(X, reset=False)).min(axis=1).sum())

    def _squared(self, points: Any) -> Array:
        centres = self.means_ - self._centre
        norms = np.ones(points.shape[0]) if self.metric == "cosine" else squared_norms(points)  # 2 − 2 cos
        squared = norms[:, None] + squared_norms(centres)[None] - 2.0 * (points @ centres.T)
        return np.asarray(np.maximum(squared, 0.0))

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        return np.array([f"kmeans{k}" for k in range(self.n_clusters)], dtype=object)
