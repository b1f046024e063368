"""Documents as a sparse document × word count matrix, with its vocabulary.

Word order is gone; what stays is how often each word occurs in each document, and where known the document's class.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from softcount.errors import InputError, list_counts
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.corpus import MEMORY, corpus
from softcount.text.shard_folder import is_shards
from softcount.text.vocabulary import Vocabulary, lowered

MOST_TOKENS = 2**53  # beyond, floats do not count in ones


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents as a sparse document × word count matrix, with its vocabulary.

    Read more in the :doc:`guide to input </how-to/prepare-input>`.

    >>> from softcount import documents
    >>> found = documents(["a b a", "b c"])
    >>> len(found), list(found.vocabulary.words), found.matrix().toarray().tolist()
    (2, ['a', 'b', 'c'], [[2.0, 1.0, 0.0], [0.0, 1.0, 1.0]])

    `len()` is the number of documents; an empty document is a document. `documents` and `read_documents` make one.
    """

    offsets: Array  # int64 [D + 1]
    words: Array  # int32 word ids, once per document and word
    counts: Array  # float64, positive
    n_words: int
    vocabulary: Vocabulary | None = None  # None: the columns have no names
    labels: Array | None = None  # int32 class ids; −1: not known
    classes: tuple[str, ...] = ()  # the names of the class ids
    weights: Array | None = None  # what each document counts in training
    # [D, K]: log-weights that a document itself gives to the classes; Ragged, [nonzeros, K]: to those of its words
    potentials: Array | Ragged | None = None
    rows: Array | None = None  # which document of the whole each is
    source: str = MEMORY
    names: tuple[str, ...] = ()  # of the documents, where they have any

    def __post_init__(self) -> None:
        if self.rows is None:
            object.__setattr__(self, "rows", np.arange(len(self.offsets) - 1))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        sizes = {"documents": len(self), "words": self.n_words, "counts": len(self.words)}
        return f"Documents({list_counts(sizes)})"

    @property
    def n_tokens(self) -> float:
        return float(self.counts.sum())

    @property
    def sizes(self) -> Array:
        """How much of the data each document is: its distinct words, and itself."""
        return np.diff(self.offsets) + 1

    @property
    def frequencies(self) -> Array:
        """How often each word occurs in all documents."""
        return np.bincount(self.words, self.counts, self.n_words)

    @property
    def document_frequencies(self) -> Array:
        """In how many documents each word is."""
        return np.bincount(self.words, minlength=self.n_words)

    def unlabelled(self) -> Documents:
        return replace(self, labels=None)

    @property
    def named(self) -> bool:
        return bool(self.names)

    def names_of(self) -> Iterator[str]:
        """What the documents are called, or else their numbers, counted from 1."""
        yield from self.names or (str(d + 1) for d in range(len(self)))

    def slice(self, start: int, stop: int) -> Documents:
        first, last = self.offsets[start], self.offsets[stop]
        return replace(
            self,
            offsets=self.offsets[start : stop + 1] - first,
            words=self.words[first:last],
            counts=self.counts[first:last],
            **self._columns(slice(start, stop)),
        )

    def take(self, rows: Array) -> Documents:
        rows = np.asarray(rows, dtype=np.int64)
        words, counts = Ragged(self.offsets, self.words).take(rows), Ragged(self.offsets, self.counts).take(rows)
        return replace(self, offsets=words.offsets, words=words.values, counts=counts.values, **self._columns(rows))

    def _columns(self, which: Any) -> dict[str, Any]:
        named = {"labels": self.labels, "weights": self.weights, "potentials": self.potentials, "rows": self.rows}
        columns = {name: None if column is None else _of_rows(column, which) for name, column in named.items()}
        return columns | {"names": tuple(np.array(self.names, dtype=object)[which]) if self.names else ()}

    def weighted(self, weights: Array) -> Documents:
        """With these weights, on top of those that the documents have."""
        return replace(self, weights=weights if self.weights is None else self.weights * weights)

    def times_weights(self) -> Documents:
        """With every count as often as its document counts, and no weights; what counts nothing is gone."""
        if self.weights is None:
            return self
        counts = self.counts * np.repeat(self.weights, np.diff(self.offsets))
        kept = counts > 0.0
        lengths = np.add.reduceat(np.append(kept, False), self.offsets[:-1]) * (np.diff(self.offsets) > 0)
        wishes = self.potentials
        if isinstance(wishes, Ragged):
            wishes = Ragged(offsets_of(lengths), wishes.values[kept])
        return replace(self, offsets=offsets_of(lengths), words=self.words[kept], counts=counts[kept], weights=None,
                       potentials=wishes)  # fmt: skip

    def matrix(self) -> sparse.csr_matrix:
        """A scipy CSR matrix over the same memory."""
        return sparse.csr_matrix((self.counts, self.words, self.offsets), shape=(len(self), self.n_words))

    def totals(self) -> Array:
        """How many words each document has."""
        return np.bincount(np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.counts, len(self))

    def scaled(self, length: float) -> Documents:
        """Every document stretched or shrunk to this many words, by fractional counts; an empty one stays empty."""
        factor = np.repeat(length / np.maximum(self.totals(), 1e-300), np.diff(self.offsets))
        return replace(self, counts=self.counts * factor)

    def digest(self) -> str:
        """sha256 of the table, and of the words where they have names."""
        sha = hashlib.sha256()
        for part in (self.offsets, self.words, self.counts, *(() if self.labels is None else (self.labels,))):
            sha.update(np.ascontiguousarray(part).data)
        sha.update("\n".join(self.vocabulary.words if self.vocabulary else ()).encode("utf-8", "surrogatepass"))
        return sha.hexdigest()


