"""softcount.GaussianMixture: soft clusters of points, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.estimators.points import PointEstimator
from softcount.estimators.scikit import DensityMixin, classifier_tags
from softcount.estimators.settings import check_is_fitted
from softcount.families.gaussian import KINDS
from softcount.loop.trace import Step
from softcount.numbers.ragged import Array


class GaussianMixture(DensityMixin, PointEstimator):  # type: ignore[misc]
    """Mixture of Gaussians with spherical, diagonal or unit covariances. Dense and CSR input.

    covariance : "diagonal", "spherical", or "unit" (soft k-means)
    start : "k-means++", "random" (points), or an array of means
    lowercase : whether text is lower-cased first, here and in whatever is read later
    pseudo, prior : imaginary observations, spread as the data are, of EM, and of VB and Gibbs
    """

    kind = "gaussian mixture"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        covariance: str = "diagonal",
        criterion: str = "em:100",
        start: Any = "k-means++",
        fixed: Any = (),
        pseudo: float | Mapping[str, float] = 0.0,
        prior: float | Mapping[str, float] = 0.1,
        restarts: int = 1,
        tolerance: float = 1e-6,
        engine: Any = "threads",
        lowercase: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
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
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's check of sparse input asks everything that has predict_proba about its classes.
        tags.classifier_tags = classifier_tags(multi_class=self.n_clusters > 2)
        return tags

    def _kind(self) -> str:
        if self.covariance not in KINDS:
            raise InputError(f"no covariance {self.covariance!r}; use diagonal, spherical or unit")
        return self.covariance

    def fit(
        self, X: Any, y: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> GaussianMixture:  # fmt: skip
        """`checkpoint`: a file for the state, every `checkpoint_every` steps; the same call again goes on from it."""
        self._fit(X, on_step, checkpoint, checkpoint_every)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        return self.fit(X).labels_

    def predict_proba(self, X: Any) -> Array:
        """P(cluster | row)."""
        check_is_fitted(self, "means_")
        with self._answers(self._points(X, reset=False)) as data:
            return np.concatenate(list(data.posteriors(self._log_weights)))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of a row."""
        check_is_fitted(self, "means_")
        points = self._points(X, reset=False)
        with self._answers(points) as data:
            return float(data.log_norm(self._log_weights) / points.shape[0])
