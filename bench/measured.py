"""Measured tables as data: a bench prints its rows as it goes, and keeps them in docs/data/NAME.json where
SOFTCOUNT_WRITE is set; the pages show what is kept, so that no figure is typed by hand.

    SOFTCOUNT_WRITE=1 python bench/bench_network.py     # measures, prints, keeps
    python bench/measured.py                            # writes the tables of all pages anew; a test checks them

A page says where a table goes, and may turn a long one around (a row for every tool, a column for every text):

    <!-- table network-learned -->                      <!-- table align rows=tool columns=text cell=AER -->
    <!-- end of table -->                               <!-- end of table -->

(`columns=start, text`: one for every two of them; `form=.3f`: the first number of a cell alone;
`origins=below`: a later table of the page says where rows come from)
and what its sentences say of one, by the first number of a cell, rounded (bare: without the zero before the point):

    <!-- figure classes-wsj-45; EM 100 from a random start; many-to-one; .2f bare -->.51<!-- end -->

Rows are known by their first columns (`keys`): those of a run take the place of those that were kept, the others stay,
and the page names the command and the version of each. Tables that are older than this way of keeping them were moved
into it as they stood, with the day on which they were written down; the next run of their bench takes their place.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpora import shell_line

DOCS = Path(__file__).parent.parent / "docs"
DATA = DOCS / "data"
MARK = re.compile(r"<!-- (?:table|figure) ")
MARKED = re.compile(r"(<!-- table (?P<what>(?:(?!-->).)*?) -->\n).*?(<!-- end of table -->)", re.DOTALL)
OPTIONS = "rows|columns|cell|form|origins"
FIGURE = re.compile(r"(<!-- figure (?P<what>(?:(?!-->).)*?) -->).*?(<!-- end -->)", re.DOTALL)
NUMBER = re.compile(r"[−-]?[\d,]*\.?\d+")
DIGITS = 6  # of a number that is kept
NAMED = 3  # rows of a run that are named under their table
BY_HAND = "written down"  # the day since which a page had a row that no bench has kept


class Measured:
    """A table with these columns, each with the format of its cells: "" for text, ".3f", ",.0f", "+.2%"."""

    def __init__(self, name: str, columns: Mapping[str, str], keys: int = 1, folder: Path | None = None) -> None:
        self.name, self.columns, self.keys = name, dict(columns), keys
        self.path = (folder or DATA) / f"{name}.json"
        self.writes = folder is not None or bool(os.environ.get("SOFTCOUNT_WRITE"))
        self.run = {"command": shell_line().removeprefix("$ "), "softcount": _softcount(), "machine": machine()}
        self.begun = False

    def add(self, *cells: Any) -> None:
        """A row: printed now, and kept where it should be."""
        if not self.begun:
            print("\n" + "\n".join(_head(self.columns)))
            self.begun = True
        row = [_kept(cell) for cell in cells]
        print(_line(shown(cell, form) for cell, form in zip(row, self.columns.values(), strict=True)), flush=True)
        if self.writes:
            self._write(row)

    def _write(self, row: list[Any]) -> None:
        """After every row, so that a bench that is stopped keeps what it had."""
        kept = read(self.path) if self.path.exists() else {"rows": []}
        rows = kept["rows"] if kept.get("columns") == self.columns else []  # of another shape: measured anew
        new = {"cells": row, **self.run}
        at = next((i for i, old in enumerate(rows) if old["cells"][: self.keys] == row[: self.keys]), len(rows))
        rows[at : at + 1] = [new]
        self.path.parent.mkdir(exist_ok=True)
        text = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in rows)
        columns = json.dumps(self.columns, ensure_ascii=False)
        self.path.write_text(f'{{"columns": {columns},\n "rows": [\n  {text}\n]}}\n', encoding="utf-8")


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def machine() -> str:
    """What figures depend on; no name, no date."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, numpy {version('numpy')}"


def _softcount() -> str:
    from softcount.version import VERSION

    return VERSION


def _kept(cell: Any) -> Any:
    """Text, a whole number, or six digits of any other; null where there is none."""
    if cell is None or isinstance(cell, str):
        return cell
    number = float(cell)
    if number != number:
        return None
    return int(number) if number.is_integer() and abs(number) < 1e15 else float(f"{number:.{DIGITS}g}")


# --- pages ------------------------------------------------------------------------------------------------------------


def shown(cell: Any, form: str) -> str:
    if cell is None:
        return "–"
    text = cell if isinstance(cell, str) else format(cell, form)
    return text.replace("-", "−", 1) if not isinstance(cell, str) and text.startswith("-") else text.replace("|", "\\|")


def _head(titles: Any) -> list[str]:
    return [_line(titles), "|" + "---|" * len(titles)]


