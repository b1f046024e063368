"""A network on the page: its arcs drawn layer by layer, parents above children, and its tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any
from unicodedata import east_asian_width

from softcount.report.page.element import Html, bar, el, joined, minus, table, void
from softcount.report.page.frame import Section
from softcount.report.page.layers import Curve, Layered, arrange, layers, route
from softcount.text.record_reader import Columns, read_columns
from softcount.text.structure import BEFORE, FIRST, Structure, shown

DOWN, GAP, TALL, LETTER = 56.0, 22.0, 30.0, 8.0  # between layers, between boxes, a box, a letter; units of the drawing
PAD, PORT, LOOP = 14.0, 16.0, 34.0  # beside a name; between the ends of arcs at a box; how far a loop goes
SMALLEST = 0.75  # of its size: on a narrow screen a picture shrinks so far, and is moved to and fro then
MOST_DRAWN = 1200  # boxes, and bends of arcs
MOST_ROWS, MOST_ENTRIES = 40, 2000  # of a table, and of all of them
SHOWN_ROWS = 40  # of the data

TIP = {"id": "tip", "viewBox": "0 0 8 8", "refX": 7, "refY": 4, "markerWidth": 7, "markerHeight": 7, "orient": "auto"}


def sections(model: Any, data: Any = None, gold: Any = None) -> Iterator[Section]:
    structure = model._structure
    yield Section("arcs", "Dependencies between variables", drawing(structure, model.observed_))
    if data is not None:
        yield Section("rows", "Rows", _rows(model, data, structure))
    yield Section("tables", "Tables", _tables(model.to_json(), structure))


def _rows(model: Any, data: Any, structure: Structure) -> Html:
    """The first rows, with what is missing filled in, and how probable each is."""
    seen = read_columns(data)
    filled, names = model.predict(seen), structure.names
    logs = None if structure.over_time else model.score_samples(seen)  # over time, those of whole sequences
    rows = []
    for r in range(min(seen.n_rows, SHOWN_ROWS)):
        cells = [_cell(seen, name, filled[name][r], r) for name in names]
        rows.append((f"{r + 1}", *cells, *(() if logs is None else (minus(f"{logs[r]:.3f}"),))))
    head = ("row", *names, *(() if logs is None else ("log P",)))
    some = f"The first {len(rows)} of {seen.n_rows:,} rows" if len(rows) < seen.n_rows else "All rows"
    told = "Values in brackets were missing in the data; they are filled in with the most probable explanation."
    if logs is not None:
        told += f" The log-likelihood of all rows is {minus(f'{model.score(seen):,.2f}')}."
    return joined(
        [el("p", told, cls="hint"), table(head, rows, some, numbers=() if logs is None else (len(names) + 1,))]
    )


def _cell(seen: Columns, name: str, value: Any, r: int) -> str:
    column = seen.columns.get(name)
    return f"{value}" if column is not None and column.codes[r] >= 0 else f"({value})"


def _tables(tables: dict[str, dict[str, dict[str, float]]], structure: Structure) -> Html:
    listing, left = list[Html](), MOST_ENTRIES
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
            listing.append(el("p", f"{len(tables) - len(listing)} more tables: softcount export MODEL --to FOLDER"))
            break
        more = f", the first {MOST_ROWS} of {len(rows)} rows" if len(rows) > MOST_ROWS else ""
        head = (*((f"given {given}",) if given else ()), name.partition(FIRST)[0], "p", "")
        listing.append(table(head, entries, f"{name}{more}", numbers=(len(head) - 2,)))
    return el("div", *listing, cls="columns tables")


def _given(table: str, structure: Structure) -> str:
    """The parents of the variable that a table is of: `weather`, and of those in the row before `weather@-1`."""
    name, first, _ = table.partition(FIRST)
    parents = structure.of(name) if name in structure.names else ()
    return ", ".join(f"{parent}{BEFORE * back}" for parent, back in parents if not (first and back))


def drawing(structure: Structure, observed: Collection[str]) -> Html:
    """Parents above children; arcs go between the boxes, from the foot of one to the head of another."""
    names = structure.names
    number = {name: v for v, name in enumerate(names)}
    now = [(number[p], v) for v, ps in enumerate(structure.parents) for p, back in ps if not back]
    level = layers(len(number), now)
    arcs = [Arc(number[p], v, bool(back), level) for v, ps in enumerate(structure.parents) for p, back in ps]
    if len(number) + sum(len(arc.passed) for arc in arcs) > MOST_DRAWN:
        return _listed(structure)
    boxes, lines, width, height = _drawn(structure, arcs, level, observed)
    tip = el("marker", void("path", d="M0,0 L8,4 L0,8 z", style="fill:var(--soft)"), **TIP)
    said = "; ".join(f"{', '.join(shown(p) for p in ps)} to {n}" for n, ps in zip(*structure, strict=True) if ps)
    box = {"viewBox": f"0 0 {width:.0f} {height:.0f}", "role": "img", "aria_label": f"Arcs: {said}"}
    size = f"width:100%;max-width:{width:.0f}px;min-width:{SMALLEST * width:.0f}px"
    seen = "Filled: observed in the data. " if set(names) & set(observed) else ""
    hint = seen + "Dashed: from the previous row." * structure.over_time
    picture = el("svg", el("defs", tip), *lines, *boxes, **box, style=size)
    around = {"cls": "scroll", "tabindex": "0", "role": "region", "aria_label": "Arcs"}
    return joined([el("div", picture, **around), *([el("p", hint, cls="hint")] if hint else [])])


class Arc:
    """From a parent to a child; `upper` and `lower` are the same two, by where they are."""

    def __init__(self, parent: int, child: int, before: bool, level: Sequence[int]) -> None:
        self.parent, self.child, self.before = parent, child, before
        self.upper, self.lower = sorted((parent, child), key=level.__getitem__)
        self.beside = level[parent] == level[child]  # from the row before, within a layer
        self.passed = range(level[self.upper] + 1, level[self.lower])


def _drawn(
    structure: Structure, arcs: Sequence[Arc], level: Sequence[int], observed: Collection[str]
) -> tuple[list[Html], list[Html], float, float]:
    """Boxes, arcs, and how wide and high all is."""
    names = structure.names
    wide = [_wide(name) + 2 * PAD for name in names]
    loops = {arc.parent for arc in arcs if arc.parent == arc.child}
    room = [width + 2 * LOOP * (v in loops) for v, width in enumerate(wide)]
    layered = arrange(room, [(arc.upper, arc.lower) for arc in arcs if not arc.beside], level, GAP)
    left = min(layered.x[v] - room[v] / 2 for v in range(len(names))) if names else 0.0
    left = min([left, *layered.x]) - GAP
    x = [place - left for place in layered.x]
    width = max([*x, *(x[v] + room[v] / 2 for v in range(len(names)))]) + GAP
    tops = _tops(layered, x, any(arc.beside and arc.parent != arc.child for arc in arcs))
    routed = iter(layered.chains)
    chains = [next(routed) if not arc.beside else [arc.parent, arc.child] for arc in arcs]
    feet, heads = _ports(arcs, chains, x, wide)
    spans: list[list[tuple[float, float]]] = [[] for _ in tops]
    for v, half in enumerate(width / 2 for width in room):
        spans[level[v]].append((x[v] - half, x[v] + half))
    lines = []
    for k, arc in enumerate(arcs):
        if arc.parent == arc.child:
            path = _loop(x[arc.parent] + wide[arc.parent] / 2, tops[level[arc.parent]])
        elif arc.beside:
            y = tops[level[arc.parent]]
            high = y - DOWN / 2
            path = f"M{feet[k]:.1f},{y:.1f} C{feet[k]:.1f},{high:.1f} {heads[k]:.1f},{high:.1f} {heads[k]:.1f},{y:.1f}"
        else:
            start, end = (feet[k], tops[level[arc.upper]] + TALL), (heads[k], tops[level[arc.lower]])
            bends = [(x[v], tops[layered.layer[v]] + TALL / 2) for v in chains[k][1:-1]]
            curve = route(start, bends, end, TALL, [spans[i] for i in arc.passed])
            path = _path(curve, arc.parent == arc.lower)
        style = {"cls": "link arc-of-network", "marker_end": "url(#tip)", "style": "fill:none"}
        dashes = "5 4" if arc.before else None
        title = el("title", f"{names[arc.parent]}{BEFORE * arc.before} → {names[arc.child]}")
        lines.append(el("path", title, d=path, stroke_dasharray=dashes, **style))
    boxes = [_box(name, x[v] - wide[v] / 2, tops[level[v]], wide[v], name in observed) for v, name in enumerate(names)]
    return boxes, lines, width, tops[-1] + TALL + GAP


def _tops(layered: Layered, x: Sequence[float], over: bool) -> list[float]:
    """Where each layer begins: further below the one above it, the further arcs between them go aside."""
    aside = [0.0] * layered.n_layers
    for chain in layered.chains:
        for v, w in pairwise(chain):
            aside[layered.layer[w]] = max(aside[layered.layer[w]], abs(x[v] - x[w]))
    tops = [GAP + DOWN / 2 * over]
    for far in aside[1:]:
        tops.append(tops[-1] + TALL + min(max(DOWN, far / 4), 2.5 * DOWN))
    return tops


def _ports(
    arcs: Sequence[Arc], chains: Sequence[Sequence[int]], x: Sequence[float], wide: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Where arcs touch the boxes of their upper and lower ends: side by side, in the order of where they go."""
    ends: dict[tuple[int, str], list[tuple[float, int, int]]] = {}
    for k, (arc, chain) in enumerate(zip(arcs, chains, strict=True)):
        if arc.parent != arc.child:
            sides = ((0, "head" if arc.beside else "foot", x[chain[1]]), (1, "head", x[chain[-2]]))
            for end, side, toward in sides:
                ends.setdefault((chain[-end], side), []).append((toward, k, end))
    found = [[0.0, 0.0] for _ in arcs]
    for (v, _), touching in ends.items():
        step = min(PORT, (wide[v] - 2 * PAD) / max(len(touching) - 1, 1))
        for i, (_, k, end) in enumerate(sorted(touching)):
            found[k][end] = x[v] + step * (i - (len(touching) - 1) / 2)
    return [upper for upper, _ in found], [lower for _, lower in found]


