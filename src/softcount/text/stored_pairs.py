"""Sentence pairs in a folder of shards: what a Bitext is in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from softcount.numbers.ragged import Array, concatenate
from softcount.text.bitext import Bitext, Lengths
from softcount.text.casing import lowered
from softcount.text.corpus import Corpus
from softcount.text.shard_columns import Columns
from softcount.text.stored import Stored, StoredText, Unnamed, coded
from softcount.text.vocabulary import Vocabulary


class PairOpening(NamedTuple):
    columns: tuple[str, str]  # whose order is turned where the direction is
    codes: tuple[Array | None, Array | None]
    vocabularies: tuple[Any, Any]
    sources: tuple[str, str]
    longest: int | None

    def __call__(self, columns: Columns, first: int) -> Bitext:
        sides = zip(self.columns, self.codes, self.vocabularies, self.sources, strict=True)
        texts = (Corpus(coded(columns[name], codes), words, source=text) for name, codes, words, text in sides)
        return Bitext.of(*texts).within(self.longest)


@dataclass(frozen=True, eq=False)
class PairShards(Stored):
    """Sentence pairs of a folder; `softcount.Shards` opens it."""

    limit: int | None = None  # pairs with more words on a side are empty
    potentials: None = field(default=None, init=False)  # nothing is wished of links in files

    def __repr__(self) -> str:
        sizes = f"{len(self):,} pairs, {self.source.n_tokens:,} × {self.target.n_tokens:,} tokens"
        return f"PairShards({self.name!r}, {sizes})"

    @property
    def source(self) -> StoredText:
        return self.sides[0]

    @property
    def target(self) -> StoredText:
        return self.sides[1]

    @property
    def amount(self) -> float:
        return float(self.target.n_tokens)

    @property
    def lengths(self) -> Lengths:
        pairs, counts = self.folder.lengths
        pairs = pairs if self.source.column == "source" else pairs[:, ::-1]
        if self.limit is not None:
            pairs = np.where((pairs > self.limit).any(axis=1, keepdims=True), 0, pairs)
        found, which = np.unique(pairs, axis=0, return_inverse=True)
        return Lengths(found, np.bincount(which.ravel(), counts, len(found)).astype(np.int64))

    def opening(self, named: bool = False) -> PairOpening:
        one, two = self.sides
        words = [side.vocabulary if named else Unnamed(len(side.vocabulary)) for side in self.sides]
        return PairOpening(
            (one.column, two.column), (one.codes, two.codes), (words[0], words[1]), (one.source, two.source), self.limit
        )

    def reverse(self) -> PairShards:
        return replace(self, sides=self.sides[::-1])

    @property
    def lowered(self) -> PairShards:
        return self.recoded(lowered(self.source), lowered(self.target))

    def within(self, longest: int | None) -> PairShards:
        """Where some pair is longer, the words of all others are counted once more."""
        if longest is None or self.lengths.longest <= longest:
            return self
        short = replace(self, limit=longest)
        counts = [np.zeros(len(side.vocabulary), np.int64) for side in self.sides]
        unknown = [0, 0]
        for _, pairs in short.blocks():
            for k, text in enumerate((pairs.source, pairs.target)):
                counts[k] += text.frequencies
                unknown[k] += text.n_unknown
        found = [
            replace(side, frequencies=n, n_unknown=m)
            for side, n, m in zip(self.sides, counts, unknown, strict=True)
        ]  # fmt: skip
        return replace(short, sides=tuple(found))

    def read_as(
        self, vocabularies: tuple[Vocabulary, Vocabulary] | None, min_count: int, lowercase: bool
    ) -> PairShards:
        """As `softcount.bitext` reads another one."""
        from softcount.text.casing import in_words_of

        found = self.recoded(self.source.lowered(), self.target.lowered()) if lowercase else self
        if vocabularies is not None:
            texts = (in_words_of(side, words) for side, words in zip(found.sides, vocabularies, strict=True))
            return found.recoded(*texts)
        return found.recoded(*(side.without_rare(min_count) for side in found.sides)) if min_count > 1 else found

    def sample(self, n: int) -> Bitext:
        """About so many pairs from all over the text."""
        firsts = self.folder.firsts.tolist()
        each = max(1, -(-n // max(len(firsts) - 1, 1)))
        step = max(1, (len(firsts) - 1) * each // max(n, 1))
        starts = list(pairwise(firsts))[::step]
        found = [self.slice(a, min(a + each, b), named=True).opened() for a, b in starts]
        texts = (
            Corpus(concatenate([getattr(part, side).sentences for part in found]), text.vocabulary, source=text.source)
            for side, text in zip(("source", "target"), self.sides, strict=True)
        )
        return Bitext.of(*texts)

    def recoded(self, source: StoredText, target: StoredText) -> PairShards:
        """The same pairs by other ids of their words."""
        same = source is self.source and target is self.target
        return self if same else replace(self, sides=(source, target))
