"""What a command prints about training when it is done: how it ended, its restarts, every step as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from softcount.loop.trace import CONVERGED, DONE, READ_OFF, Ending, Step, Trace, count_iterations

if TYPE_CHECKING:
    from softcount.criteria.spec import Stage

OBJECTIVES = {
    "em": "log-likelihood",
    "vb": "ELBO",
    "mre": "reconstruction log-likelihood",
    "gibbs": "log joint probability",
}
UNSETTLED = ("annealed", "stepwise", "gibbs")  # stages that are not expected to converge


NOTE = "note: "


def training_lines(model: Any, to_convergence: bool = False) -> Iterator[str]:
    yield from (f"{NOTE}{note}" for note in model.history_.told())
    yield ending(model, to_convergence)


def detailed_lines(model: Any) -> Iterator[str]:
    """For --verbose: every size that was tried, and every restart."""
    yield from tried_lines(getattr(model, "tried_", []))
    if len(getattr(model, "restarts_", ())) > 1:
        yield from _restarts(model)


def in_two_lines(lines: Iterable[str]) -> list[str]:
    """The notes in one line, which says how many more there are, and all else in another."""
    given = list(lines)
    notes = [line for line in given if line.startswith(NOTE)]
    others = [line for line in given if not line.startswith(NOTE)]
    if len(notes) > 1:
        more = len(notes) - 1
        notes = [f"{notes[0]} (and {more} more note{'s' * (more > 1)}; --verbose prints all)"]
    return [*notes, *(["; ".join(others)] if others else [])]


def tried_lines(tried: Sequence[Any]) -> Iterator[str]:
    """Of a size that was chosen, what was tried."""
    if tried:
        yield f"{'tried':>6}  {'score':>16}  {'used':>5}  {'seconds':>8}"
    yield from (f"{one.size:6}  {one.score:16,.4f}  {one.used:5}  {one.seconds:8.1f}" for one in tried)


def or_null(number: float) -> float | None:
    """JSON has no NaN and no infinity."""
    return number if math.isfinite(number) else None


def _restarts(model: Any) -> Iterator[str]:
    for i, restart in enumerate(model.restarts_):
        alike = restart.score == restart.objective or math.isnan(restart.score)
        score = "" if alike else f", score {restart.score:,.4f}"
        chosen = "  ← chosen" if i == model.restart_ else ""
        if restart.steps:
            yield f"restart {i + 1}: objective {restart.objective:,.4f}{score}{chosen}"
        else:
            yield f"restart {i + 1}: not trained{score}{chosen}"


def ending(model: Any, to_convergence: bool = False) -> str:
    """How the chosen restart ended: ``em:200: 200 iterations in 0.4 s; objective (log-likelihood) -1,234.5``.

    Where training to convergence was asked for, it also says that this was not reached.
    """
    from softcount.criteria.spec import parse

    steps = [step for step in model.history_ if step.restart == model.restart_]
    inertia = f"; inertia {model.inertia_:,.4f}" if hasattr(model, "inertia_") else ""
    if not steps:
        read = model.history_.stopped.text == READ_OFF
        return f"not trained: {READ_OFF if read else 'the parameters are the initial ones'}{inertia}"
    last = parse(steps[-1].stage)[-1]
    stages = ",".join(dict.fromkeys(_stage_of(step) for step in steps))
    took = f"{count_iterations(len(steps))} in {sum(step.seconds for step in steps):.1f} s"
    objective = f"objective ({_objective(last, steps[-1])}) {steps[-1].objective:,.4f}"
    return f"{stages}: {_stopped(model.history_.stopped, took, last, to_convergence)}; {objective}{inertia}"


def _stage_of(step: Step) -> str:
    """A cipher's key is trained with n-grams of every order, one after another."""
    order = step.parts.get("order")
    return step.stage if order is None else f"{step.stage} with {order:.0f}-grams"


def _stopped(stopped: Ending, took: str, last: Stage, to_convergence: bool) -> str:
    if stopped.kind == CONVERGED:
        return f"converged after {took}"
    if stopped.kind == DONE:
        return f"{took}, not converged" if to_convergence and last.name not in UNSETTLED else took
    return f"{took}; {stopped.text}"


def _objective(stage: Stage, step: Step) -> str:
    names = []
    while stage.inner is not None:
        names.append(stage.name)
        stage = stage.inner
    prior = " with the log prior" if "log_prior" in step.parts else ""
    return " ".join([*names, OBJECTIVES.get(stage.name, stage.name)]) + prior


def trace_tsv(traces: Mapping[str, Trace]) -> str:
    """One line a step; where there are several traces (directions), the first column names them."""
    rows = [{"direction": name} | row if name else row for name, trace in traces.items() for row in trace.table()]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["\t".join(columns)]
    lines += ["\t".join("" if row.get(c) is None else str(row[c]) for c in columns) for row in rows]
    return "\n".join(lines) + "\n"