def _of_rows(column: Array | Ragged, which: Any) -> Array | Ragged:
    if not isinstance(column, Ragged):
        return np.asarray(column[which])
    return column.slice(which.start, which.stop) if isinstance(which, slice) else column.take(which)


def from_matrix(matrix: Any, vocabulary: Vocabulary | None = None, **columns: Any) -> Documents:
    """Documents of a scipy sparse or dense table of non-negative counts."""
    csr = sparse.csr_matrix(matrix, dtype=np.float64)
    if not csr.has_canonical_format or (csr.nnz and not csr.data.all()):
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    if not csr.data.sum() <= MOST_TOKENS:
        raise InputError(f"{columns.get('source', MEMORY)}: more than 2^53 tokens; give finite counts, or smaller ones")
    offsets, words = csr.indptr.astype(np.int64), csr.indices.astype(np.int32, copy=False)
    return Documents(offsets, words, csr.data, csr.shape[1], vocabulary, **columns)


def documents(
    data: Any,
    vocabulary: Vocabulary | None = None,
    min_count: int = 1,
    max_share: float = 1.0,
    stop_words: Iterable[str] = (),
    labels: Sequence[str] | None = None,
    source: str = MEMORY,
    lowercase: bool = False,
) -> Documents:
    """Create Documents from texts, token lists, or a file.

    Read more in the :doc:`guide to softcount in Python </how-to/python>`.

    >>> from softcount import documents
    >>> documents(["a b a", "b c", "b d"], max_share=0.9).vocabulary.words
    ['a', 'c', 'd']

    Parameters
    ----------
    data : list of str, list of token lists, Documents, path, or Shards
        The documents.
    vocabulary : Vocabulary, optional
        That of an earlier model; then all other words are left out.
    min_count : int, default 1
        Words in fewer documents are left out.
    max_share : float, default 1.0
        Words in a larger share of the documents are left out.
    stop_words : iterable of str, default ()
        Words that are left out.
    labels : list of str, optional
        A class of each document, "" where it is not known.
    source : str, default "<memory>"
        What messages call them.
    lowercase : bool, default False
        Whether text is lower-cased first.

    Returns
    -------
    Documents
    """
    if hasattr(data, "read_as") or is_shards(data):
        from softcount.text.shards import shards_of

        found: Documents = shards_of(data, "documents").read_as(vocabulary, lowercase)
        return found
    if isinstance(data, str | Path):
        from softcount.text.document_reader import read_documents

        data = read_documents(data, lowercase=lowercase)
    if isinstance(data, Documents):
        data = replace(data, rows=None)  # whatever it was taken from, it is the whole now
        data = _lowered(data) if lowercase else data
        return data if vocabulary is None else recoded(data, vocabulary)
    text = corpus(data, lowercase=lowercase)
    matrix = _count(text.sentences, len(text.vocabulary))
    present = np.bincount(matrix.indices, minlength=matrix.shape[1])
    keep = _chosen(present, text.vocabulary, min_count, max_share, stop_words, len(text))
    whole = from_matrix(matrix, text.vocabulary, source=source)
    whole = replace(whole, **_classes(labels, len(whole)))
    if vocabulary is not None:
        return recoded(whole, vocabulary)
    return whole if keep.all() else restricted(whole, keep)


def pruned(data: Documents, min_count: int, max_share: float, stop_words: Iterable[str]) -> Documents:
    """Without words that are too rare, too common or on the list."""
    if not data.n_tokens:
        raise InputError(f"{data.source}: no words; every document is empty")
    keep = _chosen(data.document_frequencies, data.vocabulary, min_count, max_share, stop_words, len(data))
    return data if keep.all() else restricted(data, keep)


