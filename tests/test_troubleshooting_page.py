"""Notes that Troubleshooting quotes are those that softcount prints."""

from __future__ import annotations

import re
from pathlib import Path

from plain_words import literals

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "how-to" / "troubleshooting.md"


def quoted() -> list[str]:
    """What stands in the first column of the notes' table, in pieces between what differs (…, N, M)."""
    table = PAGE.read_text(encoding="utf-8").split("## Notes")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    pieces = (
        part for cell in cells for note in re.findall("`([^`]+)`", cell) for part in re.split(r"…|\b[NM]\b", note)
    )
    return [piece.strip(" :") for piece in pieces if len(piece.strip(" :")) > 3]


def test_notes_are_quoted_as_they_are_printed() -> None:
    sources = (ROOT / "src" / "softcount").rglob("*.py")
    printed = "\n".join(text for path in sources for _, text in literals(path.read_text(encoding="utf-8")))
    assert len(quoted()) > 30
    assert not [note for note in quoted() if note not in printed]
