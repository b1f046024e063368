"""A language model as compiled loops ask it: one word after another, with the n-grams that its last words are.

    context[n − 1] = the number, among the n-grams of order n, of the last n words; −1 where there is no such n-gram

All that P(next word) depends on is the context, so that two beginnings with the same context have the same future.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.language.ngram import START, Ngrams
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, offsets_of


class Lookup(NamedTuple):
    """All orders one behind the other."""

    keys: Array
    log_p: Array
    log_backoff: Array
    starts: Array  # int64 [orders + 1]
    n_words: int

    @property
    def width(self) -> int:
        """How many numbers make a context."""
        return max(len(self.starts) - 2, 1)


def lookup(orders: tuple[Ngrams, ...]) -> Lookup:
    backoff = [part.log_backoff if len(part.log_backoff) else np.zeros(len(part.keys)) for part in orders]
    starts = offsets_of(np.array([len(part.keys) for part in orders]))
    keys, log_p = (np.concatenate([part[k] for part in orders]) for k in (0, 1))
    return Lookup(keys, log_p, np.concatenate(backoff), starts, len(orders[0].keys))


def beginning(lm: Lookup) -> Array:
    """The context of the first word of a sentence."""
    context = np.full(lm.width, -1, np.int64)
    context[0] = START
    return context


@kernel
def place_of(keys: Array, low: int, high: int, wanted: int) -> int:
    """low + np.searchsorted(keys[low:high], wanted)"""
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def open_context(lm: Lookup, context: Array, lows: Array, highs: Array) -> None:
    """lows[n], highs[n] = where the n-grams of order n + 1 that continue this context stand"""
    for n in range(1, len(lm.starts) - 1):
        low, high, number = lm.starts[n], lm.starts[n + 1], context[n - 1]
        lows[n], highs[n] = low, low
        if number >= 0:
            lows[n] = place_of(lm.keys, low, high, number * lm.n_words)
            highs[n] = place_of(lm.keys, lows[n], high, (number + 1) * lm.n_words)


@kernel
def log_next(lm: Lookup, context: Array, lows: Array, highs: Array, word: int) -> Any:
    """log P(word | context): of the longest n-gram that is there, or what is left by those that are not"""
    result = lm.log_p[word]
    for n in range(1, len(lm.starts) - 1):
        number = context[n - 1]
        if number < 0:
            continue
        key = number * lm.n_words + word
        place = place_of(lm.keys, lows[n], highs[n], key)
        if place < highs[n] and lm.keys[place] == key:
            result = lm.log_p[place]
        else:
            result += lm.log_backoff[lm.starts[n - 1] + number]
    return result


@kernel
def advance(lm: Lookup, context: Array, lows: Array, highs: Array, word: int, after: Array) -> None:
    """after = the context once this word has been said"""
    after[0] = word
    for n in range(1, len(after)):
        key, after[n] = context[n - 1] * lm.n_words + word, -1
        if context[n - 1] >= 0:
            place = place_of(lm.keys, lows[n], highs[n], key)
            if place < highs[n] and lm.keys[place] == key:
                after[n] = place - lm.starts[n]
