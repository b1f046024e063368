"""Which documents are like a query: the cosine between topics, beside that between tf-idf rows."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.text.documents import Documents
from softcount.text.tfidf import inverse_frequencies


def one_document(query: Any) -> Any:
    """One document: words as one text, a token list, a row of counts, or a collection that holds one."""
    first = query[0] if isinstance(query, list | tuple | np.ndarray) and len(query) else None
    if isinstance(first, str) and len(query) > 1:
        return [list(query)]
    return [query] if isinstance(query, str) or isinstance(first, Real) else query


def cosine(rows: Array, row: Array) -> Array:
    lengths = np.sqrt((rows**2).sum(axis=1) * (row**2).sum())
    return np.asarray(rows @ row / np.maximum(lengths, 1e-300))


def tfidf_cosine(pool: Documents, asked: Documents) -> Array:
    idf = inverse_frequencies(pool)
    table = replace(pool, counts=pool.counts * idf[pool.words]).matrix()
    row = np.zeros(pool.n_words)
    row[asked.words] = asked.counts * idf[asked.words]
    lengths = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel() * (row**2).sum())
    return np.asarray(table @ row / np.maximum(lengths, 1e-300))
