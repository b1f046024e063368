"""Classes of words that a user gives: ``word<TAB>class<TAB>coarser class …``, one word a line, from fine to coarse.

    walked<TAB>walk<TAB>move
    walks<TAB>walk<TAB>move

A class is in one coarser class, wherever it stands. A first line that begins with ``word`` names the columns; those
whose names begin with ``class`` are read then, so that what `softcount classes` writes may be given as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from softcount.errors import InputError
from softcount.text.source import lines, name_of, quoted

FORM = "write word<TAB>class<TAB>coarser class …"

Given = dict[str, tuple[str, ...]]  # word → its classes, from fine to coarse


def read_classes(path: str | Path) -> Given:
    name, columns = name_of(path), None
    checked = _Checked(name)
    for number, line in enumerate(lines(path).to_pylist(), 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if not checked.found and columns is None and cells[0] == "word" and len(cells) > 1:
            columns = _class_columns(f"{name}:{number}", cells)
            continue
        if columns is not None and len(cells) > max(columns):
            cells = [cells[0], *(cells[k] for k in columns)]
        checked.add(cells, number)
    if not checked.found:
        raise InputError(f"{name}: no classes; {FORM}, one word per line")
    return checked.found


def _class_columns(where: str, cells: Sequence[str]) -> list[int]:
    columns = [k for k, cell in enumerate(cells) if k and cell.startswith("class")]
    if not columns:
        raise InputError(f"{where}: no column name begins with class; name one so, or remove this line")
    return columns


class _Checked:
    """What was read so far, and where it was said first."""

    def __init__(self, name: str) -> None:
        self.name, self.found, self.line = name, Given(), dict[str, int]()
        self.above: dict[tuple[int, str], tuple[str, int]] = {}

    def add(self, cells: Sequence[str], number: int) -> None:
        word, *classes = cells
        where, n = f"{self.name}:{number}", len(next(iter(self.found.values()), classes))
        if len(cells) < 2 or not all(cells):
            raise InputError(f"{where}: {'no class' if len(cells) < 2 else 'an empty column'}; {FORM}")
        if len(classes) != n:
            raise InputError(f"{where}: {len(classes)} classes, but previous lines have {n}; give every word {n}")
        if self.found.get(word, tuple(classes)) != tuple(classes):
            raise InputError(f"{where}: {quoted(word)} has other classes on line {self.line[word]}; keep one of them")
        for depth, (fine, coarse) in enumerate(pairwise(classes)):
            other, line = self.above.setdefault((depth, fine), (coarse, number))
            if other != coarse:
                raise InputError(
                    f"{where}: class {quoted(fine)} is in {quoted(coarse)} here and in "
                    f"{quoted(other)} on line {line}; order columns from fine to coarse, with each "
                    "class in one coarser class"
                )
        self.found[word] = tuple(classes)
        self.line.setdefault(word, number)


def given_classes(given: Any, lowercase: bool) -> Given:
    """Of a path or a mapping; where case is no matter, of the words in lower case, the first of equals."""
    found = _of_mapping(given) if isinstance(given, Mapping) else read_classes(given)
    if not lowercase:
        return found
    lower: Given = {}
    for word, classes in found.items():
        lower.setdefault(word.lower(), classes)
    return lower


def _of_mapping(given: Mapping[Any, Any]) -> Given:
    checked = _Checked("stems")
    for number, (word, classes) in enumerate(given.items(), 1):
        checked.add([str(word), *([str(classes)] if isinstance(classes, str | int) else map(str, classes))], number)
    if not checked.found:
        raise InputError("stems: the mapping is empty; give word → class, or word → (class, coarser class)")
    return checked.found
