"""The tables of docs/reference/messages.md, made of tested rows. `python tests/input_page.py` writes them anew."""

from __future__ import annotations

from pathlib import Path

from input_row import Refused, Works
from input_rows import APART, LEGAL, SECTIONS

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "messages.md"


def first(row: Refused) -> str:
    says = row.says if isinstance(row.says, str) else row.says[0]
    return says if not says.endswith(" ") else says + "…"


def commands(row: Refused | Works) -> str:
    """Which commands the row is tried with, by their first words."""
    names = dict.fromkeys(" ".join(c.split()[: 2 if c.startswith(("score", "explain")) else 1]) for c in row.commands)
    return ", ".join(names)


def tables() -> str:
    parts = []
    for title, rows in SECTIONS.items():
        parts += [f"### {title}", "", "| row | input | is answered with | tried with |", "|---|---|---|---|"]
        parts += [f"| {r.name} | {_cell(r.what)} | {_code(first(r))} | {commands(r)} |" for r in rows]
        parts += [""]
    parts += ["### Odd, but good", "", "| row | input | what happens | tried with |", "|---|---|---|---|"]
    parts += [f"| {r.name} | {_cell(r.what)} | {_cell(r.then)} | {commands(r)} |" for r in LEGAL]
    parts += ["", "### Tested apart", "", "| row | input | what happens | test |", "|---|---|---|---|"]
    parts += [f"| {name} | {_cell(what)} | {_cell(then)} | `{test}` |" for name, what, then, test in APART]
    return "\n".join(parts) + "\n"


def _code(text: str) -> str:
    marks = "``" if "`" in text else "`"
    return f"{marks}{_cell(text)}{marks}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


BEGIN, END = "<!-- rows -->\n", "<!-- end of rows -->\n"


def page() -> str:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + "\n" + tables() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