def _path(curve: Curve, upwards: bool) -> str:
    pieces = [piece[::-1] for piece in reversed(curve)] if upwards else curve
    rest = (" C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in piece[1:]) for piece in pieces)
    return "M{:.1f},{:.1f}".format(*pieces[0][0]) + "".join(rest)


def _wide(name: str) -> float:
    """About as wide as it is written: capitals are wider than small letters, signs of Chinese twice as wide."""
    return sum(2 * LETTER if east_asian_width(c) in "WF" else 1.2 * LETTER if c.isupper() else LETTER for c in name)


def _loop(right: float, top: float) -> str:
    """From the row before to the same variable."""
    y1, y2 = top + TALL * 0.25, top + TALL * 0.75
    return (
        f"M{right:.1f},{y1:.1f} C{right + LOOP:.1f},{y1 - 8:.1f} {right + LOOP:.1f},{y2 + 8:.1f} {right:.1f},{y2:.1f}"
    )


def _box(name: str, x: float, y: float, width: float, seen: bool) -> Html:
    fill = "var(--line)" if seen else "var(--paper)"
    shape = void(
        "rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=TALL, rx=15,
        style=f"fill:{fill};stroke:var(--soft)",
    )  # fmt: skip
    text = {"text_anchor": "middle", "style": "fill:var(--ink);font-size:14px"}
    return el("g", shape, el("text", name, x=f"{x + width / 2:.1f}", y=f"{y + 20:.1f}", **text))


def _listed(structure: Structure) -> Html:
    """Of a network that no screen has room for."""
    rows = [(name, ", ".join(map(shown, parents)) or "–") for name, parents in zip(*structure, strict=True)]
    told = f"{len(rows):,} variables are too many for a picture; softcount net --dot FILE writes the arcs for Graphviz."
    return joined([el("p", told, cls="hint"), table(("variable", "depends on"), rows, "Arcs")])
