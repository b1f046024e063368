"""Words of a class where they stand in a text, and documents of a class by their first words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcount.numbers.ragged import Array

AROUND = 4  # words on either side
SEARCHED = 20_000  # sentences, from the first
BEGINNING = 12  # words of a document


def word_examples(
    sentences: Sequence[Sequence[str]], labels: Sequence[Sequence[str]], wanted: dict[str, list[str]], n: int
) -> dict[str, list[str]]:
    """Of each class up to `n` places where one of its typical words (`wanted`) is in it, each word once.

    A more typical word goes first: `wanted` lists them in that order.
    """
    first: dict[tuple[str, str], tuple[int, int]] = {}
    typical = {name: set(words) for name, words in wanted.items()}
    for s, (words, classes) in enumerate(zip(sentences[:SEARCHED], labels[:SEARCHED], strict=True)):
        for t, (word, name) in enumerate(zip(words, classes, strict=True)):
            if word in typical.get(name, ()) and (name, word) not in first:
                first[name, word] = (s, t)
    found = {}
    for name, words in wanted.items():
        places = [first[name, word] for word in words if (name, word) in first][:n]
        found[name] = [in_context(sentences[s], t) for s, t in places]
    return found


def in_context(words: Sequence[str], t: int) -> str:
    """``… the old [cat] sat on the mat …``"""
    start, stop = max(0, t - AROUND), min(len(words), t + AROUND + 1)
    left, right = " ".join(words[start:t]), " ".join(words[t + 1 : stop])
    pieces = ["…" if start else "", left, f"[{words[t]}]", right, "…" if stop < len(words) else ""]
    return " ".join(piece for piece in pieces if piece)


def document_examples(best: Array, sure: Array, n_classes: int, name_of: Any, n: int) -> list[list[str]]:
    """Of each class the `n` documents that are surest to be in it; `name_of` says what to show of a document."""
    order = np.argsort(-sure, kind="stable")
    members = [order[best[order] == k][:n].tolist() for k in range(n_classes)]
    return [[name_of(d) for d in rows] for rows in members]


def beginning(text: str) -> str:
    words = text.split()
    return " ".join(words[:BEGINNING]) + (" …" if len(words) > BEGINNING else "")
