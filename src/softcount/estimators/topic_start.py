"""Where topics start: clusters of documents, or the directions in which documents differ most.

    kmeans   spherical k-means on tf-idf rows, the best of a few runs (I. S. Dhillon, D. S. Modha, 2001)
    svd      the positive parts of singular vectors (C. Boutsidis, E. Gallopoulos, "SVD based initialization: a head
             start for nonnegative matrix factorization", Pattern Recognition 41, 2008)

    P(h | d) = ½ [what was found of d] + ½ / H           P(w | h) = ½ [what was found of h] + ½ P(w)

so that nothing is zero, which would last for ever. One random start is a lottery; these are for safety.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from softcount.errors import InputError
from softcount.estimators.kmeans import KMeans
from softcount.machine import stage
from softcount.models.plsa import PLSATables
from softcount.numbers.ragged import Array
from softcount.text.documents import Documents
from softcount.text.tfidf import directions
from softcount.text.vocabulary import lowered

TRIES, STEPS = 3, 10  # runs of k-means, and how long they are
STARTS = ("kmeans", "svd", "random", "uniform")


def clustered(
    data: Documents, n_topics: int, seed: tuple[int, ...], n_jobs: int | None, damped: bool = False
) -> PLSATables:
    """A topic for every cluster; where there are more topics than documents, the last begin as nobody's. Damped, a
    word's n tokens count 1 + log n: what is common everywhere then says less of a document."""
    rng = np.random.default_rng([*seed, 3])
    n_clusters = min(n_topics, len(data))
    with stage.towards("start, clusters of documents"):
        found = KMeans(
            n_clusters, metric="cosine", criterion=f"hard:{STEPS}", restarts=TRIES, n_jobs=n_jobs,
            random_state=int(rng.integers(2**31)),
        ).fit(directions(data, damped=damped))  # fmt: skip
    members = sparse.csr_matrix(
        (np.ones(len(data)), found.labels_, np.arange(len(data) + 1)), shape=(len(data), n_topics)
    )
    return _softened(data, members.toarray(), np.asarray((members.T @ data.matrix()).todense()), rng)


def by_svd(data: Documents, n_topics: int, seed: tuple[int, ...]) -> PLSATables:
    from scipy.sparse.linalg import svds

    rng = np.random.default_rng([*seed, 3])
    X = data.matrix()
    rank = min(n_topics, min(X.shape) - 1)
    topic, word = np.zeros((len(data), n_topics)), np.zeros((n_topics, data.n_words))
    if rank > 0:
        left, strength, right = svds(X, k=rank, v0=np.ones(min(X.shape)))
        for h, k in enumerate(np.argsort(-strength, kind="stable")):
            topic[:, h], word[h] = _positive(left[:, k], right[k])
    return _softened(data, topic, word, rng)


def _positive(left: Array, right: Array) -> tuple[Array, Array]:
    """Of a pair of singular vectors the positive parts, or the negative ones, whichever are more of it."""
    sides = [(np.maximum(sign * left, 0.0), np.maximum(sign * right, 0.0)) for sign in (1.0, -1.0)]
    return max(sides, key=lambda side: float(np.linalg.norm(side[0]) * np.linalg.norm(side[1])))


def _softened(data: Documents, topic: Array, word: Array, rng: np.random.Generator) -> PLSATables:
    everywhere = np.bincount(data.words, data.counts, data.n_words)
    shuffled = everywhere * (0.5 + rng.random(word.shape)) if not word.any(axis=1).all() else everywhere
    word = np.where(word.any(axis=1, keepdims=True), word, shuffled)
    topic = np.where(topic.any(axis=1, keepdims=True), topic, 1.0)
    return PLSATables(0.5 * _shares(topic) + 0.5 / topic.shape[1], 0.5 * _shares(word) + 0.5 * _shares(everywhere))


def _shares(rows: Array) -> Array:
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))


def matched(tables: PLSATables, seeds: Array) -> PLSATables:
    """The topics in the order in which those that have seed words (1 in `seeds`, [H, V]) suit them best."""
    from scipy.optimize import linear_sum_assignment

    suits = seeds @ tables.word.T  # [wanted, found]
    order = linear_sum_assignment(-suits)[1]
    return PLSATables(tables.topic[:, order], tables.word[order])


def seed_table(seed_words: Mapping[int, Sequence[str]], names: Sequence[str], n_topics: int, lowercase: bool) -> Array:
    """[topics, words]: 1 where a word is a seed of a topic."""
    place = {name: v for v, name in enumerate(names)}
    table = np.zeros((n_topics, len(names)), order="F")
    for topic, words in seed_words.items():
        if not 0 <= topic < n_topics:
            raise InputError(f"seed words for topic {topic}, but the topics are 0 to {n_topics - 1}")
        for word in lowered(words).to_pylist() if lowercase else words:
            if word not in place:
                raise InputError(f"seed word {word!r} is not in the vocabulary; correct it, or lower min_count")
            table[topic, place[word]] = 1.0
    return table
