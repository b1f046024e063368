"""Texts in the words of a vocabulary, or in lower case: done word by word, not token by token."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softcount.numbers.ragged import Array
from softcount.text.corpus import Corpus
from softcount.text.vocabulary import Vocabulary


def lowered(text: Corpus) -> Corpus:
    """The same sentences with words that differ by case alone made one."""
    words = [word.lower() for word in text.vocabulary.words]
    if words == text.vocabulary.words:
        return text
    found: dict[str, int] = {}
    merged = np.array([found.setdefault(word, len(found)) for word in words], dtype=np.int32)
    names, unknown = list(found), text.vocabulary.unknown
    ids = text.sentences.values
    counts = np.bincount(merged[ids[ids >= 0]], minlength=len(names))
    order = np.argsort(-counts, kind="stable")  # ids fall with frequency
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    vocabulary = Vocabulary([names[i] for i in order], None if unknown is None else unknown.lower())
    return _recoded(text, rank[merged], vocabulary)


def in_words_of(text: Corpus, vocabulary: Vocabulary) -> Corpus:
    """The same sentences by the ids of these words; others are the vocabulary's unknown word, or −1."""
    if text.vocabulary == vocabulary:
        return text
    return _recoded(text, vocabulary.encode(text.vocabulary.words), vocabulary)


def extended(text: Corpus, vocabulary: Vocabulary) -> Corpus:
    """The same sentences by the ids of these words; others come after them."""
    if text.vocabulary == vocabulary:
        return text
    codes = vocabulary.encode(text.vocabulary.words)
    new = np.flatnonzero(codes < 0)
    codes[new] = len(vocabulary) + np.arange(len(new), dtype=np.int32)
    more = [text.vocabulary.words[i] for i in new]
    return _recoded(text, codes, Vocabulary([*vocabulary.words, *more], vocabulary.unknown))


def _recoded(text: Corpus, codes: Array, vocabulary: Vocabulary) -> Corpus:
    ids = text.sentences.values
    values = np.where(ids >= 0, np.append(codes, np.int32(-1))[ids], np.int32(-1)).astype(np.int32)
    return replace(text, sentences=text.sentences.with_values(values), vocabulary=vocabulary)
