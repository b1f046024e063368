"""What was trained on what, how its objective went, and what that suggests to try next."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from softcount.loop.trace import CONVERGED, DONE, FELL, Step, Trace
from softcount.report.page.chart import line_chart
from softcount.report.page.element import Html, el, joined, minus, table
from softcount.report.page.frame import Section

# Criteria as a reader calls them; what goes around others keeps their names behind it.
CALLED = {
    "em": "EM", "hard": "hard EM", "vb": "variational Bayes", "mre": "maximum reconstruction",
    "gibbs": "Gibbs sampling", "annealed": "annealed EM", "stepwise": "stepwise EM",
    "direct": "gradient ascent", "autoencode": "autoencoding",
    "constrained": "EM under constraints",
}  # fmt: skip


def told(model: Any) -> str:
    """One sentence: what, of what, by what, when."""
    data = dict(model.data_)
    source, _ = data.pop("source"), data.pop("digest")
    sizes = ", ".join(f"{n if isinstance(n, str) else format(n, ',.10g')} {what}" for what, n in data.items())
    when = model.trained_.replace("T", " ").replace("+00:00", " UTC")
    source = " and ".join(dict.fromkeys(source.replace("<memory>", "data in memory").split(" and ")))
    return f"Trained on {source} ({sizes}){_by(model)} at {when}, seed {model.seed_}."


def _by(model: Any) -> str:
    """The criteria of the first restart, each with how many steps it took; directions that went alike are told once."""
    told = {
        ", then ".join(_ran(stage, len(steps)) for restart, stage, steps in trace.stages() if not restart): None
        for trace in model._traces().values()
        if trace
    }
    return f" by {'; '.join(told)}" if told else ""


def _ran(stage: str, n: int) -> str:
    name = CALLED.get(_base(stage), _base(stage))
    return f"{name} ({n:,} step{'s' * (n != 1)})"


def _base(stage: str) -> str:
    """annealed(vb(prior=0.1)):20 → annealed."""
    return re.split(r"[(:]", stage, maxsplit=1)[0]


def sections(model: Any) -> Iterator[Section]:
    traces = {name: trace for name, trace in model._traces().items() if trace}
    charts = [chart for name, trace in traces.items() for chart in _charts(name, trace)]
    steps = [row for name, trace in traces.items() for row in _stages(name, trace)]
    body = [el("div", *charts, *_tried_chart(model), cls="charts")]
    if steps:
        head = ("stage", "restart", "steps", "seconds a step", "objective at its end")
        body.append(table(head, steps, "Stages of training", numbers=(1, 2, 3, 4)))
    if tried := getattr(model, "tried_", ()):
        rows = [(f"{one.size}", minus(f"{one.score:,.4f}"), f"{one.used}", f"{one.seconds:.3g}") for one in tried]
        body.append(table(("size", "score", "used", "seconds"), rows, "Sizes that were tried", numbers=(0, 1, 2, 3)))
    hints = list(dict.fromkeys(hint for trace in traces.values() for hint in _hints(trace)))
    if hints:
        body += [el("h3", "Worth knowing, worth trying"), el("ul", *(el("li", hint) for hint in hints))]
    body += [el("h3", "Signature"), el("p", el("code", model.signature_), cls="signature")]
    yield Section("training", "Training", joined(body))


def _tried_chart(model: Any) -> Iterator[Html]:
    """Of a size that was chosen: the best score of each that was tried."""
    best = {one.size: one.score for one in sorted(getattr(model, "tried_", ()), key=lambda one: one.score)}
    if best:
        yield line_chart(f"how many, by {model.choose}", [sorted(best.items())], "score", "size")


def _charts(name: str, trace: Trace) -> Iterator[Html]:
    """One for each stage, since the objectives of two stages cannot be compared; a line a restart."""
    for stage, runs in trace.panels().items():
        lines = {f"restart {steps[0].restart + 1}": _finite(steps) for steps in runs if _finite(steps)}
        names = list(lines) if len(lines) > 1 else ()
        yield line_chart(f"Objective, {f'{name} {stage}'.strip()}", list(lines.values()), "objective", names=names)


def _finite(steps: list[Step]) -> list[tuple[int, float]]:
    return [(s.step, s.objective) for s in steps if math.isfinite(s.objective)]


def _stages(name: str, trace: Trace) -> Iterator[tuple[str, ...]]:
    for restart, stage, steps in trace.stages():
        seconds = sum(step.seconds for step in steps) / len(steps)
        objective = minus(f"{steps[-1].objective:,.2f}") if math.isfinite(steps[-1].objective) else "–"
        yield f"{name} {stage}".strip(), f"{restart + 1}", f"{len(steps)}", f"{seconds:.3g}", objective


def _hints(trace: Trace) -> Iterator[str]:
    yield from trace.told()
    if trace.stopped.kind == FELL:
        yield "The objective fell, which it promises not to do: this is worth a report."
    long = len(trace) >= 10  # a stage of one or two steps is meant to be short
    if trace.stopped.kind == DONE and long and (trace[-1].change or 0.0) > 1e-4:
        change = f"{trace[-1].change:.1e}"
        yield f"The objective was still rising (by {change} of itself) when its steps ran out: more steps may help."
    if trace.stopped.kind == CONVERGED and len({step.restart for step in trace}) == 1 and long:
        yield "It converged from one start; with restarts you would see whether other starts end better."
