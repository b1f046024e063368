"""Text files → Bitext.

| form | a pair |
|---|---|
| two files | the same line of both |
| one file, ``|||`` | ``source ||| target`` on a line |
| one file, TSV | ``source<TAB>target`` on a line |
| one file, TMX | a <tu> with its first two <tuv>; entities are not resolved, nor any file that it names |

Packed files (``.gz``) and standard input (``-``) as everywhere. A form of one file is told by its name, else by its
first line that is not empty.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from softcount.errors import InputError
from softcount.text.bitext import Bitext
from softcount.text.corpus import Corpus, assemble
from softcount.text.source import line_of, name_of, read_text, split_tokens
from softcount.text.vocabulary import Vocabulary

BAR = b"|||"


def read_bitext(
    source: str | Path, target: str | Path | None = None, vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
    min_count: int = 1,
) -> Bitext:  # fmt: skip
    """A Bitext of two files, or of one file that has both sides."""
    known = vocabularies or (None, None)
    if target is not None:
        if str(source) == str(target) == "-":
            raise InputError("<stdin>: both the source and the target; give a file for one of them")
        first, second = read_text(source), read_text(target)
        names = name_of(source), name_of(target)
    else:
        first, second = _sides(source)
        names = f"{name_of(source)} (source)", f"{name_of(source)} (target)"
    sides = zip((first, second), known, names, strict=True)
    return Bitext.of(*(_corpus(text, vocabulary, name, min_count) for text, vocabulary, name in sides))


def _corpus(text: bytes, vocabulary: Vocabulary | None, name: str, min_count: int) -> Corpus:
    offsets, tokens = split_tokens(text)
    if len(offsets) == 1:
        raise InputError(f"{name}: empty file; give at least one line")
    where = lambda token: f"{name}:{line_of(offsets, token)}"  # noqa: E731
    return assemble(offsets, tokens, None, where, vocabulary, min_count, source=name)


def _sides(path: str | Path) -> tuple[bytes, bytes]:
    text, name = read_text(path), name_of(path)
    plain = name.lower().removesuffix(".gz")
    if plain.endswith(".tmx") or text.lstrip()[:5] == b"<?xml":
        return _tmx(text, name)
    first = next((line for line in text.split(b"\n", 1000) if line.strip()), b"")
    if BAR in first:
        return _cut(text, BAR, name, "|||")
    if b"\t" in first or plain.endswith(".tsv"):
        return _cut(text, b"\t", name, "<TAB>")
    raise InputError(
        f"{name}: no second file, and its lines are not source ||| target nor source<TAB>target; name both"
    )


def _cut(text: bytes, mark: bytes, name: str, shown: str) -> tuple[bytes, bytes]:
    """At the mark of every line; an empty line is a pair of empty sentences."""
    left, right = [], []
    rows = text.split(b"\n")
    for number, row in enumerate(rows[:-1] if rows[-1] == b"" else rows, 1):
        pieces = row.split(mark)
        if len(pieces) != 2 and row.strip():
            raise InputError(f"{name}:{number}: {len(pieces) - 1} times {shown}; write source {shown} target")
        left.append(pieces[0])
        right.append(pieces[-1] if len(pieces) == 2 else b"")
    return b"\n".join(left) + b"\n", b"\n".join(right) + b"\n"


def _tmx(text: bytes, name: str) -> tuple[bytes, bytes]:
    left, right = [], []
    for number, unit in _units(text, name):
        if len(unit) < 2:
            raise InputError(f"{name}:{number}: a <tu> with {len(unit)} <tuv>; give it two")
        left.append(" ".join(unit[0].split()))
        right.append(" ".join(unit[1].split()))
    if not left:
        raise InputError(f"{name}: no <tu> in it; give at least one")
    return "\n".join([*left, ""]).encode(), "\n".join([*right, ""]).encode()


def _units(text: bytes, name: str) -> Iterator[tuple[int, list[str]]]:
    """(line, the segments' text) of every <tu>."""
    units: list[tuple[int, list[str]]] = []
    open_tags: list[str] = []
    parser = expat.ParserCreate()

    def start(tag: str, _: Any) -> None:
        open_tags.append(tag.rpartition(":")[2])
        if open_tags[-1] == "tu":
            units.append((parser.CurrentLineNumber, []))
        elif open_tags[-1] == "tuv" and units:
            units[-1][1].append("")

    def data(content: str) -> None:
        if "seg" in open_tags and units and units[-1][1]:
            units[-1][1][-1] += content

    def declared(*_: Any) -> None:
        raise InputError(f"{name}:{parser.CurrentLineNumber}: declares an entity; remove it, entities are not resolved")

    parser.StartElementHandler, parser.CharacterDataHandler, parser.EntityDeclHandler = start, data, declared
    parser.EndElementHandler = lambda _: open_tags.pop()
    try:
        parser.ParseFile(io.BytesIO(text))
    except expat.ExpatError as error:
        raise InputError(f"{name}:{error.lineno}: not well-formed XML ({expat.errors.messages[error.code]})") from None
    return iter(units)
