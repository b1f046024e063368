"""What the pages for contributors say of folders and files is true: named files exist, and no folder is left out."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "softcount"
PAGES = ("architecture", "extending", "testing", "documentation")
TEXT = "".join((ROOT / "docs" / "development" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)


def test_every_file_that_is_named_exists() -> None:
    named = set(re.findall(r"`([\w/]+\.(?:py|md|toml))[`:]", TEXT))
    missing = sorted(n for n in named if not any((home / n).is_file() for home in (SOURCE, ROOT)))
    assert len(named) > 30 and not missing


def test_every_room_has_its_row_and_every_row_its_room() -> None:
    table = "\n".join(line for line in TEXT.splitlines() if line.startswith("|"))
    rows = set(re.findall(r"`(\w+)/`", table))
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()}
    assert rows == rooms
