"""What a checkpoint has of a fit: the values that go there, and whether what comes back can be meant.

A state is held to the one with which its criterion would begin: the same types, shapes and signs. Kernels trust them.
A table in ranges goes into the file as one table, through a temporary file, a piece at a time, and comes back from it
in the same way: so a checkpoint is good for any engine, and whoever trains has no table whole in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion
from softcount.criteria.spec import STATES, Stage
from softcount.disk.checkpoint import Slot
from softcount.disk.sound import check
from softcount.disk.store import MALFORMED
from softcount.disk.wire import readable
from softcount.errors import InputError
from softcount.families.layout import TableLayout, named, table_types
from softcount.families.spread import SpreadFamily
from softcount.loop.state_check import NoData, check_fit, check_like, check_place
from softcount.loop.trace import RECORDS, Ending, Step
from softcount.machine.mapped import in_file
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables


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
    types = readable(*table_types(layout), *STATES, Finished, Saved, Position, Restart, *RECORDS)
    done = slot.result(types, in_file if in_ranges(layout) else np.empty)
    saved = slot.position(types, in_file if in_ranges(layout) else np.empty) if done is None else None
    try:
        done, saved = _dealt(layout, done), _dealt(layout, saved)
        if done is not None:
            check("the result", done, Finished)
            check_fit(layout, done.parameters, done.log_weights, done.posterior, done.weights)
            check_place(done.chosen, len(done.restarts))
            _check_trace(done.steps, stages)
        elif saved is not None:
            check("the position", saved, Saved)
            _check_saved(layout, saved, stages)
    except MALFORMED as error:
        raise foreign(slot) from error
    return done, saved


def in_ranges(layout: Tables) -> bool:
    return any(isinstance(spec.family, SpreadFamily) for _, spec in named(layout))


def gathered(layout: Tables, state: Any) -> Any:
    """With tables, in files, in place of what is in ranges: as a checkpoint has it."""
    return _replaced(layout, state, lambda family, table: family.gathered(table, in_file))


def _dealt(layout: Tables, state: Any) -> Any:
    """With tables in ranges, where training has them so."""
    return _replaced(layout, state, lambda family, table: family.dealt(table))


def _replaced(layout: Tables, state: Any, made: Callable[[SpreadFamily, Any], Any]) -> Any:
    """The state with what is made of every table that is in ranges, however deep in it."""
    if not in_ranges(layout):
        return state
    if isinstance(state, type(layout)):
        return type(state)(*(_table(spec, table, made) for spec, table in zip(layout, state, strict=True)))
    if hasattr(state, "_fields"):
        return type(state)(*(_replaced(layout, part, made) for part in state))
    return tuple(_replaced(layout, part, made) for part in state) if type(state) is tuple else state


def _table(spec: Any, table: Any, made: Callable[[SpreadFamily, Any], Any]) -> Any:
    if isinstance(spec, TableLayout):
        return made(spec.family, table) if isinstance(spec.family, SpreadFamily) and table is not None else table
    return type(table)(*(_table(*both, made) for both in zip(spec, table, strict=True)))


def foreign(slot: Slot) -> InputError:
    return InputError(f"{slot.checkpoint.path}: belongs to another model; delete it to start again")


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
    check_place(at.stage, len(stages))
    check_place(at.step, stages[at.stage].steps + 1)
    check_place(at.since, at.step + 1)
    if (last.restart, last.stage, last.step) != (at.restart, stages[at.stage].text, at.step):
        raise ValueError("a trace that ends elsewhere")
    if at.restart != len(saved.records) or (saved.best is None) != (at.restart == 0):
        raise ValueError("restarts that are not there")
    if saved.best is not None:
        check_place(saved.best[0], at.restart)
        check_fit(layout, *saved.best[1:])
    rows = {name: int(np.prod(spec.family.size())) for name, spec in named(layout)}
    for table, row in saved.kept:
        check_place(row, rows[table])


def check_state(slot: Slot, layout: Tables, criterion: Criterion, parameters: Tables, at: Position) -> None:
    """Of a position that was restored, the state: `criterion` would begin with these parameters."""
    try:
        with np.errstate(all="ignore"):
            like = criterion.init(parameters, NoData(layout, parameters))
            for state in (at.state,) if at.best_state is None else (at.state, at.best_state):
                check_like(layout, state, like, parameters)
                check_fit(layout, criterion.parameters(state), criterion.log_weights(state))
    except MALFORMED as error:
        raise foreign(slot) from error
