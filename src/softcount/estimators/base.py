"""What estimators of one model share: how it is trained by the loop; and how count tables are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from softcount.criteria.spec import Settings, Stage, parse
from softcount.disk.checkpoint import Checkpoint
from softcount.engines import Engine
from softcount.errors import ImpossibleItem, InputError
from softcount.estimators.scikit import BaseEstimator, validate_data
from softcount.estimators.trained import TrainedEstimator
from softcount.loop.model import Model
from softcount.loop.resume import Restart
from softcount.loop.trace import Step
from softcount.loop.train import Fit, fit
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.corpus import check_cells
from softcount.text.documents import Documents, documents, from_matrix
from softcount.text.vocabulary import Vocabulary

MRE_AT_RANDOM = "mre from a random start finds little; let em go first, for example em:100,mre:50"


class LoopEstimator(TrainedEstimator, BaseEstimator):  # type: ignore[misc]
    """Trains a model by the loop; subclasses say which, on what, and from where."""

    criterion: Any  # stages by name
    start: Any
    fixed: Any
    pseudo: Any
    prior: Any
    restarts: int

    parameters_: Any
    restarts_: list[Restart]
    restart_: int
    objective_: float
    n_iter_: int

    def _check(self) -> None:
        super()._check()
        self._stages()
        if self.restarts < 1:
            raise InputError(f"restarts must be at least 1, not {self.restarts}")

    def _held(self, model: Model) -> Any:
        """What training leaves alone: names of tables, or masks of their entries."""
        return self.fixed

    def _stages(self) -> list[Stage]:
        return parse(self.criterion)

    def _smoothing(self) -> Any:
        """Pseudo-counts, by table or one number."""
        return self.pseudo

    def _begins(self, items: Any) -> str:
        """What the start is, in a word."""
        return self.start if isinstance(self.start, str) else "given"

    def _train(
        self,
        model: Model,
        items: Any,
        start: Callable[[int], Tables],
        seed: int,
        engine: Engine,
        *,
        settings: Settings,
        digest: str,
        select: Callable[[Tables], float] | None = None,
        monitor: Callable[[Tables], float] | None = None,
        on_step: Callable[[Step], None] | None = None,
        checkpoint: Checkpoint | None = None,
        about: Mapping[str, Any] | None = None,
        restarts: int | None = None,
        at_most: Sequence[int] | None = None,
        slot: str = "fit",
    ) -> Fit:
        """`digest` is that of the data, `about` what else a checkpoint should know of the run, `slot` where in it."""
        LoopEstimator._check(self)
        restarts = self.restarts if restarts is None else restarts
        stages = self._stages()
        texts = {"criterion": ",".join(stage.text for stage in stages)}
        with self._kept(checkpoint, seed, digest, **(texts | dict(about or {}))):
            result = fit(
                model, items, stages, start, engine, fixed=self._held(model), settings=settings,
                tolerance=self.tolerance, restarts=restarts, seed=seed, select=select, monitor=monitor,
                on_step=on_step, checkpoint=checkpoint.slot(slot) if checkpoint else None, at_most=at_most,
            )  # fmt: skip
        if stages[0].name == "mre" and self._begins(items) == "random":
            result.trace.remarks += (MRE_AT_RANDOM,)
        return self._take(result)

    def _take(self, result: Fit) -> Fit:
        self.history_, self.restarts_, self.restart_ = result.trace, result.restarts, result.chosen
        self.objective_ = result.restarts[result.chosen].objective
        self.n_iter_ = result.restarts[result.chosen].steps
        self.parameters_, self._log_weights = result.parameters, result.log_weights
        return result

    _FIT = ("restarts_", "restart_", "objective_", "n_iter_")  # what the loop leaves, beside tables and trace

    def _settle(self) -> None:
        if not 0 <= self.restart_ < len(self.restarts_) or self.n_iter_ != self.restarts_[self.restart_].steps >= 0:
            raise ValueError("a restart that there is not")

    def _sign(self, name: str, seed: int, **settings: Any) -> str:
        return super()._sign(
            name,
            seed,
            **settings,
            criterion=",".join(stage.text for stage in self._stages()),
            pseudo=compact(self._smoothing()),
            prior=compact(self.prior),
            fixed=named(self.fixed),
            restarts=self.restarts,
        )


class DocumentEstimator(LoopEstimator):
    """Of count tables: arrays, sparse matrices, data frames, Documents, token lists, text lines, or a path."""

    vocabulary_: Vocabulary | None
    n_features_in_: int
    feature_names_in_: Array
    _optional: ClassVar[tuple[str, ...]] = ("feature_names_in_",)

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
                self.n_features_in_ = data.n_words
            elif known is None:
                data = same_columns(data, self.n_features_in_)
            self._keep_words(data.vocabulary, reset)
        else:
            table = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset, ensure_non_negative=True)
            data = from_matrix(table)
            names = getattr(self, "feature_names_in_", None)
            self._keep_words(None if names is None else Vocabulary([str(name) for name in names]), reset)
        if reset and not len(data.words):
            raise InputError(f"{data.source}: no words to train on; every document is empty")
        return data

    def _keep_words(self, vocabulary: Vocabulary | None, reset: bool) -> None:
        if reset:
            self.vocabulary_ = vocabulary

    _READ = ("vocabulary_", "n_features_in_", "feature_names_in_")  # what reading leaves

    def _check_words(self) -> None:
        for names in (self.vocabulary_, getattr(self, "feature_names_in_", None)):
            if names is not None and len(names) != self.n_features_in_:
                raise ValueError(f"{len(names)} words for {self.n_features_in_} columns")

    def _names(self, words: Sequence[str] | None) -> Sequence[Any]:
        if words is not None:
            return words
        return range(self.n_features_in_) if self.vocabulary_ is None else self.vocabulary_.words

    def _tops(
        self, table: Array, n: int, words: Sequence[str] | None, rank: Array | None = None
    ) -> list[list[tuple[Any, float]]]:
        """The words of each row and their values, in the order of `rank`, or of the values themselves."""
        names = self._names(words)
        best = np.argsort(-(table if rank is None else rank), axis=1, kind="stable")[:, :n]
        return [[(names[v], float(row[v])) for v in top if row[v] > 0.0] for row, top in zip(table, best, strict=True)]


def listed(X: Any) -> Any:
    """A column of texts (of pandas, polars or pyarrow) or a generator as a list; anything else as it is."""
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
    if isinstance(X, str | Path | Documents):
        return True
    first = next((row for row in X if isinstance(row, str) or len(row)), None) if isinstance(X, list | tuple) else None
    return isinstance(first, str) or (isinstance(first, list | tuple) and isinstance(first[0], str))


def same_columns(data: Documents, n_words: int) -> Documents:
    """The documents as they are, if they can be meant for a model whose columns have no names."""
    if data.vocabulary is not None:
        wrong = "has words, but the model was trained on a table without words"
        raise InputError(f"{data.source}: {wrong}; give a table in Python, or train on a file")
    if data.n_words != n_words:
        raise InputError(f"{data.source}: {data.n_words} columns, but the model knows {n_words}; give as many")
    return data


def compact(setting: Any) -> str:
    return ",".join(f"{k}:{v}" for k, v in setting.items()) if isinstance(setting, Mapping) else str(setting)


def named(tables: Any) -> str:
    """The names of tables: one, several, or those of a mapping."""
    return tables if isinstance(tables, str) else ",".join(tables) or "none"


@contextmanager
def naming(source: str, what: str = "document", do: str = "allow its words, or add pseudo-counts") -> Iterator[None]:
    """Turns an impossible item into a message about the user's data."""
    try:
        yield
    except ImpossibleItem as impossible:
        wrong = f"this {what} has probability zero under the parameters"
        raise InputError(f"{source}:{impossible.item + 1}: {wrong}; {do}") from None
