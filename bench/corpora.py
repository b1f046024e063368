"""Where the benches look for real corpora: beside the project, or in the folder that SOFTCOUNT_DATA names."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


def folder(name: str) -> Path | None:
    """The corpus's folder; None, with a word, where it is not there."""
    root = Path(os.environ.get("SOFTCOUNT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    path = root / name
    if path.is_dir():
        return path
    print(f"skipped: no corpus {name} in {root} (set SOFTCOUNT_DATA)", file=sys.stderr)
    return None


def shell_line() -> str:
    """The command that made a table, to print above it; it can be pasted into a shell."""
    return "$ python " + shlex.join([os.path.relpath(sys.argv[0]), *sys.argv[1:]])
