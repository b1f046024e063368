"""Moves of words from class to class: what each would be worth, and the best of them, word by word.

Counts of neighbours are whole numbers, so that n log n comes from a table. A word costs K · min(n_w, K) steps at most,
so a pass is linear in the text.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array


class Neighbours(NamedTuple):
    """Row w: the different words on one side of word w, and how often each; the last word is the sentence's edge."""

    offsets: Any  # int64 [V + 2]
    words: Any  # int32
    counts: Any  # int64


class WordTypes(NamedTuple):
    """A text as its words see it."""

    tokens: Any  # int64 [V]: how often each word occurs
    rights: Neighbours
    lefts: Neighbours
    forms: Any  # int32 [V, T]: the value of each feature of its form, numbered through all features
    shares: Any  # [values]: how many of the words have the value
    allowed: Any  # bool [V, K]: the classes that a word may have; or no rows at all, where all are free


class ClassCounts(NamedTuple):
    """All that J depends on; class K is the edge of sentences."""

    followers: Any  # int64 [K + 1, K + 1]: tokens of class i before tokens of class j
    leaders: Any  # its transpose, so that both sides of a class are rows
    tokens: Any  # int64 [K]
    types: Any  # int64 [K]
    values: Any  # int64 [values, K]: words of a class with a value


class Weights(NamedTuple):
    morphology: float = 0.5  # λ, of the form beside the contexts
    crowding: float = 2.5  # τ, of how much words like to be where many are
    concentration: float = 1.0  # a, in words: how strongly a class's values lean on everybody's


class Around(NamedTuple):
    """The classes around one word, itself left out."""

    left: Any  # int64 [K + 1]
    right: Any
    on_left: Any  # which of them are there: the first n_left
    on_right: Any
    n_left: int
    n_right: int
    itself: int  # how often the word follows itself


@kernel
def xlogx(n: int, table: Array) -> float:
    """``n * log(n)``, 0 at 0; small numbers from a table."""
    return table[n] if n < len(table) else n * np.log(n)


@kernel
def meet(word: int, side: Neighbours, classes: Array, totals: Array, present: Array) -> tuple[int, int]:
    """``totals = np.bincount(classes[side.words], side.counts)`` without the word itself.

    Returns how many are not zero (``present`` lists them), and how often the word meets itself.
    """
    n, itself = 0, 0
    for i in range(side.offsets[word], side.offsets[word + 1]):
        if side.words[i] == word:
            itself = side.counts[i]
        else:
            k = classes[side.words[i]]
            if totals[k] == 0:
                present[n] = k
                n += 1
            totals[k] += side.counts[i]
    return n, itself


@kernel
def put(word: int, k: int, sign: int, around: Around, text: WordTypes, count: ClassCounts) -> None:
    """Puts a word into class k (sign 1), or takes it out (−1): all counts follow."""
    for i in range(around.n_right):
        j = around.on_right[i]
        count.followers[k, j] += sign * around.right[j]
        count.leaders[j, k] += sign * around.right[j]
    for i in range(around.n_left):
        j = around.on_left[i]
        count.followers[j, k] += sign * around.left[j]
        count.leaders[k, j] += sign * around.left[j]
    count.followers[k, k] += sign * around.itself
    count.leaders[k, k] += sign * around.itself
    count.tokens[k] += sign * text.tokens[word]
    count.types[k] += sign
    for t in range(text.forms.shape[1]):
        count.values[text.forms[word, t], k] += sign


@kernel
def context_worth(k: int, n: int, around: Around, count: ClassCounts, table: Array) -> float:
    """What Σ N log N − 2 Σ n log n gains when a word of n tokens joins class k."""
    gain = 0.0
    for i in range(around.n_right):
        j = around.on_right[i]
        if j != k:
            gain += xlogx(count.followers[k, j] + around.right[j], table) - xlogx(count.followers[k, j], table)
    for i in range(around.n_left):
        j = around.on_left[i]
        if j != k:
            gain += xlogx(count.leaders[k, j] + around.left[j], table) - xlogx(count.leaders[k, j], table)
    beside = count.followers[k, k]  # one cell for both sides
    gain += xlogx(beside + around.left[k] + around.right[k] + around.itself, table) - xlogx(beside, table)
    return gain - 2.0 * (xlogx(count.tokens[k] + n, table) - xlogx(count.tokens[k], table))


@kernel
def form_worth(k: int, forms: Array, shares: Array, weights: Weights, types: Array, values: Array) -> float:
    """What the morphology gains when a word with these forms joins class k: τ log(T+1) + Σ_t log (m+a·p)/(T+a)."""
    likelihood = 1.0
    for v in forms:
        likelihood *= (values[v, k] + weights.concentration * shares[v]) / (types[k] + weights.concentration)
    return weights.morphology * (weights.crowding * np.log(types[k] + 1.0) + np.log(likelihood))


@kernel
def exchange(
    order: Array, text: WordTypes, weights: Weights, least: float, table: Array, classes: Array, count: ClassCounts,
    sure: Array,
) -> tuple[int, float]:  # fmt: skip
    """Moves each word of `order` to its best class, where J rises by more than `least`; the last of a class stays.

    Returns how many moved, and by how much J rose; ``sure[w]`` is P(its class | all other words' classes).
    """
    K = len(count.tokens)
    left, right = np.zeros(K + 1, np.int64), np.zeros(K + 1, np.int64)
    on_left, on_right = np.empty(K + 1, np.int64), np.empty(K + 1, np.int64)
    gains, moved, rise = np.empty(K), 0, 0.0
    for w in order:
        n_right, itself = meet(w, text.rights, classes, right, on_right)
        n_left, _ = meet(w, text.lefts, classes, left, on_left)
        around = Around(left, right, on_left, on_right, n_left, n_right, itself)
        old = classes[w]
        put(w, old, -1, around, text, count)
        for k in range(K):
            gains[k] = -np.inf
            if text.allowed.shape[0] == 0 or text.allowed[w, k]:
                gains[k] = context_worth(k, text.tokens[w], around, count, table)
                gains[k] += form_worth(k, text.forms[w], text.shares, weights, count.types, count.values)
        best = int(np.argmax(gains))
        if count.types[old] == 0 or not gains[best] > gains[old] + least:
            best = old
        if best != old:
            moved += 1
            rise += gains[best] - gains[old]
            classes[w] = best
        put(w, best, 1, around, text, count)
        sure[w] = 1.0 / np.exp(gains - gains[best]).sum()
        left[on_left[:n_left]] = 0
        right[on_right[:n_right]] = 0
    return moved, rise
