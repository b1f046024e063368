"""Characters as words: ``a b`` is read as ``a ▁ b``, and joined again."""

from __future__ import annotations

from collections.abc import Sequence

BLANK = "▁"  # U+2581, which stands for a blank, so that blanks can stand between characters


def spaced(line: str) -> str:
    """Every character a word; runs of blanks are one."""
    return " ".join(BLANK.join(line.split()))


def joined(characters: Sequence[str]) -> str:
    return "".join(characters).replace(BLANK, " ")
