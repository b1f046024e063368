"""Topics of documents that training never saw: the model's own E-step, document by document, with P(word | topic) held.

    topic[d, h] ∝ Σ_w n(d, w) · topic[d, h] word[h, w] / Σ_k topic[d, k] word[k, w] + pseudo · prevalence[h]

T. Hofmann, "Probabilistic latent semantic indexing", SIGIR 1999. A document's row depends on no other document, so
parts of a collection go to as many workers as there are. With a background, b · P(w) + (1 − b) Σ topic[d, h] word[h, w]
stands for P(w | d), so that words which are everywhere say little of a document's topics (C. Zhai et al., KDD 2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from softcount.engines import Engine
from softcount.machine.mapped import give_back
from softcount.models.plsa import PLSA, PLSATables, PLSAWeights
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Log
from softcount.text.documents import Documents
from softcount.text.shard import cut
from softcount.text.stored import Stored, opened

PART = 20_000  # counts at a time, each of which is read some tens of times
DOCUMENTS = 65_536  # at a time
PART_OF_FILES = 200_000  # about as many as a block has


class Topics(NamedTuple):
    """What folding in needs of a model."""

    model: PLSA
    weights: PLSAWeights
    start: Array  # [H], sums to one
    pseudo: float  # its pseudo-counts
    background: float  # the share of the last topic, where that is what all documents have in common


def folded(
    data: Documents, word: Array, prevalence: Array, pseudo: float, engine: Engine, background: float = 0.0
) -> Array:
    """P(topic | document), [documents, H]; `pseudo` is per topic, spread as the topics are prevalent."""
    return np.concatenate(list(folded_blocks(data, word, prevalence, pseudo, engine, background)))


def folded_blocks(
    data: Documents, word: Array, prevalence: Array, pseudo: float, engine: Engine, background: float = 0.0
) -> Iterator[Array]:
    """The same block by block, so that memory stays bounded."""
    H, start = len(word), prevalence / max(prevalence.sum(), 1e-300)
    if background:
        word, start = np.vstack([word, start @ word]), np.append(start, 0.0)
    model = PLSA(0, len(word), word.shape[1])
    weights = model.weigh(PLSATables(Log(np.empty((0, len(word)))), Log(np.asarray(word, np.float64))))
    part = PART_OF_FILES if isinstance(data, Stored) else PART
    parts = engine.place(_as_it_is, (data.slice(*bounds) for bounds in cut(data, _sizes, part)))
    asked = engine.share(Topics(model, weights, start, float(pseudo * H), background))
    for rows in engine.map(_folded_part, parts, asked):
        yield rows[:, :H] / (1.0 - background)


def _sizes(data: Documents) -> Array:
    return data.sizes


def _as_it_is(part: Any) -> Any:
    return part


def _folded_part(part: Any, topics: Topics) -> Array:
    shard = topics.model.pack(opened(part))
    return topics.model.fold(topics.weights, shard, topics.start, topics.pseudo, topics.background)


def prevalence_of(data: Documents, topic: Array) -> Array:
    """The share of all tokens that each topic has."""
    lengths, found = data.totals(), np.zeros(topic.shape[1])
    for start in range(0, len(lengths), DOCUMENTS):  # of rows that may be in a file
        some = slice(start, start + DOCUMENTS)
        found += lengths[some] @ np.asarray(topic[some], np.float64)
        give_back(lengths)
    return np.asarray(found / max(lengths.sum(), 1e-300))
