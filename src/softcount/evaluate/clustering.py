"""How well clusters match gold classes, all from one table: n[g, c] = items of class g that are in cluster c.

Tables of shards over the same ids add, and so the scores of a corpus come from the sum.

    many-to-one   Σ_c max_g n[g, c] / n                            each cluster named after its commonest class (purity)
    one-to-one    max over matchings of Σ n[g, match(g)] / n       each name used once
    VI            H(G | C) + H(C | G), here in bits                Meilă 2007; 0 is perfect, and a metric
    V-measure     1 − VI / (H(G) + H(C))                           Rosenberg and Hirschberg 2007
    ARI           pairs of items, corrected for chance             Hubert and Arabie 1985
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.evaluate.matching import matched
from softcount.numbers.ragged import Array, Ragged

MOST_NAMED = 300  # classes or clusters, the fewer of both: beyond, SciPy's matching is worth its import
Labels = Array | Ragged | Sequence[Any]  # one label per item; or sentences of labels


class TagScores(NamedTuple):
    """Many-to-one and one-to-one accuracy, VI in bits, V-measure and the number of tokens."""

    """Many-to-one and one-to-one accuracy, VI in bits, V-measure and the number of tokens."""

    many_to_one: float
    one_to_one: float
    vi_bits: float
    v_measure: float
    tokens: int


def score_tags(gold: Labels, predicted: Labels) -> TagScores:
    """Score predicted tags against gold tags, sentence by sentence; their names may differ."""
    _check_parallel(lengths_of(gold), lengths_of(predicted))
    gold_ids, n_gold = identify(gold)
    predicted_ids, n_predicted = identify(predicted)
    return tag_scores(contingency(gold_ids, predicted_ids, n_gold, n_predicted))


def tag_scores(table: Array) -> TagScores:
    """Scores of tags from a contingency table."""
    """Scores of tags from a contingency table."""
    tokens = int(_counted(table).sum())
    return TagScores(many_to_one(table), one_to_one(table), vi_bits(table), v_measure(table), tokens)


def accuracy(table: Array, gold_names: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    """The share of items whose two names are the same; nothing where some found name is none of the gold's."""
    if not set(names) <= set(gold_names):
        return {}
    right = sum(table[list(gold_names).index(name), k] for k, name in enumerate(names))
    return {"accuracy": float(right / table.sum())}


def cluster_scores(table: Array) -> dict[str, float]:
    """Scores of clusters from a contingency table."""
    """Scores of clusters from a contingency table."""
    return {
        "nmi": nmi(table),
        "ari": ari(table),
        "vi_bits": vi_bits(table),
        "purity": many_to_one(table),
        "v_measure": v_measure(table),
    }


def contingency(gold: Array, predicted: Array, n_gold: int, n_predicted: int) -> Array:
    """Contingency table: table[g, c] is the number of items with gold id g and predicted id c (dense, int64)."""
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    if len(gold) != len(predicted):
        raise InputError(f"gold has {len(gold)} labels, but predicted has {len(predicted)}; they must be parallel")
    for name, ids, size in (("gold", gold, n_gold), ("predicted", predicted, n_predicted)):
        if len(ids) and not 0 <= ids.min() <= ids.max() < size:
            raise InputError(f"{name} has ids from {ids.min()} to {ids.max()}: they must be 0 … {size - 1}")
    cells = gold.astype(np.int64) * n_predicted + predicted.astype(np.int64)
    return np.bincount(cells, minlength=n_gold * n_predicted).reshape(n_gold, n_predicted)


def many_to_one(table: Array) -> float:
    """Many-to-one accuracy: each cluster is mapped to its most common class."""
    """Many-to-one accuracy: each cluster is mapped to its most common class."""
    counts = _counted(table)
    return float(counts.max(axis=0).sum() / counts.sum())


def one_to_one(table: Array) -> float:
    """One-to-one accuracy under the best matching of clusters and classes; unmatched items count as errors."""
    counts = _counted(table)
    return float(counts[matching(counts)].sum() / counts.sum())


