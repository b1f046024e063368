"""What a network answers once it is trained or given: what was missing, questions, scores, new rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise, product
from typing import Any

import numpy as np

from softcount.disk.sound import check_rows
from softcount.engines import Engine
from softcount.errors import InputError, impossible_means
from softcount.estimators.network_export import ExportedNetwork
from softcount.estimators.network_limits import check_cost, exceeds
from softcount.estimators.network_query import Question, asked, relevant
from softcount.estimators.network_values import Values
from softcount.loop.estep import Answers
from softcount.loop.weighted import checked_weights
from softcount.machine.memory import available
from softcount.models.network import Network as Model
from softcount.models.network import NetworkTables, tables_type
from softcount.models.network_cost import Task, cost, sampling_cost
from softcount.models.network_declared import axes, declared
from softcount.models.network_sampling import draw_rows
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Log, Tables
from softcount.text.frame import as_frame, kind_of_frame
from softcount.text.record_reader import Value, read_columns, text_of, to_records
from softcount.text.records import Records
from softcount.text.structure import structure


class TrainedNetwork(ExportedNetwork):
    """The half of softcount.Network that uses what was learned."""

    sequence: str | None
    weight: str | None
    force: bool

    def predict(self, X: Any) -> Any:
        """Fill in all that is missing, by the most probable explanation of each row, or of its sequence.

        Parameters
        ----------
        X : rows
            As `fit` takes them.

        Returns
        -------
        dict, or data frame
            From every variable, hidden ones too, to its column; of a data frame or an Arrow table one of its kind,
            with the same index.
        """
        self._ready()
        data = self._read(X)
        with self._engine() as engine, naming(data):
            model = self._allowed(data, Task.LABELS, engine)
            found = [labels for _, labels in Answers(model, data, engine).labels(self._logs(), MAX)]
        cells = data.in_source_order(np.concatenate(found).reshape(-1, len(self.values_)))
        return as_frame(self._named(cells), kind_of_frame(X), getattr(X, "index", None))

    def predict_proba(self, X: Any) -> dict[str, Array]:
        """Find P(value | what is known of the row, or of its sequence) of every variable.

        Parameters
        ----------
        X : rows
            As `fit` takes them.

        Returns
        -------
        dict
            From variable to an array, [rows, values].
        """
        self._ready()
        data = self._read(X)
        with self._engine() as engine, naming(data):
            model = self._allowed(data, Task.MARGINALS, engine)
            found = list(Answers(model, data, engine).posteriors(self._logs()))
        table = data.in_source_order(np.concatenate(found))
        ends = offsets_of(np.array(self._model.sizes, dtype=np.int64))
        return {name: table[:, a:b] for name, (a, b) in zip(self._model.names, pairwise(ends), strict=True)}

    def query(self, about: str, given: Mapping[str, Any] | None = None, **evidence: Any) -> dict[Any, Any]:
        """Ask how probable the values of a variable are, given some evidence.

        >>> from softcount import Network
        >>> days = {"weather": ["rainy", "rainy", "sunny"], "late": ["yes", "no", "no"]}
        >>> network = Network("weather -> late").fit(days)
        >>> network.query("late", weather="rainy") == network.query("late | weather=rainy") == {"no": 0.5, "yes": 0.5}
        True

        Parameters
        ----------
        about : str
            A variable, or several with commas between; evidence may stand behind a bar. Over time, name@3 is that of
            the third row.
        given : mapping, optional
            Evidence: from variable to value.
        **evidence
            Further evidence.

        Returns
        -------
        dict
            From value to its probability; of several variables, from variable to such a dict.
        """
        self._ready()
        question = asked(about, {**(given or {}), **evidence}, self._model, self.values_)
        model = self._asked_of(question)
        weights = model.weigh(self._logs())
        wrong = f"query {about!r}: the condition has probability zero; use a possible one"
        with impossible_means(lambda _: wrong):
            table = model.posteriors(weights, model.pack(question.records))
        starts = offsets_of(np.array(model.sizes, dtype=np.int64))
        found = {}
        for text, row, v in question.wanted:
            p = table[row, starts[v] : starts[v + 1]].tolist()
            found[text] = dict(zip(self.values_[model.names[v]], p, strict=True))
        return found if len(found) > 1 else next(iter(found.values()))

    def score_samples(self, X: Any) -> Array:
        """Find log P of each row, over time of each sequence, in the order of the data.

        Parameters
        ----------
        X : rows
            As `fit` takes them.

        Returns
        -------
        array
            −inf where a row is impossible.
        """
        self._ready()
        data = self._read(X)
        with self._engine() as engine:
            return Answers(self._allowed(data, Task.NORMS, engine), data, engine).log_norms(self._logs())

    def score(self, X: Any, y: Any = None) -> float:
        """Find log P(X), in nats, of all rows together, each as often as it was seen.

        Parameters
        ----------
        X : rows
            As `fit` takes them.
        y : object, optional
            Nobody looks at it; scikit-learn's searches pass it.

        Returns
        -------
        float
        """
        with self._posed(X) as (answers, logs):
            return answers.log_norm(logs)

    @contextmanager
    def _posed(self, X: Any, y: Any = None) -> Iterator[tuple[Answers, Tables]]:
        self._ready()
        data = self._read(X)
        with self._engine() as engine, naming(data):
            yield Answers(self._allowed(data, Task.TOTALS, engine), data, engine), self._logs()

    def sample(self, n: int = 1, length: int = 1, random_state: int | None = None) -> Any:
        """Draw new rows.

        Parameters
        ----------
        n : int, default 1
            How many; over time, how many sequences.
        length : int, default 1
            Over time, how many rows each sequence has.
        random_state : int, optional
            The seed.

        Returns
        -------
        dict, or data frame
            From variable to its column; sequences stand one after the other. A network that learned from a data frame
            or an Arrow table draws one of its kind.
        """
        self._ready()
        if n < 1 or length < 1:
            raise InputError(f"{n} samples of length {length}: both must be at least 1")
        spent = sampling_cost(n * length, self._model.sizes)
        check_cost(spent, f"drawing {n * length:,} rows", "draw fewer rows at once", self.force)
        rng = np.random.default_rng(random_state)
        order = [self._model.names.index(name) for name in structure(self.structure_).in_order()]
        drawn = self._named(draw_rows(self._model, order, self.parameters_, n, length, rng))
        return as_frame(drawn, self.reading_.get("frame"))

    def _named(self, cells: Array) -> dict[str, list[Value]]:
        names = enumerate(self._model.names)
        return {name: [self.values_[name][k] for k in cells[:, v].tolist()] for v, name in names}

    # --- within -----------------------------------------------------------------------------------------------------

    def _ready(self) -> None:
        """Trained, loaded, or given in full."""
        if not hasattr(self, "signature_"):
            if self._begins(None) != "given":
                self._check_fitted("signature_")
            self.as_given()

    def _read(self, X: Any) -> Records:
        columns, found = read_columns(X), structure(self.structure_)
        known = [{text_of(v): k for k, v in enumerate(self.values_[name])} for name in found.names]
        sequence = self.sequence if found.over_time else None
        weight = self.weight if self.weight in columns.columns or not hasattr(self, "signature_") else None
        return to_records(columns, found.names, known, found.over_time, sequence, weight)

    def _over(self, data: Records) -> Model:
        """The model, which takes what these data always show as given."""
        return self._model._replace(open=tuple((data.cells < 0).max(axis=0).tolist()))

    def _allowed(self, data: Records, task: Task, engine: Engine | None = None) -> Model:
        """The model over these data, whose inference is not too large."""
        model = self._over(data)
        spent = cost(model, data, task, getattr(engine, "n_workers", 1))
        what = f"{'an iteration' if task is Task.COUNTS else 'inference'} over {data.n_rows:,} rows"
        check_cost(spent, what, "give values for some of these variables in the data, or remove arcs", self.force)
        return model

    def _asked_of(self, question: Question) -> Model:
        """The whole network where that is not too large, so that rounding does not depend on the question; else what
        the answer depends on."""
        model = self._over(question.records)
        spent = cost(model, question.records, Task.MARGINALS)
        if exceeds(spent, available()):
            model = relevant(model, question)
            spent = cost(model, question.records, Task.MARGINALS)
        check_cost(spent, "this query", "give values for some of these variables, or remove arcs", self.force)
        return model

    def _logs(self) -> NetworkTables:
        return tables_type(self._model.tables)(*(Log(table) for table in self.parameters_))

    def _arrived(self, X: Any, y: Any, sample_weight: Any) -> tuple[Model, Records, Array | None]:
        data = self._read(X)
        weights = checked_weights(sample_weight, len(data), "rows" if len(data) == data.n_rows else "sequences")
        return self._allowed(data, Task.COUNTS), data, weights

    def _show_piece(self, items: Records) -> None:
        self._tables = self.parameters_._asdict()

    def _settle_model(self) -> None:
        self._model = declared(structure(self.structure_), self.values_, self.ties_, self.observed_)

    def _sizes(self) -> dict[str, int]:
        entries = sum(table.size for table in self._tables.values())
        return {"variables": len(self.values_), "tables": len(self._tables), "entries": entries}

    def _tables_by_name(self) -> dict[str, Any]:
        return self._tables

    def _settle(self) -> None:
        super()._settle()
        values: Values = self.values_
        if tuple(values) != structure(self.structure_).names or not all(values.values()):
            raise ValueError("variables without values")
        if any(len({text_of(v) for v in listed}) != len(listed) for listed in values.values()):
            raise ValueError("a value twice")
        self._settle_model()
        if tuple(self._tables) != self._model.tables or not set(self.observed_) <= set(values):
            raise ValueError("other tables than the structure has")
        for name, shape in zip(self._model.tables, self._model.shapes, strict=True):
            check_rows(name, self._tables[name], *shape)
        self.parameters_ = tables_type(self._model.tables)(*self._tables.values())

    def _row_names(self) -> Sequence[int | str]:
        table = self._model.tables.index(next(iter(self.feature_weights_ or {})))
        return [", ".join(map(str, given)) for given in product(*axes(self._model, table)[:-1])]


def naming(data: Records) -> AbstractContextManager[None]:
    """Turns an impossible item into a message about the line where it begins."""
    what = "row" if len(data) == data.n_rows else "sequence"
    wrong = f"this {what} has probability zero under the parameters; correct it, or raise the probability of its values"
    return impossible_means(lambda item: f"{data.line_of(item)}: {wrong}")
