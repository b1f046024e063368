"""What document classes answer once they are learned: classes of new documents, probabilities, scores, top words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from softcount.disk.sound import check_logs, check_rows, check_tables, check_whole
from softcount.errors import ImpossibleItem
from softcount.estimators.base import naming
from softcount.estimators.class_labels import class_numbers, known_labels, label_column
from softcount.estimators.counted_text import DocumentEstimator
from softcount.estimators.light_estimator import check_is_fitted
from softcount.estimators.sampling import draw, draw_documents, lengths_of
from softcount.estimators.scikit import check_consistent_length
from softcount.estimators.sized import SizedEstimator
from softcount.loop.estep import Answers
from softcount.loop.weighted import checked_weights
from softcount.machine.mapped import give_back, in_file
from softcount.models.mixture import Mixture, MixtureTables
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents
from softcount.text.stored import Stored, in_memory

DOCUMENTS = 1 << 20  # at a time


class TrainedMixture(SizedEstimator, DocumentEstimator):
    """The half of softcount.NaiveBayesMixture that uses what was learned."""

    unlabelled_weight: float | None
    unlabelled_weight_: float
    _log_weights: MixtureTables
    classes_: Array
    labels_: Array

    def predict(self, X: Any) -> Array:
        """Find the best class of each document.

        Parameters
        ----------
        X : documents
            As `fit` takes them.

        Returns
        -------
        array
            Names of classes, or their numbers where nobody named them.
        """
        check_is_fitted(self, "cluster_")
        return np.asarray(self.classes_[self._best(self._read(X, reset=False))])

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Train, and give the best class of each document that it was trained on.

        Parameters
        ----------
        X, y, sample_weight
            As `fit` takes them.

        Returns
        -------
        array
        """
        self.fit(X, y, sample_weight)
        return np.asarray(self.classes_[self.labels_])

    def _best(self, data: Documents) -> Array:
        data = data.unlabelled()
        data = data if data.weights is None else replace(data, weights=None)
        with self._engine() as engine, naming(data.source):
            found = Answers(self._model, data, engine).labels(self._log_weights, MAX)
            return _in_order((classes for _, classes in found), len(data), isinstance(data, Stored))

    def predict_proba(self, X: Any) -> Array:
        """Find P(class | document).

        Parameters
        ----------
        X : documents
            As `fit` takes them.

        Returns
        -------
        array, [documents, classes]
            Rows sum to one; the order is that of `classes_`.
        """
        check_is_fitted(self, "cluster_")
        data = self._read(X, reset=False)
        with self._engine() as engine, naming(data.source):
            return np.concatenate(list(Answers(self._model, data, engine).posteriors(self._log_weights)))

    def predict_log_proba(self, X: Any) -> Array:
        """Find log P(class | document), which is finite where P itself is too small for a number.

        Parameters
        ----------
        X : documents
            As `fit` takes them.

        Returns
        -------
        array, [documents, classes]
        """
        check_is_fitted(self, "cluster_")
        data = in_memory(self._read(X, reset=False), "log-probabilities of all documents", "give a part of it")
        joint = data.matrix() @ self._log_weights.word.T + self._log_weights.cluster
        total = np.logaddexp.reduce(joint, axis=1, keepdims=True)
        with naming(data.source):
            for impossible in np.flatnonzero(np.isneginf(total[:, 0])):
                raise ImpossibleItem(int(impossible))
        return np.asarray(joint - total)

    def score(self, X: Any, y: Any = None) -> float:
        """Find how many documents get their class, or how likely the documents are.

        Parameters
        ----------
        X : documents
            As `fit` takes them.
        y : list, optional
            Their classes, as `fit` takes them.

        Returns
        -------
        float
            With `y` the accuracy, over the documents whose class it says; without it the mean log-likelihood of one.
        """
        check_is_fitted(self, "cluster_")
        if y is not None:
            found, y = self.predict(X), np.asarray(y)
            check_consistent_length(found, y)
            known = known_labels(y)
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
        return class_numbers(label_column(y, n), self.classes_)

    def sample(
        self, n_documents: int = 1, length: int | Sequence[int] = 100, random_state: int | None = None
    ) -> tuple[sparse.csr_matrix, Array]:
        """Draw new documents.

        Parameters
        ----------
        n_documents : int, default 1
            How many.
        length : int or list of int, default 100
            How many words each has.
        random_state : int, optional
            The seed.

        Returns
        -------
        (sparse matrix, array)
            Counts, [documents, words], and the class of each.
        """
        check_is_fitted(self, "cluster_")
        lengths, rng = lengths_of(length, n_documents), np.random.default_rng(random_state)
        hidden = draw(self.cluster_[None], np.zeros(n_documents, np.int64), rng)
        tokens = np.repeat(np.arange(n_documents), lengths)
        counts = draw_documents(self.word_, tokens, hidden[tokens], n_documents, rng)
        return counts, np.asarray(self.classes_[hidden])

    def top_words(self, n: int = 10, words: Any = None) -> dict[Any, list[tuple[Any, float]]]:
        """List the most probable words of each class.

        Parameters
        ----------
        n : int, default 10
            How many of each.
        words : list, vectoriser or pipeline, optional
            Names of the columns, where the input had none: a list, the vectoriser that made them, or a pipeline.

        Returns
        -------
        dict
            From class to a list of (word, P(word | class)).
        """
        check_is_fitted(self, "cluster_")
        return dict(zip(self.classes_.tolist(), self._tops(self.word_, n, words), strict=True))

    # --- within -----------------------------------------------------------------------------------------------------

    def _sizes(self) -> dict[str, int]:
        return {"classes": len(self.classes_), "words": self.n_features_in_}

    def _settle(self) -> None:
        super()._settle()
        K, V = len(self.classes_), self.n_features_in_
        for tables, sound in ((self.parameters_, check_rows), (self._log_weights, check_logs)):
            check_tables(tables, MixtureTables, sound, cluster=(K,), word=(K, V))
        check_whole("labels", self.labels_, None, K)
        given = self.unlabelled_weight
        weight = self.__dict__.setdefault("unlabelled_weight_", 1.0 if given is None else given)  # not in older files
        if type(weight) not in (int, float) or not 0.0 <= weight <= 1.0:
            raise ValueError("an invalid weight")
        if self.classes_.ndim != 1 or self.classes_.dtype.kind not in "biufU" or len(np.unique(self.classes_)) != K:
            raise ValueError("no names of classes")
        self._check_words()
        self._model = Mixture(K, V)
        self.cluster_, self.word_ = self.parameters_

    def _row_names(self) -> Sequence[int | str]:
        return self.classes_.tolist()  # type: ignore[no-any-return]

    def _show_piece(self, items: Documents) -> None:
        self.cluster_, self.word_ = self.parameters_
        self.labels_ = self._best(items)

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Mixture, Documents, Array | None]:
        data = self._read(X, reset=False)
        if y is not None:
            labels = self._class_ids(y, len(data))
            data = replace(data, labels=labels, weights=np.where(labels >= 0, 1.0, self.unlabelled_weight_))
        return self._model, data, checked_weights(sample_weight, len(data), "documents")

    def _per_token(self, items: Documents) -> float:
        """By the rows' means, which sum to one: exp E[log θ] sums to less, the less a class has seen, so that many
        classes would seem to foretell worse than they do."""
        with self._posed(items) as (answers, _), np.errstate(divide="ignore"):
            logs = MixtureTables(*(np.log(table) for table in self.parameters_))
            return answers.log_norm(logs) / max(float(items.counts.sum()), 1.0)


def _in_order(blocks: Iterable[Array], n: int, stored: bool) -> Array:
    """Classes of n documents, block after block; of documents in files, in a file as well."""
    if not stored:
        return np.concatenate(list(blocks))
    found, reached = in_file(n, np.int32), 0
    for classes in blocks:
        found[reached : reached + len(classes)] = classes
        reached += len(classes)
        give_back(found)
    return found


def class_sizes(classes: Array, n: int) -> Array:
    """How many documents have each of n classes; `np.bincount` would copy all of them, twice as wide."""
    some = range(0, len(classes), DOCUMENTS)
    return sum((np.bincount(classes[k : k + DOCUMENTS], minlength=n) for k in some), np.zeros(n, np.int64))
