"""The table of which model trains under which criterion, as the page about criteria shows it."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "background" / "criteria" / "index.md"


def grid_row(model: str) -> dict[str, str]:
    """{criterion: what the cell says}"""
    table = PAGE.read_text(encoding="utf-8").split("<!-- grid -->")[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line]
    cells = next(row for row in rows if row[0].startswith(model))
    return dict(zip(rows[0][1:], cells[1:], strict=True))
