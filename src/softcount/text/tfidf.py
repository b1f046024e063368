"""Documents as directions: term frequency times inverse document frequency, in rows of length one."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from softcount.numbers.ragged import Array
from softcount.text.documents import Documents


def inverse_frequencies(data: Documents) -> Array:
    """log((1 + documents) / (1 + documents with the word)) + 1, of every word."""
    present = np.bincount(data.words, minlength=data.n_words)
    return np.asarray(np.log((1.0 + len(data)) / (1.0 + present)) + 1.0)


def directions(data: Documents, idf: Array | None = None, damped: bool = True) -> sparse.csr_matrix:
    """tf-idf rows of length one: what k-means should see of documents. Damped, a word's n tokens count 1 + log n."""
    idf = inverse_frequencies(data) if idf is None else idf
    counts = 1.0 + np.log(np.maximum(data.counts, 1.0)) if damped else data.counts
    values = counts * idf[data.words]
    lengths = np.sqrt(np.bincount(np.repeat(np.arange(len(data)), np.diff(data.offsets)), values**2, len(data)))
    values /= np.repeat(np.maximum(lengths, 1e-300), np.diff(data.offsets))
    return sparse.csr_matrix((values, data.words, data.offsets), shape=(len(data), data.n_words))
