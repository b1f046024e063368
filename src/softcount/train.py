"""The loop: stages, restarts, stopping, checkpoints, and a trace of every step. Knows no model, criterion or engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.checkpoint import Slot
from softcount.criteria.criterion import Criterion, Progress
from softcount.criteria.spec import STATES, Settings, Stage
from softcount.errors import InputError
from softcount.estep import EStep
from softcount.layout import Model
from softcount.start import constrain
from softcount.tables import Tables, values
from softcount.trace import Step, Trace

PATIENCE = 3  # steps without a rise of the held-out likelihood before a stage ends
FALL = 1e-9  # how much, relative to the objective, rounding may make a rising objective fall


class Fit(NamedTuple):
    parameters: Tables
    log_weights: Tables  # what to decode with
    trace: Trace
    restarts: list[Restart]
    chosen: int


class Restart(NamedTuple):
    objective: float
    score: float  # what restarts are chosen by: the objective, or the development score
    steps: int
    stopped: str


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
    stopped: str | None = None  # why the stage ends before its steps are done


class Saved(NamedTuple):
    """What a checkpoint holds of a fit that is under way."""

    position: Position
    steps: list[Step]
    kept: list[Any]
    records: list[Restart]
    best: Any  # (restart, parameters, log-weights) so far


def fit(
    model: Model,
    items: Any,
    stages: Sequence[Stage],
    start: Callable[[int], Tables],
    engine: Any,
    *,
    fixed: Iterable[str] | Mapping[str, Any] = (),
    settings: Settings | None = None,
    tolerance: float = 1e-6,
    restarts: int = 1,
    seed: int = 0,
    select: Callable[[Tables], float] | None = None,
    monitor: Callable[[Tables], float] | None = None,
    on_step: Callable[[Step], None] | None = None,
    checkpoint: Slot | None = None,
) -> Fit:
    """Train from `start(restart)` through all stages, `restarts` times; keep the best.

    `monitor`, of the parameters, is watched at every step: a stage ends when it falls, at the best state so far.
    With a checkpoint, training goes on where it stands there.
    """
    types = _types(model)
    done = checkpoint.result(types) if checkpoint else None
    if done is not None:
        return _fit_of(done)
    saved: Saved | None = checkpoint.position(types) if checkpoint else None
    loop = _Loop(model, items, engine, stages, fixed, settings or Settings(), tolerance, seed, on_step, monitor)
    loop.checkpoint = checkpoint
    first = loop.resume(saved) if saved else 0
    for restart in range(first, restarts):
        parameters, weights = loop.restart(restart, start(restart), saved.position if saved else None)
        saved = None
        objective = loop.trace[-1].objective if loop.trace and loop.trace[-1].restart == restart else float("nan")
        score = select(parameters) if select else objective
        steps = sum(step.restart == restart for step in loop.trace)
        loop.records.append(Restart(objective, score, steps, loop.stopped))
        if loop.best is None or score > loop.records[loop.best[0]].score:
            loop.best = (restart, parameters, weights)
    assert loop.best is not None
    chosen, parameters, weights = loop.best
    loop.trace.stopped = loop.records[chosen].stopped
    result = Fit(parameters, weights, loop.trace, loop.records, chosen)
    if checkpoint:
        checkpoint.finish({**result._asdict(), "trace": list(loop.trace), "stopped": loop.trace.stopped})
    return result


def _types(model: Model) -> dict[str, Any]:
    """What may stand in a checkpoint."""
    return {kind.__name__: kind for kind in (type(model.layout), *STATES, Saved, Position, Restart, Step)}


def _fit_of(done: Mapping[str, Any]) -> Fit:
    trace = Trace(done["trace"])
    trace.stopped = done["stopped"]
    return Fit(done["parameters"], done["log_weights"], trace, done["restarts"], done["chosen"])


class _Loop:
    """What restarts, stages and steps share."""

    checkpoint: Slot | None = None

    def __init__(
        self,
        model: Model,
        items: Any,
        engine: Any,
        stages: Sequence[Stage],
        fixed: Any,
        settings: Settings,
        tolerance: float,
        seed: int,
        on_step: Callable[[Step], None] | None,
        monitor: Callable[[Tables], float] | None,
    ) -> None:
        self.model, self.items, self.engine, self.full_data = model, items, engine, EStep(model, items, engine)
        self.all_stages, self.fixed, self.settings, self.tolerance = stages, fixed, settings, tolerance
        self.seed, self.on_step, self.monitor = seed, on_step, monitor
        self.trace, self.records, self.kept = Trace(), list[Restart](), set[tuple[str, int]]()
        self.best: tuple[int, Tables, Tables] | None = None
        self.stopped = ""

    def resume(self, saved: Saved) -> int:
        """The restart to go on with."""
        self.trace = Trace(saved.steps)
        self.kept = {(table, row) for table, row in saved.kept}
        self.records, self.best = saved.records, saved.best
        return saved.position.restart

    def restart(self, restart: int, parameters: Tables, at: Position | None) -> tuple[Tables, Tables]:
        """All stages from these parameters on, or from where `at` is."""
        layout = constrain(self.model.layout, parameters, self.fixed)
        if at is None:
            self.kept = set()
        else:
            check_shapes(at, parameters)
        weights = None
        for number, stage in enumerate(self.all_stages):
            if at and number < at.stage:
                continue
            key = (self.seed, restart, number)
            criterion = stage.build(layout, self.settings._replace(seed=(*key, 0)))
            if stage.n_batches:
                data = EStep(self.model, self.items, self.engine, (*key, 1), stage.n_batches)
            else:
                data = self.full_data.reseeded((*key, 1))
            at = at or Position(restart, number, 0, criterion.init(parameters, data))
            state = self.steps(stage, criterion, data, at)
            at, parameters, weights = None, criterion.parameters(state), criterion.log_weights(state)
            if self.stopped.startswith("the objective fell"):
                break
        if weights is None:
            raise InputError("no stage to train with; write for example em:100")
        return parameters, weights

    def steps(self, stage: Stage, criterion: Criterion, data: EStep, at: Position) -> Any:
        """The state that a stage ends with."""
        while at.stopped is None and at.step < stage.steps:
            at = self.step(stage, criterion, data, at)
            if self.checkpoint:
                kept, now = sorted(self.kept), at
                self.checkpoint.keep(
                    len(self.trace),
                    f"step {at.step} of {stage.text}",
                    lambda: Saved(now, list(self.trace), kept, self.records, self.best),  # noqa: B023
                )
        self.stopped = at.stopped or f"{stage.steps} steps done"
        return at.best_state if self.monitor and at.best_state is not None else at.state

    def step(self, stage: Stage, criterion: Criterion, data: EStep, at: Position) -> Position:
        began, number = time.perf_counter(), at.step + 1
        moved, progress = criterion.step(at.state, data)
        if criterion.never_falls and at.previous is not None and fell(at.previous, progress.objective):
            fallen = (
                f"the objective fell from {at.previous!r} to {progress.objective!r} at step {number} of {stage.text}, "
                "which this criterion promises never to do; the parameters before the fall are kept"
            )
            self.record(stage, at, progress, began, (fallen,))
            return at._replace(step=number, stopped=fallen, best_state=None)
        notes = self.notes(criterion, moved, progress, number)
        best, best_state, since = at.best, at.best_state, at.since
        if self.monitor:
            held_out = self.monitor(criterion.parameters(moved))
            progress = progress._replace(parts={**progress.parts, "held_out": held_out})
            since = 0 if held_out > best else since + 1
            best, best_state = (held_out, moved) if since == 0 else (best, best_state)
        change = self.record(stage, at, progress, began, notes)
        stopped = None
        if since >= PATIENCE:
            stopped = f"held-out likelihood has not risen for {PATIENCE} steps; its best is kept"
        elif criterion.settles and change is not None and abs(change) <= self.tolerance:
            stopped = f"converged: relative change {change:.1e} is within {self.tolerance:.1e}"
        return Position(at.restart, at.stage, number, moved, progress.objective, best, best_state, since, stopped)

    def notes(self, criterion: Criterion, state: Any, progress: Progress, number: int) -> tuple[str, ...]:
        notes = []
        for table, row in progress.unvisited:
            if (table, row) not in self.kept:  # said once, when it happens first
                self.kept.add((table, row))
                notes.append(f"{self.model.row_name(table, row)} has no expected count; its old values are kept")
        if number == 1 and self.model.tied(criterion.parameters(state)):
            notes.append("tied: all hidden values are alike, and stay alike under every criterion; use a random start")
        return tuple(notes)

    def record(
        self, stage: Stage, at: Position, progress: Progress, began: float, notes: tuple[str, ...]
    ) -> float | None:
        change = None
        if at.previous is not None:
            change = (progress.objective - at.previous) / max(abs(at.previous), 1e-300)
        seconds = time.perf_counter() - began
        self.trace.append(
            Step(at.restart, stage.text, at.step + 1, progress.objective, change, progress.parts, seconds, notes)
        )
        if self.on_step:
            self.on_step(self.trace[-1])
        return change


def fell(previous: float, now: float) -> bool:
    return not now >= previous - FALL * max(abs(previous), 1.0)


def check_shapes(state: Any, tables: Tables) -> None:
    """A state from disk must have the shapes of the tables that it claims to be of: kernels trust them."""
    if isinstance(state, type(tables)):
        for name, found, wanted in zip(tables._fields, state, tables, strict=True):
            if np.shape(values(found)) != np.shape(values(wanted)):
                raise InputError(f"the checkpoint's table {name!r} has another shape; delete it to begin again")
    elif isinstance(state, tuple):
        for part in state:
            check_shapes(part, tables)
