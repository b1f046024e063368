"""The forms in which `softcount tag` writes its tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from softcount.errors import InputError

OUTPUTS = ("lines", "conllu", "tsv", "tagged")


def tag_lines(data: Any, tags: Iterable[list[Any]], output: str, column: str, content: bytes | None) -> Iterator[str]:
    """`content` is the CoNLL-U text that the data came from, if they did."""
    if output == "lines":
        return (" ".join(map(str, row)) + "\n" for row in tags)
    sentences = (block.tokens(s) for _, block in data.blocks() for s in range(len(block)))
    if output == "conllu":
        from softcount.text.conllu_writer import conllu_lines, new_conllu

        return new_conllu(sentences, tags, column) if content is None else conllu_lines(content, tags, column)
    if output == "tagged":
        pairs = (zip(words, row, strict=True) for words, row in zip(sentences, tags, strict=True))
        return (" ".join(f"{word}/{tag}" for word, tag in pair) + "\n" for pair in pairs)
    from softcount.report.tsv import tsv_lines

    numbered = enumerate(zip(sentences, tags, strict=True), 1)
    rows = ((s, word, tag) for s, (words, row) in numbered for word, tag in zip(words, row, strict=True))
    return tsv_lines(("sentence", "word", "tag"), rows)


def check_output(output: str, column: str) -> None:
    from softcount.text.conllu_writer import check_column

    if output not in OUTPUTS:
        raise InputError(f"--output {output!r}: unknown; use {', '.join(OUTPUTS)}")
    check_column(column)


def renamed(tags: Iterable[list[Any]], names: dict[str, str]) -> Iterable[list[Any]]:
    """Classes that the file does not name keep what they have."""
    found = ([names.get(str(tag), tag) for tag in row] for row in tags)
    return list(found) if isinstance(tags, list) else found
