"""Where each word occurs: the text turned inside out, word type → its (sentence, position) pairs, in text order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged


class Occurrences(NamedTuple):
    """Word type w occurs at ``sentence[offsets[w]:offsets[w + 1]]``, each time at the `position` beside it."""

    offsets: Array  # int64 [types + 1]
    sentence: Array  # int32 [tokens]
    position: Array  # int32 [tokens]


def occurrences(sentences: Ragged, n_types: int) -> Occurrences:
    """A counting sort by word; unknown words (−1) occur nowhere."""
    counts = np.bincount(sentences.values[sentences.values >= 0], minlength=n_types)
    offsets = np.zeros(n_types + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    sentence, position = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
    _place(sentences.offsets, sentences.values, offsets[:-1].copy(), sentence, position)
    return Occurrences(offsets, sentence, position)


@kernel
def _place(bounds: Array, words: Array, cursor: Array, sentence: Array, position: Array) -> None:
    """sentence, position = where ``np.argsort(words, kind="stable")`` finds them"""
    for s in range(len(bounds) - 1):
        for t in range(bounds[s], bounds[s + 1]):
            word = words[t]
            if word >= 0:
                sentence[cursor[word]] = s
                position[cursor[word]] = t - bounds[s]
                cursor[word] += 1
