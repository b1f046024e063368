"""Scores of classes as means over tokens: what each token adds, given the table n[g, c] of the whole text.

    many-to-one   [g = the commonest class of c]                   one-to-one    [g = the class matched with c]
    VI            log₂ n[g]/n[g, c] + log₂ n[c]/n[g, c]            V-measure     1 − VI / (H(G) + H(C))
    ARI           ((n[g, c] − 1)/2 · N − E) / (M − E)              E, M: pairs by chance, pairs at most

The means are the scores of `clustering`. Items of two systems can so be compared one by one, which the tables cannot:
their columns mean different things.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softcount.evaluate.clustering import ari_bounds, contingency, entropy_bits, matching
from softcount.numbers.ragged import Array

Ids = tuple[Array, int]  # of every token, and how many there are
Share = Callable[[Ids, Ids], Array]


def _table(gold: Ids, found: Ids) -> Array:
    return contingency(gold[0], found[0], gold[1], found[1])


def many_to_one_share(gold: Ids, found: Ids) -> Array:
    names = _table(gold, found).argmax(axis=0)
    return np.asarray(names[found[0]] == gold[0], dtype=np.float64)


def one_to_one_share(gold: Ids, found: Ids) -> Array:
    classes, clusters = matching(_table(gold, found))
    names = np.full(found[1], -1)
    names[clusters] = classes
    return np.asarray(names[found[0]] == gold[0], dtype=np.float64)


def vi_share(gold: Ids, found: Ids) -> Array:
    table = _table(gold, found)
    n = table[gold[0], found[0]]
    bits = np.log2(table.sum(axis=1)[gold[0]] / n) + np.log2(table.sum(axis=0)[found[0]] / n)
    return np.asarray(bits)


def v_measure_share(gold: Ids, found: Ids) -> Array:
    table = _table(gold, found)
    entropies = entropy_bits(table.sum(axis=1)) + entropy_bits(table.sum(axis=0))
    return 1.0 - vi_share(gold, found) / entropies if entropies > 0 else np.ones(len(gold[0]))


def ari_share(gold: Ids, found: Ids) -> Array:
    table = _table(gold, found).astype(np.float64)
    expected, greatest = ari_bounds(table)
    together = (table[gold[0], found[0]] - 1.0) / 2.0 * table.sum()
    return (together - expected) / (greatest - expected) if greatest != expected else np.ones(len(gold[0]))


def accuracy_share(gold: Ids, found: Ids) -> Array:
    """Where both have the same names, and ids by them."""
    return np.asarray(gold[0] == found[0], dtype=np.float64)


TAG_SHARES: dict[str, Share] = {
    "many_to_one": many_to_one_share,
    "one_to_one": one_to_one_share,
    "vi_bits": vi_share,
    "v_measure": v_measure_share,
}
CLUSTER_SHARES: dict[str, Share] = {
    "nmi": v_measure_share,
    "ari": ari_share,
    "vi_bits": vi_share,
    "purity": many_to_one_share,
    "v_measure": v_measure_share,
}
