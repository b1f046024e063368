"""Sentences in a folder of shards: what a Corpus is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError, list_counts
from softcount.numbers.ragged import Array
from softcount.text.casing import in_words_of
from softcount.text.corpus import Corpus
from softcount.text.shard_columns import Columns
from softcount.text.stored import Stored, StoredText, Unnamed, coded
from softcount.text.vocabulary import Vocabulary


class SentenceOpening(NamedTuple):
    codes: Array | None
    vocabulary: Any
    tag_codes: Array | None  # number of a tag in the files → its number now
    tagset: tuple[str, ...]
    source: str

    def __call__(self, columns: Columns, first: int) -> Corpus:
        tags = columns.get("tags")
        if tags is not None and self.tagset:
            tags = coded(tags, self.tag_codes)
        labels = tags if self.tagset else None
        return Corpus(coded(columns["words"], self.codes), self.vocabulary, labels, self.tagset, self.source)


@dataclass(frozen=True, eq=False)
class SentenceShards(Stored):
    """Sentences of a folder; `softcount.Shards` opens it."""

    tagset: tuple[str, ...] = ()
    tag_codes: Array | None = None

    def __repr__(self) -> str:
        sizes = {"sentences": len(self), "tokens": self.n_tokens, "words": len(self.vocabulary)}
        return f"SentenceShards({self.name!r}, {list_counts(sizes)})"

    @property
    def vocabulary(self) -> Vocabulary:
        return self.text.vocabulary

    @property
    def n_tokens(self) -> int:
        return self.text.n_tokens

    @property
    def n_unknown(self) -> int:
        return self.text.n_unknown

    @property
    def frequencies(self) -> Array:
        return self.text.frequencies

    @property
    def source(self) -> str:
        return self.name

    @property
    def amount(self) -> float:
        """How much data there is, as items have sizes."""
        return float(self.n_tokens)

    @property
    def labelled(self) -> bool:
        return bool(self.tagset)

    @property
    def length_counts(self) -> Array:
        """How many sentences have how many words."""
        lengths, counts = self.folder.lengths
        return np.bincount(lengths[:, 0], counts).astype(np.int64)

    def opening(self, named: bool = False) -> SentenceOpening:
        words = self.vocabulary if named else Unnamed(len(self.vocabulary))
        return SentenceOpening(self.text.codes, words, self.tag_codes, self.tagset, self.name)

    def tokens(self, i: int) -> list[str]:
        found: Corpus = self.slice(i, i + 1, named=True).opened()
        return found.tokens(0)

    def recoded(self, codes: Array, vocabulary: Vocabulary) -> SentenceShards:
        return self._with(self.text.recoded(codes, vocabulary))

    def read_as(
        self, vocabulary: Vocabulary | None, min_count: int, labels: Any, tagset: Sequence[str] | None, lowercase: bool
    ) -> SentenceShards:
        """As `softcount.corpus` reads another corpus."""
        if labels is not None:
            raise InputError(
                f"{self.name}: a folder of shards contains its tags; shard the tagged text, or load it: .loaded()"
            )
        found = self._with(self.text.lowered()) if lowercase else self
        if vocabulary is not None:
            found = in_words_of(found, vocabulary)
        elif min_count > 1:
            found = found._with(found.text.without_rare(min_count))
        return found if tagset is None or not found.tagset else found._tagged(tuple(tagset))

    def _tagged(self, tagset: tuple[str, ...]) -> SentenceShards:
        place = {name: k for k, name in enumerate(tagset)}
        strange = next((name for name in self.tagset if name not in place), None)
        if strange is not None:
            raise InputError(f"{self.name}: tag {strange!r} is not in the tagset; correct it, or add it there")
        return self.retagged(np.array([place[name] for name in self.tagset], np.int32), tagset)

    def retagged(self, ids: Array, tagset: tuple[str, ...]) -> SentenceShards:
        """Tags by other numbers; −1 is not known."""
        codes = ids if self.tag_codes is None else np.append(ids, np.int32(-1))[self.tag_codes]
        return replace(self, tagset=tagset, tag_codes=codes)

    def unlabelled(self) -> SentenceShards:
        return replace(self, tagset=(), tag_codes=None)

    def _with(self, text: StoredText) -> SentenceShards:
        return self if text is self.text else replace(self, sides=(text,))
