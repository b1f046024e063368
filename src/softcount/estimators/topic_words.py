"""Which words show what a topic is about, and the background that training sets aside for the words of all documents.

    A[h, w] = Σ_{d with w} P(h, not background | d, w)         C[h, w] = Σ_{d with w} P(h | d)
    shown first: the largest √(A · C) / (df(w) + c), c = 0.06 · √(Σ_w df(w))

So a word ranks high in a topic that has a large part of the documents with the word, and c is against rare words. Each
document counts a word once, however often it has it. Taken while the background is still there; then it is given back
by one plain step of EM of the words' table, so that the model kept is PLSA.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from softcount.engines import Engine
from softcount.errors import InputError
from softcount.models.plsa import PLSA, PLSATables
from softcount.models.plsa_background import BackgroundPLSA, BackgroundTables
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Log
from softcount.text.documents import Documents
from softcount.text.shard import cut
from softcount.text.stored import Stored, opened

AUTO, NONE = "auto", "none"
COMMON = 0.1  # words in a larger share of the documents are common; of few topics, in more than two topics have
LEAST = 50  # documents; of fewer nobody knows which words are common
MOST = 0.9  # weight of a background that is read off the text
SMOOTHING = 0.05  # of the background's frequencies
RARE = 0.06  # what is against rare words, in roots of the number of pairs of a document and a word
POSSIBLE = 1e-30  # what a topic has of a word, at least, when the background is given back


def parse_background(setting: Any) -> str | float:
    """auto, none, or a weight."""
    try:
        weight = setting if setting in (AUTO, NONE) else float(setting)
    except (TypeError, ValueError):
        raise InputError(f"background={setting!r}; use auto, none, or a weight from 0 to below 1") from None
    if not isinstance(weight, str) and not 0.0 <= weight < 1.0:
        raise InputError(f"a background's weight must be from 0 to below 1, not {setting}")
    return weight


def background_weight(data: Any, n_topics: int) -> float:
    """The share of the tokens whose words are common; 0 where there are too few documents, or no common words."""
    if len(data) < LEAST:
        return 0.0
    common = data.document_frequencies > max(COMMON, 2.0 / n_topics) * len(data)
    frequencies = np.asarray(data.frequencies, np.float64)
    return min(float(frequencies[common].sum() / max(frequencies.sum(), 1e-300)), MOST)


def background_words(data: Any) -> Array:
    """b: the words of all documents."""
    found = np.asarray(data.frequencies, np.float64) + SMOOTHING
    return np.asarray(found / found.sum())


def rank_words(attributed: Array, documents: Array) -> Array:
    """[topics, words]: the larger, the sooner a word is shown."""
    rare = RARE * np.sqrt(documents.sum())
    return np.asarray(attributed / np.maximum(documents + rare, 1e-300), np.float64)


class WordCounts(NamedTuple):
    plain: Array  # [H, V]: expected tokens, without a background
    attributed: Array  # [H, V]: A
    topics: Array  # [H, V]: C
    documents: Array  # [V]: documents with the word


class Asked(NamedTuple):
    mixed: Any  # the model with its background, where it has one
    mixed_weights: Any
    plain: PLSA
    plain_weights: Any


def count_words(data: Documents | Stored, tables: Any, background: BackgroundPLSA | None, engine: Engine) -> WordCounts:
    """One pass over the data; `tables` are as trained, with the background or without."""
    H, V = np.shape(tables.word)
    word = np.asarray(np.maximum(tables.word, POSSIBLE), tables.word.dtype)
    plain, none = PLSA(0, H, V), Log(np.empty((0, H), word.dtype))
    weights = plain.weigh(PLSATables(none, Log(word)))
    mixed: Any = plain
    mixed_weights: Any = weights
    if background is not None:
        mixed = background._replace(n_documents=0)
        mixed_weights = mixed.weigh(BackgroundTables(none, Log(tables.word), np.ones(1)))
    bounds = cut(data, plain.costs, plain.shard_cost)
    parts = engine.place(_as_it_is, ((data.slice(a, b), tables.topic[a:b]) for a, b in bounds))
    shared = engine.share(Asked(mixed, mixed_weights, plain, weights))
    found: WordCounts = engine.sum(_count, parts, shared).counts
    return found


def _as_it_is(part: Any) -> Any:
    return part


def _count(part: tuple[Any, Array], asked: Asked) -> Expectation:
    items, topic = opened(part[0]), np.ascontiguousarray(part[1])
    n = len(items)

    def words(model: Any, weights: Any, items: Documents) -> Expectation:
        shard = model.pack(items)._replace(rows=np.arange(n))
        found: Expectation = model._replace(n_documents=n).expect(model.with_rows(weights, Log(topic)), shard)[0]
        return found

    once = replace(items, counts=np.ones(len(items.words)))
    attributed = words(asked.mixed, asked.mixed_weights, once).counts.word
    plain, log_norm = (attributed, 0.0) if asked.mixed is asked.plain else _tokens(words, asked, items)
    weighted = once.times_weights()
    present = sparse.csr_matrix((weighted.counts, weighted.words, weighted.offsets), shape=(n, items.n_words))
    documents = np.bincount(weighted.words, weighted.counts, items.n_words)
    topics = np.asarray((present.T @ topic.astype(np.float64)).T)
    return Expectation(WordCounts(plain, attributed, topics, documents), log_norm)


def _tokens(words: Callable[..., Expectation], asked: Asked, items: Documents) -> tuple[Array, float]:
    found = words(asked.plain, asked.plain_weights, items)
    return found.counts.word, found.log_norm
