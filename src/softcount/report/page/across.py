"""Topics or clusters by a column of the documents: the mean share of each in every class, or as time goes on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.numbers.ragged import Array
from softcount.report.page.chart import line_chart
from softcount.report.page.element import Html, el, joined

MOST = 40  # values of the column that are shown, the most frequent ones
DRAWN = 8  # lines of a chart


def across(shares: Array, names: Sequence[str], by: Sequence[str], what: str) -> Html:
    """`shares` [documents, names]; a heat map, and lines where the column is a number such as a year."""
    values, codes = np.unique(np.asarray(by, dtype=object).astype(str), return_inverse=True)
    sizes = np.bincount(codes)
    times = _numbers(values)
    order = np.argsort(times) if times is not None else np.argsort(-sizes, kind="stable")
    kept = [v for v in order if sizes[v] >= np.sort(sizes)[::-1][:MOST][-1]][:MOST]
    means = np.array([shares[codes == v].mean(axis=0) for v in kept])
    shown = [_heat(means, [f"{values[v]} ({sizes[v]:,})" for v in kept], names)]
    if times is not None and len(kept) > 2:
        largest = np.argsort(-means.mean(axis=0), kind="stable")[:DRAWN]
        lines = [list(zip(times[kept].tolist(), means[:, h].tolist(), strict=True)) for h in largest]
        shown.append(
            line_chart(f"Share of each {what}", lines, "mean share", "from", [names[h] for h in largest.tolist()])
        )
    return joined(
        [
            el(
                "p",
                f"Percentage of each {what} in the documents of each value; the number of documents is in brackets.",
                cls="hint",
            ),
            *shown,
        ]
    )


def _numbers(values: Array) -> Array | None:
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return None


def _heat(means: Array, rows: Sequence[str], names: Sequence[str]) -> Html:
    head = el("tr", el("td", ""), *(el("th", name, scope="col") for name in names))
    body = [el("tr", el("th", row, scope="row"), *map(_cell, mean)) for row, mean in zip(rows, means, strict=True)]
    caption = "Mean proportions in %"
    grid = el("table", el("caption", caption), el("thead", head), el("tbody", *body), cls="heat named")
    return el("div", grid, cls="scroll", tabindex="0", role="region", aria_label=caption)


def _cell(p: float) -> Html:
    return el("td", f"{100 * p:.0f}", style=f"background:rgba(var(--mark),{0.6 * float(p):.2f})", title=f"{p:.4f}")
