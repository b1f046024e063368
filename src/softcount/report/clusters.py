"""What a cluster of documents is about: the words that tell it from the others.

Naive Bayes   P(w|k) · log(P(w|k) / P(w)), P(w) = Σ_k P(k) P(w|k): the word's part of KL(cluster ‖ all documents)
k-means       the greatest entries of the centre, which is a mean of tf-idf rows
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.report.columns import whole_words

WORDS = 10
LONGEST = 40  # letters of a word


def distinctive(cluster: Array, word: Array) -> Array:
    """[clusters, words]: how much each word tells of P(w|k) in `word` beside P(w), where `cluster` is P(k)."""
    everywhere = cluster @ word / max(cluster.sum(), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(word * np.log(word / everywhere)))


def characteristic_words(model: Any, n: int = WORDS) -> dict[Any, list[str]]:
    """Of each cluster of a Naive Bayes mixture, or of k-means on text, the most characteristic first."""
    if model.kind == "naive bayes mixture":
        names = model.classes_.tolist()
        table = distinctive(model.cluster_, model.word_) if len(names) > 1 else model.word_
    else:
        names, table = list(range(model.n_clusters)), model.means_
    words: Sequence[Any] = range(table.shape[1]) if model.vocabulary_ is None else model.vocabulary_.words
    best = np.argsort(-table, axis=1, kind="stable")[:, :n]
    return {name: [str(words[v]) for v in top if row[v] > 0] for name, row, top in zip(names, table, best, strict=True)}


def cluster_lines(model: Any, classes: Iterable[Any], width: int | None) -> Iterator[str]:
    """For each cluster its name, how many of `classes` are it, and its words: as many as fit into `width`."""
    sizes = Counter(classes)
    for name, words in characteristic_words(model).items():
        head = f"{name}: {sizes[name]:,} document{'s' * (sizes[name] != 1)}: "
        if not sizes[name]:  # its words are those of no document
            yield f"{name}: empty"
            continue
        short = [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in words]
        yield head + whole_words(short, None if width is None else width - len(head))
