"""Values that are kept in files of their own while nobody works on them: for what is larger than memory, all together.

A file is gone when nobody has its handle any more, and its folder when the engine closes. They are where the system
keeps temporary files (TMPDIR); nobody else can read them, and nothing but what this process wrote is read from there.
"""

from __future__ import annotations

import pickle
import tempfile
import weakref
from itertools import count
from pathlib import Path
from typing import Any


class Folder:
    def __init__(self) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="softcount-")
        self._numbers = count()

    def spill(self, value: Any) -> Spilled:
        path = Path(self._place.name, str(next(self._numbers)))
        with path.open("wb") as file:
            pickle.dump(value, file, protocol=5)
        return Spilled(path)

    def close(self) -> None:
        self._place.cleanup()


class Spilled:
    """Where a value is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        weakref.finalize(self, path.unlink, missing_ok=True)


def here(value: Any) -> Any:
    """The value, read again where it is in a file."""
    if not isinstance(value, Spilled):
        return value
    with value.path.open("rb") as file:
        return pickle.load(file)
