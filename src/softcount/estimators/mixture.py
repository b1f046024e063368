"""softcount.NaiveBayesMixture: document classes, found without labels or with a few, with scikit-learn's manners."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from softcount.criteria.criterion import maximize
from softcount.criteria.spec import Settings
from softcount.disk.sound import check_logs, check_rows, check_tables, check_whole
from softcount.engines import Engine
from softcount.errors import ImpossibleItem, InputError
from softcount.estimators.base import naming
from softcount.estimators.counted_text import DocumentEstimator
from softcount.estimators.how_many import Tried
from softcount.estimators.kmeans import KMeans
from softcount.estimators.parameters import Features, Fixed, PerTable, Seed, Share, Sparse, Where
from softcount.estimators.sampling import draw, draw_documents, lengths_of
from softcount.estimators.scikit import check_consistent_length, classifier_tags
from softcount.estimators.settings import check_is_fitted
from softcount.estimators.sized import SizedEstimator
from softcount.estimators.splitting import Axes, Hidden
from softcount.families.penalty import Pseudo
from softcount.loop.estep import Answers, EStep
from softcount.loop.start import given_start, random_start, uniform_start
from softcount.loop.trace import Step
from softcount.loop.weighted import checked_weights, digest_with
from softcount.machine.memory import check_room
from softcount.models.mixture import Mixture, MixtureTables
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.lanes import width
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents
from softcount.text.stored import in_memory
from softcount.text.tfidf import directions

STARTS = ("kmeans", "random", "uniform")
SMOOTHING = {"cluster": 0.0, "word": 0.1}
LONGEST = 1e9  # words of a document
COLLAPSE = 0.5  # the effective number of classes, as a share of what there should be, below which we warn


class NaiveBayesMixture(SizedEstimator, DocumentEstimator):
    """Mixture of Naive Bayes document classes, found without labels or with a few.

    Parameters
    ----------
    n_clusters : int or "auto", default 8
        How many classes; where `fit` is given labels, the classes are theirs. "auto": chosen.
    choose : str, default "evidence"
        How "auto" chooses: "evidence", "elbo", "split-merge" or "held-out" (see `softcount.estimators.how_many`).
    unlabelled_weight : float, default 1.0
        λ, what an unlabelled document counts beside a labelled one, 0 to 1.
    document_length : float, optional
        Stretch or shrink all documents to this many words, as Nigam et al. did; None leaves them.
    criterion : str, default "em:100"
        Stages by name, such as "em:100" or "vb" (see `softcount.criteria.spec`).
    start : str or MixtureTables, optional
        "kmeans", "random", "uniform", or tables; None is the labelled documents, or "kmeans" without labels.
    fixed : str, list or mapping, default ()
        Tables that training leaves alone, or a mapping from table to a mask of entries.
    pseudo : float or mapping, optional
        Pseudo-counts of `em`: a number, or one by table; None: 0.1 for words. Over a large vocabulary a
        pseudo-count of 1 swamps the words that were seen, and semi-supervised EM collapses into one class.
    prior : float or mapping, default 0.1
        Dirichlet prior of `vb` and `gibbs`: a number, or one by table.
    features : str, path, function, sparse matrix or list, optional
        Compute P(word | class) from features of words: "words" (identity, first and last letters, capitals, digits,
        hyphen, length), "identity", a file of lines word<TAB>feature feature=2.5 …, several of them joined by commas;
        a function from a word to the names of its features; a matrix [words, features]; or a list of such.
    variance : float, default 1.0
        σ² of the features' weights; smaller keeps them nearer to zero.
    sparse : pair or mapping, optional
        (alpha, beta) of a wish for rows with few entries, α Σ exp(−θ/β), under `em`, `hard` and `mre`; or by table.
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
    classes_ : array
        The names of the classes, or their numbers.
    labels_ : array of int
        The number of the best class of every training document.
    cluster_ : array, [classes]
        P(class).
    word_ : array, [classes, words]
        P(word | class).
    vocabulary_ : Vocabulary or None
        The words, where the columns have names.
    n_features_in_ : int
        How many columns the training data had.
    feature_names_in_ : array of str
        Names of the columns, where the training data had some.
    """

    kind = "naive bayes mixture"
    _learned = (
        "parameters_", "_log_weights", "classes_", "labels_", "tried_", *DocumentEstimator._READ,
        *DocumentEstimator._FIT,
    )  # fmt: skip
    _types = (MixtureTables, Tried)
    _optional: ClassVar[tuple[str, ...]] = ("tried_", *DocumentEstimator._optional)
    _size_name, _emits = "n_clusters", "word"
    _size_axes: ClassVar[Axes] = {"cluster": Hidden(share=0), "word": Hidden(row=0)}
    _log_weights: MixtureTables
    classes_: Array
    labels_: Array

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        choose: str = "evidence",
        unlabelled_weight: float = 1.0,
        document_length: float | None = None,
        criterion: str = "em:100",
        start: str | Sequence[Any] | None = None,
        fixed: Fixed = (),
        pseudo: PerTable | None = None,
        prior: PerTable = 0.1,
        features: Features = None,
        variance: float = 1.0,
        sparse: Sparse = None,
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
        self.choose = choose
        self.unlabelled_weight = unlabelled_weight
        self.document_length = document_length
        self.criterion = criterion
        self.start = start
        self.fixed = fixed
        self.pseudo = pseudo
        self.prior = prior
        self.features = features
        self.variance = variance
        self.sparse = sparse
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
        tags.estimator_type = "classifier"  # of documents whose classes are known, or that are to be found
        tags.classifier_tags = classifier_tags(poor_score=True)  # of rows that are no counts
        return tags

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> NaiveBayesMixture:  # fmt: skip
        """Train on documents; `y`: a class each, −1 (or None, NaN, "") where it is not known.

        NumPy makes "-1" of a −1 among names, so that is not known either; in an array of objects it is a name.

        checkpoint : a file for the state, every `checkpoint_every` steps; the same call again goes on from there
        """
        self._check()
        whole = self._read(X, reset=True)
        if y is not None or sample_weight is not None:
            whole = in_memory(whole, "training with labels or weights", "leave them away")
        weights = checked_weights(sample_weight, len(whole), "documents")
        if weights is not None:
            whole = replace(whole, weights=weights)
        chosen = self._choose_size(whole, len(whole) // 2) if y is None else ()
        data = self._labelled(whole, y)
        if data.weights is not None and not data.weights.all():  # what weighs nothing need not be read
            data = replace(data.take(np.flatnonzero(data.weights)), rows=None)
        if len(data) < 1:
            raise InputError("no documents; at least one is needed")
        K = len(self.classes_)
        check_room(32.0 * width(K) * data.n_words, f"{K:,} classes", "ask for fewer")
        self._model = Mixture(K, data.n_words)
        kept = self._checkpoint(checkpoint, checkpoint_every)
        seed, digest = self._seed(kept), digest_with(data.digest(), weights)
        settings = self._settings()
        with self._engine() as engine, naming(data.source):
            self._train(
                self._model, data, lambda restart: self._start(data, settings, (seed, restart), engine), seed, engine,
                settings=settings, digest=digest, on_step=on_step, checkpoint=kept,
            )  # fmt: skip
        self.cluster_, self.word_ = self.parameters_
        self.history_.remarks += (*chosen, *self._remarks(whole, data))
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

    def _for_choice(self) -> dict[str, Any]:
        return {"document_length": None, "pseudo": None, **self._READ_WHOLE}

    def _per_token(self, items: Documents) -> float:
        return self.score(items) * len(items) / max(float(items.counts.sum()), 1.0)

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
        y = None if y is None else _column(y, len(data))
        known = None if y is None else _known(y)
        if y is None or known is None or not known.any():
            if not self._size:
                raise InputError('n_clusters="auto" where no label is known: leave the labels away')
            self.classes_ = np.arange(self._size)
            return data.unlabelled()
        given = y[known].tolist()
        if len({isinstance(label, str) for label in given}) > 1:
            raise InputError("y has both names and numbers for classes; give one kind")
        self.classes_, ids = np.unique(given, return_inverse=True)
        if self._named_classes is not None:
            self.classes_ = np.unique(np.asarray(self._named_classes))
            strange = sorted(set(given) - set(self.classes_.tolist()), key=str)
            if strange:
                raise InputError(f"y names the class {strange[0]!r}, which classes does not list; add it there")
            ids = np.searchsorted(self.classes_, given)
        labels = np.full(len(data), -1, dtype=np.int32)
        labels[known] = ids
        counts = np.where(known, 1.0, self.unlabelled_weight)
        data = replace(data, labels=labels, weights=None).weighted(
            counts if data.weights is None else counts * data.weights
        )
        return data

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
        if begins == "kmeans" and len(data) >= self._size:
            model = KMeans(
                self._size,
                criterion="hard:20",
                n_jobs=self.n_jobs,
                random_state=int(np.random.default_rng(list(seed)).integers(2**31)),
            )
            data = in_memory(data, "the start from k-means", "choose another: --start random")
            classes = model.fit(directions(data), sample_weight=data.weights).labels_
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

    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None, total: float | None = None
    ) -> NaiveBayesMixture:
        """Train on documents that arrive in pieces: one step of the stepwise criterion, of which X is a mini-batch.

        The first call begins as `fit` does: with its words, classes and start. Words that come later are unknown.

        Parameters
        ----------
        X, y, sample_weight
            As `fit` takes them.
        classes : list, optional
            All classes that `y` will ever name; where it is not given, those of the first call.
        total : number, optional
            How many documents there will be in all; where it is not given, all that there were.

        Returns
        -------
        self
        """
        self._named_classes = classes
        try:
            return super().partial_fit(X, y, sample_weight, total=total)
        finally:
            del self._named_classes

    _named_classes: Any = None

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Mixture, Documents, Array | None]:
        data = self._read(X, reset=False)
        if y is not None:
            labels = self._class_ids(y, len(data))
            data = replace(data, labels=labels, weights=np.where(labels >= 0, 1.0, self.unlabelled_weight))
        return self._model, data, checked_weights(sample_weight, len(data), "documents")

    def _settings(self) -> Settings:
        smoothing = SMOOTHING if self.pseudo is None else self.pseudo
        return Settings(smoothing, self.prior, sparse=self.sparse)

    def _row_names(self) -> Sequence[int | str]:
        return self.classes_.tolist()  # type: ignore[no-any-return]

    def _show_piece(self, items: Documents) -> None:
        self.cluster_, self.word_ = self.parameters_
        self.labels_ = self._best(items)

    # --- using a trained model ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The best class of each document."""
        check_is_fitted(self, "cluster_")
        return np.asarray(self.classes_[self._best(self._read(X, reset=False))])

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """The best class of each document that it was trained on."""
        self.fit(X, y, sample_weight)
        return np.asarray(self.classes_[self.labels_])

    def _best(self, data: Documents) -> Array:
        data = data.unlabelled()
        data = data if data.weights is None else replace(data, weights=None)
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
        data = in_memory(self._read(X, reset=False), "log-probabilities of all documents", "give a part of it")
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
        with self._posed(data) as (answers, logs):
            return answers.log_norm(logs) / max(len(data), 1)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        check_is_fitted(self, "cluster_")
        data = X if isinstance(X, Documents) else self._read(X, reset=False)
        if y is not None:
            data = replace(data, labels=self._class_ids(y, len(data)))
        with self._engine() as engine, naming(data.source):
            yield Answers(self._model, data, engine), self._log_weights

    def _class_ids(self, y: Any, n: int) -> Array:
        """int32: which class each label says; −1 where it says none, or one that the model does not have."""
        y = _column(y, n)
        place = {name: k for k, name in enumerate(self.classes_.tolist())}
        known = _known(y).tolist()
        return np.array([place.get(l, -1) if k else -1 for l, k in zip(y.tolist(), known, strict=True)], np.int32)

    def sample(
        self, n_documents: int = 1, length: int | Sequence[int] = 100, random_state: int | None = None
    ) -> tuple[sparse.csr_matrix, Array]:
        """New documents as counts, [documents, words], and their classes; `length` is how many words each has."""
        check_is_fitted(self, "cluster_")
        lengths, rng = lengths_of(length, n_documents), np.random.default_rng(random_state)
        hidden = draw(self.cluster_[None], np.zeros(n_documents, np.int64), rng)
        tokens = np.repeat(np.arange(n_documents), lengths)
        counts = draw_documents(self.word_, tokens, hidden[tokens], n_documents, rng)
        return counts, np.asarray(self.classes_[hidden])

    def top_words(self, n: int = 10, words: Any = None) -> dict[Any, list[tuple[Any, float]]]:
        """The most probable words of each class; `words` names the columns where the input did not: a list, the
        vectoriser that made them, or a pipeline that begins with it."""
        check_is_fitted(self, "cluster_")
        return dict(zip(self.classes_.tolist(), self._tops(self.word_, n, words), strict=True))


def _column(y: Any, n: int) -> Array:
    """Labels in a row; a column of them is taken for that, with a warning, as scikit-learn does."""
    y = np.asarray(y)
    if y.shape == (n, 1):
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            f"A column-vector y was passed when a 1d array was expected: shape {y.shape}, not ({n},)",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y.ravel()
    if y.shape != (n,):
        raise InputError(f"y has shape {y.shape}; one label for each of the {n} documents is needed")
    if y.dtype.kind == "f" and np.any(y[np.isfinite(y)] % 1.0):
        raise InputError("y: Unknown label type: continuous numbers are no classes; give names or whole numbers")
    return np.asarray(y)


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
