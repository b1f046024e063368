"""What softcount.KMeans and softcount.GaussianMixture share: points, dense or sparse, or text as tf-idf rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from softcount.criteria.spec import Settings
from softcount.disk.sound import check, check_finite, check_logs, check_rows, check_whole
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator, naming
from softcount.estimators.counted_text import TextCounter, is_text, listed, numbers_of, same_columns
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.sampling import draw, draw_points, lengths_of
from softcount.estimators.seeding import digest_of, plus_plus, squared_norms
from softcount.loop.estep import Answers
from softcount.loop.start import check_names
from softcount.loop.weighted import checked_weights, digest_with
from softcount.models.gaussian import GaussianMixture as Model
from softcount.models.gaussian import GaussianTables, Points, n_second
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.corpus import MEMORY
from softcount.text.documents import documents
from softcount.text.stored import in_memory
from softcount.text.tfidf import directions, inverse_frequencies
from softcount.text.vocabulary import Vocabulary

LARGEST = 1e150
TINY = 1e-300
ROUNDING = 1e-14  # of a feature's squares: no more variance than this is none
TOO_FAR = "scale the features, or train again"


class PointEstimator(TextCounter):
    """One model, read hard by one estimator and softly by the other."""

    _STARTS: ClassVar[tuple[str, ...]] = ("k-means++", "random")
    n_clusters: int
    start: Any
    vocabulary_: Vocabulary | None
    idf_: Array | None  # of text, which is turned into tf-idf rows of length one

    _learned: ClassVar[tuple[str, ...]] = (
        "parameters_", "_log_weights", "_centre", "_of", "labels_", "vocabulary_", "idf_", "n_features_in_",
        "feature_names_in_", *LoopEstimator._FIT,
    )  # fmt: skip
    _types = (GaussianTables, Model)
    _optional = ("feature_names_in_", *LoopEstimator._optional)
    _log_weights: GaussianTables
    _centre: Array
    _of: Model
    labels_: Array
    n_features_in_: int
    feature_names_in_: Array

    def _kind(self) -> str:
        return "unit"

    def _refills(self) -> bool:
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _read(self, X: Any, reset: bool) -> Any:
        """Numbers as they are; of text its directions, in the words and by the frequencies of the training text."""
        known = None if reset else getattr(self, "vocabulary_", None)
        data = None
        X = listed(X)
        if is_text(X):
            if not reset and self.idf_ is None:
                raise InputError("this model was trained on numbers; give a table, not text")
            data = documents(X, known, lowercase=self.lowercase)
            data = in_memory(data, "clustering by tf-idf", "use a Naive Bayes mixture: --method nb --start random")
            data = self._pruned(data) if reset else data
            if not reset and known is None:
                data = same_columns(data, self.n_features_in_)
            X = directions(data, None if reset else self.idf_)
        if reset:
            self.vocabulary_, self.idf_ = (None, None) if data is None else (data.vocabulary, inverse_frequencies(data))
            self._source = "<memory>" if data is None else data.source
        return X

    def _check(self) -> None:
        super()._check()
        self._kind()
        if self.n_clusters < 1:
            raise InputError(f"n_clusters is {self.n_clusters}; it must be at least 1")

    def _points(self, X: Any, reset: bool) -> Any:
        self._check()
        X = self._read(X, reset)
        table = numbers_of(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        if table.size and abs(table).max() > LARGEST:
            raise InputError(f"a value beyond {LARGEST:g}, whose square is too large; scale the features")
        if reset and table.shape[0] < self.n_clusters:
            raise InputError(f"n_samples={table.shape[0]} should be at least n_clusters={self.n_clusters}")
        kind = self._kind()
        if kind == "full" and sparse.issparse(table):
            raise InputError("full covariances need a dense table; use covariance diagonal, or X.toarray()")
        if reset:  # far from the origin squares lose digits; sparse points stay where they are, to stay sparse
            stays = sparse.issparse(table) or kind == "direction"
            self._centre = np.zeros(table.shape[1]) if stays else table.mean(axis=0)
        if kind == "direction":
            return of_length_one(table)
        return sparse.csr_matrix(table) if sparse.issparse(table) else table - self._centre

    def _model(self, X: Any, weights: Array | None) -> Model:
        square = X.multiply(X) if sparse.issparse(X) else X**2
        mean, second = (_mean(table, weights) for table in (X, square))
        variance = np.maximum(second - mean**2, 0.0)
        kind = self._kind()
        varies = variance > ROUNDING * (variance + mean**2)
        # A feature that never varies in training may vary a little later: as little as the others' floor allows.
        variance = np.where(varies, variance, variance[varies].mean() if varies.any() else 1.0)
        spread = variance if kind in ("diagonal", "full") else np.array([variance.mean()])
        return Model(self.n_clusters, X.shape[1], kind, mean, np.maximum(spread, 1e-300), self._refills())

    def _start(self, X: Any, model: Model, seed: tuple[int, int], engine: Engine) -> Tables:
        K = self.n_clusters
        if isinstance(self.start, str):
            if self.start not in self._STARTS:
                raise InputError(
                    f"start={self.start!r}: unknown; use {', '.join(self._STARTS)}, or an array of centers"
                )
            rng = np.random.default_rng(list(seed))
            if self.start == "random":
                rows = X[np.sort(rng.choice(X.shape[0], K, replace=False))]
                means = rows.toarray() if sparse.issparse(rows) else rows
            else:
                means = plus_plus(X, K, rng)
        else:
            if by_name := isinstance(self.start, Mapping):
                check_names(self.start, ["means"])
            means = np.asarray(self.start["means"] if by_name else self.start, dtype=np.float64)
            if means.shape != (K, X.shape[1]) or not np.isfinite(means).all():
                raise InputError(
                    f"start has shape {means.shape}; it must be {K} centers of {X.shape[1]} finite features"
                )
            means = means - self._centre
        return around(model, means)

    _weights: Array | None = None  # of the points, while they are trained on

    def _fit(self, X: Any, sample_weight: Any, on_step: Any, checkpoint: Any, every: int | None) -> Any:
        points = self._points(X, reset=True)
        weights = checked_weights(sample_weight, points.shape[0], "rows")
        kept = self._checkpoint(checkpoint, every)
        seed, digest = self._seed(kept), digest_with(digest_of(points), weights)
        self._of = self._model(points, weights)
        settings = Settings(self.pseudo, self.prior)
        self._weights = weights
        with self._engine() as engine, naming(MEMORY, "row", TOO_FAR):

            def start(restart: int) -> Tables:
                return self._start(points, self._of, (seed, restart), engine)

            self._train(
                self._of, Points(points), start, seed, engine,
                settings=settings, digest=digest, on_step=on_step, checkpoint=kept, weights=weights,
            )  # fmt: skip
        self._weights = None
        self._show()
        self.labels_ = self._classes(points)
        self.signature_ = self._sign(
            type(self).__name__, seed, clusters=self.n_clusters, variance=self._kind(), points=points.shape[0],
            features=points.shape[1], start=self._begins(points),
            data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, self._source, digest, points=points.shape[0], features=points.shape[1])
        return points

    def _show(self) -> None:
        family = self._of.family
        _, mean, variance = family.split(self.parameters_.component)
        if self._kind() == "full":
            self.covariances_ = family.covariances(self.parameters_.component)
            variance = np.diagonal(self.covariances_, axis1=1, axis2=2).copy()
        self.means_, self.variances_, self.weights_ = mean + self._centre, variance, self.parameters_.cluster

    def _sizes(self) -> dict[str, int]:
        return {"clusters": self.n_clusters, "features": self.n_features_in_}

    def _settle(self) -> None:
        super()._settle()
        K, F, kind = self.n_clusters, self.n_features_in_, self._kind()
        if self._of[:3] != (K, F, kind):
            raise ValueError("another mixture than the settings say")
        for tables, sound in ((self.parameters_, check_rows), (self._log_weights, check_logs)):
            check("parameters", tables, GaussianTables)
            sound("the clusters", tables.cluster, K)
            check_finite("their components", tables.component, K, 1 + F + n_second(kind, F))
        family = self._of.family
        if not family.sound(self.parameters_.component):
            raise ValueError("components that are none")
        if kind in ("unit", "spherical", "diagonal"):
            precision = -family.split(self._log_weights.component)[2]
            check_finite("a precision", precision, K, n_second(kind, F), least=TINY)
        for name, table in (("centre", self._centre), ("centre", self._of.centre)):
            check_finite(name, table, F)
        check_finite("spread", self._of.spread, F if kind in ("diagonal", "full") else 1, least=TINY)
        check_whole("labels", self.labels_, None, K)
        if self.idf_ is not None:
            check_finite("idf", self.idf_, F, least=0.0)
        if self.vocabulary_ is not None and len(self.vocabulary_) != F:
            raise ValueError(f"{len(self.vocabulary_)} words for {F} columns")
        self._show()

    def _classes(self, points: Any) -> Array:
        with self._answers(points) as data:
            return np.concatenate([found for _, found in data.labels(self._log_weights, MAX)])

    @contextmanager
    def _answers(self, points: Any) -> Iterator[Answers]:
        with self._engine() as engine, naming(MEMORY, "row", TOO_FAR):
            yield Answers(self._of, Points(points), engine)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        check_is_fitted(self, "means_")
        with self._answers(self._points(X, reset=False)) as data:
            yield data, self._log_weights

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Model, Points, Array | None]:
        points = self._points(X, reset=False)
        model = self._of._replace(refills=False)  # a cluster that is empty in one piece is not empty
        return model, Points(points), checked_weights(sample_weight, points.shape[0], "rows")

    def _show_piece(self, items: Points) -> None:
        self._show()
        self.labels_ = self._classes(items.values)

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> tuple[Array, Array]:
        """Draw new points; of k-means they have unit variance about the centres.

        Parameters
        ----------
        n_samples : int, default 1
            How many.
        random_state : int, optional
            The seed.

        Returns
        -------
        (array, array)
            The points, [samples, features], and the cluster of each.
        """
        check_is_fitted(self, "means_")
        if self._kind() == "direction":
            raise InputError("metric='cosine' is not available for sampling; use metric='euclidean'")
        lengths_of(0, n_samples)
        rng = np.random.default_rng(random_state)
        labels = draw(self.weights_[None], np.zeros(n_samples, np.int64), rng)
        spread = self.covariances_ if self._kind() == "full" else self.variances_
        return draw_points(self.means_, spread, labels, rng), labels

    def predict(self, X: Any) -> Array:
        """Find the best cluster of each row.

        Parameters
        ----------
        X : points
            As `fit` takes them.

        Returns
        -------
        array of int
        """
        check_is_fitted(self, "means_")
        return self._classes(self._points(X, reset=False))


def _mean(table: Any, weights: Array | None) -> Array:
    if weights is None:
        return np.asarray(table.mean(axis=0)).ravel()
    return np.asarray(np.asarray(table.T @ weights).ravel() / weights.sum())


def around(model: Model, means: Array) -> GaussianTables:
    """Clusters of one size with these means, as wide as the data."""
    return GaussianTables(np.full(model.n_clusters, 1.0 / model.n_clusters), model.family.around(means))


def of_length_one(table: Any) -> Any:
    """Every row divided by its length; a row of zeros stays, as near to all centres as to any."""
    lengths = np.maximum(np.sqrt(squared_norms(table)), TINY)
    if not sparse.issparse(table):
        return table / lengths[:, None]
    return sparse.csr_matrix(sparse.diags(1.0 / lengths) @ table)
