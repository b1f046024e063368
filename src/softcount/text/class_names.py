"""Names for classes that have numbers: a TSV file, class<TAB>name, as `softcount score tags --map` writes it."""

from __future__ import annotations

from pathlib import Path

from softcount.errors import InputError
from softcount.text.source import lines, name_of, quoted

HEADER = ("class", "name")


def read_names(path: str | Path) -> dict[str, str]:
    """By class its name; several classes may share one. Further columns are not read, nor a header."""
    where, names = name_of(path), dict[str, str]()
    for number, row in enumerate(lines(path).to_pylist(), 1):
        if not row.strip():
            continue
        fields = [field.strip() for field in row.split("\t")]
        if number == 1 and tuple(fields[:2]) == HEADER:
            continue
        if len(fields) < 2 or not fields[0] or not fields[1]:
            raise InputError(f"{where}:{number}: {quoted(row)} is not a name; write class<TAB>name")
        if any(blank in fields[1] for blank in " \t"):
            raise InputError(f"{where}:{number}: the name {quoted(fields[1])} contains a space; write it as one word")
        if fields[0] in names:
            raise InputError(f"{where}:{number}: class {quoted(fields[0])} already has a name; remove one of them")
        names[fields[0]] = fields[1]
    if not names:
        raise InputError(f"{where}: empty file; give at least one line")
    return names
