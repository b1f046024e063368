"""softcount.NaiveBayesMixture: document classes, found without labels or with a few, with scikit-learn's manners."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softcount.criteria.criterion import maximize
from softcount.criteria.spec import Settings
from softcount.disk.sound import check_logs, check_rows, check_tables, check_whole
from softcount.engines import Engine
from softcount.errors import ImpossibleItem, InputError
from softcount.estimators.base import DocumentEstimator, naming
from softcount.estimators.kmeans import KMeans
from softcount.estimators.scikit import check_consistent_length, classifier_tags
from softcount.estimators.settings import check_is_fitted
from softcount.families.penalty import Pseudo
from softcount.loop.estep import Answers, EStep
from softcount.loop.start import given_start, random_start, uniform_start
from softcount.loop.trace import Step
from softcount.machine.memory import check_room
from softcount.models.mixture import Mixture, MixtureTables
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.lanes import width
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents
from softcount.text.tfidf import directions

STARTS = ("kmeans", "random", "uniform")
SMOOTHING = {"cluster": 0.0, "word": 0.1}
LONGEST = 1e9  # words of a document
COLLAPSE = 0.5  # the effective number of classes, as a share of what there should be, below which we warn


class NaiveBayesMixture(DocumentEstimator):
    """Mixture of Naive Bayes document classes.

    n_clusters : how many classes; where `fit` is given labels, the classes are theirs
    unlabelled_weight : λ, what an unlabelled document counts beside a labelled one, 0 to 1
    document_length : stretch or shrink all documents to this many words, as Nigam et al. did; None leaves them
    lowercase : whether text is lower-cased first, here and in whatever is read later
    criterion : stages by name, such as "em:100" or "vb" (see softcount.criteria.spec)
    start : "kmeans", "random", "uniform", or MixtureTables; None is the labelled documents, or "kmeans" without labels
    pseudo, prior : pseudo-counts of EM, and of VB and Gibbs; by table, or one number. Over a large vocabulary a
        pseudo-count of 1 swamps the words that were seen, and semi-supervised EM collapses into one class
    """

    kind = "naive bayes mixture"
    _learned = (
        "parameters_", "_log_weights", "classes_", "labels_", *DocumentEstimator._READ, *DocumentEstimator._FIT
    )  # fmt: skip
    _types = (MixtureTables,)
    _log_weights: MixtureTables
    classes_: Array
    labels_: Array

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        unlabelled_weight: float = 1.0,
        document_length: float | None = None,
        criterion: str = "em:100",
        start: Any = None,
        fixed: Any = (),
        pseudo: float | Mapping[str, float] | None = None,
        prior: float | Mapping[str, float] = 0.1,
        restarts: int = 1,
        tolerance: float = 1e-6,
        engine: Any = "threads",
        lowercase: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.unlabelled_weight = unlabelled_weight
        self.document_length = document_length
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
        tags.classifier_tags = classifier_tags()
        return tags

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> NaiveBayesMixture:  # fmt: skip
        """Train on documents; `y`: a class each, −1 (or None, NaN, "") where it is not known.

        NumPy makes "-1" of a −1 among names, so that is not known either; in an array of objects it is a name.

        checkpoint : a file for the state, every `checkpoint_every` steps; the same call again goes on from there
        """
        self._check()
        whole = self._read(X, reset=True)
        data = self._labelled(whole, y)
        if len(data) < 1 or (data.labels is None and self.n_clusters < 1):
            raise InputError(f"{len(data)} documents and {self.n_clusters} classes; at least one of each is needed")
        K = len(self.classes_)
        check_room(32.0 * width(K) * data.n_words, f"{K:,} classes", "ask for fewer")
        self._model = Mixture(K, data.n_words)
        kept = self._checkpoint(checkpoint, checkpoint_every)
        seed, digest = self._seed(kept), data.digest()
        settings = Settings(SMOOTHING if self.pseudo is None else self.pseudo, self.prior)
        with self._engine() as engine, naming(data.source):
            self._train(
                self._model, data, lambda restart: self._start(data, settings, (seed, restart), engine), seed, engine,
                settings=settings, digest=digest, on_step=on_step, checkpoint=kept,
            )  # fmt: skip
        self.cluster_, self.word_ = self.parameters_
        self.history_.remarks += self._remarks(whole, data)
        self.labels_ = self._best(whole)
        self._warn_of_collapse(data)
        self.signature_ = self._sign(
            "naive bayes mixture", seed, classes=K, documents=len(data), words=data.n_words,
            labelled=0 if data.labels is None else int((data.labels >= 0).sum()),
            unlabelled_weight=self.unlabelled_weight, document_length=self.document_length,
            start=self._begins(data), data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, data.source, digest, documents=len(data), tokens=data.n_tokens)
        return self

    def _check(self) -> None:
        super()._check()
        if not 0.0 <= self.unlabelled_weight <= 1.0:
            raise InputError(f"unlabelled_weight must be between 0 and 1, not {self.unlabelled_weight}")
        if self.document_length is not None and not 0.0 < self.document_length <= LONGEST:
            wrong = f"document_length must be more than zero and at most {LONGEST:g}, or None"
            raise InputError(f"{wrong}, not {self.document_length}")

    def _sizes(self) -> dict[str, int]:
        return {"classes": len(self.classes_), "words": self.n_features_in_}

    def _settle(self) -> None:
        super()._settle()
        K, V = len(self.classes_), self.n_features_in_
        for tables, sound in ((self.parameters_, check_rows), (self._log_weights, check_logs)):
            check_tables(tables, MixtureTables, sound, cluster=(K,), word=(K, V))
        check_whole("labels", self.labels_, None, K)
        if self.classes_.ndim != 1 or self.classes_.dtype.kind not in "biufU" or len(np.unique(self.classes_)) != K:
            raise ValueError("no names of classes")
        self._check_words()
        self._model = Mixture(K, V)
        self.cluster_, self.word_ = self.parameters_

    def _read(self, X: Any, reset: bool) -> Documents:
        data = super()._read(X, reset)
        return data if self.document_length is None else data.scaled(self.document_length)

    def _labelled(self, data: Documents, y: Any) -> Documents:
        """The documents with what is known of their classes, and their weights."""
        self.classes_ = np.arange(self.n_clusters)
        if y is None:
            return replace(data, labels=None)
        y = np.asarray(y)
        if y.shape != (len(data),):
            raise InputError(f"y has shape {y.shape}; one label for each of the {len(data)} documents is needed")
        known = _known(y)
        if not known.any():
            return replace(data, labels=None)
        given = y[known].tolist()
        if len({isinstance(label, str) for label in given}) > 1:
            raise InputError("y has both names and numbers for classes; give one kind")
        self.classes_, ids = np.unique(given, return_inverse=True)
        labels = np.full(len(data), -1, dtype=np.int32)
        labels[known] = ids
        data = replace(data, labels=labels, weights=np.where(known, 1.0, self.unlabelled_weight))
        # Documents that weigh nothing need not be read.
        return data if self.unlabelled_weight > 0 else replace(data.take(np.flatnonzero(known)), rows=None)

    def _begins(self, items: Documents) -> str:
        if self.start is None:
            return "kmeans" if items.labels is None else "labels"
        return super()._begins(items)

    def _start(self, data: Documents, settings: Settings, seed: tuple[int, int], engine: Engine) -> Tables:
        layout, begins = self._model.layout, self._begins(data)
        if begins == "labels" and data.labels is not None:
            return self._counted(data.take(np.flatnonzero(data.labels >= 0)), settings, engine)
        if begins == "given":
            return given_start(layout, self.start)
        if begins == "kmeans" and data.labels is not None:
            raise InputError("clusters of k-means are in no order, but labels name the classes; leave the start away")
        if begins == "kmeans" and len(data) >= self.n_clusters:
            model = KMeans(
                self.n_clusters,
                criterion="hard:20",
                n_jobs=self.n_jobs,
                random_state=int(np.random.default_rng(list(seed)).integers(2**31)),
            )
            classes = model.fit(directions(data)).labels_
            return self._counted(replace(data, labels=classes.astype(np.int32)), settings, engine)
        if begins not in STARTS:
            raise InputError(f"no start {self.start!r}; use {', '.join(STARTS)}, or tables")
        return uniform_start(layout) if begins == "uniform" else random_start(layout, seed)

    def _remarks(self, whole: Documents, data: Documents) -> tuple[str, ...]:
        if data.labels is None:
            return ()
        begins, n = self._begins(data), int((data.labels >= 0).sum())
        they = "they are the start" if begins == "labels" else f"they are not the start, which is {begins}"
        return (f"{n:,} of {len(whole):,} documents ({n / len(whole):.1%}) have a known class; {they}",)

    def _counted(self, labelled: Documents, settings: Settings, engine: Engine) -> Tables:
        """Relative frequencies where all classes are known; never without smoothing, or a zero would last for ever."""
        layout = self._model.layout
        flat = MixtureTables(*(spec.family.log_weights(spec.family.uniform()) for spec in layout))
        counts = EStep(self._model, labelled, engine)(flat, SUM).counts
        return maximize(layout, counts, MixtureTables(Pseudo(1.0), Pseudo(0.1)), uniform_start(layout))

    def _warn_of_collapse(self, data: Documents) -> None:
        share = np.bincount(self.labels_, minlength=len(self.classes_)) / max(len(self.labels_), 1)
        expected = float(min(len(self.classes_), len(data)))
        if data.labels is not None:
            expected = _effective(np.bincount(data.labels[data.labels >= 0], minlength=len(self.classes_)))
        found = _effective(share)
        if expected > 1.5 and found <= COLLAPSE * expected:
            warnings.warn(
                f"the classes collapse: {found:.1f} are in effect used where {expected:.1f} should be; "
                "lower pseudo, or unlabelled_weight, or take another start",
                UserWarning,
                stacklevel=3,
            )

    # --- using a trained model ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The best class of each document."""
        check_is_fitted(self, "cluster_")
        return np.asarray(self.classes_[self._best(self._read(X, reset=False))])

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        self.fit(X, y)
        return np.asarray(self.classes_[self.labels_])

    def _best(self, data: Documents) -> Array:
        data = replace(data, labels=None, weights=None)
        with self._engine() as engine, naming(data.source):
            found = Answers(self._model, data, engine).labels(self._log_weights, MAX)
            return np.concatenate([classes for _, classes in found])

    def predict_proba(self, X: Any) -> Array:
        """P(class | document), [documents, classes]."""
        check_is_fitted(self, "cluster_")
        data = self._read(X, reset=False)
        with self._engine() as engine, naming(data.source):
            return np.concatenate(list(Answers(self._model, data, engine).posteriors(self._log_weights)))

    def predict_log_proba(self, X: Any) -> Array:
        """log P(class | document), finite where P itself is too small for a number."""
        check_is_fitted(self, "cluster_")
        data = self._read(X, reset=False)
        joint = data.matrix() @ self._log_weights.word.T + self._log_weights.cluster
        total = np.logaddexp.reduce(joint, axis=1, keepdims=True)
        with naming(data.source):
            for impossible in np.flatnonzero(np.isneginf(total[:, 0])):
                raise ImpossibleItem(int(impossible))
        return np.asarray(joint - total)

    def score(self, X: Any, y: Any = None) -> float:
        """With `y` the accuracy, over the documents whose class it says; without it the mean log-likelihood of one."""
        check_is_fitted(self, "cluster_")
        if y is not None:
            found, y = self.predict(X), np.asarray(y)
            check_consistent_length(found, y)
            known = _known(y)
            return float(np.mean(found[known] == y[known]))
        data = self._read(X, reset=False)
        with self._engine() as engine, naming(data.source):
            return Answers(self._model, data, engine).log_norm(self._log_weights) / max(len(data), 1)

    def top_words(self, n: int = 10, words: Sequence[str] | None = None) -> dict[Any, list[tuple[Any, float]]]:
        """The most probable words of each class; `words` names the columns where the input did not."""
        check_is_fitted(self, "cluster_")
        return dict(zip(self.classes_.tolist(), self._tops(self.word_, n, words), strict=True))


def _known(y: Array) -> Array:
    """Which labels say a class."""
    unknown = (None, "", -1, "-1") if y.dtype.kind == "U" else (None, "", -1)  # NumPy makes "-1" of −1 among names
    return np.array([not _missing(label) and label not in unknown for label in y.tolist()], dtype=bool)


def _missing(label: Any) -> bool:
    """As data frames and floats have it: NaN, pandas' NA."""
    return type(label).__name__ == "NAType" or (isinstance(label, float) and label != label)


def _effective(counts: Array) -> float:
    """exp of the entropy: how many equal classes would be as mixed."""
    share = counts[counts > 0] / max(counts.sum(), 1e-300)
    return float(np.exp(-(share * np.log(share)).sum()))
