"""A trained model in a notebook: one line of what was trained on what, and its largest classes with their words."""

from __future__ import annotations

from typing import Any

from softcount.report.overview import overview
from softcount.report.page.element import Html, el, joined, minus
from softcount.report.page.training import told

SHOWN, WORDS = 10, 8


def compact(model: Any) -> str:
    return el("div", el("p", el("b", type(model).__name__), ". ", told(model)), *_groups(model), _ending(model))


def _groups(model: Any) -> list[Html]:
    seen = overview(model, WORDS)
    if seen is None:
        return []
    largest = sorted(seen.groups, key=lambda group: (-group.share, group.name))
    rows = [
        el("tr", el("th", g.name), el("td", f"{g.share:.1%}"), el("td", " ".join(g.words), style="text-align:left"))
        for g in largest[:SHOWN]
    ]
    more = [el("p", f"… and {len(largest) - SHOWN:,} more")] if len(largest) > SHOWN else []
    return [el("table", el("tbody", *rows)), *more]


def _ending(model: Any) -> Html:
    """How each trace ended, by the restart that was chosen."""
    traces = [trace for trace in model._traces().values() if trace]
    chosen = getattr(model, "restart_", None)
    lasts = [next((step for step in reversed(trace) if step.restart == chosen), trace[-1]) for trace in traces]
    said = [
        el("p", f"{last.stage}: {trace.stopped.text}; objective {minus(format(last.objective, ',.2f'))}")
        for trace, last in zip(traces, lasts, strict=True)
    ]
    return joined([*said, el("p", el("code", model.signature_))])
