"""Which words show what a topic is about, and the background that training sets aside for the words of all documents.

    shown first: the largest √(A · C) / (df(w) + c), c = 0.06 · √(Σ_w df(w)) · max(1, 130 / ℓ)^1.5

with A and C as `models/plsa_words.py` counts them. So a word ranks high in a topic that has a large part of the
documents with the word. c is against rare words, more so where documents are short: ℓ is how many different words a
document has. A and C are taken while the background is still there; then it is given back by one plain step of EM of
the words' table, so that the model kept is PLSA.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.engines import Engine
from softcount.errors import InputError
from softcount.models.plsa_background import BackgroundPLSA
from softcount.models.plsa_words import WordCounter, WordCounts, word_counter
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation
from softcount.text.documents import Documents
from softcount.text.shard import cut
from softcount.text.stored import Stored, opened

AUTO, NONE = "auto", "none"
COMMON = 0.1  # words in a larger share of the documents are common; of few topics, in more than two topics have
LEAST = 50  # documents; of fewer nobody knows which words are common
SHORTEST = 8  # different words of a document; where there are fewer, a background costs more than it gives
MOST = 0.9  # weight of a background that is read off the text
SMOOTHING = 0.05  # of the background's frequencies
LONG, SHORTER = 130.0, 1.5  # words of a document; below, c grows by this power of how many times shorter it is
RARE = 0.06  # what is against rare words, in roots of the number of pairs of a document and a word


def parse_background(setting: Any) -> str | float:
    """auto, none, or a weight."""
    try:
        weight = setting if setting in (AUTO, NONE) else float(setting)
    except (TypeError, ValueError):
        raise InputError(f"background={setting!r}: unknown; use auto, none, or a weight from 0 to below 1") from None
    if not isinstance(weight, str) and not 0.0 <= weight < 1.0:
        raise InputError(f"background is {setting}; it must be a weight from 0 to below 1")
    return weight


def background_weight(data: Any, n_topics: int) -> float:
    """The share of the tokens whose words are common; 0 of few documents, and of very short ones."""
    in_documents = data.document_frequencies
    if len(data) < LEAST or in_documents.sum() < SHORTEST * len(data):
        return 0.0
    common = in_documents > max(COMMON, 2.0 / n_topics) * len(data)
    frequencies = np.asarray(data.frequencies, np.float64)
    return min(float(frequencies[common].sum() / max(frequencies.sum(), 1e-300)), MOST)


def background_words(data: Any) -> Array:
    """b: the words of all documents."""
    found = np.asarray(data.frequencies, np.float64) + SMOOTHING
    return np.asarray(found / found.sum())


def rank_offset(documents: Array, n_documents: float) -> float:
    """c: documents that are added to those of every word."""
    n_pairs = float(documents.sum())
    return float(RARE * np.sqrt(n_pairs) * max(1.0, LONG * n_documents / max(n_pairs, 1.0)) ** SHORTER)


def rank_words(attributed: Array, documents: Array, offset: float) -> Array:
    """[topics, words]: the larger, the sooner a word is shown."""
    return np.asarray(attributed / np.maximum(documents + offset, 1e-300), np.float64)


def count_words(data: Documents | Stored, tables: Any, background: BackgroundPLSA | None, engine: Engine) -> WordCounts:
    """One pass over the data; `tables` are as trained, with the background or without."""
    counter = word_counter(tables.word, background)
    bounds = cut(data, counter.plain.costs, counter.plain.shard_cost)
    parts = engine.place(_as_it_is, ((data.slice(a, b), tables.topic[a:b]) for a, b in bounds))
    found: WordCounts = engine.sum(_count, parts, engine.share(counter)).counts
    return found


def _as_it_is(part: Any) -> Any:
    return part


def _count(part: tuple[Any, Array], counter: WordCounter) -> Expectation:
    return Expectation(counter(opened(part[0]), part[1]), 0.0)
