"""What was trained on what, how its objective went, and what that suggests to try next."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from softcount.loop.trace import CONVERGED, DONE, FELL, Step, Trace, count_iterations
from softcount.report.page.chart import line_chart
from softcount.report.page.element import Html, breakable, el, joined, minus, table
from softcount.report.page.frame import Section

# Criteria as a reader calls them; what goes around others keeps their names behind it.
CALLED = {
    "em": "EM", "hard": "hard EM", "vb": "variational Bayes", "mre": "maximum reconstruction",
    "gibbs": "Gibbs sampling", "annealed": "annealed EM", "stepwise": "stepwise EM",
    "direct": "gradient ascent", "autoencode": "autoencoding",
    "constrained": "posterior regularization",
}  # fmt: skip


# What each makes as large as it can, in plain words.
OBJECTIVES = {
    "em": "the log-likelihood of the data", "hard": "the log-likelihood of the Viterbi path (or best assignment)",
    "vb": "a lower bound of the marginal log-likelihood (ELBO)", "mre": "the reconstruction log-likelihood",
    "gibbs": "the log joint probability of the data and the sample", "direct": "the log-likelihood of the data",
    "autoencode": "the reconstruction log-likelihood",
}  # fmt: skip
MODELS = {"ibm1": "Model 1", "ibm2": "Model 2", "ibm2-free": "Model 2", "hmm": "HMM", "crf": "CRF"}
FEW_STEPS = 10  # of all restarts together, in which nothing can be learned from nothing
GIVEN = "<given>"  # where a model is from whose tables were not learned
HUES = 8  # colours: of more restarts, lines cannot be told apart by them
_MODEL = re.compile(r"(?<![a-z0-9-])([a-z0-9-]+)\(((?:[^()]|\([^()]*\))*)\)")
_STAGE = re.compile(r"(?<![a-z])[a-z]+(?=[(:])(?:\([^()]*\))?:\d+")
SOON = 10  # of a stage's steps, the share that is left out where restarts are compared: they differ at the end


def told(model: Any) -> str:
    """One sentence: what, of what, by what, when."""
    data = dict(model.data_)
    source, _ = data.pop("source"), data.pop("digest")
    if source == GIVEN:
        return "The tables were given; nothing was trained."
    sizes = ", ".join(f"{n if isinstance(n, str) else format(n, ',.10g')} {what}" for what, n in data.items())
    when = model.trained_.replace("T", " ").replace("+00:00", " UTC")
    source = " and ".join(dict.fromkeys(source.replace("<memory>", "data in memory").split(" and ")))
    return f"Trained on {source} ({sizes}){_by(model)} at {when}, seed {model.seed_}."


def _by(model: Any) -> str:
    """The criteria of a restart, each with how many steps it took; directions that went alike are told once."""
    told = {
        ", then ".join(_ran(of, stage, len(steps)) for of, (_, stage, steps) in _longest(model, trace)): None
        for trace in model._traces().values()
        if trace
    }
    return f" by {'; '.join(told)}" if told else ""


def _ran(of: str, stage: str, n: int) -> str:
    name = CALLED.get(_base(stage), _base(stage))
    return f"{name} ({f'{of}, ' if of else ''}{count_iterations(n)})"


def _with_models(model: Any, trace: Trace) -> Iterator[tuple[str, tuple[int, str, list[Step]]]]:
    """The stages, each with the model that it trained where several follow one another: Model 1, then an HMM."""
    stages, seen = list(trace.stages()), dict[int, int]()
    planned = list(islice(_planned(model), len(stages) + 1))
    for restart, stage, steps in stages:
        n = seen[restart] = seen.get(restart, -1) + 1
        fits = n < len(planned) and planned[n][1] == _base(stage)
        yield planned[n][0] if fits and len(planned) > 1 else "", (restart, stage, steps)


def _longest(model: Any, trace: Trace) -> list[tuple[str, tuple[int, str, list[Step]]]]:
    """The stages of the first of those restarts that went through most of them: some may have been given up before."""
    restarts: dict[int, Any] = {}
    for stage in _with_models(model, trace):
        restarts.setdefault(stage[1][0], []).append(stage)
    return max(restarts.values(), key=len, default=[])


def _planned(model: Any) -> Iterator[tuple[str, str]]:
    """(model, base of its criterion) of every stage, by the signature, `model=ibm1(em:3),hmm(em:3)`.

    A file may say anything there: patterns begin where a name begins, so that they take time in proportion.
    """
    if model.kind == "word aligner":
        asked = re.search(r"\bmodel=(\S+)", model.signature_)
        for name, inside in _MODEL.findall(asked[1] if asked else ""):
            for stage in _STAGE.findall(inside):
                yield MODELS.get(name, name), _base(stage)
    elif model.kind == "decipher" and (stages := re.search(r"\bcriterion=(\S+)", model.signature_)):
        highest = re.search(r"\border=(\d{1,2})\b", model.signature_)
        bases = [_base(stage) for stage in _STAGE.findall(stages[1])]
        for order in range(2, int(highest[1]) + 1 if highest else 0):
            yield from ((f"{order}-grams", base) for base in bases)


def _base(stage: str) -> str:
    """annealed(vb(prior=0.1)):20 → annealed."""
    return re.split(r"[(:]", stage, maxsplit=1)[0]


def sections(model: Any) -> Iterator[Section]:
    traces = {name: trace for name, trace in model._traces().items() if trace}
    charts = [chart for name, trace in traces.items() for chart in _charts(model, name, trace)]
    steps = [row for name, trace in traces.items() for row in _stages(model, name, trace)]
    body = [el("p", _meant(model, traces), cls="hint")] if steps else []
    if charts := [*charts, *_tried_chart(model)]:
        body.append(el("div", *charts, cls="charts"))
    if steps:
        body.append(_stage_table(steps))
    if tried := getattr(model, "tried_", ()):
        rows = [(f"{one.size}", minus(f"{one.score:,.4f}"), f"{one.used}", f"{one.seconds:.3g}") for one in tried]
        body.append(table(("size", "score", "used", "seconds"), rows, "Sizes tried", numbers=(0, 1, 2, 3)))
    hints = list(_of_all(model, traces))
    if hints:
        body += [el("h3", "Notes and suggestions"), el("ul", *(el("li", hint) for hint in hints))]
    if traces:
        body.append(el("h3", "Signature"))
    body.append(el("p", el("code", model.signature_), cls="signature"))
    yield Section("training", "Training" if traces else "Signature", joined(body))


def _stage_table(steps: list[tuple[str, ...]]) -> Html:
    """A column for restarts only where there are some; long criteria may break behind a bracket or a comma."""
    head = ("stage", "restart", "steps", "seconds per iteration", "final objective")
    again = len({row[1] for row in steps}) > 1
    kept = [k for k in range(len(head)) if again or k != 1]
    rows = [(breakable(row[0]), *(row[k] for k in kept[1:])) for row in steps]
    return table([head[k] for k in kept], rows, "Stages of training", numbers=range(1, len(kept)))


def _tried_chart(model: Any) -> Iterator[Html]:
    """Of a size that was chosen: the best score of each that was tried."""
    best = {one.size: one.score for one in sorted(getattr(model, "tried_", ()), key=lambda one: one.score)}
    if best:
        yield line_chart(f"how many, by {model.choose}", [sorted(best.items())], "score", "size")


def _meant(model: Any, traces: dict[str, Trace]) -> str:
    """What an objective is; of directions that agree it is no likelihood of anything, so it is not called one."""
    bases = dict.fromkeys(_base(stage) for trace in traces.values() for _, stage, _ in trace.stages())
    known = [f"{CALLED[base]}: {OBJECTIVES[base]}" for base in bases if base in OBJECTIVES]
    agreed = "agreement=True" in model.signature_
    said = "Objectives are in nats; larger is better."
    said += f" {'; '.join(known)[0].upper()}{'; '.join(known)[1:]}." if known and not agreed else ""
    return said + (" Objectives of different stages cannot be compared." if len(bases) > 1 or agreed else "")


def _charts(model: Any, name: str, trace: Trace) -> Iterator[Html]:
    """One for each stage, since the objectives of two stages cannot be compared; a line a restart."""
    models = [of for of, _ in _longest(model, trace)]
    for at, (stage, runs) in enumerate(trace.panels().items()):
        lines = {f"restart {steps[0].restart + 1}": _finite(steps) for steps in runs if _finite(steps)}
        names = list(lines) if 1 < len(lines) <= HUES else ()
        of = models[at] if at < len(models) else ""
        title = f"Objective, {_called(name, of, stage.partition(' (')[0] if of else stage)}"
        title += f"; {len(lines)} restarts" if len(lines) > HUES else ""
        yield line_chart(title, list(lines.values()), "objective", names=names, low=_soon(list(lines.values())))


def _called(direction: str, of: str, stage: str) -> str:
    """both directions, HMM, em:3."""
    where = {"both": "both directions"}.get(direction, direction)
    return ", ".join(part for part in (where, of, stage) if part)


def _soon(lines: list[list[tuple[int, float]]]) -> float:
    """Where all restarts have come to after a tenth of their steps: below, they cannot be told apart at the end."""
    if len(lines) < 2 or min(map(len, lines)) < SOON:
        return -math.inf
    return min(line[len(line) // SOON][1] for line in lines)


def _finite(steps: list[Step]) -> list[tuple[int, float]]:
    return [(s.step, s.objective) for s in steps if math.isfinite(s.objective)]


def _stages(model: Any, name: str, trace: Trace) -> Iterator[tuple[str, ...]]:
    for of, (restart, stage, steps) in _with_models(model, trace):
        seconds = sum(step.seconds for step in steps) / len(steps)
        objective = minus(f"{steps[-1].objective:,.2f}") if math.isfinite(steps[-1].objective) else "–"
        yield _called(name, of, stage), f"{restart + 1}", f"{len(steps)}", f"{seconds:.3f}", objective


def _of_all(model: Any, traces: dict[str, Trace]) -> Iterator[str]:
    """What is said of one of two directions alone says of which."""
    found = {name: list(_hints(trace)) for name, trace in traces.items()}
    for hint in dict.fromkeys(hint for hints in found.values() for hint in hints):
        of = [name for name, hints in found.items() if hint in hints]
        yield hint if len(of) == len(found) else f"{', '.join(of)}: {hint}"
    if "start=random" in model.signature_ and 0 < max(map(len, traces.values()), default=0) < FEW_STEPS:
        yield "These are few iterations for a random start; use more, such as --criterion em:100."


def _hints(trace: Trace) -> Iterator[str]:
    yield from trace.told()
    if trace.stopped.kind == FELL:
        yield "The objective fell although this criterion is monotone; please report this as a defect."
    long = len(trace) >= 10  # a stage of one or two steps is meant to be short
    if trace.stopped.kind == DONE and long and (trace[-1].change or 0.0) > 1e-4:
        change = f"{trace[-1].change:.1e}"
        yield (
            f"The objective was still rising (by {change} relative to its value) at the last "
            "iteration. More iterations raise it further, but only a score on held-out or gold data "
            "shows whether the result improves."
        )
    if trace.stopped.kind == CONVERGED and len({step.restart for step in trace}) == 1 and long:
        yield "Training converged from one start; --restarts shows whether other starts give a better result."
