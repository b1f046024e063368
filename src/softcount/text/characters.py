"""Characters as words: ``a b`` is read as ``a ▁ b``, and joined again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from softcount.text.corpus import Corpus, corpus

BLANK = "▁"  # U+2581, which stands for a blank, so that blanks can stand between characters


def spaced(line: str) -> str:
    """Every character a word; runs of blanks are one."""
    return " ".join(BLANK.join(line.split()))


def spelt(text: Corpus) -> Corpus:
    """The same sentences with every character a word."""
    lines = [spaced(" ".join(text.tokens(s))).split() for s in range(len(text))]
    return replace(corpus(lines), source=text.source)


def joined(characters: Sequence[str]) -> str:
    return "".join(characters).replace(BLANK, " ")
