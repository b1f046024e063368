"""Documents in a folder of shards: what Documents are in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from softcount.machine.mapped import give_back, in_file
from softcount.numbers.ragged import Array
from softcount.text.casing import in_words_of
from softcount.text.documents import Documents, from_matrix
from softcount.text.shard_columns import Columns
from softcount.text.stored import Stored, StoredText, Unnamed
from softcount.text.vocabulary import Vocabulary


class DocumentOpening(NamedTuple):
    codes: Array | None
    vocabulary: Any
    length: float | None  # every document has so many words, in fractions
    labelled: bool
    classes: tuple[str, ...]
    source: str

    def __call__(self, columns: Columns, first: int) -> Documents:
        words, counts = columns["words"], columns["counts"]
        found = Documents(words.offsets, words.values, counts.values, len(self.vocabulary))
        if self.codes is not None:
            found = _recoded(found, self.codes, len(self.vocabulary))
        about: dict[str, Any] = {"vocabulary": self.vocabulary, "source": self.source, "names": ()}
        if "label" in columns and self.labelled:
            about |= {"labels": columns["label"], "classes": self.classes}
        if "name" in columns:
            about["names"] = tuple(columns["name"])
        found = replace(found, **about, rows=np.arange(first, first + len(found)))
        return found if self.length is None else found.scaled(self.length)


def _recoded(data: Documents, codes: Array, n_words: int) -> Documents:
    """Words by other numbers, those that are now one added up, and those that are none left out."""
    ids = codes[data.words]
    row = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    known = ids >= 0
    table = sparse.coo_matrix((data.counts[known], (row[known], ids[known])), shape=(len(data), n_words))
    return from_matrix(table.tocsr())


@dataclass(frozen=True, eq=False)
class DocumentShards(Stored):
    """Documents of a folder; `softcount.Shards` opens it."""

    length: float | None = None
    labelled: bool = True  # whether classes that the folder knows are told
    labels: None = field(default=None, init=False)  # of all documents at once; each part has its own
    weights: None = field(default=None, init=False)

    def __repr__(self) -> str:
        return f"DocumentShards({self.name!r}, {len(self):,} documents, {self.n_words:,} words)"

    @property
    def vocabulary(self) -> Vocabulary:
        return self.text.vocabulary

    @property
    def n_words(self) -> int:
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> float:
        return float(self.text.frequencies.sum())  # words that are none are left out

    @property
    def source(self) -> str:
        return self.name

    @property
    def frequencies(self) -> Array:
        return self.text.frequencies

    @cached_property
    def named(self) -> bool:
        """Whether documents have names of their own."""
        return bool(self.slice(0, 1).opened().names)

    @cached_property
    def document_frequencies(self) -> Array:
        """In how many documents each word is."""
        merged = self.text.codes is not None and len(np.unique(self.text.codes)) < len(self.text.codes)
        if not merged:
            return self.text.rows
        return np.asarray(sum(np.bincount(items.words, minlength=self.n_words) for _, items in self.blocks()))

    @cached_property
    def amount(self) -> float:
        return float(sum(int(items.sizes.sum()) for _, items in self.blocks()))

    def opening(self, named: bool = False) -> DocumentOpening:
        words = self.vocabulary if named else Unnamed(self.n_words)
        classes = self.folder.names("classes")
        return DocumentOpening(self.text.codes, words, self.length, self.labelled, classes, self.name)

    def totals(self) -> Array:
        """How many words each document has; a number for each may be more than memory has room for."""
        found = in_file(len(self))
        for first, items in self.blocks():
            found[first : first + len(items)] = items.totals()
            give_back(found)
        return found

    def names_of(self) -> Iterator[str]:
        """What the documents are called, or else their numbers, counted from 1."""
        for first, items in self.blocks():
            yield from items.names or (str(first + d + 1) for d in range(len(items)))

    def times_weights(self) -> DocumentShards:
        return self

    def scaled(self, length: float) -> DocumentShards:
        return replace(self, length=length)

    def unlabelled(self) -> DocumentShards:
        return replace(self, labelled=False)

    def restricted(self, keep: Array) -> DocumentShards:
        codes = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
        words = [word for word, kept in zip(self.vocabulary.words, keep.tolist(), strict=True) if kept]
        return self.recoded(codes, Vocabulary(words))

    def recoded(self, codes: Array, vocabulary: Vocabulary) -> DocumentShards:
        return self._with(self.text.recoded(codes, vocabulary))

    def read_as(self, vocabulary: Vocabulary | None, lowercase: bool) -> DocumentShards:
        """As `softcount.documents` reads others: words that a vocabulary does not have are left out."""
        found = self._with(self.text.lowered()) if lowercase else self
        return found if vocabulary is None else in_words_of(found, vocabulary)

    def _with(self, text: StoredText) -> DocumentShards:
        return self if text is self.text else replace(self, sides=(text,))
