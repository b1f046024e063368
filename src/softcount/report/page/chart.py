"""Lines in a drawing: the objective of a stage against its steps, a line for each restart."""

from __future__ import annotations

from collections.abc import Sequence

from softcount.report.page.element import Html, el, joined, void

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 360, 200, 8, 34, 12


def line_chart(title: str, lines: Sequence[Sequence[tuple[float, float]]], axis: str, across: str = "step") -> Html:
    """`lines` of (step, value), all in one frame; values that are not finite have been left out."""
    points = [point for line in lines for point in line]
    if len({x for x, _ in points}) < 2:
        return Html("")
    (x0, x1), (y0, y1) = _span(x for x, _ in points), _span(y for _, y in points)

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - x0) / (x1 - x0) * (WIDTH - 2 * LEFT)
        return across, TOP + (y1 - y) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    drawn = [_line(place, line, k) for k, line in enumerate(lines)]
    ground = HEIGHT - BOTTOM
    said = f"{title}: {axis} from {points[0][1]:,.6g} to {lines[-1][-1][1]:,.6g} over {len(lines[-1])} places"
    labels = [
        _text(LEFT, HEIGHT - 18, f"{across} {x0:g}", "start"),
        _text(WIDTH - LEFT, HEIGHT - 18, f"{x1:g}", "end"),
        _text(LEFT, HEIGHT - 3, f"{axis}: {y0:,.6g} … {y1:,.6g}", "start"),
    ]
    frame = void("line", x1=LEFT, y1=ground, x2=WIDTH - LEFT, y2=ground, cls="axis")
    box = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria_label": said}
    return el("figure", el("figcaption", title), el("svg", frame, *drawn, *labels, **box), cls="chart")


def _line(place: object, line: Sequence[tuple[float, float]], k: int) -> Html:
    assert callable(place)
    at = [place(x, y) for x, y in line]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    ends = joined([void("circle", cx=f"{at[-1][0]:.1f}", cy=f"{at[-1][1]:.1f}", r=3, cls=f"dot hue{k % 8}")])
    return joined([void("polyline", points=path, cls=f"line hue{k % 8}"), ends])


def _text(x: float, y: float, words: str, anchor: str) -> Html:
    return el("text", words, x=x, y=y, text_anchor=anchor)


def _span(values: object) -> tuple[float, float]:
    listed = list(values)  # type: ignore[call-overload]
    low, high = min(listed), max(listed)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
