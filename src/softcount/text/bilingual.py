"""Bilingual dictionaries: ``source<TAB>target<TAB>must|prefer|never``, one entry a line.

must: the source word has this translation and no other; prefer: pseudo-counts; never: impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from softcount.errors import InputError
from softcount.text.digest import content_digest
from softcount.text.source import lines, name_of, quoted

KINDS = ("must", "prefer", "never")


class BilingualEntry(NamedTuple):
    source: str
    target: str
    kind: str


def entries_of(given: str | Path | Sequence[Any]) -> list[BilingualEntry]:
    """Of a dictionary in any form: the path of a file, or entries."""
    return read_bilingual(given) if isinstance(given, str | Path) else [BilingualEntry(*entry) for entry in given]


def once(path: Path | None) -> Any:
    """A file by its name; what can be read only once, a pipe or standard input, by its content."""
    return path if path is None or path.is_file() else [tuple(entry) for entry in read_bilingual(path)]


def signed(entries: Sequence[BilingualEntry]) -> str:
    """For signatures: a digest of what they say."""
    return content_digest(sorted(map(tuple, entries)))


def read_bilingual(path: str | Path) -> list[BilingualEntry]:
    name = name_of(path)
    entries: dict[tuple[str, str], BilingualEntry] = {}
    for number, line in enumerate(lines(path).to_pylist(), 1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 3 or not all(fields):
            raise InputError(
                f"{name}:{number}: {len(fields)} columns; write source<TAB>target<TAB>must, prefer or never"
            )
        entry = BilingualEntry(*fields)
        if entry.kind not in KINDS:
            raise InputError(f"{name}:{number}: unknown kind {quoted(entry.kind)}; write must, prefer or never")
        old = entries.setdefault(entry[:2], entry)
        if old.kind != entry.kind:
            both = f"{quoted(entry.source)} {quoted(entry.target)} is both {old.kind} and {entry.kind}"
            raise InputError(f"{name}:{number}: {both}; keep one of the two")
    if not entries:
        raise InputError(f"{name}: empty file; give at least one line source<TAB>target<TAB>must|prefer|never")
    return list(entries.values())
