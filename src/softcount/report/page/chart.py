"""Lines in a drawing: the objective of a stage against its steps, a line for each restart."""

from __future__ import annotations

from collections.abc import Sequence

from softcount.report.page.element import Html, el, joined, minus, void

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 420, 196, 76, 8, 24, 12


def line_chart(
    title: str,
    lines: Sequence[Sequence[tuple[float, float]]],
    axis: str,
    across: str = "step",
    names: Sequence[str] = (),
) -> Html:
    """`lines` of (step, value), all in one frame, if there are `names` with a key; all values are finite."""
    points = [point for line in lines for point in line]
    if len({x for x, _ in points}) < 2:
        return Html("")
    (x0, x1), (y0, y1) = _span(x for x, _ in points), _span(y for _, y in points)

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
        return across, TOP + (y1 - y) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)

    drawn = [_line(place, line, k) for k, line in enumerate(lines)]
    said = f"{title}: {axis} from {points[0][1]:,.6g} to {lines[-1][-1][1]:,.6g} over {len(lines[-1])} places"
    levels = joined(_level(y, place(x0, y)[1]) for y in (y1, (y0 + y1) / 2, y0))
    ends = _text(LEFT, HEIGHT - 6, f"{across} {x0:g}", "start"), _text(WIDTH - RIGHT, HEIGHT - 6, f"{x1:g}", "end")
    box = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria_label": said}
    key = (
        [el("figcaption", *(el("span", name, cls=f"key hue{k % 8}") for k, name in enumerate(names)))] if names else []
    )
    return el("figure", el("figcaption", title), el("svg", levels, *drawn, *ends, **box), *key, cls="chart")


def _level(value: float, y: float) -> Html:
    line = void("line", x1=LEFT, y1=f"{y:.1f}", x2=WIDTH - RIGHT, y2=f"{y:.1f}", cls="axis")
    digits = 6 if abs(value) >= 100 else 3
    return joined([line, _text(LEFT - 8, y + 4, minus(f"{value:,.{digits}g}"), "end")])


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
