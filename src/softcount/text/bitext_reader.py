"""Text files → Bitext.

| form | a pair |
|---|---|
| two files | the same line of both |
| one file, ``|||`` | ``source ||| target`` on a line |
| one file, TSV | ``source<TAB>target`` on a line |
| one file, TMX | a <tu> with its first two <tuv>; entities are refused, and no file that it names is opened |

Packed files (``.gz``) and standard input (``-``) as everywhere. A form of one file is told by its name, else by its
first line that is not empty.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from xml.parsers import expat

from softcount.errors import InputError
from softcount.text.bitext import Bitext
from softcount.text.corpus import Corpus, assemble
from softcount.text.source import check_stdin, line_of, name_of, read_text, split_tokens
from softcount.text.vocabulary import Vocabulary, lowered

BAR = b"|||"


def read_bitext(
    source: str | Path, target: str | Path | None = None, vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
    min_count: int = 1, lowercase: bool = False,
) -> Bitext:  # fmt: skip
    """A Bitext of two files, or of one file that has both sides."""
    known = vocabularies or (None, None)
    if target is not None:
        check_stdin(source=source, target=target)
        first, second = read_text(source), read_text(target)
        names = name_of(source), name_of(target)
    else:
        first, second = _sides(source)
        names = f"{name_of(source)} (source)", f"{name_of(source)} (target)"
    sides = zip((first, second), known, names, strict=True)
    return Bitext.of(*(_corpus(text, vocabulary, name, min_count, lowercase) for text, vocabulary, name in sides))


def _corpus(text: bytes, vocabulary: Vocabulary | None, name: str, min_count: int, lowercase: bool) -> Corpus:
    offsets, tokens = split_tokens(text)
    if len(offsets) == 1:
        raise InputError(f"{name}: empty file; give at least one line")
    where = lambda token: f"{name}:{line_of(offsets, token)}"  # noqa: E731
    tokens = lowered(tokens) if lowercase else tokens
    return assemble(offsets, tokens, None, where, vocabulary, min_count, source=name)


def _sides(path: str | Path) -> tuple[bytes, bytes]:
    text, name = read_text(path), name_of(path)
    if not text.strip():
        raise InputError(f"{name}: {'no words, only blanks' if text else 'empty file'}; give at least one pair")
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
        sides = [" ".join("".join(pieces).split()) for pieces in unit[:2]]
        left.append(sides[0])
        right.append(sides[1])
    if not left:
        raise InputError(f"{name}: no <tu> in it; give at least one")
    return "\n".join([*left, ""]).encode(), "\n".join([*right, ""]).encode()


def _units(text: bytes, name: str) -> list[tuple[int, list[list[str]]]]:
    """(line, of every <tuv> the pieces of its text) of every <tu>."""
    units: list[tuple[int, list[list[str]]]] = []
    segments = 0  # how many <seg> are open
    parser = expat.ParserCreate("UTF-8")  # which the text is known to be, whatever encoding it declares

    def start(tag: str, _: Any) -> None:
        nonlocal segments
        kind = tag.rpartition(":")[2]
        segments += kind == "seg"
        if kind == "tu":
            units.append((parser.CurrentLineNumber, []))
        elif kind == "tuv" and units:
            units[-1][1].append([])

    def end(tag: str) -> None:
        nonlocal segments
        segments -= tag.rpartition(":")[2] == "seg"

    def data(content: str) -> None:
        if segments and units and units[-1][1]:
            units[-1][1][-1].append(content)

    def entity(*_: Any) -> None:
        where = f"{name}:{parser.CurrentLineNumber}"
        raise InputError(f"{where}: an entity, and entities are not resolved; write what it stands for")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.EntityDeclHandler = parser.SkippedEntityHandler = entity
    try:
        parser.ParseFile(io.BytesIO(text))
    except expat.ExpatError as error:
        wrong = f"not well-formed XML ({expat.errors.messages[error.code]})"
        raise InputError(f"{name}:{error.lineno}: {wrong}; correct it, or export it again") from None
    return units
