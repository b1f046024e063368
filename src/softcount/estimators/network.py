"""Bayesian networks that are declared: learned from rows with hidden and missing cells, and asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from softcount.errors import InputError, list_some
from softcount.estimators.featured import TableFeatures, of_words
from softcount.estimators.network_answers import TrainedNetwork, naming
from softcount.estimators.network_fixed import masks
from softcount.estimators.network_search import AUTO, learned_structure, unconnected
from softcount.estimators.network_values import check_categories, given_values, note_misspelt, settle_values
from softcount.estimators.parameters import Fixed, PerTable, Seed, Sparse, Where
from softcount.estimators.saved import signed_start
from softcount.loop.resume import Restart
from softcount.loop.start import random_start, uniform_start
from softcount.loop.trace import DONE, Ending, Step, Trace
from softcount.loop.weighted import checked_weights
from softcount.models.network import Network as Model
from softcount.models.network import NetworkTables
from softcount.models.network_cost import Task
from softcount.numbers.tables import Tables
from softcount.report.network_json import Given, named_values, overlay, read_tables
from softcount.text.bif import BIF, read_bif
from softcount.text.frame import kind_of_frame
from softcount.text.record_reader import Columns, read_columns, text_of
from softcount.text.source import name_of
from softcount.text.structure import Structure, structure

STARTS = ("random", "uniform")


class Network(TrainedNetwork):
    """Discrete Bayesian network, learned from data with missing values and hidden variables.

    Read more in the :doc:`guide to Bayesian networks </how-to/networks>`.

    >>> from softcount import Network
    >>> days = {"weather": ["rainy", "sunny", "rainy", "sunny"], "late": ["yes", "no", "yes", "no"]}
    >>> network = Network("weather -> late").fit(days)
    >>> network.query("late", weather="rainy")
    {'no': 0.0, 'yes': 1.0}
    >>> network.predict({"weather": ["sunny", None], "late": [None, "yes"]})
    {'weather': ['sunny', 'rainy'], 'late': ['no', 'yes']}

    Parameters
    ----------
    structure : str, list of pairs, or path, default ""
        "weather -> traffic -> late", "rain, sprinkler -> wet", "weather@-1 -> weather -> traffic" (@-1: the
        value in the row before), a list of pairs (parent, child), or a BIF file, whose tables are the start.
        "auto": arcs among all columns, and what `values` names besides, are learned.
    search : bool, default False
        Whether arcs are learned, beginning with `structure`, by structural EM and BIC; always where it is "auto".
    values : mapping, optional
        {variable: number or list of values}; needed of hidden variables, which the data does not have.
    start : str, mapping or path, default "random"
        "random", "uniform", or tables, perhaps some of them only: a T.json file, or {table: {given: {value:
        p}}}.
    tie : list of tuples, default ()
        Groups of variables that share one table: [("word1", "word2")].
    fixed : str, list or mapping, default ()
        Tables that are not learned, or {table: True, or {given: True or values}, or a mask}.
    pseudo : float or mapping, default 0.0
        Pseudo-counts of `em`: a number, or one by table.
    prior : float or mapping, default 0.1
        Dirichlet prior of `vb` and `gibbs`: a number, or one by table.
    features : mapping, optional
        From the name of a table to features of its variable's values, from which its rows are computed: "words" or
        "identity", a file, a function from a value (as text) to the names of its features, or a matrix.
    variance : float, default 1.0
        σ² of the features' weights; smaller keeps them nearer to zero.
    sparse : pair or mapping, optional
        (alpha, beta) of a wish for rows with few entries, α Σ exp(−θ/β), under `em`, `hard` and `mre`; or by table.
    criterion : str, default "em:100"
        Stages by name (see `softcount.criteria.spec`).
    sequence : str, optional
        The column that names the sequence a row belongs to.
    weight : str, optional
        The column that says how often a row was seen.
    restarts : int, default 1
        The best of so many starts, by the objective.
    tolerance : float, default 1e-6
        A stage ends when its objective changes by no more than this share.
    engine : str or Engine, default "threads"
        Where sums over the data are computed.
    n_jobs : int, optional
        How many threads; -1 for all cores. Results do not depend on it.
    random_state : int, optional
        The seed; the same seed gives the same bits. Where it is not given, one is drawn.
    force : bool, default False
        Whether to compute also what is estimated to need more than a minute, or more memory than there is. No file
        keeps this setting.

    Attributes
    ----------
    structure_ : str
        The structure, as a declaration.
    values_ : mapping from str to tuple
        The values of every variable.
    ties_ : tuple of tuples
        Which variables share a table.
    observed_ : tuple of str
        The variables that the training data showed.
    tables_ : mapping from str to DataFrame
        The tables: a row for each combination of the parents' values, a column for each value.
    """

    kind = "network"
    _learned = ("structure_", "values_", "ties_", "observed_", "_tables", *TrainedNetwork._FIT)
    _types: ClassVar[tuple[Any, ...]] = ()
    _unkept = ("force",)
    _afterwards = ("force",)

    def __init__(
        self, structure: str | Path | Sequence[Any] = "", *, search: bool = False,
        values: Mapping[str, Any] | None = None,
        start: str | Path | Mapping[str, Any] | Sequence[Any] = "random", tie: Sequence[Any] = (), fixed: Fixed = (),
        pseudo: PerTable = 0.0, prior: PerTable = 0.1, features: Mapping[str, Any] | None = None,
        variance: float = 1.0, sparse: Sparse = None, criterion: str = "em:100", sequence: str | None = None,
        weight: str | None = None, restarts: int = 1, tolerance: float = 1e-6, engine: Where = "threads",
        n_jobs: int | None = None, random_state: Seed = None, force: bool = False,
    ) -> None:  # fmt: skip
        self.structure = structure
        self.search = search
        self.values = values
        self.start = start
        self.tie = tie
        self.fixed = fixed
        self.pseudo = pseudo
        self.prior = prior
        self.features = features
        self.variance = variance
        self.sparse = sparse
        self.criterion = criterion
        self.sequence = sequence
        self.weight = weight
        self.restarts = restarts
        self.tolerance = tolerance
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.force = force

    # --- training -------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, on_step: Callable[[Step], None] | None = None,
        checkpoint: str | Path | None = None, checkpoint_every: int | None = None,
    ) -> Network:  # fmt: skip
        """Learn the tables, and where asked for the arcs, from rows in which cells may be missing.

        Parameters
        ----------
        X : data frame, mapping from str to list, list of mappings, or path
            The rows; a cell that is empty, None or NaN is missing.
        y : object, optional
            Nobody looks at it; scikit-learn's pipelines pass it.
        sample_weight : array, optional
            How often each row counts, or over time each sequence.

        Returns
        -------
        self
        """
        self._check()
        columns, frame = read_columns(X), kind_of_frame(X)
        self._reading = {} if frame is None else {"frame": frame}
        searched = self._search(columns) if self._searches else ()
        given = self._declare(columns)
        data = self._read(columns)
        weights = checked_weights(sample_weight, len(data), "rows" if len(data) == data.n_rows else "sequences")
        data = data if weights is None else data.weighted(weights)
        kept = self._checkpoint(checkpoint, checkpoint_every)
        seed, digest = self._seed(kept), data.digest()

        def start(restart: int) -> Tables:
            return self._start(self._model, given, (seed, restart))[0]

        with self._engine() as engine, naming(data):
            model = self._allowed(data, Task.COUNTS, engine)
            self._train(
                model, data, start, seed, engine, settings=self._settings(), digest=digest,
                on_step=on_step, checkpoint=kept,
            )  # fmt: skip
        self._tables = self.parameters_._asdict()
        self.history_.remarks += searched
        self._finish(seed, data.source, digest, rows=data.n_rows, sequences=len(data))
        return self

    _learned_arcs: Structure | None = None

    @property
    def _searches(self) -> bool:
        return self.search or (isinstance(self.structure, str) and self.structure == AUTO)

    def _search(self, columns: Columns) -> tuple[str, ...]:
        """Settles the arcs, and says how."""
        if self.tie or self.fixed or self._begins(None) == "given":
            raise InputError("tables cannot be tied, fixed or given while arcs are learned; omit that option")
        self._learned_arcs = None
        if isinstance(self.structure, str) and self.structure == AUTO:
            shown = [name for name in columns.columns if name not in (self.sequence, self.weight)]
            self._learned_arcs = unconnected(shown, [name for name in self.values or () if name not in shown])
        self._declare(columns)
        seed = int(self.random_state) if isinstance(self.random_state, int | np.integer) else 0
        begun = structure(self.structure_)
        found, scored = learned_structure(begun, self._read(columns), self._model.sizes, self.restarts, seed)
        self._learned_arcs = found
        n = sum(len(above) for above in found.parents)
        return (f"structural EM: {n} arc{'s' * (n != 1)}, BIC {scored.bic:,.2f} (initially {scored.bics[0]:,.2f})",)

    def as_given(self) -> Network:
        """Take the network as its start says, every table of it; nothing is learned.

        Returns
        -------
        self
        """
        if self._searches:
            raise InputError("arcs are learned from data; give data, or the arcs")
        given = self._declare(None)
        self.parameters_, open = self._start(self._model, given, (0, 0))
        if open:
            raise InputError(f"the start does not contain {list_some(open)}; add it, or give data to learn it from")
        self._tables = self.parameters_._asdict()
        self.restarts_, self.restart_ = [Restart(float("nan"), float("nan"), 0, Ending(DONE, "0 iterations done"))], 0
        self.objective_, self.n_iter_, self.history_, self.posterior_ = float("nan"), 0, Trace(), None
        self.feature_weights_ = self.feature_names_ = None
        self._finish(0, "<given>", "", rows=0, sequences=0)
        return self

    def _finish(self, seed: int, source: str, digest: str, rows: int, sequences: int) -> None:
        self.signature_ = self._sign(
            "network", seed, structure=self.structure_, tables=len(self._tables), rows=rows,
            **({"sequences": sequences} if structure(self.structure_).over_time else {}),
            tie="/".join(",".join(group) for group in self.ties_) or "none",
            start=signed_start(self._begins(None), self._given(self._bif())),
            data="sha256:" + digest[:12] if digest else "none",
        )  # fmt: skip
        self._remember(seed, source, digest, rows=rows)

    def _declare(self, columns: Columns | None) -> Given:
        """Settles structure, values and ties; returns what tables the start gives."""
        bif = self._bif()
        found = self._learned_arcs or (structure(self.structure) if bif is None else bif.structure)
        given = self._given(bif)
        self.ties_ = tuple(tuple(group.split(",") if isinstance(group, str) else group) for group in self.tie)
        if columns is not None and not set(found.names) & set(columns.columns):
            known, wanted = list_some(columns.columns), list_some(found.names)
            raise InputError(
                f"{columns.source}: no column of the network ({known}); the columns are {wanted or 'none'}"
            )
        declared_values = (dict(bif.values) if bif else {}) | given_values(found, self.values)
        named = named_values(found, given)
        if columns is not None:
            check_categories([name for name in found.names if name not in declared_values | named], columns)
        self.values_ = settle_values(found, declared_values, named, columns, self.ties_)
        if columns is not None:
            note_misspelt(found, columns, (self.sequence, self.weight))
        shown = {} if columns is None else columns.columns
        self.structure_, self.observed_ = found.text(), tuple(n for n in found.names if n in shown and shown[n].values)
        self._settle_model()
        return given

    @property
    def _is_bif(self) -> bool:
        return isinstance(self.structure, str | Path) and str(self.structure).lower().endswith((".bif", ".bif.gz"))

    def _bif(self) -> BIF | None:
        return read_bif(cast(str | Path, self.structure)) if self._is_bif else None

    def _declared(self) -> Structure:
        bif = self._bif()
        return structure(self.structure) if bif is None else bif.structure

    def _given(self, bif: BIF | None) -> Given:
        given: dict[str, Any] = dict(bif.tables) if bif else {}
        if isinstance(self.start, Mapping):
            return given | dict(self.start)
        if isinstance(self.start, Path) or (isinstance(self.start, str) and self.start.endswith((".json", ".json.gz"))):
            return given | dict(read_tables(self.start))
        if hasattr(self.start, "_asdict"):
            return {**given, **self.start._asdict()}
        if self.start not in STARTS:
            raise InputError(f"start={self.start!r}: unknown; use random, uniform, tables, or a file T.json")
        return given

    def _begins(self, items: Any) -> str:
        known = isinstance(self.start, str) and self.start in STARTS and not self._is_bif
        return str(self.start) if known else "given"

    def _start(self, model: Model, given: Given, seed: tuple[int, int]) -> tuple[NetworkTables, list[str]]:
        layout = model.layout
        base = uniform_start(layout) if self.start == "uniform" else random_start(layout, seed)
        named = name_of(self.start) if isinstance(self.start, str | Path) and self.start not in STARTS else "start"
        return overlay(model, base, given, named)

    def _held(self, model: Any) -> dict[str, Any]:
        return masks(model, self.fixed)

    def _features(self) -> dict[str, TableFeatures]:
        return {name: self._of_values(name, what) for name, what in (self.features or {}).items()}

    def _of_values(self, table: str, what: Any) -> TableFeatures:
        if table not in self._model.tables:
            raise InputError(f"features: unknown table {table!r}; the tables are {list_some(self._model.tables)}")
        return of_words([text_of(value) for value in self.values_[table]], what, self.variance)
