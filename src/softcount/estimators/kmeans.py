"""softcount.KMeans: hard EM on Gaussians of unit variance, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcount.criteria.spec import parse
from softcount.errors import InputError
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.parameters import Seed, Share, Where
from softcount.estimators.points import PointEstimator
from softcount.estimators.scikit import ClusterMixin, TransformerMixin
from softcount.estimators.seeding import squared_norms
from softcount.loop.trace import Step
from softcount.models.gaussian import Points
from softcount.numbers.ragged import Array

KINDS = {"euclidean": "unit", "cosine": "direction"}


class KMeans(ClusterMixin, TransformerMixin, PointEstimator):  # type: ignore[misc]
    """Clustering by k-means of dense or CSR data, or of text as tf-idf: hard EM for Gaussians of unit variance.

    Read more in the :doc:`guide to document clustering </how-to/cluster-documents>`.

    >>> from softcount import KMeans
    >>> kmeans = KMeans(2, random_state=0).fit([[0, 0], [0, 1], [9, 9], [9, 8]])
    >>> kmeans.predict([[1, 1], [8, 8]]).tolist()
    [1, 0]
    >>> kmeans.means_.tolist()
    [[9.0, 8.5], [0.0, 0.5]]

    A cluster that loses all its points goes on from the point farthest from its centre, as in scikit-learn.

    Parameters
    ----------
    n_clusters : int, default 8
        How many clusters.
    metric : str, default "euclidean"
        "euclidean", or "cosine": spherical k-means, in which rows and centres have length one.
    criterion : str, default "hard:100"
        Stages by name (see `softcount.criteria.spec`).
    start : str, array or mapping, default "k-means++"
        "k-means++", "random" (points), or an array of centres, also as {"means": array}.
    restarts : int, default 1
        The best of so many starts, by inertia.
    tolerance : float, default 0.0
        A stage ends when its objective changes by no more than this share.
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    lowercase : bool, default False
        Whether text is lower-cased first, here and in whatever is read later.
    min_df : int or float, default 1
        Words in fewer documents, or in a smaller share of them, are left out of text.
    max_df : int or float, default 1.0
        Words in more documents, or in a larger share of them, are left out of text.
    stop_words : list of str or "english", optional
        Words that are left out of text.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.

    Attributes
    ----------
    cluster_centers_ : array, [clusters, features]
        The centres of the clusters.
    inertia_ : float
        The sum of the squared distances to the centres of the clusters.
    means_ : array, [clusters, features]
        The same as `cluster_centers_`.
    variances_ : array, [clusters, features] or [clusters, 1]
        Their variances; one for all features where they share it.
    weights_ : array, [clusters]
        P(cluster).
    labels_ : array of int
        The best cluster of every training row.
    vocabulary_ : Vocabulary or None
        The words, where it was trained on text.
    idf_ : array or None
        Inverse document frequencies, where it was trained on text.
    n_features_in_ : int
        How many columns the training data had.
    feature_names_in_ : array of str
        Names of the columns, where the training data had some.
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
        start: str | Sequence[Any] | Array | Mapping[str, Any] = "k-means++",
        restarts: int = 1,
        tolerance: float = 0.0,
        engine: Where = "threads",
        lowercase: bool = False,
        min_df: Share = 1,
        max_df: Share = 1.0,
        stop_words: str | Sequence[str] | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.criterion = criterion
        self.start = start
        self.restarts = restarts
        self.tolerance = tolerance
        self.engine = engine
        self.lowercase = lowercase
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _kind(self) -> str:
        if self.metric not in KINDS:
            raise InputError(f"metric={self.metric!r}: unknown; use {' or '.join(KINDS)}")
        return KINDS[self.metric]

    def _refills(self) -> bool:
        """Not with mini-batches: a cluster that is empty in one of them is not empty."""
        return not any(stage.n_batches for stage in parse(self.criterion))

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> KMeans:  # fmt: skip
        """Find the clusters of points.

        Parameters
        ----------
        X : array, sparse matrix, list of str, Documents, or path
            The points, a row each; text is turned into rows of tf-idf.
        y : object, optional
            Nobody looks at it; scikit-learn's pipelines pass it.
        sample_weight : array, optional
            How often each row counts.

        Returns
        -------
        self
        """
        points = self._fit(X, sample_weight, on_step, checkpoint, checkpoint_every)
        nearest = self._nearest(points)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        self.inertia_ = float(nearest.sum() if weights is None else nearest @ weights)
        return self

    def _nearest(self, points: Any) -> Array:
        """The squared distance of every point to the centre of its cluster."""
        return np.asarray(self._squared(points)[np.arange(points.shape[0]), self.labels_])

    def _show_piece(self, items: Points) -> None:
        super()._show_piece(items)
        self.inertia_ = float(self._nearest(items.values).sum())

    def _show(self) -> None:
        super()._show()
        self.cluster_centers_ = self.means_

    def transform(self, X: Any) -> Array:
        """Find the distance of each row to each centre; by the cosine, one minus it.

        Parameters
        ----------
        X : points
            As `fit` takes them.

        Returns
        -------
        array, [rows, clusters]
        """
        check_is_fitted(self, "means_")
        squared = self._squared(self._points(X, reset=False))
        return squared / 2.0 if self.metric == "cosine" else np.sqrt(squared)

    def score(self, X: Any, y: Any = None) -> float:
        """Find minus the sum of squared distances to the nearest centres: greater is better.

        Parameters
        ----------
        X : points
            As `fit` takes them.
        y : object, optional
            Nobody looks at it; scikit-learn's searches pass it.

        Returns
        -------
        float
        """
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
        """Name the columns of what `transform` gives: kmeans0, kmeans1 and so on.

        Parameters
        ----------
        input_features : object, optional
            Nobody looks at it; scikit-learn's pipelines pass it.

        Returns
        -------
        array of str
        """
        return np.array([f"kmeans{k}" for k in range(self.n_clusters)], dtype=object)
