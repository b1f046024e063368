"""Classes of words that share pieces of letters, wherever in the word those stand.

    D(v, w) = 2 · |pieces of v and w| / (|pieces of v| + |pieces of w|)         pieces of walk: ^wa wal alk lk$

Dice's coefficient of trigrams, for languages that change their words at the front, or in the middle: *gewandert* and
*wandern*. The most frequent word leads the first class. Every further word, in the order of their frequencies, joins
the class whose leader is most like it, if D reaches a threshold, and leads one of its own otherwise. Leaders of the
fine classes make coarser ones in the same way, with a lower threshold. A short word, or what begins with no letter, is
a class by itself: so is a word of one or two Chinese characters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, from_rows

PIECE = 3
LETTERS = 4  # fewer say nothing by what they share
THRESHOLDS = (0.5, 0.35)  # fine, coarse


def lead_words(words: Sequence[str], frequencies: Array, thresholds: Sequence[float] = THRESHOLDS) -> Array:
    """int32 [words, levels]: the number of the word that leads each word's class, from fine to coarse."""
    pieces, n = _pieces(words)
    leaders: Array = np.arange(len(words))  # that are still to be led
    weights, found = np.asarray(frequencies, float), []
    led: Array = np.arange(len(words))
    for threshold in thresholds:
        order = leaders[np.lexsort((leaders, -weights[leaders]))]
        chosen = np.arange(len(words), dtype=np.int32)
        _lead(pieces.offsets, pieces.values, n, order, threshold, chosen)
        led = chosen[led]
        weights = np.bincount(led, np.asarray(frequencies, float), len(words))
        leaders = np.unique(led)
        found.append(led)
    return np.stack(found, axis=1).astype(np.int32)


def led_by(words: Sequence[str], leaders: Sequence[str], threshold: float = THRESHOLDS[0]) -> Array:
    """int64: of new words the place of their leader among these; −1 where none is like enough."""
    pieces, n = _pieces([*leaders, *words])
    chosen = np.arange(len(leaders) + len(words), dtype=np.int32)
    _follow(pieces.offsets, pieces.values, n, len(leaders), threshold, chosen)
    found = chosen[len(leaders) :].astype(np.int64)
    return np.where(found < len(leaders), found, -1)


def _pieces(words: Sequence[str]) -> tuple[Ragged, int]:
    """The numbers of every word's pieces, each once, and how many pieces there are; none of what stays alone."""
    known: dict[str, int] = {}
    rows = []
    for word in words:
        edged = f"^{word}$" if len(word) >= LETTERS and word[0].isalpha() else ""
        parts = dict.fromkeys(edged[k : k + PIECE] for k in range(len(edged) - PIECE + 1))
        rows.append([known.setdefault(part, len(known)) for part in parts])
    return from_rows(rows, np.int32), len(known)


@kernel
def _lead(offsets: Array, pieces: Array, n_pieces: int, order: Array, threshold: float, chosen: Array) -> None:
    """chosen[w] = the leader most like w of those before it in `order`, or w itself, which then leads."""
    first, after, leader = np.full(n_pieces, -1, np.int32), np.empty(len(pieces), np.int32), np.empty_like(pieces)
    shared = np.zeros(len(chosen), np.int32)
    filled = 0
    for w in order:
        chosen[w] = _nearest(offsets, pieces, w, threshold, first, after, leader, shared)
        if chosen[w] == w:
            for k in range(offsets[w], offsets[w + 1]):
                after[filled], leader[filled] = first[pieces[k]], w
                first[pieces[k]] = filled
                filled += 1


@kernel
def _follow(offsets: Array, pieces: Array, n_pieces: int, n_leaders: int, threshold: float, chosen: Array) -> None:
    """The same of words that come after all leaders, and lead nobody."""
    first, after, leader = np.full(n_pieces, -1, np.int32), np.empty(len(pieces), np.int32), np.empty_like(pieces)
    shared = np.zeros(len(chosen), np.int32)
    filled = 0
    for w in range(n_leaders):
        for k in range(offsets[w], offsets[w + 1]):
            after[filled], leader[filled] = first[pieces[k]], w
            first[pieces[k]] = filled
            filled += 1
    for w in range(n_leaders, len(chosen)):
        chosen[w] = _nearest(offsets, pieces, w, threshold, first, after, leader, shared)


@kernel
def _nearest(
    offsets: Array, pieces: Array, w: int, threshold: float, first: Array, after: Array, leader: Array, shared: Array
) -> int:
    """argmax D(w, leader), the earliest leader of equals, by lists of the leaders that have each piece; or w."""
    best, most, size = w, 0.0, offsets[w + 1] - offsets[w]
    for k in range(offsets[w], offsets[w + 1]):
        at = first[pieces[k]]
        while at >= 0:
            shared[leader[at]] += 1
            at = after[at]
    for k in range(offsets[w], offsets[w + 1]):
        at = first[pieces[k]]
        while at >= 0:
            other = leader[at]
            if shared[other] > 0:
                likeness = 2.0 * shared[other] / (size + offsets[other + 1] - offsets[other])
                shared[other] = 0
                if likeness >= threshold and (likeness > most or (likeness == most and other < best)):
                    best, most = other, likeness
            at = after[at]
    return best
