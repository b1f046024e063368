"""Texts in the words of a vocabulary, or in lower case: done word by word, not token by token.

So it does not matter whether the tokens are here, or in files.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, cast

import numpy as np

from softcount.numbers.ragged import Array
from softcount.text.vocabulary import Vocabulary


class Text(Protocol):
    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def frequencies(self) -> Array: ...

    def recoded(self, codes: Array, vocabulary: Vocabulary) -> Any: ...


T = TypeVar("T", bound=Text)


def lowered(text: T) -> T:
    """The same sentences with words that differ by case alone made one."""
    words = [word.lower() for word in text.vocabulary.words]
    if words == text.vocabulary.words:
        return text
    found: dict[str, int] = {}
    merged = np.array([found.setdefault(word, len(found)) for word in words], dtype=np.int32)
    names, unknown = list(found), text.vocabulary.unknown
    counts = np.bincount(merged, text.frequencies, len(names))
    order = np.argsort(-counts, kind="stable")  # ids fall with frequency
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    vocabulary = Vocabulary([names[i] for i in order], None if unknown is None else unknown.lower())
    return cast(T, text.recoded(rank[merged], vocabulary))


def in_words_of(text: T, vocabulary: Vocabulary) -> T:
    """The same sentences by the ids of these words; others are the vocabulary's unknown word, or −1."""
    if text.vocabulary == vocabulary:
        return text
    return cast(T, text.recoded(vocabulary.encode(text.vocabulary.words), vocabulary))


def extended(text: T, vocabulary: Vocabulary) -> T:
    """The same sentences by the ids of these words; others come after them."""
    if text.vocabulary == vocabulary:
        return text
    codes = vocabulary.encode(text.vocabulary.words)
    new = np.flatnonzero(codes < 0)
    codes[new] = len(vocabulary) + np.arange(len(new), dtype=np.int32)
    more = [text.vocabulary.words[i] for i in new]
    return cast(T, text.recoded(codes, Vocabulary([*vocabulary.words, *more], vocabulary.unknown)))
