"""Capitals that a sentence's beginning asks for, and that say nothing of the word.

A word that begins a sentence is read as its lower-case form where, inside sentences, that form is at least as common.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.numbers.ragged import Array, Ragged


def uncapitalized(sentences: Ragged, words: Sequence[str]) -> Array:
    """int32 [V]: the word that each word stands for at the beginning of a sentence, most often itself."""
    V, ids = len(words), {word: v for v, word in enumerate(words)}
    inside = np.bincount(sentences.values[~first_tokens(sentences)], minlength=V)
    lower = np.array([ids.get(word.lower(), v) for v, word in enumerate(words)], dtype=np.int32)
    return np.where(inside[lower] >= inside, lower, np.arange(V, dtype=np.int32))


def first_tokens(sentences: Ragged) -> Array:
    """bool: which tokens begin a sentence."""
    first = np.zeros(len(sentences.values), dtype=bool)
    first[sentences.offsets[:-1][sentences.lengths > 0]] = True
    return first
