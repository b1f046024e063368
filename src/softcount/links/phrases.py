"""Phrases of several words that are translated as wholes: pairs of spans between which alone there are links.

    (i … i′, j … j′) is consistent if it holds a link, and no link joins a word inside with a word outside

F. J. Och, H. Ney, Computational Linguistics 30(4), 2004. Of these the tight ones: the first and the last word on
both sides have links, so that a phrase does not come with whatever stands beside it unlinked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.links.joining import Links
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext

LONGEST = 4  # words of a phrase, on either side


class Spans(NamedTuple):
    """Phrase pair k: source words source[k] … + source_length[k] of pair[k], and likewise of the target."""

    pair: Array
    source: Array
    source_length: Array
    target: Array
    target_length: Array


class PhrasePairs(NamedTuple):
    source: list[tuple[int, ...]]  # word ids
    target: list[tuple[int, ...]]
    counts: Array  # how often they are a phrase pair
    source_count: Array  # how often the source phrase is one of any pair
    source_frequency: Array  # how often the source phrase stands in the text
    target_frequency: Array
    first: Array  # which span is the first of each, for its spelling
    which: Array  # of every span, its phrase pair
    spans: Spans


def phrase_pairs(links: Links, pairs: Bitext, longest: int = LONGEST) -> PhrasePairs:
    """Phrase pairs of which at least one side has several words, in the order of their first words' ids."""
    spans = consistent_spans(links, pairs, longest)
    several = (spans.source_length > 1) | (spans.target_length > 1)
    spans = Spans(*(column[several] for column in spans))
    source, source_frequency = _numbered(pairs.source.sentences, spans.pair, spans.source, spans.source_length, longest)
    target, target_frequency = _numbered(pairs.target.sentences, spans.pair, spans.target, spans.target_length, longest)
    width = int(target.max(initial=0)) + 1
    _, first, which, count = np.unique(
        source * width + target, return_index=True, return_inverse=True, return_counts=True
    )
    by_source = np.bincount(source, minlength=int(source.max(initial=0)) + 1)
    return PhrasePairs(
        [_words(pairs.source.sentences, spans.pair[k], spans.source[k], spans.source_length[k]) for k in first],
        [_words(pairs.target.sentences, spans.pair[k], spans.target[k], spans.target_length[k]) for k in first],
        count, by_source[source[first]], source_frequency[first], target_frequency[first], first,
        which.astype(np.int64), spans,
    )  # fmt: skip


def consistent_spans(links: Links, pairs: Bitext, longest: int = LONGEST) -> Spans:
    l, m = pairs.source.sentences.lengths, pairs.target.sentences.lengths
    room = 4096
    while True:
        found = np.empty((room, 5), np.int32)
        filled = _consistent(l, m, links.offsets, links.source, links.target, longest, found)
        if filled >= 0:
            return Spans(*(found[:filled, c].astype(np.int64) for c in range(5)))
        room *= 4


@kernel
def _consistent(
    source_lengths: Array, target_lengths: Array, offsets: Array, source: Array, target: Array, longest: int,
    found: Array,
) -> int:  # fmt: skip
    """Of all pairs; −1 where the room does not suffice."""
    filled = 0
    for s in range(len(source_lengths)):
        l, m = source_lengths[s], target_lengths[s]
        low, high = np.full(l, m, np.int64), np.full(l, -1, np.int64)  # of each source word, its target words
        left, right = np.full(m, l, np.int64), np.full(m, -1, np.int64)
        for k in range(offsets[s], offsets[s + 1]):
            i, j = source[k], target[k]
            low[i], high[i] = min(low[i], j), max(high[i], j)
            left[j], right[j] = min(left[j], i), max(right[j], i)
        for i in range(l):
            if high[i] < 0:
                continue
            first, last = m, -1
            for stop in range(i, min(i + longest, l)):
                first, last = min(first, low[stop]), max(last, high[stop])
                if high[stop] < 0 or last - first >= longest:
                    continue
                inside = True
                for j in range(first, last + 1):
                    if right[j] >= 0 and (left[j] < i or right[j] > stop):
                        inside = False
                if inside:
                    if filled == len(found):
                        return -1
                    found[filled, 0], found[filled, 1], found[filled, 2] = s, i, stop - i + 1
                    found[filled, 3], found[filled, 4] = first, last - first + 1
                    filled += 1
    return filled


def _numbered(sentences: Ragged, pair: Array, start: Array, length: Array, longest: int) -> tuple[Array, Array]:
    """(number of each span's phrase, how often that stands in the text); phrases with the same words share a number.

    Phrases of n words are numbered by the number of their first n − 1 and their last word, n = 2, 3 …: exact, and
    without a string.
    """
    words = sentences.values.astype(np.int64)
    width = int(words.max(initial=0)) + 2
    left = np.repeat(sentences.offsets[1:], sentences.lengths) - np.arange(len(words))  # words to the sentence's end
    at = sentences.offsets[pair] + start
    numbers, frequency = np.zeros(len(pair), np.int64), np.zeros(len(pair), np.int64)
    current, base = words + 1, 0
    for n in range(1, longest + 1):
        fits = np.flatnonzero(left >= n)
        names, which, counts = np.unique(current[fits], return_inverse=True, return_counts=True)
        here = np.full(len(words), -1, np.int64)
        here[fits] = which
        mine = length == n
        numbers[mine] = base + here[at[mine]]
        frequency[mine] = counts[here[at[mine]]]
        base += len(names)
        onward = np.flatnonzero(left > n)
        current = np.full(len(words), -1, np.int64)
        current[onward] = here[onward] * width + words[onward + n] + 1
    return numbers, frequency


def _words(sentences: Ragged, pair: int, start: int, length: int) -> tuple[int, ...]:
    begin = int(sentences.offsets[pair]) + int(start)
    return tuple(sentences.values[begin : begin + int(length)].tolist())