def matching(counts: Array) -> tuple[Array, Array]:
    """(classes, clusters) side by side, each at most once, so that they share most items."""
    return matched(counts) if min(counts.shape) <= MOST_NAMED else _by_scipy(counts)


def _by_scipy(counts: Array) -> tuple[Array, Array]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # scipy.optimize takes twice as long to import

    rows, columns = min_weight_full_bipartite_matching(csr_array(counts + 1), maximize=True)  # a stored 0 is no edge
    return rows, columns


def vi_bits(table: Array) -> float:
    """Variation of information in bits; 0 is a perfect match."""
    """Variation of information in bits; 0 is a perfect match."""
    counts = _counted(table)
    gold, predicted = np.nonzero(counts)
    n = counts[gold, predicted]
    # Both ratios are at least 1, so a perfect match is 0 and not a rounding error below it.
    bits = np.log2(counts.sum(axis=1)[gold] / n) + np.log2(counts.sum(axis=0)[predicted] / n)
    return float((n * bits).sum() / counts.sum())


def v_measure(table: Array) -> float:
    """V-measure: harmonic mean of homogeneity and completeness; 1 for a single class and cluster."""
    counts = _counted(table)
    entropies = entropy_bits(counts.sum(axis=1)) + entropy_bits(counts.sum(axis=0))
    return max(0.0, 1.0 - vi_bits(table) / entropies) if entropies > 0 else 1.0


def nmi(table: Array) -> float:
    """Normalized mutual information (arithmetic mean of the entropies), equal to the V-measure."""
    return v_measure(table)


def ari(table: Array) -> float:
    """Adjusted Rand index, (pairs − expected) / (maximum − expected); 1 for identical trivial partitions."""
    counts = _counted(table).astype(np.float64)
    expected, greatest = ari_bounds(counts)
    return (float(_pairs(counts).sum()) - expected) / (greatest - expected) if greatest != expected else 1.0


def ari_bounds(counts: Array) -> tuple[float, float]:
    """How many pairs of items are together in both partitions by chance, and at most."""
    in_gold, in_predicted, pairs = (
        float(_pairs(n).sum()) for n in (counts.sum(axis=1), counts.sum(axis=0), counts.sum())
    )
    return in_gold * in_predicted / max(pairs, 1.0), (in_gold + in_predicted) / 2


def _pairs(n: Array) -> Array:
    return np.asarray(n * (n - 1) / 2)


def entropy_bits(counts: Array) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def _counted(table: Array) -> Array:
    table = np.asarray(table)
    if not table.sum():
        raise InputError("no labelled items to score; check that the file is not empty")
    return table


def _is_nested(labels: Labels) -> bool:
    """Sentences of labels, rather than labels; a string is a label, not a sentence of letters."""
    first = None if isinstance(labels, np.ndarray | Ragged) else next(iter(labels), None)
    return isinstance(first, np.ndarray | Sequence) and not isinstance(first, str)


def lengths_of(labels: Labels) -> list[int]:
    if isinstance(labels, Ragged):
        return [int(length) for length in labels.lengths]
    return [len(sentence) for sentence in labels] if _is_nested(labels) else [len(labels)]


def _check_parallel(gold: list[int], predicted: list[int]) -> None:
    if len(gold) != len(predicted):
        raise InputError(f"gold has {len(gold)} sentences, but predicted has {len(predicted)}; they must be parallel")
    for number, (n_gold, n_predicted) in enumerate(zip(gold, predicted, strict=True), start=1):
        if n_gold != n_predicted:
            where = f"sentence {number}: " if len(gold) > 1 else ""
            raise InputError(f"{where}gold has {n_gold} tags, but predicted has {n_predicted}; they must be parallel")


def identify(labels: Labels) -> tuple[Array, int]:
    """Labels as ids 0 … n − 1, and n."""
    if isinstance(labels, Ragged):
        labels = labels.values
    if isinstance(labels, np.ndarray):
        names, ids = np.unique(labels, return_inverse=True)
        return ids.ravel(), len(names)
    flat: Iterable[Any] = chain.from_iterable(labels) if _is_nested(labels) else labels
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in flat], dtype=np.int64), len(known)
