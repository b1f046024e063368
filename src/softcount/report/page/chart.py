"""Lines in a drawing: the objective of a stage against its steps, a line for each restart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from softcount.report.page.element import Html, el, joined, minus, void

WIDTH, HEIGHT, RIGHT, BOTTOM, TOP = 420, 196, 8, 24, 12
LETTER = 6.6  # pixels of a digit beside an axis
ALIKE = 1e-9  # relative difference of numbers that are one line across

Line = Sequence[tuple[float, float]]


def line_chart(
    title: str,
    lines: Sequence[Line],
    axis: str,
    across: str = "step",
    names: Sequence[str] = (),
    low: float = -math.inf,
) -> Html:
    """`lines` of (step, value), all in one frame, if there are `names` with a key; all values are finite. What lies
    below `low` is left out: a line comes from there."""
    points = [point for line in lines for point in line]
    if len({x for x, _ in points}) < 2:
        return Html("")
    (x0, x1), (y0, y1) = _span([x for x, _ in points]), _span([max(y, low) for _, y in points])
    marks = _marks(y0, y1)
    left = 14 + LETTER * max(map(len, marks.values()))

    def place(x: float, y: float) -> tuple[float, float]:
        across = left + (x - x0) / (x1 - x0) * (WIDTH - left - RIGHT)
        return across, TOP + (y1 - y) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    drawn = [_line(place, above(line, low), k) for k, line in enumerate(lines)]
    said = f"{title}: {axis} from {points[0][1]:,.6g} to {lines[-1][-1][1]:,.6g} over {len(lines[-1])} places"
    levels = joined(_level(text, left, place(x0, y)[1]) for y, text in marks.items())
    ends = _text(left, HEIGHT - 6, f"{across} {x0:g}", "start"), _text(WIDTH - RIGHT, HEIGHT - 6, f"{x1:g}", "end")
    box = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria_label": said}
    key = (
        [el("figcaption", *(el("span", name, cls=f"key hue{k % 8}") for k, name in enumerate(names)))] if names else []
    )
    return el("figure", el("figcaption", title), el("svg", levels, *drawn, *ends, **box), *key, cls="chart")


def above(line: Line, low: float) -> Line:
    """The line from where it last comes up to `low`."""
    last = max((k for k, (_, y) in enumerate(line) if y < low), default=-1)
    if last < 0 or last == len(line) - 1:
        return line
    (x0, y0), (x1, y1) = line[last], line[last + 1]
    return [(x0 + (x1 - x0) * (low - y0) / (y1 - y0), low), *line[last + 1 :]]


def _marks(y0: float, y1: float) -> dict[float, str]:
    """The top, the middle and the bottom, with as many decimals as tell them apart."""
    levels = (y1, (y0 + y1) / 2, y0)
    decimals = min(max(1 - math.floor(math.log10((y1 - y0) / 2)), 0), 9)
    while decimals and all(round(y, decimals) == round(y, decimals - 1) for y in levels):
        decimals -= 1
    return {y: minus(f"{y:,.{decimals}f}") for y in levels}


def _level(text: str, left: float, y: float) -> Html:
    line = void("line", x1=f"{left:.1f}", y1=f"{y:.1f}", x2=WIDTH - RIGHT, y2=f"{y:.1f}", cls="axis")
    return joined([line, _text(left - 8, y + 4, text, "end")])


def _line(place: object, line: Line, k: int) -> Html:
    assert callable(place)
    at = [place(x, y) for x, y in line]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    ends = joined([void("circle", cx=f"{at[-1][0]:.1f}", cy=f"{at[-1][1]:.1f}", r=3, cls=f"dot hue{k % 8}")])
    return joined([void("polyline", points=path, cls=f"line hue{k % 8}"), ends])


def _text(x: float, y: float, words: str, anchor: str) -> Html:
    return el("text", words, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high - low > ALIKE * max(abs(low), abs(high)) else (low - 0.5, high + 0.5)