def _line(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


def rendered(
    name: str, rows: str = "", columns: str = "", cell: str = "", form: str = "", origins: str = "", folder: Path = DATA
) -> str:
    """The table and, under it, where it comes from."""
    data = read(folder / f"{name}.json")
    forms, kept = data["columns"], data["rows"]
    titles = list(forms)
    if rows:
        lines = _turned(titles, form or forms[cell], kept, rows, columns, cell)
    else:
        lines = _head(titles)
        lines += [_line(shown(c, f) for c, f in zip(row["cells"], forms.values(), strict=True)) for row in kept]
    under = [] if origins == "below" else ["", *_origins(kept)]
    return "\n".join([*lines, *under]) + "\n"


def _turned(titles: list[str], form: str, kept: list[Any], down: str, across: str, cell: str) -> list[str]:
    at, value, *over = (titles.index(title) for title in (down, cell, *across.split(", ")))
    found = {
        (row["cells"][at], ", ".join(str(row["cells"][k]) for k in over)): _shortened(row["cells"][value], form)
        for row in kept
    }
    firsts, seconds = (list(dict.fromkeys(key[i] for key in found)) for i in (0, 1))
    return [*_head(["", *seconds]),
            *(_line([shown(str(a), ""), *(found.get((a, b), "–") for b in seconds)]) for a in firsts)]  # fmt: skip


def _shortened(cell: Any, form: str) -> str:
    """Of a text with a spread, where a form is asked for, its first number."""
    if form and isinstance(cell, str):
        return _number(cell, form)
    kind, _, bare = form.partition(" ")
    return shown(cell, kind).removeprefix("0" if bare else "")


def _origins(kept: list[Any]) -> list[str]:
    """The command of each run, and of which rows it is where there are several."""
    runs: dict[str, list[str]] = {}
    for row in kept:
        runs.setdefault(_origin(row), []).append(str(row["cells"][0]))
    if len(runs) == 1:
        return list(runs)
    return [f"- {_named(list(dict.fromkeys(names)))}: {line}" for line, names in runs.items()]


def _named(rows: list[str]) -> str:
    """All of a few, the first of many."""
    return ", ".join(rows) if len(rows) <= NAMED else f"{rows[0]}, and {len(rows) - 1} more"


def _origin(row: Any) -> str:
    """Where a row comes from: a run that kept it; a trial, which was made once, to decide something, and is recorded;
    or, "written down", a page that it was moved here from as it stood."""
    with_what = f"softcount {row['softcount']}; {row['machine']}"
    if not row["command"]:
        return f"The record of a trial on {row[BY_HAND]}, which no bench repeats: {with_what}."
    before = f", written down on {row[BY_HAND]}, not measured again since" if BY_HAND in row else ""
    return f"`{row['command']}`, {with_what}{before}."


def page(text: str, folder: Path = DATA) -> str:
    """With every table as it is kept."""

    def table(match: re.Match[str]) -> str:
        name, *options = match["what"].split(" ")
        turned = dict(re.findall(rf"({OPTIONS})=(.+?)(?= (?:{OPTIONS})=|$)", " ".join(options)))
        return f"{match[1]}\n{rendered(name, **turned, folder=folder)}\n{match[3]}"

    def sentence(match: re.Match[str]) -> str:
        return match[1] + figure(*match["what"].replace("\n", " ").split("; "), folder=folder) + match[3]

    shown, n_tables = MARKED.subn(table, text)
    shown, n_figures = FIGURE.subn(sentence, shown)
    if n_tables + n_figures != len(MARK.findall(text)):
        unclosed = next(MARK.finditer(FIGURE.sub("", MARKED.sub("", text))))
        raise LookupError(f"a mark without its end: {unclosed.string[unclosed.start() :][:100]!r}")
    return shown


def figure(name: str, row: str, column: str, form: str, folder: Path = DATA) -> str:
    """One number of a table, as a sentence says it."""
    data = read(folder / f"{name}.json")
    if column not in data["columns"]:
        raise LookupError(f"{name}.json has no column {column!r}")
    at = list(data["columns"]).index(column)
    rows = (list(map(str, one["cells"])) for one in data["rows"])
    found = [cells[at] for cells in rows if row in (", ".join(cells[:k]) for k in range(1, len(cells)))]
    if not found:
        raise LookupError(f"{name}.json has no row {row!r}")
    return _number(found[0], form)


def _number(cell: str, form: str) -> str:
    """The first of a text, rounded."""
    found = NUMBER.search(cell)
    if not found:
        raise LookupError(f"{cell!r} has no number")
    kind, _, bare = form.partition(" ")
    text = format(float(found[0].replace(",", "").replace("−", "-")), kind)
    return text.removeprefix("0") if bare else text


def pages() -> list[Path]:
    """Those that show what is kept."""
    every = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [path for path in every if re.search("<!-- (table|figure) ", path.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    for path in pages():
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
