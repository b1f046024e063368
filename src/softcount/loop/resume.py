"""What a checkpoint has of a fit: the values that go there, and whether what comes back can be meant.

A state is held to the one with which its criterion would begin: the same types, shapes and signs. Kernels trust them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion
from softcount.criteria.criterion import log_weights as logs_of
from softcount.criteria.spec import STATES, Stage
from softcount.disk.checkpoint import Slot
from softcount.disk.sound import EITHER, check, check_finite, check_rows, check_table
from softcount.disk.store import MALFORMED
from softcount.errors import InputError
from softcount.families.family import ConjugateFamily, SimplexFamily, SoundFamily
from softcount.families.layout import TableLayout, by_table, named, table_types
from softcount.loop.start import uniform_start
from softcount.loop.trace import RECORDS, Ending, Step
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Expectation, Log, Tables, leaves, values

ROUNDING = 1e-5  # of the logarithm of one, in single precision
LOGS, SIGNED = ("log_weights",), ("signs",)  # fields of states that hold no weights


class Restart(NamedTuple):
    objective: float
    score: float  # what restarts are chosen by: the objective, or the development score
    steps: int
    stopped: Ending


class Position(NamedTuple):
    """Where a restart is: all that it needs to go on."""

    restart: int
    stage: int
    step: int  # of the stage, done
    state: Any  # the criterion's
    previous: float | None = None  # the last step's objective
    best: float = -float("inf")  # what the monitor liked best so far
    best_state: Any = None
    since: int = 0  # steps since then
    stopped: Ending | None = None  # why the stage ends before its steps are done


Found = tuple[Tables, Tables, Tables | None, dict[str, Array] | None]  # tables, log-weights, posterior, weights
Best = tuple[int, Tables, Tables, Tables | None, dict[str, Array] | None]  # which restart, and what it found


class Saved(NamedTuple):
    """What a checkpoint holds of a fit that is under way."""

    position: Position
    steps: list[Step]
    kept: list[tuple[str, int]]
    records: list[Restart]
    best: Best | None


class Finished(NamedTuple):
    """What a checkpoint holds of a fit that is done: a Fit, its trace in parts."""

    parameters: Tables
    log_weights: Tables
    steps: list[Step]
    stopped: Ending
    restarts: list[Restart]
    chosen: int
    posterior: Tables | None = None
    weights: dict[str, Array] | None = None


def restored(slot: Slot, layout: Tables, stages: Sequence[Stage]) -> tuple[Finished | None, Saved | None]:
    """What the file has of this fit; the criterion's state is for `check_state`."""
    kinds = (*table_types(layout), *STATES, Finished, Saved, Position, Restart, *RECORDS)
    types = {kind.__name__: kind for kind in kinds}
    done = slot.result(types)
    saved = slot.position(types) if done is None else None
    try:
        if done is not None:
            check("the result", done, Finished)
            _check_fit(layout, done.parameters, done.log_weights, done.posterior, done.weights)
            _check_place(done.chosen, len(done.restarts))
            _check_trace(done.steps, stages)
        elif saved is not None:
            check("the position", saved, Saved)
            _check_saved(layout, saved, stages)
    except MALFORMED as error:
        raise foreign(slot) from error
    return done, saved


def foreign(slot: Slot) -> InputError:
    return InputError(f"{slot.checkpoint.path}: is not of this model; delete it to begin again")


def _check_trace(steps: Sequence[Step], stages: Sequence[Stage]) -> None:
    """One step after the other, of stages that there are: none is missing."""
    texts, before = {stage.text for stage in stages}, None
    for step in steps:
        place = (step.restart, step.stage, step.step)
        follows = before is not None and place == (before.restart, before.stage, before.step + 1)
        begins = step.step == 1 and step.restart in ((0,) if before is None else (before.restart, before.restart + 1))
        if step.stage not in texts or not (follows or begins):
            raise ValueError("a trace with a gap")
        before = step


def _check_saved(layout: Tables, saved: Saved, stages: Sequence[Stage]) -> None:
    at, last = saved.position, saved.steps[-1]
    _check_trace(saved.steps, stages)
    _check_place(at.stage, len(stages))
    _check_place(at.step, stages[at.stage].steps + 1)
    _check_place(at.since, at.step + 1)
    if (last.restart, last.stage, last.step) != (at.restart, stages[at.stage].text, at.step):
        raise ValueError("a trace that ends elsewhere")
    if at.restart != len(saved.records) or (saved.best is None) != (at.restart == 0):
        raise ValueError("restarts that are not there")
    if saved.best is not None:
        _check_place(saved.best[0], at.restart)
        _check_fit(layout, *saved.best[1:])
    rows = {name: int(np.prod(spec.family.size())) for name, spec in named(layout)}
    for table, row in saved.kept:
        _check_place(row, rows[table])


def _check_place(place: int, n: int) -> None:
    if not 0 <= place < n:
        raise ValueError(f"no {place} among {n}")


