"""What a command says when it is done: how training ended, or what a saved model was applied to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softcount.cli.console import say

if TYPE_CHECKING:
    from softcount.criteria.spec import Stage
    from softcount.loop.trace import Step

OBJECTIVES = {
    "em": "log-likelihood",
    "vb": "ELBO",
    "mre": "log-probability of reconstruction",
    "gibbs": "log joint probability",
}
UNSETTLED = ("annealed", "stepwise", "gibbs")  # stages of which nobody expects that they converge


def report_training(model: Any, quiet: bool) -> None:
    for note in dict.fromkeys(model.history_.notes):
        say(f"note: {note}", quiet)
    if len(model.restarts_) > 1:
        for line in _restarts(model):
            say(line, quiet)
    say(ending(model), quiet)
    say(model.signature_, quiet)


def report_applied(model: Any, path: Path, source: str, quiet: bool, **sizes: float) -> None:
    counted = ", ".join(f"{n:,.10g} {what}" for what, n in sizes.items())
    say(f"applied {path} to {source}: {counted}", quiet)
    say(model.signature_, quiet)


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
            yield f"restart {i + 1}: no steps{score}{chosen}"


def ending(model: Any) -> str:
    """Of the restart that was chosen: ``em:200: 200 steps in 0.4 s, not converged; objective (log-likelihood) …``."""
    from softcount.criteria.spec import parse

    steps = [step for step in model.history_ if step.restart == model.restart_]
    inertia = f"; inertia {model.inertia_:,.4f}" if hasattr(model, "inertia_") else ""
    if not steps:
        return f"no steps: the start as it was given{inertia}"
    last = parse(model.criterion)[-1]
    stages = ",".join(dict.fromkeys(step.stage for step in steps))
    took = f"{len(steps)} step{'s' * (len(steps) > 1)} in {sum(step.seconds for step in steps):.1f} s"
    objective = f"objective ({_objective(last, steps[-1])}) {steps[-1].objective:,.4f}"
    return f"{stages}: {_stopped(model.history_.stopped, took, last)}; {objective}{inertia}"


def _stopped(stopped: str, took: str, last: Stage) -> str:
    if stopped.startswith("converged"):
        return f"converged after {took}"
    if stopped.endswith("steps done"):
        return took if last.name in UNSETTLED else f"{took}, not converged"
    return f"{took}; {stopped}"


def _objective(stage: Stage, step: Step) -> str:
    names = []
    while stage.inner is not None:
        names.append(stage.name)
        stage = stage.inner
    prior = " with the log prior" if "log_prior" in step.parts else ""
    return " ".join([*names, OBJECTIVES.get(stage.name, stage.name)]) + prior
