"""A network on the page: its arcs drawn layer by layer, parents above children, and its tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from softcount.report.page.element import Html, bar, el, joined, table, void
from softcount.report.page.frame import Section
from softcount.text.structure import BEFORE, FIRST, Structure

DOWN, GAP, TALL, LETTER = (
    90,
    24,
    30,
    8.5,
)  # from layer to layer, between boxes, a box, a letter; in units of the drawing
MOST_ROWS, MOST_ENTRIES = 40, 2000  # of a table, and of all of them

TIP = {"id": "tip", "viewBox": "0 0 8 8", "refX": 7, "refY": 4, "markerWidth": 7, "markerHeight": 7, "orient": "auto"}

Box = tuple[float, float, float]  # left, top, width


def sections(model: Any, data: Any = None, gold: Any = None) -> Iterator[Section]:
    structure = model._structure
    yield Section("arcs", "Which variable depends on which", drawing(structure, model.observed_))
    yield Section("tables", "Tables", _tables(model.to_json(), structure))


def _tables(tables: dict[str, dict[str, dict[str, float]]], structure: Structure) -> Html:
    shown, left = list[Html](), MOST_ENTRIES
    for name, rows in tables.items():
        listed = list(rows.items())[:MOST_ROWS]
        given = _given(name, structure)
        entries = [
            (*((at,) if given else ()), value, f"{p:.4f}", bar(p, 1.0))
            for at, row in listed
            for value, p in row.items()
        ]
        left -= len(entries)
        if left < 0:
            shown.append(el("p", f"{len(tables) - len(shown)} more tables: softcount export MODEL --to FOLDER"))
            break
        more = f", the first {MOST_ROWS} of {len(rows)} rows" if len(rows) > MOST_ROWS else ""
        head = (*((f"given {given}",) if given else ()), name.partition(FIRST)[0], "p", "")
        shown.append(table(head, entries, f"{name}{more}", numbers=(len(head) - 2,)))
    return joined(shown)


def _given(table: str, structure: Structure) -> str:
    """The parents of the variable that a table is of: `weather`, and of those in the row before `weather@-1`."""
    name, first, _ = table.partition(FIRST)
    parents = structure.of(name) if name in structure.names else ()
    return ", ".join(f"{parent}{BEFORE * back}" for parent, back in parents if not (first and back))


def drawing(structure: Structure, observed: Collection[str]) -> Html:
    places, width, height = _places(structure)
    arcs, boxes = list[Html](), list[Html]()
    for name, parents in zip(structure.names, structure.parents, strict=True):
        arcs += [_arc(places[parent], places[name], bool(back)) for parent, back in parents]
        boxes.append(_box(name, places[name], name in observed))
    tip = el("marker", void("path", d="M0,0 L8,4 L0,8 z", style="fill:var(--soft)"), **TIP)
    said = "; ".join(f"{', '.join(p for p, _ in ps)} to {n}" for n, ps in zip(*structure, strict=True) if ps)
    box = {"viewBox": f"0 0 {width:.0f} {height:.0f}", "role": "img", "aria_label": f"Arcs: {said}"}
    style = f"max-width:{width:.0f}px"
    hint = (
        "Filled: seen in the data. Dashed: from the row before." if structure.over_time else "Filled: seen in the data."
    )
    return joined([el("svg", el("defs", tip), *arcs, *boxes, **box, style=style), el("p", hint, cls="hint")])


def _places(structure: Structure) -> tuple[dict[str, Box], float, float]:
    """Layers by the longest way from the top; in a layer, by where the parents are."""
    depth: dict[str, int] = {}
    for name in structure.in_order():
        depth[name] = 1 + max((depth[parent] for parent, back in structure.of(name) if not back), default=-1)
    layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name in structure.names:
        layers[depth[name]].append(name)
    wide = {name: LETTER * len(name) + 2 * GAP for name in structure.names}
    total = max(sum(wide[name] + GAP for name in layer) for layer in layers) + 2 * GAP
    places: dict[str, Box] = {}
    for level, layer in enumerate(layers):
        layer.sort(key=lambda name: _middle(structure, name, places, total))
        left = (total - sum(wide[name] + GAP for name in layer) + GAP) / 2
        for name in layer:
            places[name] = (left, GAP + DOWN * level, wide[name])
            left += wide[name] + GAP
    return places, total, DOWN * len(layers)


def _middle(structure: Structure, name: str, places: dict[str, Box], total: float) -> float:
    above = [places[p][0] + places[p][2] / 2 for p, back in structure.of(name) if not back]
    return sum(above) / len(above) if above else total / 2


def _arc(start: Box, end: Box, before: bool) -> Html:
    style = {"cls": "link", "marker_end": "url(#tip)", "style": "fill:none"}
    if before:
        style["stroke_dasharray"] = "5 4"
    if start == end:
        x, y = start[0] + start[2], start[1]
        return void("path", d=f"M{x - 16:.0f},{y:.0f} c4,-24 34,-8 17,{TALL / 2 + 1:.0f}", **style)
    x1, x2, y1, y2 = start[0] + start[2] / 2, end[0] + end[2] / 2, start[1] + TALL, end[1]
    if y2 <= start[1]:  # from the row before, to a box that is not below
        y1, y2 = start[1], end[1] + (TALL if end[1] < start[1] else 0)
    out, into = ((y2 - y1) / 2, (y2 - y1) / 2) if y1 != y2 else (-GAP, GAP)
    path = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{y1 + out:.0f} {x2:.0f},{y2 - into:.0f} {x2:.0f},{y2:.0f}"
    return void("path", d=path, **style)


def _box(name: str, place: Box, seen: bool) -> Html:
    x, y, width = place
    fill = "var(--line)" if seen else "var(--paper)"
    shape = void(
        "rect", x=f"{x:.0f}", y=y, width=f"{width:.0f}", height=TALL, rx=15, style=f"fill:{fill};stroke:var(--soft)"
    )
    text = {"text_anchor": "middle", "style": "fill:var(--ink);font-size:14px"}
    return el("g", shape, el("text", name, x=f"{x + width / 2:.0f}", y=y + 20, **text))
