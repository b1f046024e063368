"""What the tokens of documents are worth, where a document repeats its own words.

    ρ = (R − P) / (1 − P)           worth of a document's n tokens = n / (1 + (n − 1) ρ)

R is how often two tokens of one document are the same word, P how often two tokens of different documents of one class
are. Documents whose tokens are drawn by their class alone have R = P; real ones say a word again that they said
before, and a mixture, which takes every token for a witness of its own, finds a class in each such habit. ρ is the
intraclass correlation of survey sampling, where tokens are people and documents are households, and the denominator
its design effect: L. Kish, "Survey sampling", 1965. Under a Dirichlet prior of strength s over the words of each
document ρ is 1 / (s + 1).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from softcount.numbers.ragged import Array
from softcount.text.documents import Documents


def repetition(documents: Documents, labels: Array) -> float:
    """ρ of documents of these classes, from 0 to 1; a document that is alone in its class says nothing."""
    counts, lengths = documents.matrix(), documents.totals()
    pairs = lengths * (lengths - 1.0)
    same = counts.multiply(counts).sum(axis=1).A1 - lengths
    across = _across(counts, lengths, same + lengths, labels)[labels]
    told = np.isfinite(across) & (pairs > 0.0)
    if not told.any():
        return 0.0
    within, between = same[told].sum() / pairs[told].sum(), np.average(across[told], weights=pairs[told])
    return float(np.clip((within - between) / max(1.0 - between, 1e-12), 0.0, 1.0))


def _across(counts: sparse.csr_matrix, lengths: Array, squares: Array, labels: Array) -> Array:
    """Of every class, how often two tokens of two of its documents are the same word: all pairs less those within."""
    n = int(labels.max(initial=-1)) + 1
    members = sparse.csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(n, len(labels)))
    whole = members @ counts
    pairs = (members @ lengths) ** 2 - members @ lengths**2
    same = whole.multiply(whole).sum(axis=1).A1 - members @ squares
    return np.asarray(np.divide(same, pairs, out=np.full(n, np.nan), where=pairs > 0.0))


def worth(documents: Documents, rho: float) -> Documents:
    """Every document with as many tokens as its own are worth."""
    effect = 1.0 + np.maximum(documents.totals() - 1.0, 0.0) * rho
    return replace(documents, counts=documents.counts / np.repeat(effect, np.diff(documents.offsets)))
