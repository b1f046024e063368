"""softcount.NaiveBayesMixture: document classes, found without labels or with a few, with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from softcount.criteria.spec import Settings
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.base import naming
from softcount.estimators.class_labels import known_labels, label_column, numbered_classes
from softcount.estimators.counted_text import DocumentEstimator
from softcount.estimators.how_many import Tried
from softcount.estimators.mixture_answers import TrainedMixture, class_sizes
from softcount.estimators.mixture_start import clustered, counted
from softcount.estimators.parameters import Features, Fixed, PerTable, Seed, Share, Sparse, Where
from softcount.estimators.repeats import repetition, worth
from softcount.estimators.scikit import classifier_tags
from softcount.estimators.splitting import Axes, Hidden
from softcount.estimators.unlabelled_weight import USUAL, choose_weight
from softcount.loop.start import given_start, random_start, uniform_start
from softcount.loop.trace import Step
from softcount.loop.weighted import checked_weights, digest_with
from softcount.machine import stage
from softcount.machine.memory import check_room
from softcount.machine.warning import warn_each_time
from softcount.models.mixture import Mixture, MixtureTables
from softcount.numbers.lanes import width
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents
from softcount.text.stored import in_memory

STARTS = ("kmeans", "random", "uniform")
SMOOTHING = {"cluster": 0.0, "word": 0.1}
LONGEST = 1e9  # words of a document
RICH = 48  # classes beside which is seen how much documents repeat themselves, before their number is chosen
ALL = 0.95  # of the tokens: a share above which they are what they are
COLLAPSE = 0.5  # the effective number of classes, as a share of what there should be, below which we warn
NOTHING = 0.05  # of the documents that a class should have by its labels: no more is practically nothing
ALIKE = 0.1  # Hellinger distance of classes that have become one
COMPARED, SHOWN = 512, 5  # classes of which all pairs are compared; of which a message speaks


class NaiveBayesMixture(TrainedMixture):
    """Naive Bayes mixture for clustering documents, or for classifying them from a few labels.

    Read more in the :doc:`guide to document clustering </how-to/cluster-documents>`.

    >>> from softcount import NaiveBayesMixture
    >>> docs = ["stars planets moon", "moon stars orbit", "bread butter jam", "jam bread tea"]
    >>> NaiveBayesMixture(2, random_state=0).fit(docs).predict(["planets orbit", "butter tea"])
    array([0, 1])
    >>> NaiveBayesMixture().fit(docs, ["space", "", "food", ""]).predict(["planets orbit", "butter tea"]).tolist()
    ['space', 'food']

    Parameters
    ----------
    n_clusters : int or "auto", default 8
        How many classes; where `fit` is given labels, the classes are theirs. "auto": chosen.
    choose : str, default "evidence"
        How "auto" chooses: "evidence", "elbo", "split-merge" or "held-out" (see `softcount.estimators.how_many`).
    unlabelled_weight : float, optional
        λ, what an unlabelled document counts beside a labelled one, 0 to 1; None: one of 1, 0.3, 0.1 and 0, chosen by
        5-fold cross-validation of the labelled documents, or 1 where fewer than 20 of them can be left out.
    document_length : float, optional
        Stretch or shrink all documents to this many words, as Nigam et al. did; None leaves them.
    criterion : str, default "em:100"
        Stages by name, such as "em:100" or "vb" (see `softcount.criteria.spec`).
    start : str, mapping or MixtureTables, optional
        "kmeans", "random", "uniform", or tables, also by name ({"word": rows}); None is the labelled documents, or
        "kmeans" without labels.
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
    unlabelled_weight_ : float
        What an unlabelled document counted, given or chosen.
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
        "parameters_", "_log_weights", "classes_", "labels_", "tried_", "unlabelled_weight_", *DocumentEstimator._READ,
        *DocumentEstimator._FIT,
    )  # fmt: skip
    _types = (MixtureTables, Tried)
    _optional: ClassVar[tuple[str, ...]] = ("tried_", "unlabelled_weight_", *DocumentEstimator._optional)
    _size_name, _emits = "n_clusters", "word"
    _size_axes: ClassVar[Axes] = {"cluster": Hidden(share=0), "word": Hidden(row=0)}

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        choose: str = "evidence",
        unlabelled_weight: float | None = None,
        document_length: float | None = None,
        criterion: str = "em:100",
        start: str | Sequence[Any] | Mapping[str, Any] | None = None,
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
        """Learn classes from documents.

        NumPy makes "-1" of a −1 among names, so that is not known either; in an array of objects it is a name.

        Parameters
        ----------
        X : list of str, list of token lists, count table, Documents, path, or Shards
            The documents.
        y : list, optional
            A class for each document; −1, None, NaN or "" where it is not known.
        sample_weight : array, optional
            How often each document counts.

        Returns
        -------
        self
        """
        self._check()
        whole = self._read(X, reset=True)
        if y is not None or sample_weight is not None:
            whole = in_memory(whole, "training with labels or weights", "omit them")
        weights = checked_weights(sample_weight, len(whole), "documents")
        if weights is not None:
            whole = replace(whole, weights=weights)
        kept = self._checkpoint(checkpoint, checkpoint_every)
        seed = self._seed(kept)
        chosen = self._choose_size(whole, len(whole) // 2) if y is None else ()
        data, why = self._labelled(whole, y, seed)
        if data.weights is not None and not data.weights.all():  # what weighs nothing need not be read
            data = replace(data.take(np.flatnonzero(data.weights)), rows=None)
        if len(data) < 1:
            raise InputError("no documents; at least one is needed")
        K = len(self.classes_)
        check_room(32.0 * width(K) * data.n_words, f"{K:,} classes", "use fewer")
        self._model = Mixture(K, data.n_words)
        digest = digest_with(data.digest(), weights)
        with self._engine() as engine, naming(data.source):
            self._train(
                self._model, data, lambda restart: self._start(data, (seed, restart), engine), seed, engine,
                settings=self._settings(), digest=digest, on_step=on_step, checkpoint=kept,
            )  # fmt: skip
        self.cluster_, self.word_ = self.parameters_
        self.history_.remarks += (*chosen, *self._remarks(whole, data), *why)
        self.labels_ = self._best(whole)
        self._warn_of_collapse(data)
        self.signature_ = self._sign(
            "naive bayes mixture", seed, classes=K, documents=len(data), words=data.n_words,
            labelled=0 if data.labels is None else int((data.labels >= 0).sum()),
            unlabelled_weight=self.unlabelled_weight_, document_length=self.document_length,
            start=self._begins(data), data="sha256:" + digest[:12],
        )  # fmt: skip
        self._remember(seed, data.source, digest, documents=len(data), tokens=data.n_tokens)
        return self

    def _check(self) -> None:
        super()._check()
        if self.unlabelled_weight is not None and not 0.0 <= self.unlabelled_weight <= 1.0:
            raise InputError(f"unlabelled_weight is {self.unlabelled_weight}; it must be from 0 to 1")
        if self.document_length is not None and not 0.0 < self.document_length <= LONGEST:
            wrong = f"document_length must be above 0 and at most {LONGEST:g}, or None"
            raise InputError(f"{wrong}, not {self.document_length}")

    def _for_choice(self) -> dict[str, Any]:
        return {"document_length": None, "pseudo": None, **self._READ_WHOLE}

    def _worth(self, items: Any, train: Any, most: int) -> tuple[Documents, str]:
        """How much documents repeat themselves is seen beside classes of as many as there may be, and rather more."""
        with stage.towards("how much documents repeat themselves"):
            train(items, min(RICH, most))
        rho = repetition(items, train.before.labels_)
        fewer = worth(items, rho)
        share = fewer.n_tokens / max(items.n_tokens, 1.0)
        if share > ALL:
            return items, ""
        return fewer, (
            f"; words are repeated within documents, so {items.n_tokens:,.0f} tokens count as {fewer.n_tokens:,.0f}"
        )

    def _read(self, X: Any, reset: bool) -> Documents:
        data = super()._read(X, reset)
        return data if self.document_length is None else data.scaled(self.document_length)

    def _labelled(self, data: Documents, y: Any, seed: int) -> tuple[Documents, tuple[str, ...]]:
        """The documents with what is known of their classes, and their weights; and how these were chosen."""
        y = None if y is None else label_column(y, len(data))
        known = None if y is None else known_labels(y)
        if y is None or known is None or not known.any():
            if not self._size:
                raise InputError('n_clusters="auto" needs documents without labels; omit the labels')
            self.classes_ = np.arange(self._size)
            self.unlabelled_weight_ = USUAL if self.unlabelled_weight is None else self.unlabelled_weight
            return data.unlabelled(), ()
        self.classes_, ids = numbered_classes(y[known].tolist(), self._named_classes)
        labels = np.full(len(data), -1, dtype=np.int32)
        labels[known] = ids
        self.unlabelled_weight_, why = self._weigh(data, labels, seed)
        counts = np.where(known, 1.0, self.unlabelled_weight_)
        weights = counts if data.weights is None else counts * data.weights
        return replace(data, labels=labels, weights=None).weighted(weights), why

    def _weigh(self, data: Documents, labels: Array, seed: int) -> tuple[float, tuple[str, ...]]:
        """What an unlabelled document counts, and how it was chosen, if it was."""
        if self.unlabelled_weight is not None:
            return self.unlabelled_weight, ()
        counts = np.ones(len(data)) if data.weights is None else data.weights
        if self._beginning or not counts[labels < 0].any():  # nothing to weigh
            return USUAL, ()

        def make(weight: float, criterion: str) -> NaiveBayesMixture:
            settings = self.get_params(deep=False) | self._for_choice() | {"pseudo": self.pseudo, "engine": "threads"}
            settings |= {"unlabelled_weight": weight, "criterion": criterion, "random_state": seed, "restarts": 1}
            return type(self)(**settings | {"features": None, "sparse": None, "fixed": ()})

        counted = np.flatnonzero(counts)
        plain = replace(data.take(counted), weights=None, labels=None, rows=None)
        found = choose_weight(plain, labels[counted], counts[counted], make, seed)
        return found.weight, (f"unlabelled_weight is {found.weight:g}, {found.why}",)

    def _about(self, seed: int, digest: str, **more: Any) -> dict[str, Any]:
        return {**super()._about(seed, digest, **more), "unlabelled_weight": self.unlabelled_weight_}

    def _begins(self, items: Documents) -> str:
        if self.start is None:
            return "kmeans" if items.labels is None else "labels"
        return super()._begins(items)

    def _start(self, data: Documents, seed: tuple[int, int], engine: Engine) -> Tables:
        layout, begins = self._model.layout, self._begins(data)
        if begins == "labels" and data.labels is not None:
            return counted(self._model, data.take(np.flatnonzero(data.labels >= 0)), engine)
        if begins == "given":
            return given_start(layout, self.start)
        if begins == "kmeans" and data.labels is not None:
            raise InputError("the start kmeans does not name its clusters as the labels do; omit the start")
        if begins == "kmeans" and len(data) >= self._size:
            return clustered(self._model, data, seed, self.n_jobs, engine)
        if begins not in STARTS:
            raise InputError(f"start={self.start!r}: unknown; use {', '.join(STARTS)}, or tables")
        return uniform_start(layout) if begins == "uniform" else random_start(layout, seed)

    def _remarks(self, whole: Documents, data: Documents) -> tuple[str, ...]:
        if data.labels is None:
            return ()
        begins, n = self._begins(data), int((data.labels >= 0).sum())
        they = (
            "they are used for initialization"
            if begins == "labels"
            else f"they are not used for initialization (the start is {begins})"
        )
        return (f"{n:,} of {len(whole):,} documents ({n / len(whole):.1%}) have a known class; {they}",)

    def _warn_of_collapse(self, data: Documents) -> None:
        """Of classes that are in effect not there: most of them, one that got nothing, two that are one."""
        K, sizes = len(self.classes_), class_sizes(self.labels_, len(self.classes_))
        expected = np.full(K, 1.0 / K)
        if data.labels is not None:
            expected = np.bincount(data.labels[data.labels >= 0], minlength=K) / (data.labels >= 0).sum()
        should, found = min(_effective(expected), float(len(data))), _effective(sizes)
        least = 0.0 if data.labels is None else NOTHING * expected * len(self.labels_)
        lost, alike = sizes <= least, [] if K > COMPARED else self._alike(sizes > least)
        wrong = []
        if should > 1.5 and found <= COLLAPSE * should:
            wrong.append(f"the effective number of classes is {found:.1f} instead of {should:.1f}")
        if lost.any():
            named = (f"{self._called(k)} ({sizes[k]:,})" for k in np.flatnonzero(lost).tolist())
            wrong.append(f"these received almost no documents: {_some(named)}")
        if alike:
            wrong.append(
                f"these have become identical: {_some(f'{self._called(j)} and {self._called(k)}' for j, k in alike)}"
            )
        if wrong:
            advice = "use fewer, or another start or seed"
            if data.labels is not None:
                advice = "add labels, lower pseudo or unlabelled_weight, or use another start"
            warn_each_time(f"the classes collapse: {', and '.join(wrong)}; {advice}")

    def _called(self, k: int) -> str:
        return str(self.classes_[k])

    def _alike(self, used: Array) -> list[tuple[int, int]]:
        """Pairs of the used classes between whose words there is next to no Hellinger distance."""
        ids = np.flatnonzero(used)
        roots = np.sqrt(np.asarray(self.word_[ids], np.float64))
        near = np.argwhere(np.triu(roots @ roots.T >= 1.0 - ALIKE**2, 1))
        return [(int(ids[j]), int(ids[k])) for j, k in near]

    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None, total: float | None = None
    ) -> NaiveBayesMixture:
        """Train on documents that arrive in pieces: one step of the stepwise criterion, of which X is a mini-batch.

        The first call begins as `fit` does: with its words, classes and start. Words that come later are unknown.

        Parameters
        ----------
        X, y, sample_weight
            As `fit` takes them; an unlabelled document counts 1 where `unlabelled_weight` is None.
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

    def _settings(self) -> Settings:
        smoothing = SMOOTHING if self.pseudo is None else self.pseudo
        return Settings(smoothing, self.prior, sparse=self.sparse)


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:SHOWN]) + (f" and {len(listed) - SHOWN:,} more" if len(listed) > SHOWN else "")


def _effective(counts: Array) -> float:
    """exp of the entropy: how many equal classes would be as mixed."""
    share = counts[counts > 0] / max(counts.sum(), 1e-300)
    return float(np.exp(-(share * np.log(share)).sum()))
