"""The loop: stages, restarts, stopping, and a trace of every step. Knows no model, no criterion and no engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from softcount.criteria.criterion import Criterion, Progress
from softcount.criteria.spec import Settings, Stage
from softcount.errors import InputError
from softcount.estep import EStep
from softcount.layout import Model
from softcount.start import constrain
from softcount.tables import Tables
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
) -> Fit:
    """Train from `start(restart)` through all stages, `restarts` times; keep the best.

    `monitor`, of the parameters, is watched at every step: a stage ends when it falls, at the best state so far.
    """
    settings = settings or Settings()
    full_data = EStep(model, items, engine)
    trace, records, best = Trace(), [], None
    for restart in range(restarts):
        run = _Run(model, items, engine, full_data, tolerance, restart, settings, seed, trace, on_step, monitor)
        parameters, weights = run.stages(stages, start(restart), fixed)
        objective = trace[-1].objective if trace and trace[-1].restart == restart else float("nan")
        score = select(weights) if select else objective
        records.append(Restart(objective, score, sum(s.restart == restart for s in trace), run.stopped))
        if best is None or score > records[best[0]].score:
            best = (restart, parameters, weights)
    assert best is not None
    trace.stopped = records[best[0]].stopped
    return Fit(best[1], best[2], trace, records, best[0])


class _Run:
    """One restart."""

    def __init__(
        self,
        model: Model,
        items: Any,
        engine: Any,
        full_data: EStep,
        tolerance: float,
        restart: int,
        settings: Settings,
        seed: int,
        trace: Trace,
        on_step: Callable[[Step], None] | None,
        monitor: Callable[[Tables], float] | None,
    ) -> None:
        self.model, self.items, self.engine, self.full_data = model, items, engine, full_data
        self.tolerance, self.restart, self.settings, self.seed = tolerance, restart, settings, seed
        self.trace, self.on_step, self.monitor = trace, on_step, monitor
        self.stopped = "no steps"
        self.kept: set[tuple[str, int]] = set()

    def stages(self, stages: Sequence[Stage], parameters: Tables, fixed: Any) -> tuple[Tables, Tables]:
        layout = constrain(self.model.layout, parameters, fixed)
        weights = None
        for number, stage in enumerate(stages):
            key = (self.seed, self.restart, number)
            criterion = stage.build(layout, self.settings._replace(seed=(*key, 0)))
            if stage.n_batches:
                data = EStep(self.model, self.items, self.engine, (*key, 1), stage.n_batches)
            else:
                data = self.full_data.reseeded((*key, 1))
            state = self.steps(stage, criterion, data, criterion.init(parameters, data))
            parameters, weights = criterion.parameters(state), criterion.log_weights(state)
            if self.stopped.startswith("the objective fell"):
                break
        if weights is None:
            raise InputError("no stage to train with; write for example em:100")
        return parameters, weights

    def steps(self, stage: Stage, criterion: Criterion, data: EStep, state: Any) -> Any:
        previous: float | None = None
        best, best_state, since = -float("inf"), state, 0
        self.stopped = f"{stage.steps} steps done"
        for number in range(1, stage.steps + 1):
            began = time.perf_counter()
            moved, progress = criterion.step(state, data)
            if criterion.never_falls and previous is not None and fell(previous, progress.objective):
                self.stopped = (
                    f"the objective fell from {previous!r} to {progress.objective!r} at step {number} of {stage.text}, "
                    "which this criterion promises never to do; the parameters before the fall are kept"
                )
                self.record(stage, number, progress, previous, began, (self.stopped,))
                return state
            notes = self.notes(criterion, moved, progress, number)
            if self.monitor:
                held_out = self.monitor(criterion.parameters(moved))
                progress = progress._replace(parts={**progress.parts, "held_out": held_out})
                since = 0 if held_out > best else since + 1
                best, best_state = (held_out, moved) if since == 0 else (best, best_state)
            change = self.record(stage, number, progress, previous, began, notes)
            state, previous = moved, progress.objective
            if since >= PATIENCE:
                self.stopped = f"held-out likelihood has not risen for {PATIENCE} steps; its best is kept"
                break
            if criterion.settles and change is not None and abs(change) <= self.tolerance:
                self.stopped = f"converged: relative change {change:.1e} is within {self.tolerance:.1e}"
                break
        return best_state if self.monitor else state

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
        self,
        stage: Stage,
        number: int,
        progress: Progress,
        previous: float | None,
        began: float,
        notes: tuple[str, ...],
    ) -> float | None:
        change = None
        if previous is not None:
            change = (progress.objective - previous) / max(abs(previous), 1e-300)
        seconds = time.perf_counter() - began
        self.trace.append(
            Step(self.restart, stage.text, number, progress.objective, change, progress.parts, seconds, notes)
        )
        if self.on_step:
            self.on_step(self.trace[-1])
        return change


def fell(previous: float, now: float) -> bool:
    return not now >= previous - FALL * max(abs(previous), 1.0)