def check_state(slot: Slot, layout: Tables, criterion: Criterion, parameters: Tables, at: Position) -> None:
    """Of a position that was restored, the state: `criterion` would begin with these parameters."""
    try:
        with np.errstate(all="ignore"):
            like = criterion.init(parameters, _NoData(layout, parameters))
            for state in (at.state,) if at.best_state is None else (at.state, at.best_state):
                _check_like(layout, state, like, parameters)
                _check_fit(layout, criterion.parameters(state), criterion.log_weights(state))
    except MALFORMED as error:
        raise foreign(slot) from error


class _NoData:
    """An E-step that costs nothing: what a state looks like does not depend on the counts."""

    batches = np.ones(1)

    def __init__(self, layout: Tables, parameters: Tables) -> None:
        self.counts = by_table(layout, _nothing, logs_of(layout, parameters))

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        return Expectation(self.counts, 0.0)


def _nothing(spec: TableLayout, table: Any) -> Any:
    """Counts are like log-weights."""
    zeros = np.zeros_like(table.weights if isinstance(table, Log) else values(table))
    return table.with_values(zeros) if isinstance(table, Ragged) else zeros


def _check_like(layout: Tables, state: Any, like: Any, parameters: Tables, field: str = "") -> None:
    """The same types all the way down, and tables as they should be; what is None at first may be tables later."""
    like = parameters if like is None and state is not None else like
    if isinstance(like, type(layout)):
        _check_tables(layout, state, like, field)
    elif hasattr(like, "_fields"):
        check("the state", state, type(like))
        for name, part, other in zip(like._fields, state, like, strict=True):
            _check_like(layout, part, other, parameters, name)
    elif isinstance(like, int):
        check("the state", state, int)
        _check_place(state, 1 << 62)


def _check_fit(
    layout: Tables, parameters: Tables, log_weights: Tables, posterior: Tables | None = None,
    weights: dict[str, Array] | None = None,
) -> None:  # fmt: skip
    uniform = uniform_start(layout)
    _check_tables(layout, parameters, uniform, "parameters")
    _check_tables(layout, log_weights, logs_of(layout, uniform), "log_weights")
    for name, spec, table in named(layout, parameters):
        if isinstance(spec.family, SimplexFamily):
            check_rows(name, table, *spec.family.size(), precisions=EITHER)
        if isinstance(spec.family, SoundFamily) and not spec.family.sound(table):
            raise ValueError(f"{name} cannot be")
    for name, spec, logs in named(layout, log_weights):
        rows = isinstance(spec.family, SimplexFamily) and not isinstance(logs, Log)
        if rows and np.max(values(logs), initial=-np.inf) > ROUNDING:
            raise ValueError(f"{name} is more probable than certain")
    if posterior is not None:
        _check_types(layout, posterior)
        for name, spec, table, like in named(layout, posterior, parameters):
            point = name in (weights or {}) or not isinstance(spec.family, ConjugateFamily)
            if table is not None or not point:
                check_posterior(name, table, like, isinstance(spec.family, SimplexFamily))


def check_posterior(name: str, table: Any, like: Any, rows: bool = True) -> None:
    """Of the form of the parameters; of rows that are distributions, pseudo-counts."""
    if isinstance(table, Ragged) != isinstance(like, Ragged):
        raise ValueError(f"the posterior of {name} has rows of another kind")
    if isinstance(table, Ragged) and not np.array_equal(table.offsets, like.offsets):
        raise ValueError(f"the posterior of {name} has other rows")
    check_finite(f"the posterior of {name}", table, *np.shape(values(like)), least=0.0 if rows else -np.inf)


def _check_tables(layout: Tables, tables: Tables, like: Tables, field: str) -> None:
    """`field` says of what state they are a part."""
    found, right = ({getattr(values(one), "dtype", None) for one in leaves(all_)} for all_ in (tables, like))
    if len(found) > max(1, len(right)):  # some models keep their tables in several precisions
        raise ValueError("tables of several precisions")
    _check_types(layout, tables)
    for _, spec, table, other in named(layout, tables, like):
        least = 0.0 if isinstance(spec.family, SimplexFamily) and field not in (*LOGS, *SIGNED) else -np.inf
        _check_leaf(table, other, field, least)


def _check_types(layout: Any, tables: Any) -> None:
    if not isinstance(layout, TableLayout):
        check("the tables", tables, type(layout))
        for part, table in zip(layout, tables, strict=True):
            _check_types(part, table)


def _check_leaf(table: Any, like: Any, field: str, least: float) -> None:
    """One table, or whatever a family has for parameters of its own."""
    if not isinstance(values(like), np.ndarray):
        check("a parameter", table, type(like))
        for part, other in zip(table, like, strict=True) if hasattr(like, "_fields") else ():
            _check_leaf(part, other, field, -np.inf)
        return
    shape = np.shape(values(like))
    if isinstance(table, Ragged) != isinstance(like, Ragged):
        raise ValueError("rows of another kind")
    if isinstance(table, Ragged) and not np.array_equal(table.offsets, like.offsets):
        raise ValueError("other rows")
    if isinstance(table, Log):
        check_finite("weights", table.weights, *shape, least=0.0, precisions=EITHER)
    elif field in LOGS:
        check_table("log-weights", table, *shape, precisions=EITHER)
    else:
        check_finite("weights", table, *shape, least=least, precisions=EITHER)
