"""n-grams as numbers, order by order: what was counted, and what became of it.

    key = (number of the first n − 1 words among those of order n − 1) · V + (last word)

Keys of one order are sorted, so the n-grams of one context lie side by side, and a text is looked up order by order,
all its positions at once. A sentence w₁ … w_k is read as ``<s> w₁ … w_k </s>``; nothing reaches back beyond its start.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from softcount.numbers.ragged import Array, Ragged, offsets_of

UNKNOWN, START, END = range(3)  # the first words of every vocabulary here
SPECIAL = ("<unk>", "<s>", "</s>")
MOST_BACKOFF = 20 * np.log(10.0)  # of ten orders, one after the other, products are still numbers


class Text(NamedTuple):
    """Sentences with their starts and ends, one after the other."""

    words: Array  # int64
    place: Array  # of each in its sentence; 0 is the start

    @property
    def is_word(self) -> Array:
        """All but the starts: what has a probability."""
        return self.place > 0


class Counted(NamedTuple):
    """The n-grams of one order in a text."""

    keys: Array  # int64, sorted
    counts: Array  # how often each occurs
    suffix: Array  # the number of its last n − 1 words among those of order n − 1
    begins: Array  # bool: whether it begins with a sentence


class Ngrams(NamedTuple):
    """The n-grams of one order in a model; natural logarithms."""

    keys: Array  # int64, sorted
    log_p: Array  # float64: of the last word after the others
    log_backoff: Array  # float64: what is left for words that were never seen after these; empty at the highest order


def bounded(sentences: Ragged) -> Text:
    lengths = sentences.lengths + 2
    offsets = offsets_of(lengths)
    words = np.full(int(offsets[-1]), END, dtype=np.int64)
    words[offsets[:-1]] = START
    place = np.arange(len(words)) - np.repeat(offsets[:-1], lengths)
    inner = (place > 0) & (place < np.repeat(lengths, lengths) - 1)
    words[inner] = sentences.values
    return Text(words, place)


def counted(text: Text, order: int, n_words: int) -> list[Counted]:
    """Order by order: the n-gram that ends at each position, numbered among those there are."""
    ends_here = text.words
    single = np.bincount(text.words, minlength=n_words)
    orders = [Counted(np.arange(n_words), single, np.zeros(n_words, dtype=np.int64), np.arange(n_words) == START)]
    for n in range(2, order + 1):
        there = np.flatnonzero(text.place >= n - 1)
        keys, first, number, counts = np.unique(
            ends_here[there - 1] * n_words + text.words[there],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        orders.append(Counted(keys, counts, ends_here[there[first]], text.place[there[first]] == n - 1))
        ends_here = np.full(len(text.words), -1, dtype=np.int64)
        ends_here[there] = number
    return orders


def find(keys: Array, wanted: Array) -> Array:
    """The numbers of these keys, −1 for those that are not there."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


def log_probabilities(orders: tuple[Ngrams, ...], text: Text) -> Array:
    """log P of every word after those before it; the starts of sentences have none, and are given 0.

    P(w | h) = p(h w) if that n-gram is in the model, else backoff(h) · P(w | h without its first word)
    """
    n_words = len(orders[0].keys)
    ends_here, result = text.words, orders[0].log_p[text.words]
    for n, (shorter, ngrams) in enumerate(pairwise(orders), 2):
        context = np.where(text.place >= n - 1, np.roll(ends_here, 1), -1)
        ends_here = np.where(context >= 0, find(ngrams.keys, context * n_words + text.words), -1)
        left = np.where(context >= 0, shorter.log_backoff[context], 0.0) if len(shorter.keys) else 0.0
        result = np.where(ends_here >= 0, ngrams.log_p[ends_here] if len(ngrams.keys) else 0.0, result + left)
    return np.where(text.is_word, result, 0.0)


def distribution(orders: tuple[Ngrams, ...], context: Array) -> Array:
    """P of every word of the vocabulary after these words, of which as many count as the model has orders for."""
    n_words = len(orders[0].keys)
    result = np.exp(orders[0].log_p)
    for n in range(2, min(len(orders), len(context) + 1) + 1):
        number = _number(orders, context[len(context) - (n - 1) :])
        if number < 0:
            break
        result *= np.exp(orders[n - 2].log_backoff[number])
        keys = orders[n - 1].keys
        first, last = np.searchsorted(keys, [number * n_words, (number + 1) * n_words])
        result[keys[first:last] - number * n_words] = np.exp(orders[n - 1].log_p[first:last])
    return result


def _number(orders: tuple[Ngrams, ...], words: Array) -> int:
    """Of an n-gram among those of its order; −1 if it is not there."""
    number = int(words[0])
    for ngrams, word in zip(orders[1:], words[1:], strict=False):
        if number >= 0:
            number = int(find(ngrams.keys, np.array([number * len(orders[0].keys) + int(word)]))[0])
    return number
