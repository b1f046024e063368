"""The loop: stages, restarts, stopping, checkpoints, and a trace of every step. Knows no model, criterion or engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion, Progress, log_weights
from softcount.criteria.spec import Settings, Stage, prior_of
from softcount.disk.checkpoint import Slot
from softcount.engines.engine import Engine
from softcount.errors import InputError
from softcount.families.layout import named
from softcount.loop.diagnostics import Chains
from softcount.loop.estep import EStep
from softcount.loop.feature_weights import Computed, computing, shown, weighed, weights_of
from softcount.loop.finite import check_objective, check_parameters
from softcount.loop.item_rows import ItemRows, ItemRowsEStep
from softcount.loop.model import Model
from softcount.loop.ranged_estep import RangedEStep
from softcount.loop.ranges import Ranges, batched
from softcount.loop.resume import Best, Finished, Found, Position, Restart, Saved, check_state, gathered, restored
from softcount.loop.start import constrain
from softcount.loop.trace import CONVERGED, DONE, FELL, HELD_OUT, Ending, Note, Step, Trace, count_iterations
from softcount.machine import stage as seen
from softcount.machine.signals import obey
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables, leaves, values

TIED = Note("all states (clusters, topics) start identical and stay identical; use a random start")
BECAME_TIED = Note(
    "all states (clusters, topics) have become identical; use another criterion, or a larger start= of annealed"
)
UNVISITED = "has no expected count; its previous values are kept"
PATIENCE = 20  # steps without a rise of the held-out likelihood before a stage ends
FALL, FALL_SINGLE = 1e-9, 1e-6  # how much, relatively, rounding may make a rising objective fall; in single precision


class Fit(NamedTuple):
    parameters: Tables
    log_weights: Tables  # what to decode with
    trace: Trace
    restarts: list[Restart]
    chosen: int
    posterior: Tables | None = None  # over the parameters, where the last stage has one
    weights: dict[str, Array] | None = None  # of the tables whose rows are computed from features
    chains: Chains | None = None  # where the last stage is several of them


def fit(
    model: Model,
    items: Any,
    stages: Sequence[Stage],
    start: Callable[[int], Tables],
    engine: Engine,
    *,
    fixed: Iterable[str] | Mapping[str, Any] = (),
    computed: Computed | None = None,
    settings: Settings | None = None,
    tolerance: float = 1e-6,
    restarts: int = 1,
    seed: int = 0,
    select: Callable[[Tables], float] | None = None,
    monitor: Callable[[Tables], float] | None = None,
    on_step: Callable[[Step], None] | None = None,
    checkpoint: Slot | None = None,
    at_most: Sequence[int] | None = None,
) -> Fit:
    """Train from `start(restart)` through all stages, `restarts` times; keep the best.

    `monitor`, of the parameters, is watched at every step: a stage ends when it falls, at the best state so far.
    With a checkpoint, training goes on where it stands there. `at_most` ends each stage after so many steps, whatever
    it was meant for. Tables named in `computed` are rows of features, or lean on stems. Chains, the last stage, begin
    from what the stages before them found; they are short enough to begin anew, and no checkpoint has them.
    """
    if stages and stages[-1].sampling:
        if monitor or computed:
            raise InputError(f"{stages[-1].text}: chains support neither held-out data nor features; omit those")
        before = begun(model, start(0))
        if len(stages) > 1:
            before = fit(
                model, items, stages[:-1], start, engine, fixed=fixed, settings=settings, tolerance=tolerance,
                restarts=restarts, seed=seed, select=select, on_step=on_step, checkpoint=checkpoint, at_most=at_most,
            )  # fmt: skip
        return _in_chains(before, model, items, stages[-1], engine, fixed, settings or Settings(), seed, on_step)
    done, saved = restored(checkpoint, model.layout, stages) if checkpoint else (None, None)
    if done:
        trace = Trace(done.steps)
        trace.stopped = done.stopped
        return Fit(done.parameters, done.log_weights, trace, done.restarts, done.chosen, done.posterior, done.weights)
    loop = _Loop(model, items, engine, stages, fixed, settings or Settings(), tolerance, seed, on_step, monitor)
    loop.checkpoint, loop.at_most, loop.n_restarts = checkpoint, at_most, restarts
    loop.computed = computed or {}
    first = loop.resume(saved) if saved else 0
    for restart in range(first, restarts):
        found = loop.restart(restart, start(restart), saved.position if saved else None)
        saved = None
        objective = loop.trace[-1].objective if loop.trace and loop.trace[-1].restart == restart else float("nan")
        score = select(found[0]) if select else objective
        steps = sum(step.restart == restart for step in loop.trace)
        loop.records.append(Restart(objective, score, steps, loop.stopped))
        if loop.best is None or score > loop.records[loop.best[0]].score:
            loop.best = (restart, *found)
    assert loop.best is not None
    chosen, parameters, weights, posterior, of_features = loop.best
    loop.trace.stopped = loop.records[chosen].stopped
    if checkpoint:
        trace = loop.trace
        done = Finished(parameters, weights, list(trace), trace.stopped, loop.records, chosen, posterior, of_features)
        checkpoint.finish(gathered(model.layout, done))
    return Fit(parameters, weights, loop.trace, loop.records, chosen, posterior, of_features)


def begun(model: Model, parameters: Tables) -> Fit:
    """The start as it is, with no step taken."""
    none = Restart(float("nan"), float("nan"), 0, Ending(DONE, "0 iterations done"))
    return Fit(parameters, log_weights(model.layout, parameters), Trace(), [none], 0)


def _in_chains(
    before: Fit, model: Model, items: Any, stage: Stage, engine: Engine, fixed: Any, settings: Settings, seed: int,
    on_step: Callable[[Step], None] | None,
) -> Fit:  # fmt: skip
    from softcount.loop.chains import Task, decoding, sampled  # which knows several models, and few runs need it

    layout = constrain(model.layout, before.parameters, fixed)
    prior = prior_of(layout, stage.innermost, settings)
    task = Task(model, items, before.parameters, layout, prior, engine)
    assert stage.sampling is not None
    found, steps = sampled(task, stage.sampling, seed, stage.text, on_step)
    for step in steps:
        check_objective(step.objective, step.step, stage, settings)
    check_parameters(found.parameters, stage, settings)
    trace = Trace([*before.trace, *(step._replace(restart=before.chosen) for step in steps)])
    trace.remarks = (found.told(),)
    n_chains = len(found.log_joint)
    swept = f"{n_chains} chain{'s' * (n_chains != 1)} of {stage.steps:,} sweep{'s' * (stage.steps != 1)} done"
    trace.stopped = Ending(DONE, swept)
    restarts, chosen = list(before.restarts), before.chosen
    objective, n = steps[-1].objective, restarts[chosen].steps + len(steps)
    restarts[chosen] = Restart(objective, objective, n, trace.stopped)
    return Fit(found.parameters, decoding(task, found), trace, restarts, chosen, chains=found)


class _Loop:
    """What restarts, stages and steps share."""

    checkpoint: Slot | None = None
    at_most: Sequence[int] | None = None
    n_restarts = 1
    computed: Computed

    def __init__(
        self,
        model: Model,
        items: Any,
        engine: Engine,
        stages: Sequence[Stage],
        fixed: Any,
        settings: Settings,
        tolerance: float,
        seed: int,
        on_step: Callable[[Step], None] | None,
        monitor: Callable[[Tables], float] | None,
    ) -> None:
        self.model, self.items, self.engine, self.full_data = model, items, engine, _expect(model, items, engine)
        self.all_stages, self.fixed, self.settings, self.tolerance = stages, fixed, settings, tolerance
        self.seed, self.on_step, self.monitor = seed, on_step, monitor
        self.trace, self.records, self.kept = Trace(), list[Restart](), set[tuple[str, int]]()
        self.best: Best | None = None
        self.stopped = self.trace.stopped

    def resume(self, saved: Saved) -> int:
        """The restart to go on with."""
        self.trace = Trace(saved.steps)
        self.kept = {(table, row) for table, row in saved.kept}
        self.records, self.best = saved.records, saved.best
        return saved.position.restart

    def restart(self, restart: int, start: Tables, at: Position | None) -> Found:
        """All stages from this start on, or from where `at` is."""
        plain = constrain(self.model.layout, start, self.fixed)
        self.layout = layout = computing(plain, self.computed)
        parameters = weighed(plain, layout, start, self.full_data if at is None else None)
        if at is None:
            self.kept = set()
        weights = posterior = None
        for number, stage in enumerate(self.all_stages):
            if at and number < at.stage:
                continue
            key = (self.seed, restart, number)
            criterion = stage.build(layout, self.settings._replace(seed=(*key, 0)))
            if stage.n_batches:
                data = _expect(self.model, self.items, self.engine, (*key, 1), stage.n_batches)
            else:
                data = self.full_data.reseeded((*key, 1))
            if at and self.checkpoint:
                check_state(self.checkpoint, layout, criterion, parameters, at)
            at = at or Position(restart, number, 0, criterion.init(parameters, data))
            state = self.steps(stage, criterion, data, at)
            at, parameters, weights = None, criterion.parameters(state), criterion.log_weights(state)
            posterior = criterion.posterior(state) if criterion.posterior else None
            check_parameters(parameters, stage, self.settings)
            if self.stopped.kind == FELL:
                break
        if weights is None:
            raise InputError("the criterion is empty; write for example em:100")
        if self.trace and str(TIED) not in self.trace.notes and self.model.tied(shown(layout, parameters)):
            last = self.trace[-1]
            self.trace[-1] = last._replace(notes=(*last.notes, BECAME_TIED))
        return shown(layout, parameters), weights, posterior, weights_of(layout, parameters)

    def steps(self, stage: Stage, criterion: Criterion, data: EStep, at: Position) -> Any:
        """The state that a stage ends with."""
        planned = self.planned()
        last, before = planned[at.stage], at.restart * sum(planned) + sum(planned[: at.stage])
        seen.begin(stage.text, self.n_restarts * sum(planned) - before, "steps")
        seen.reach(at.step)
        while at.stopped is None and at.step < last:
            obey()
            at = self.step(stage, criterion, data, at)
            if self.checkpoint:
                kept, now = sorted(self.kept), at
                self.checkpoint.keep(
                    f"iteration {at.step} of {stage.text}",
                    lambda: gathered(self.layout, Saved(now, list(self.trace), kept, self.records, self.best)),  # noqa: B023
                )
        self.stopped = at.stopped or Ending(DONE, f"{count_iterations(last)} done")
        return at.best_state if self.monitor and at.best_state is not None else at.state

    def planned(self) -> list[int]:
        """The most steps of each stage."""
        most = self.at_most or [stage.steps for stage in self.all_stages]
        return [min(stage.steps, n) for stage, n in zip(self.all_stages, most, strict=True)]

    def step(self, stage: Stage, criterion: Criterion, data: EStep, at: Position) -> Position:
        began, number = time.perf_counter(), at.step + 1
        moved, progress = criterion.step(at.state, data)
        check_objective(progress.objective, number, stage, self.settings)
        tables = leaves(criterion.parameters(moved))
        single = any(getattr(values(table), "dtype", None) == np.float32 for table in tables)
        exact = self.model.exact and all(getattr(spec.family, "exact", True) for _, spec in named(self.layout))
        room, promised = FALL_SINGLE if single else FALL, criterion.never_falls and exact
        if promised and at.previous is not None and fell(at.previous, progress.objective, room):
            fallen = (
                f"the objective fell from {at.previous!r} to {progress.objective!r} at iteration "
                f"{number} of {stage.text}, although it is monotone; the parameters before the fall "
                "are kept"
            )
            self.record(stage, at, progress, began, (Note(fallen),))
            return at._replace(step=number, stopped=Ending(FELL, fallen), best_state=None)
        notes = self.notes(criterion, moved, progress, first=at.stage == 0 and number == 1)
        best, best_state, since = at.best, at.best_state, at.since
        if self.monitor:
            held_out = self.monitor(shown(self.layout, criterion.parameters(moved)))
            progress = progress._replace(parts={**progress.parts, "held_out": held_out})
            since = 0 if held_out > best else since + 1
            best, best_state = (held_out, moved) if since == 0 else (best, best_state)
        change = self.record(stage, at, progress, began, notes)
        stopped = None
        if since >= PATIENCE:
            stopped = Ending(
                HELD_OUT,
                f"the held-out likelihood has not risen for {PATIENCE} iterations; the best parameters are kept",
            )
        elif criterion.settles and change is not None and abs(change) <= self.tolerance:
            stopped = Ending(CONVERGED, f"converged: relative change {change:.1e} is below {self.tolerance:.1e}")
        return Position(at.restart, at.stage, number, moved, progress.objective, best, best_state, since, stopped)

    def notes(self, criterion: Criterion, state: Any, progress: Progress, first: bool) -> tuple[Note, ...]:
        notes = []
        for table, row in progress.unvisited:
            if (table, row) not in self.kept:  # said once, when it happens first
                self.kept.add((table, row))
                notes.append(Note(UNVISITED, self.model.row_name(table, row)))
        if first and self.model.tied(shown(self.layout, criterion.parameters(state))):
            notes.append(TIED)
        return tuple(notes)

    def record(
        self, stage: Stage, at: Position, progress: Progress, began: float, notes: tuple[Note, ...]
    ) -> float | None:
        change = None
        if at.previous is not None:
            change = (progress.objective - at.previous) / max(abs(at.previous), 1e-300)
        seconds = time.perf_counter() - began
        self.trace.append(
            Step(at.restart, stage.text, at.step + 1, progress.objective, change, progress.parts, seconds, notes)
        )
        seen.reach(at.step + 1, self.trace[-1])
        if self.on_step:
            self.on_step(self.trace[-1])
        return change


def _expect(model: Any, items: Any, engine: Engine, seed: Sequence[int] = (0,), n_batches: int = 0) -> Any:
    """The E-step over all data, where the data are; or over mini-batches of them."""
    if isinstance(items, ItemRows):
        return ItemRowsEStep(model, items)
    if isinstance(items, Ranges):
        return RangedEStep(model, batched(items, n_batches, seed) if n_batches else items)
    return EStep(model, items, engine, seed, n_batches)


def fell(previous: float, now: float, room: float = FALL) -> bool:
    return not now >= previous - room * max(abs(previous), 1.0)