def within(
    data: Documents, min_df: float = 1, max_df: float = 1.0, stop_words: Iterable[str] | str | None = None,
    lowercase: bool = False,
) -> Documents:  # fmt: skip
    """Without words that are too rare, too common or on the list, as scikit-learn's vectorisers leave them out.

    A whole number is one of documents, a float a share of them; "english" is scikit-learn's list of words.
    """
    n, stop = len(data), listed_words(stop_words, lowercase)
    least = min_df if isinstance(min_df, int | np.integer) else min_df * n
    most = max_df if isinstance(max_df, int | np.integer) else max_df * n
    if least <= 1 and most >= n and not stop:
        return data
    present = data.document_frequencies
    keep = (present >= least) & (present <= most)
    if stop and data.vocabulary is not None:
        ids = data.vocabulary.find(stop)
        keep[ids[ids >= 0]] = False
    if not keep.any():
        raise InputError(f"{data.source}: no words remain; lower min_df, raise max_df, or use fewer stop_words")
    return data if keep.all() else restricted(data, keep)


def listed_words(stop_words: Iterable[str] | str | None, lowercase: bool) -> list[str]:
    if stop_words is None:
        return []
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise InputError(f"stop_words={stop_words!r}: invalid; give a list of words, or 'english'")
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted(ENGLISH_STOP_WORDS)
    found = list(stop_words)
    return list(lowered(found).to_pylist()) if lowercase and found else found


def restricted(data: Documents, keep: Array) -> Documents:
    if not keep.any():
        raise InputError(f"{data.source}: no words remain; lower --min-count, or raise --max-share")
    if hasattr(data, "restricted"):  # in files
        found: Documents = data.restricted(keep)
        return found
    names = None
    if data.vocabulary is not None:
        names = Vocabulary([word for word, kept in zip(data.vocabulary.words, keep.tolist(), strict=True) if kept])
    small = from_matrix(data.matrix()[:, np.flatnonzero(keep)], names)
    return replace(data, offsets=small.offsets, words=small.words, counts=small.counts, n_words=small.n_words,
                   vocabulary=names)  # fmt: skip


def recoded(data: Documents, vocabulary: Vocabulary) -> Documents:
    """The same documents in another vocabulary; words that it does not have are left out."""
    if data.vocabulary is None or data.vocabulary == vocabulary:
        if data.n_words != len(vocabulary):
            raise InputError(
                f"{data.source}: {data.n_words} columns, but the model has {len(vocabulary)} words; give "
                "the same number"
            )
        return data
    ids = vocabulary.find(data.vocabulary.words)[data.words]
    known = ids >= 0
    lengths = np.add.reduceat(np.append(known, False), data.offsets[:-1]) * (np.diff(data.offsets) > 0)
    kept = (data.counts[known], ids[known], offsets_of(lengths))
    small = from_matrix(sparse.csr_matrix(kept, shape=(len(data), len(vocabulary))))
    return replace(data, offsets=small.offsets, words=small.words, counts=small.counts, n_words=len(vocabulary),
                   vocabulary=vocabulary)  # fmt: skip


def _lowered(data: Documents) -> Documents:
    """The columns of words that differ in case alone as one; columns without names as they are."""
    if data.vocabulary is None:
        return data
    names = lowered(data.vocabulary.words).to_pylist()
    if names == data.vocabulary.words:
        return data
    merged = Vocabulary(list(dict.fromkeys(names)))
    table = sparse.csr_matrix((data.counts, merged.find(names)[data.words], data.offsets), (len(data), len(merged)))
    small = from_matrix(table)
    return replace(data, offsets=small.offsets, words=small.words, counts=small.counts, n_words=len(merged),
                   vocabulary=merged)  # fmt: skip


def unknown_tokens(data: Documents, vocabulary: Vocabulary | None) -> float:
    """How many tokens have words that the vocabulary does not have."""
    if data.vocabulary is None or vocabulary is None:
        return 0.0
    return float(data.frequencies[vocabulary.find(data.vocabulary.words) < 0].sum())


def _count(sentences: Ragged, n_words: int) -> sparse.csr_matrix:
    values = np.ones(len(sentences.values))
    matrix = sparse.csr_matrix((values, sentences.values, sentences.offsets), shape=(sentences.n_rows, n_words))
    matrix.sum_duplicates()
    return matrix


def _chosen(
    present: Array, vocabulary: Vocabulary | None, min_count: int, max_share: float, stop_words: Iterable[str], n: int
) -> Array:
    """`present`: in how many documents each word is."""
    keep = (present >= min_count) & (present <= max_share * max(n, 1))
    stop = list(stop_words)
    if stop and vocabulary is not None:
        ids = vocabulary.find(stop)
        keep[ids[ids >= 0]] = False
    return np.asarray(keep)


def _classes(labels: Sequence[str] | None, n_documents: int) -> dict[str, Any]:
    if labels is None:
        return {}
    if len(labels) != n_documents:
        raise InputError(f"{len(labels)} labels for {n_documents} documents; give one per document (None if unknown)")
    names = tuple(sorted({label for label in labels if label}))
    ids = {name: i for i, name in enumerate(names)}
    return {"labels": np.array([ids.get(label, -1) for label in labels], dtype=np.int32), "classes": names}
