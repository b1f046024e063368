"""softcount.GaussianMixture: soft clusters of points, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softcount.criteria.criterion import log_weights, maximize
from softcount.criteria.spec import parse
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.kmeans import KMeans
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.parameters import Fixed, PerTable, Seed, Share, Where
from softcount.estimators.points import PointEstimator, around
from softcount.estimators.scikit import DensityMixin, classifier_tags
from softcount.estimators.seeding import plus_plus
from softcount.families.gaussian import KINDS
from softcount.families.penalty import NOTHING, Pseudo
from softcount.loop.estep import EStep
from softcount.loop.start import uniform_start
from softcount.loop.trace import Step
from softcount.loop.train import fit
from softcount.loop.weighted import weighted
from softcount.models.gaussian import GaussianMixture as Model
from softcount.models.gaussian import GaussianTables, Points
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables

TRIES, SHORT = 6, "em:15"  # runs, of which the best is the start, and how short they are


class GaussianMixture(DensityMixin, PointEstimator):  # type: ignore[misc]
    """Mixture of Gaussians with diagonal, full, spherical or unit covariances. Dense input, and CSR where not full.

    Read more in the :doc:`guide to Gaussian mixtures and k-means </background/models/gaussian>`.

    >>> from softcount import GaussianMixture
    >>> points = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> GaussianMixture(2, random_state=0).fit(points).predict([[1, 1], [8, 8]]).tolist()
    [0, 1]

    Parameters
    ----------
    n_clusters : int, default 2
        How many clusters.
    covariance : str, default "diagonal"
        "diagonal", "full", "spherical", or "unit" (soft k-means).
    criterion : str, default "em:100"
        Stages by name (see `softcount.criteria.spec`).
    start : str, array or mapping, default "kmeans"
        "kmeans" (the best of a few short runs, from clusters of k-means and from points far apart), "k-means++"
        (points far apart), "random" (points), or an array of means, also as {"means": array}.
    fixed : str, list or mapping, default ()
        Tables that training leaves alone, or a mapping from table to a mask of entries.
    pseudo : float or mapping, default 0.0
        Imaginary observations of `em`, spread as the data are.
    prior : float or mapping, default 0.1
        Imaginary observations of `vb` and `gibbs`, spread as the data are.
    restarts : int, default 1
        The best of so many starts, by the objective.
    tolerance : float, default 1e-6
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
    means_ : array, [clusters, features]
        The centres of the clusters.
    variances_ : array, [clusters, features] or [clusters, 1]
        Their variances; one for all features where they share it.
    covariances_ : array, [clusters, features, features]
        Where `covariance` is "full".
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

    kind = "gaussian mixture"
    _STARTS = ("kmeans", "k-means++", "random")

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance: str = "diagonal",
        criterion: str = "em:100",
        start: str | Sequence[Any] | Array | Mapping[str, Any] = "kmeans",
        fixed: Fixed = (),
        pseudo: PerTable = 0.0,
        prior: PerTable = 0.1,
        restarts: int = 1,
        tolerance: float = 1e-6,
        engine: Where = "threads",
        lowercase: bool = False,
        min_df: Share = 1,
        max_df: Share = 1.0,
        stop_words: str | Sequence[str] | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.criterion = criterion
        self.start = start
        self.fixed = fixed
        self.pseudo = pseudo
        self.prior = prior
        self.restarts = restarts
        self.tolerance = tolerance
        self.engine = engine
        self.lowercase = lowercase
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's check of sparse input asks everything that has predict_proba about its classes.
        tags.classifier_tags = classifier_tags(multi_class=self.n_clusters > 2)
        return tags

    def _kind(self) -> str:
        if self.covariance not in KINDS:
            raise InputError(f"covariance={self.covariance!r}: unknown; use diagonal, full, spherical or unit")
        return self.covariance

    def _start(self, X: Any, model: Model, seed: tuple[int, int], engine: Engine) -> Tables:
        """Short runs from clusters of k-means and from points far apart, by turns; the likeliest goes on from its end.

        C. Biernacki, G. Celeux, G. Govaert, Computational Statistics & Data Analysis 41, 2003.
        """
        if not isinstance(self.start, str) or self.start != "kmeans":
            return super()._start(X, model, seed, engine)
        seeds = np.random.default_rng(list(seed)).integers(2**31, size=TRIES).tolist()

        def start(number: int) -> Tables:
            if number % 2:
                means = plus_plus(X, self.n_clusters, np.random.default_rng(seeds[number]))
                return around(model, means)
            return self._clustered(X, model, seeds[number], engine)

        points = weighted(Points(X), self._weights)
        return fit(model, points, parse(SHORT), start, engine, restarts=TRIES, tolerance=0.0).parameters

    def _clustered(self, X: Any, model: Model, seed: int, engine: Engine) -> Tables:
        """Of k-means the clusters themselves: their shares, means and covariances."""
        found = KMeans(self.n_clusters, n_jobs=self.n_jobs, random_state=seed).fit(X, sample_weight=self._weights)
        labelled = Points(X, labels=found.labels_.astype(np.int32), weights=self._weights)
        counts = EStep(model, labelled, engine)(log_weights(model.layout, uniform_start(model.layout))).counts
        return maximize(model.layout, counts, GaussianTables(Pseudo(1.0), NOTHING), around(model, found.means_))

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> GaussianMixture:  # fmt: skip
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
        self._fit(X, sample_weight, on_step, checkpoint, checkpoint_every)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Train, and give the cluster of each row that it was trained on.

        Parameters
        ----------
        X, y, sample_weight
            As `fit` takes them.

        Returns
        -------
        array of int
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict_proba(self, X: Any) -> Array:
        """Find P(cluster | row).

        Parameters
        ----------
        X : points
            As `fit` takes them.

        Returns
        -------
        array, [rows, clusters]
            Rows sum to one.
        """
        check_is_fitted(self, "means_")
        with self._answers(self._points(X, reset=False)) as data:
            return np.concatenate(list(data.posteriors(self._log_weights)))

    def score(self, X: Any, y: Any = None) -> float:
        """Find the mean log-likelihood of a row.

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
        points = self._points(X, reset=False)
        with self._answers(points) as data:
            return float(data.log_norm(self._log_weights) / points.shape[0])
