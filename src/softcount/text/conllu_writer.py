"""CoNLL-U back as it came, with a class for every word: comments, multiword tokens, empty nodes and line ends stay.

The class goes into a column (UPOS, XPOS), or into MISC as ``Class=…``, where what was there before stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from softcount.errors import InputError

COLUMNS = {"upos": 3, "xpos": 4, "misc": 9}
KEY = "Class="


def with_classes(text: bytes, classes: Iterable[Sequence[Any]], column: str) -> Iterator[str]:
    """The lines of a CoNLL-U file that has been read (`text.reader`), with the classes of its sentences."""
    flat = (str(name) for row in classes for name in row)
    for line in text.decode().split("\n"):
        fields = line.split("\t")
        yield (
            "\t".join(_put(fields, next(flat), column)) if fields[0].isascii() and fields[0].isdigit() else line
        ) + "\n"


def conllu_lines(text: bytes, classes: Iterable[Sequence[Any]], column: str) -> Iterator[str]:
    """As `with_classes`, without the line that `split` sees behind the last line end."""
    check_column(column)
    lines = list(with_classes(text, classes, column))
    if text.endswith(b"\n"):
        lines.pop()
    elif lines:
        lines[-1] = lines[-1].removesuffix("\n")
    return iter(lines)


def new_conllu(sentences: Iterable[Sequence[str]], classes: Iterable[Sequence[Any]], column: str) -> Iterator[str]:
    """Of sentences that came in another form; one without words has no place in CoNLL-U, but its number."""
    check_column(column)
    for number, (words, names) in enumerate(zip(sentences, classes, strict=True), 1):
        if not words:
            continue
        yield f"# sent_id = {number}\n# text = {' '.join(words)}\n"
        for place, (word, name) in enumerate(zip(words, names, strict=True), 1):
            yield "\t".join(_put([str(place), word, *["_"] * 8], str(name), column)) + "\n"
        yield "\n"


def check_column(column: str) -> None:
    if column not in COLUMNS:
        raise InputError(f"column {column!r}: unknown; use {', '.join(COLUMNS)}")


def _put(fields: list[str], name: str, column: str) -> list[str]:
    place, fields = COLUMNS[column], list(fields)
    if column != "misc":
        fields[place] = name
        return fields
    misc = fields[place].rstrip("\r")
    end = fields[place][len(misc) :] if len(fields) == place + 1 else ""
    kept = [item for item in misc.split("|") if item not in ("_", "") and not item.startswith(KEY)]
    fields[place] = "|".join([*kept, KEY + name]) + end
    return fields
