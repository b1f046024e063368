"""What is counted of words beside the counts of training: how many documents each is in, and for which topics.

    attributed[h, w] = Σ_{d with w} P(h, not background | d, w)           topics[h, w] = Σ_{d with w} P(h | d)
    plain[h, w] = Σ_d n(d, w) P(h | d, w), without a background           documents[w]: those with w

A document counts a word once, however often it has it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from softcount.models.plsa import PLSA, PLSATables
from softcount.models.plsa_background import BackgroundPLSA, BackgroundTables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Log

POSSIBLE = 1e-30  # what a topic has of a word, at least, where there is no background


class WordCounts(NamedTuple):
    plain: Array  # [H, V]
    attributed: Array  # [H, V]
    topics: Array  # [H, V]
    documents: Array  # [V]


class WordCounter(NamedTuple):
    """Models and their weights, for documents whose topics are known."""

    mixed: Any  # with its background, where it has one
    mixed_weights: Any
    plain: PLSA
    plain_weights: Any

    def __call__(self, items: Any, topic: Array) -> WordCounts:
        n, topic = len(items), np.ascontiguousarray(topic)

        def words(model: Any, weights: Any, items: Any) -> Array:
            shard = model.pack(items)._replace(rows=np.arange(n))
            here = model._replace(n_documents=n)
            found: Array = here.expect(model.with_rows(weights, Log(topic)), shard)[0].counts.word
            return found

        once = replace(items, counts=np.ones(len(items.words)))
        attributed = words(self.mixed, self.mixed_weights, once)
        plain = words(self.plain, self.plain_weights, items)
        once = once.times_weights()
        present = sparse.csr_matrix((once.counts, once.words, once.offsets), shape=(n, items.n_words))
        topics = np.asarray((present.T @ topic.astype(np.float64)).T)
        return WordCounts(plain, attributed, topics, np.bincount(once.words, once.counts, items.n_words))


def word_counter(word: Array, background: BackgroundPLSA | None) -> WordCounter:
    """`word` as trained, with the background or without."""
    H, V = np.shape(word)
    none = Log(np.empty((0, H), word.dtype))
    possible = np.asarray(np.maximum(word, POSSIBLE), word.dtype)
    plain = PLSA(0, H, V)
    weights = plain.weigh(PLSATables(none, Log(possible)))
    if background is None:
        return WordCounter(plain, weights, plain, weights)
    mixed = background._replace(n_documents=0)
    return WordCounter(mixed, mixed.weigh(BackgroundTables(none, Log(word), np.ones(1))), plain, weights)
