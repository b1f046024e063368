"""Vectors of words, near one another where words stand in like places and look alike.

    X_wj = max(0, log C_wj C.. / (C_w. C_.j))      C_wj: how often j, a frequent word or an edge, is left (right) of w
    context  e_w = X_w V,  V the first right singular vectors of diag(√n) X;  then  e_w ← (n_w e_w + 5 ē_g) / (n_w + 5)
    form     the singular vectors of the one-hot features of the words' forms

Rare words lean on their group g: the mean of the words with the same ending and shape. H. Schütze, "Distributional
part-of-speech tagging", EACL 1995; J. A. Bullinaria, J. P. Levy 2007 (positive pointwise mutual information).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from softcount.models.word_classes_kernel import Neighbours, WordTypes
from softcount.numbers.ragged import Array

FREQUENT = 1_000  # words whose company is counted
DIMENSIONS = 50
LEAN = 5.0  # tokens that the mean of a group counts as
FORM = 0.5  # length of the form vector beside the context vector's 1


def context_vectors(text: WordTypes) -> Array:
    """X V, [V, DIMENSIONS] or fewer columns: of words by their company alone."""
    X = positive_information(text)
    return np.asarray(X @ _right_vectors(sparse.diags(np.sqrt(text.tokens)) @ X))


def told_by(groups: Array, context: Array, tokens: Array) -> float:
    """The share of the spread of context vectors that the other words of their groups tell: 1 − Σ n|e − ē₋|² / Σ n|e|².

    ē₋ is the mean of a word's group without itself, which leans on the mean of all. Negative where groups mislead.
    """
    n = np.sqrt(tokens)
    vectors = _unit(context)
    vectors = vectors - np.average(vectors, axis=0, weights=n)
    sums = sparse.csr_matrix((n, (groups, np.arange(len(n))))) @ vectors
    rest = np.bincount(groups, weights=n)[groups] - n
    means = (sums[groups] - n[:, None] * vectors) / (rest + LEAN)[:, None]
    left, whole = n @ ((vectors - means) ** 2).sum(axis=1), n @ (vectors**2).sum(axis=1)
    return float(1.0 - left / max(whole, 1e-300))


def word_vectors(text: WordTypes, groups: Array, context: Array) -> Array:
    """[V, 2 · DIMENSIONS] or fewer columns, of a text with words."""
    n = text.tokens.astype(np.float64)
    context = (n[:, None] * context + LEAN * _means(context, n, groups)[groups]) / (n + LEAN)[:, None]
    one_hot = _one_hot(text)
    return np.hstack([_unit(context), FORM * _unit(one_hot @ _right_vectors(one_hot))])


def positive_information(text: WordTypes) -> Any:
    """X, sparse: two columns for each of the most frequent words and for the edge."""
    V = len(text.tokens)
    frequent = np.append(np.argsort(-text.tokens, kind="stable")[:FREQUENT], V)
    C = sparse.hstack([_table(side, V)[:V][:, frequent] for side in (text.lefts, text.rights)]).tocoo()
    rows, columns = (np.asarray(C.sum(axis=axis)).ravel() for axis in (1, 0))
    information = np.log(C.data * C.data.sum() / (rows[C.row] * columns[C.col]))
    kept = information > 0.0
    return sparse.csr_matrix((information[kept], (C.row[kept], C.col[kept])), shape=C.shape)


def _table(side: Neighbours, edge: int) -> Any:
    return sparse.csr_matrix((side.counts.astype(np.float64), side.words, side.offsets), shape=(edge + 1, edge + 1))


def _one_hot(text: WordTypes) -> Any:
    V, T = text.forms.shape
    offsets = np.arange(0, V * T + 1, T)
    return sparse.csr_matrix((np.ones(V * T), text.forms.ravel(), offsets), shape=(V, len(text.shares)))


def _right_vectors(table: Any) -> Array:
    """The first right singular vectors, as columns; always the same, as the search starts from the same place."""
    least = min(table.shape)
    if least <= 2 * DIMENSIONS:
        return np.asarray(np.linalg.svd(table.toarray(), full_matrices=False)[2][:DIMENSIONS].T)
    begin = np.random.default_rng(0).standard_normal(least)
    return np.asarray(svds(table, DIMENSIONS, v0=begin, return_singular_vectors="vh", tol=1e-3)[2].T)


def _means(vectors: Array, weights: Array, groups: Array) -> Array:
    """The weighted mean of every group."""
    members = sparse.csr_matrix((weights, (groups, np.arange(len(groups)))))
    return np.asarray((members @ vectors) / np.asarray(members.sum(axis=1)))


def _unit(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0))
