"""A network as a picture (in the terminal, for Graphviz), as lines of table entries, and one EM step by hand.

The terminal's picture has a line for each variable, parents above children, and a rail from each parent down to its
children:

    weather ──┐
    traffic ◂─┴─┐
    late ◂──────┘
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from softcount.machine.streams import put
from softcount.text.structure import BEFORE, Structure

MOST = 40  # variables of a picture that somebody may want to look at


def dot(structure: Structure, observed: Collection[str] = ()) -> str:
    lines = ["digraph network {"]
    for name in structure.names:
        lines.append(f"  {_quoted(name)}{' [style=filled, fillcolor=lightgrey]' if name in observed else ''};")
    for name, parents in zip(structure.names, structure.parents, strict=True):
        for parent, back in parents:
            lines.append(f"  {_quoted(parent)} -> {_quoted(name)}{' [style=dashed]' if back else ''};")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def picture(structure: Structure, observed: Collection[str] | None = None) -> list[str]:
    """One line a variable; those that the data does not show are marked hidden."""
    names = structure.in_order()
    row = {name: i for i, name in enumerate(names)}
    now = {name: [parent for parent, back in structure.of(name) if not back] for name in names}
    below = {name: [row[child] for child in names if name in now[child]] for name in names}
    rails = [name for name in names if below[name]]
    width = max(map(len, names))
    lines = []
    for i, name in enumerate(names):
        marks = [_mark(i, row[rail], below[rail]) for rail in rails]
        ends = [c for c, mark in enumerate(marks) if mark in "┐┴┤"]
        line = name + (" ◂" if now[name] else " ─" if ends else "")
        if ends:
            line += "─" * (width - len(name) + 1)
        else:
            line += " " * (width + 3 - len(line))
        line += "".join(_cell(mark, c < max(ends, default=-1)) for c, mark in enumerate(marks))
        before = [parent for parent, back in structure.of(name) if back]
        line += f"   after {', '.join(parent + BEFORE for parent in before)}" if before else ""
        line += "   (hidden)" if observed is not None and name not in observed else ""
        lines.append(line.rstrip())
    return lines


def _mark(i: int, top: int, children: list[int]) -> str:
    """What a rail shows at a line: nothing, its beginning, its way past, an arc into the line, the last one."""
    if not top <= i <= children[-1]:
        return " "
    if i == top:
        return "┐"
    return "┴" if i == children[-1] else "┤" if i in children else "│"


def _cell(mark: str, crossed: bool) -> str:
    """A rail, and the line that goes on behind it to another one, if any does."""
    if not crossed:
        return {"┴": "┘"}.get(mark, mark) + " "
    return {" ": "─", "┐": "┬", "┤": "┼"}.get(mark, mark) + "─"  # a rail that only passes interrupts the line


def entries(tables: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[str]:
    """``table<TAB>given<TAB>value<TAB>p``, one entry a line."""
    for table, rows in tables.items():
        for given, row in rows.items():
            for value, p in row.items():
                yield f"{table}\t{given}\t{value}\t{p:.6g}\n"


def explain_net(model: Any, X: Any) -> dict[str, Any]:
    """Every number of one EM step: log P, the marginals of all cells, expected counts, the tables behind the step."""
    from softcount.models.network_cost import Task
    from softcount.report.network_json import to_json

    model.as_given()
    data = model._read(X)
    over = model._allowed(data, Task.MARGINALS)
    expectation = over.expect(over.weigh(model._logs()), over.pack(data))[0]
    rows: list[dict[str, Any]] = [{} for _ in range(data.n_rows)]
    for name, table in model.predict_proba(X).items():
        for row, p in zip(rows, table.tolist(), strict=True):
            row[name] = dict(zip(over.values[over.names.index(name)], p, strict=True))
    tables = model.to_json()
    new = type(model)(**{**model.get_params(), "criterion": "em:1"}).fit(X)
    return {
        "log_likelihood": expectation.log_norm,
        "per_item": model.score_samples(X).tolist(),
        "rows": rows,
        "tables": tables,
        "counts": to_json(over, expectation.counts),
        "updated": new.to_json(),
    }


def print_net(result: Mapping[str, Any], structure: Structure, observed: Collection[str]) -> None:
    from math import exp

    from softcount.report.columns import show

    put("\n".join(picture(structure, observed)) + "\n")
    what = "sequence" if structure.over_time else "row"
    for number, log in enumerate(result["per_item"], 1):
        put(f"P({what} {number}) = {exp(log):.10g}")
    put()
    lines = [
        [str(number), name, value, f"{p:.6g}"]
        for number, row in enumerate(result["rows"], 1)
        for name, shares in row.items()
        for value, p in shares.items()
    ]
    per_row = sum(len(shares) for shares in result["rows"][0].values())
    breaks = range(0, len(lines), per_row)
    show("P(value | all that is known)", ["row", "variable", "value", "p"], lines, names=3, breaks=breaks)
    lines = [
        [table, given, value, f"{p:.6g}", f"{result['counts'][table][given][value]:.6g}",
         f"{result['updated'][table][given][value]:.6g}"]
        for table, rows in result["tables"].items() for given, row in rows.items() for value, p in row.items()
    ]  # fmt: skip
    header = ["table", "given", "value", "p", "expected count", "p after one EM step"]
    show("One EM step", header, lines, names=3)
