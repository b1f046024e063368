"""A table of probabilities as a picture: the darker, the more."""

from __future__ import annotations

from collections.abc import Sequence

from softcount.numbers.ragged import Array
from softcount.report.page.element import Html, el, joined


def heat(rows: Sequence[str], columns: Sequence[str], matrix: Array, caption: str, told: str) -> Html:
    head = el("tr", el("td", ""), *(el("th", name, scope="col") for name in columns))
    body = [el("tr", el("th", name, scope="row"), *map(_cell, row)) for name, row in zip(rows, matrix, strict=True)]
    grid = el("table", el("caption", caption), el("thead", head), el("tbody", *body), cls="heat")
    box = el("div", grid, cls="scroll", tabindex="0", role="region", aria_label=caption)
    return joined([el("p", told, cls="hint"), box])


def _cell(p: float) -> Html:
    number = f"{100 * p:.0f}" if p >= 0.01 else ""
    return el("td", number, style=f"background:rgba(var(--mark),{0.6 * float(p):.2f})", title=f"{p:.4f}")
