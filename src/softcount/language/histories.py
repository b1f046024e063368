"""A language model as a dense table: of every history of n − 1 letters P(next letter), and P(end).

A history is a number whose digits, to the base B = K + 1, are its letters; the highest digit, K, stands for what is
before the first letter, so that a sentence begins with the history K K … K. Only for small vocabularies: letters, tags.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.errors import InputError
from softcount.language.ngram import END, START, Ngrams, find
from softcount.machine.memory import check_room
from softcount.numbers.ragged import Array

VISITS = 500  # letters of a text that is long enough for its histories to come as often as they ever will


def next_letters(orders: tuple[Ngrams, ...], letters: Sequence[int], order: int) -> Array:
    """[Bⁿ⁻¹, B]: P(letter | history), with the end as the last column; words that are not among `letters` are left out,
    and what they had is shared by the others."""
    K, V = len(letters), len(orders[0].keys)
    B = K + 1
    check_room(8.0 * B**order * 4, f"a table of {B:,} letters to the power of {order}", "use a lower order")
    columns = np.append(letters, END).astype(np.int64)
    symbols = np.append(letters, START).astype(np.int64)
    column_of = np.full(V, -1)
    column_of[columns] = np.arange(B)
    table = np.exp(orders[0].log_p[columns])[None]
    number = np.zeros(1, dtype=np.int64)  # of every history among the n-grams of its length; −1: it is none
    for n in range(2, order + 1):
        table = np.tile(table, (B, 1))  # the first letter of a history is its highest digit
        if n > len(orders):
            continue
        number = symbols if n == 2 else _longer(orders[n - 2].keys, number, symbols, V)
        there = np.flatnonzero(number >= 0)
        if len(there):
            table[there] *= np.exp(orders[n - 2].log_backoff[number[there]])[:, None]
            _put(table, orders[n - 1], there, number, column_of, V)
    total = table.sum(axis=1, keepdims=True)
    if not (total > 0.0).all():
        raise InputError("the language model gives none of these letters a probability above zero; use its letters")
    return np.asarray(table / total)


def _longer(keys: Array, number: Array, symbols: Array, n_words: int) -> Array:
    """The numbers of the histories that are one letter longer."""
    wanted = (number[:, None] * n_words + symbols).ravel()
    return np.where(np.repeat(number, len(symbols)) >= 0, find(keys, wanted), -1)


def _put(table: Array, ngrams: Ngrams, there: Array, number: Array, column_of: Array, n_words: int) -> None:
    """The probabilities of the n-grams that the model has, in place of what shorter ones say."""
    context, word = np.divmod(ngrams.keys, n_words)
    place = np.full(max(int(context.max(initial=0)), int(number.max())) + 1, -1, dtype=np.int64)
    place[number[there]] = there
    kept = (place[context] >= 0) & (column_of[word] >= 0)
    table[place[context[kept]], column_of[word[kept]]] = np.exp(ngrams.log_p[kept])


def shortened(table: Array) -> Array:
    """The table of the order below that is nearest to this one: P(letter | shorter history) in text that the model
    itself would write."""
    H, B = table.shape
    low = H // B
    often = visits(table)
    longer = often.reshape(B, low, 1) + 1e-12  # a history that is never met, too, is to have successors
    found = (longer * table.reshape(B, low, B)).sum(axis=0) / longer.sum(axis=0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def visits(table: Array) -> Array:
    """How often each history is met in a long text, as a share."""
    H, B = table.shape
    low = H // B
    share, total = np.zeros(H), np.zeros(H)
    share[-1] = 1.0
    for _ in range(VISITS):
        next_share = np.zeros((low, B))
        next_share[:, : B - 1] = (share[:, None] * table[:, : B - 1]).reshape(B, low, B - 1).sum(axis=0)
        next_share[-1, -1] += share @ table[:, B - 1]  # a sentence ends, and another begins
        share = next_share.ravel()
        total += share
    return np.asarray(total / total.sum())


def without_blanks(table: Array, blank: int) -> Array:
    """The bigram table of a text that is written without its blanks: a letter follows directly, or behind a blank."""
    found = table.copy()
    found[:, :-1] += table[:, blank, None] * table[blank, :-1]
    found[:, blank] = 0.0
    return found
