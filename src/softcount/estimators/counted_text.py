"""Estimators of text by the counts of its words: which words are counted, and in which forms counts arrive."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator
from softcount.estimators.featured_rows import FeaturedEstimator
from softcount.estimators.parameters import Share
from softcount.estimators.scikit import validate_data
from softcount.numbers.ragged import Array
from softcount.text.corpus import check_cells
from softcount.text.documents import Documents, documents, from_matrix, within
from softcount.text.source import quoted
from softcount.text.stored import Stored
from softcount.text.vocabulary import Vocabulary

FIRST, SHOWN = 100, 3  # rows of a data frame that are looked at for text; columns that a message names


class TextCounter(LoopEstimator):
    """Takes text by the counts of its words, of which some are left out."""

    min_df: Share = 1
    max_df: Share = 1.0
    stop_words: str | Sequence[str] | None = None

    def _check(self) -> None:
        super()._check()
        for name in ("min_df", "max_df"):
            number = getattr(self, name)
            whole = isinstance(number, int | np.integer)
            if not (number >= 0 if whole else 0.0 <= number <= 1.0):
                raise InputError(f"{name} is {number}; it must be a number of documents, or a share from 0.0 to 1.0")

    def _pruned(self, data: Documents) -> Documents:
        return within(data, self.min_df, self.max_df, self.stop_words, self.lowercase)

    def _read_as(self) -> dict[str, Any]:
        stop = self.stop_words
        said: dict[str, Any] = {} if self.min_df in (0, 1) else {"min_df": self.min_df}
        said |= {} if isinstance(self.max_df, float) and self.max_df == 1.0 else {"max_df": self.max_df}
        said |= {} if stop is None else {"stop_words": stop if isinstance(stop, str) else len(stop)}
        return super()._read_as() | said


class DocumentEstimator(TextCounter, FeaturedEstimator):
    """Of count tables: arrays, sparse matrices, data frames, Documents, token lists, text lines, or a path."""

    vocabulary_: Vocabulary | None
    n_features_in_: int
    feature_names_in_: Array
    _optional: ClassVar[tuple[str, ...]] = ("feature_names_in_", *FeaturedEstimator._optional)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    def _read(self, X: Any, reset: bool) -> Documents:
        X = listed(X)
        if is_text(X):
            known = None if reset else getattr(self, "vocabulary_", None)
            data = documents(X, known, lowercase=self.lowercase)
            if reset:
                data = self._pruned(data)
                self.n_features_in_ = data.n_words
            elif known is None:
                data = same_columns(data, self.n_features_in_)
            self._keep_words(data.vocabulary, reset)
        else:
            table = numbers_of(self, X, accept_sparse="csr", dtype=np.float64, reset=reset, ensure_non_negative=True)
            data = from_matrix(table)
            names = getattr(self, "feature_names_in_", None)
            self._keep_words(None if names is None else Vocabulary([str(name) for name in names]), reset)
        if reset and not data.n_tokens:
            raise InputError(f"{data.source}: no words to train on; every document is empty")
        return data

    def _keep_words(self, vocabulary: Vocabulary | None, reset: bool) -> None:
        if reset:
            self.vocabulary_ = vocabulary

    _READ_WHOLE: ClassVar[dict[str, Any]] = {"min_df": 1, "max_df": 1.0, "stop_words": None}  # nothing left out
    _READ = ("vocabulary_", "n_features_in_", "feature_names_in_")  # what reading leaves

    def _check_words(self) -> None:
        for names in (self.vocabulary_, getattr(self, "feature_names_in_", None)):
            if names is not None and len(names) != self.n_features_in_:
                raise ValueError(f"{len(names)} words for {self.n_features_in_} columns")

    def _featured_table(self) -> tuple[str, Sequence[str]]:
        if self.vocabulary_ is None and isinstance(self.features, str):
            raise InputError("word features need words; give text, a data frame with named columns, or a matrix")
        return "word", self._names(None)

    def _names(self, words: Any) -> Sequence[Any]:
        if words is not None:
            return names_of(words, self.n_features_in_)
        return range(self.n_features_in_) if self.vocabulary_ is None else self.vocabulary_.words

    def _tops(self, table: Array, n: int, words: Any, rank: Array | None = None) -> list[list[tuple[Any, float]]]:
        """The words of each row and their values, in the order of `rank`, or of the values themselves."""
        names = self._names(words)
        best = np.argsort(-(table if rank is None else rank), axis=1, kind="stable")[:, :n]
        return [[(names[v], float(row[v])) for v in top if row[v] > 0.0] for row, top in zip(table, best, strict=True)]


def names_of(words: Any, n: int) -> Sequence[Any]:
    """The names of n columns: a list, the vectoriser that made the columns, or a pipeline that begins with it."""
    if hasattr(words, "steps") and hasattr(words.steps[-1][1], "kind"):  # a pipeline that ends with one of us
        words = words[:-1]
    found = words.get_feature_names_out() if hasattr(words, "get_feature_names_out") else words
    if len(found) != n:
        raise InputError(f"{len(found)} names for {n} columns; give the words of the training table")
    return list(found)


def listed(X: Any) -> Any:
    """A column of texts (of pandas, polars or pyarrow) or a generator as a list; anything else as it is."""
    if isinstance(X, str) and any(map(str.isspace, X)) and not os.path.exists(X):
        wrong = f"{quoted(X, 60)}: no such file; a string is a path"
        raise InputError(f"{wrong}; pass documents as a list of strings, one per document")
    if hasattr(X, "to_pylist") and not hasattr(X, "column_names"):  # pyarrow
        X = X.to_pylist()
    elif type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "to_list"):
        X = X.to_list()
    elif isinstance(X, Iterator):
        X = list(X)
    rows = X if isinstance(X, list) else list(X) if getattr(X, "ndim", 2) == 1 else []
    if not any(isinstance(row, str) for row in rows):
        return X
    check_cells(rows)
    return rows


def is_text(X: Any) -> bool:
    """A path, Documents, text lines or token lists: all that is not numbers."""
    if isinstance(X, str | Path | Documents | Stored):
        return True
    first = next((row for row in X if isinstance(row, str) or len(row)), None) if isinstance(X, list | tuple) else None
    return isinstance(first, str) or (isinstance(first, list | tuple) and isinstance(first[0], str))


def numbers_of(estimator: Any, X: Any, **how: Any) -> Any:
    """A table of numbers, as scikit-learn checks it; where it has text in it, what to pass instead."""
    if isinstance(X, list | tuple) and not X:
        raise InputError("no documents; give at least one")
    try:
        return validate_data(estimator, X, **how)
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        raise InputError(text_in_table(X)) from None


def text_in_table(X: Any) -> str:
    names = getattr(X, "column_names", None) or getattr(X, "columns", None)
    if names is None:
        shape: tuple[int, ...] = tuple(getattr(X, "shape", ()))
        if len(shape) != 2:
            return "X is a table that contains text; pass a list of texts, one per document, or only counts"
        letters = [_letters(X[:, k]) for k in range(shape[1])]
        column = f"X[:, {letters.index(max(letters))}]" if any(letters) else "X[:, 0]"
        return f"X is an array of shape {shape} that contains text; pass one column of texts, {column}, or only counts"
    found = {name: size for name in names if (size := _letters(X[name]))}
    if not found:
        return "X is a data frame that mixes text and numbers; pass one column of texts, or only columns of counts"
    longest, shown = max(found, key=lambda name: found[name]), ", ".join(map(repr, list(found)[:SHOWN]))
    columns = f"the column{'s' * (len(found) > 1)} {shown}{' …' * (len(found) > SHOWN)}"
    return f"X is a data frame with text in {columns}; pass one column of texts, X[{longest!r}], or only counts"


def _letters(column: Any) -> int:
    """How much text the first rows have."""
    rows = column[:FIRST].to_pylist() if hasattr(column, "to_pylist") else list(column[:FIRST])
    return sum(len(row) for row in rows if isinstance(row, str))


def same_columns(data: Documents, n_words: int) -> Documents:
    """The documents as they are, if they can be meant for a model whose columns have no names."""
    if data.vocabulary is not None:
        wrong = "has words, but the model was trained on a table without words"
        raise InputError(f"{data.source}: {wrong}; give a table in Python, or train on a file")
    if data.n_words != n_words:
        raise InputError(
            f"{data.source}: {data.n_words} columns, but the model has {n_words}; give the same number of columns"
        )
    return data
