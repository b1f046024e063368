"""Interpolated modified Kneser–Ney smoothing (S. Chen and J. Goodman, 1998).

    P(w | h) = max(c(h w) − D(c(h w)), 0) / Σ_v c(h v)  +  γ(h) · P(w | h without its first word)
    γ(h)     = Σ_v D(c(h v)) / Σ_v c(h v)                  one word alone: γ is shared by all words alike
    D(c)     = c − (c + 1) · Y · n_{c+1} / n_c   for c = 1, 2 and 3 (more is as 3)       Y = n₁ / (n₁ + 2 n₂)

c is how often at the highest order; below, before how many different words (an n-gram that begins a sentence has
none before it, and keeps how often). n_c is the number of n-grams with the count c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.language.ngram import START, Counted, Ngrams
from softcount.numbers.ragged import Array

FALLBACK = np.array([0.0, 0.5, 1.0, 1.5])  # where a text is too small, or too odd, to tell


def estimated(orders: Sequence[Counted]) -> tuple[tuple[Ngrams, ...], list[Array], list[int]]:
    """(The model, the discounts of every order, the orders whose discounts could not be estimated)."""
    made: list[Ngrams] = []
    discounts, guessed = [], []
    below = np.empty(0)  # P of every n-gram of the order before
    for n, (ngrams, counts) in enumerate(zip(orders, adjusted(orders), strict=True), 1):
        D, sound = discount(counts)
        taken = D[np.minimum(counts, 3)]
        if n == 1:
            below = _single(counts, taken)
        else:
            context = ngrams.keys // len(orders[0].keys)
            size = len(orders[n - 2].keys)
            total, mass = (np.bincount(context, of, minlength=size) for of in (counts, taken))
            with np.errstate(divide="ignore", invalid="ignore"):
                left = np.where(total > 0, mass / total, 1.0)
            below = (counts - taken) / total[context] + left[context] * below[ngrams.suffix]
            with np.errstate(divide="ignore"):
                made[-1] = made[-1]._replace(log_backoff=np.log(left))
        with np.errstate(divide="ignore"):
            made.append(Ngrams(ngrams.keys, np.log(below), np.empty(0)))
        discounts.append(D[1:])
        guessed += [] if sound else [n]
    return tuple(made), discounts, guessed


def adjusted(orders: Sequence[Counted]) -> list[Array]:
    """The counts that each order is estimated from; a start of a sentence is no word, and counts nothing."""
    found = []
    for ngrams, longer in zip(orders, [*orders[1:], None], strict=True):
        if longer is None:
            found.append(ngrams.counts.copy())
        else:
            before = np.bincount(longer.suffix, minlength=len(ngrams.keys))
            found.append(np.where(ngrams.begins, ngrams.counts, before))
    found[0][START] = 0
    return found


def discount(counts: Array) -> tuple[Array, bool]:
    """(D by count, 0 to 3; whether the text could tell)."""
    n = np.bincount(np.minimum(counts, 5), minlength=6).astype(float)
    if not n[1:5].all():
        return FALLBACK, False
    Y = n[1] / (n[1] + 2 * n[2])
    c = np.arange(1, 4)
    D = np.concatenate([[0.0], c - (c + 1) * Y * n[2:5] / n[1:4]])
    sound = bool((D >= 0).all() and (D[1:] > 0).any())
    return (D, True) if sound else (FALLBACK, False)


def _single(counts: Array, taken: Array) -> Array:
    """P of every word; what is left is shared by all, those that the text does not have included."""
    total = counts.sum()
    words = np.arange(len(counts)) != START
    share = taken.sum() / total if total else 1.0
    return np.where(words, (counts - taken) / max(total, 1) + share / words.sum(), 0.0)
