"""Topics of documents that training never saw: EM for each document alone, with P(word | topic) held.

    topic[d, h] ∝ Σ_w n(d, w) · topic[d, h] word[h, w] / Σ_k topic[d, k] word[k, w] + pseudo · prevalence[h]

T. Hofmann, "Probabilistic latent semantic indexing", SIGIR 1999. A document's row depends on no other document, so
parts of a collection go to as many workers as there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.engines import Engine
from softcount.models.plsa import fold
from softcount.numbers.lanes import widened, zeros
from softcount.numbers.ragged import Array
from softcount.text.documents import Documents
from softcount.text.shard import shards

STEPS, TOLERANCE = 200, 1e-5
PART = 20_000  # counts at a time, each of which is read some tens of times


class Topics(NamedTuple):
    """What folding in needs of a model; rows in whole lanes."""

    word: Array  # [V, H]
    prevalence: Array  # [H], sums to one
    pseudo: float
    n_topics: int


def folded(data: Documents, word: Array, prevalence: Array, pseudo: float, engine: Engine) -> Array:
    """P(topic | document), [documents, H]; `pseudo` is per topic, spread as the topics are prevalent."""
    share = prevalence / max(prevalence.sum(), 1e-300)
    topics = Topics(widened(word.T), widened(share[None])[0], float(pseudo * len(word)), len(word))
    handles = engine.place(_as_it_is, (data.slice(*bounds) for bounds in shards(data.sizes, PART)))
    return np.concatenate(list(engine.map(_folded_part, handles, engine.share(topics))))


def _as_it_is(part: Documents) -> Documents:
    return part


def _folded_part(part: Documents, topics: Topics) -> Array:
    rows = zeros(len(part), topics.n_topics, np.float64)
    offsets = part.offsets - part.offsets[0]
    fold(offsets, part.words, part.counts, topics.word, topics.prevalence, topics.pseudo, STEPS, TOLERANCE, rows)
    return rows[:, : topics.n_topics]


def prevalence_of(data: Documents, topic: Array) -> Array:
    """The share of all tokens that each topic has."""
    lengths = data.totals()
    return np.asarray(lengths @ np.asarray(topic, np.float64) / max(lengths.sum(), 1e-300))
