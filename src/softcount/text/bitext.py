"""Pairs of sentences that say the same: two texts in step, line by line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.casing import lowered
from softcount.text.characters import spelt
from softcount.text.corpus import Corpus, corpus
from softcount.text.occurrence import Occurrences, occurrences
from softcount.text.shard_folder import is_shards
from softcount.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two texts; both directions share what is computed of it."""

    text: Corpus

    @cached_property
    def occurrences(self) -> Occurrences:
        return occurrences(self.text.sentences, len(self.text.vocabulary))


class Lengths(NamedTuple):
    """How many pairs have how many words, on the source's and on the target's side."""

    pairs: Array  # int64 [n, 2], distinct, sorted
    counts: Array  # int64 [n]

    @property
    def longest(self) -> int:
        """The most words of a side."""
        return int(self.pairs.max(initial=0))

    @property
    def token_pairs(self) -> int:
        """The empty word's included."""
        return int(((self.pairs[:, 0] + 1) * self.pairs[:, 1]) @ self.counts)

    @property
    def words(self) -> Array:
        """[2]: of both sides, in pairs that have words on both."""
        both = self.pairs.all(axis=1)
        return np.asarray(self.counts[both] @ self.pairs[both])

    def beyond(self, longest: int | None) -> int:
        """Pairs that have more words on a side."""
        return 0 if longest is None else int(self.counts[(self.pairs > longest).any(axis=1)].sum())


@dataclass(frozen=True, eq=False)
class Bitext:
    """Parallel text: sentence pairs in two languages.

    Read more in the :doc:`guide to input </how-to/prepare-input>`.

    >>> from softcount import bitext
    >>> pairs = bitext(["the house", "a book"], ["das haus", "ein buch"])
    >>> len(pairs), pairs.source.tokens(0), pairs.target.tokens(0)
    (2, ['the', 'house'], ['das', 'haus'])

    `len()` is the number of pairs; a side may be empty. `bitext` and `read_bitext` make one. `wishes` are potentials of
    source → target links and of target → source links: of a pair (l + 1) × m log-weights, the empty word's first, −inf
    where a link cannot be; or nothing, where nothing is wished of the pair.
    """

    sides: tuple[Side, Side]
    wishes: tuple[Ragged | None, Ragged | None] = (None, None)

    @classmethod
    def of(cls, source: Corpus, target: Corpus) -> Bitext:
        """Two texts in step."""
        n, m = len(source), len(target)
        if n != m:
            (short, shorter), (long, longer) = sorted([(n, source.source), (m, target.source)], key=lambda x: x[0])
            raise InputError(
                f"{shorter}: {short} lines, {long - short} fewer than {longer}; give the same number of lines"
            )
        return cls((Side(source), Side(target)))

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"Bitext({len(self):,} pairs, {self.source.n_tokens:,} × {self.target.n_tokens:,} tokens)"

    @property
    def source(self) -> Corpus:
        """The source sentences."""
        return self.sides[0].text

    @property
    def target(self) -> Corpus:
        """Their translations."""
        return self.sides[1].text

    @cached_property
    def token_pairs(self) -> Array:
        """Of each pair of sentences, the empty word's included."""
        return (self.source.sentences.lengths + 1) * self.target.sentences.lengths

    @cached_property
    def lengths(self) -> Lengths:
        pairs, which = length_classes(self)
        return Lengths(pairs, np.bincount(which, minlength=len(pairs)))

    def blocks(self) -> Iterator[tuple[int, Bitext]]:
        """(number of the first pair, pairs), all at once; those of a folder come one block at a time."""
        yield 0, self

    def sample(self, n: int) -> Bitext:
        """So many pairs from all over the text."""
        return self if len(self) <= n else self.take(np.linspace(0, len(self) - 1, n).astype(np.int64))

    @property
    def sizes(self) -> Array:
        """How much of the data each pair is: the tokens that it generates."""
        return self.target.sentences.lengths

    @property
    def potentials(self) -> Ragged | None:
        """Of source → target links, as a model of the targets is asked about them."""
        return self.wishes[0]

    def recoded(self, source: Corpus, target: Corpus) -> Bitext:
        """The same pairs by other ids of their words; what is wished of their links stays."""
        same = source is self.source and target is self.target
        return self if same else replace(self, sides=(Side(source), Side(target)))

    def reverse(self) -> Bitext:
        """The same pairs the other way round."""
        return Bitext((self.sides[1], self.sides[0]), (self.wishes[1], self.wishes[0]))

    def slice(self, start: int, stop: int) -> Bitext:
        """The pairs from `start` up to `stop`."""
        return self._each(lambda part: part.slice(start, stop))

    def take(self, rows: Array) -> Bitext:
        """The pairs of these numbers."""
        return self._each(lambda part: part.take(rows))

    def _each(self, select: Callable[[Any], Any]) -> Bitext:
        sides = Side(select(self.source)), Side(select(self.target))
        first, second = (None if wishes is None else select(wishes) for wishes in self.wishes)
        return Bitext(sides, (first, second))

    @property
    def both(self) -> Array:
        """Whether each pair has words on both sides."""
        return (self.source.sentences.lengths > 0) & (self.target.sentences.lengths > 0)

    @property
    def longest(self) -> Array:
        """Of each pair, the words of its longer side."""
        return np.maximum(self.source.sentences.lengths, self.target.sentences.lengths)

    def spelt(self) -> Bitext:
        """The same pairs, every character a word."""
        return self.recoded(spelt(self.source), spelt(self.target))

    @cached_property
    def lowered(self) -> Bitext:
        """The same pairs in lower case."""
        return self.recoded(lowered(self.source), lowered(self.target))

    def within(self, longest: int | None) -> Bitext:
        """As many pairs, but those with more words on a side are empty; their words stay in the vocabularies."""
        if longest is None or not (self.longest > longest).any():
            return self
        long = self.longest > longest
        sides = Side(_emptied(self.source, long)), Side(_emptied(self.target, long))
        first, second = (None if wishes is None else _without(wishes, long) for wishes in self.wishes)
        return Bitext(sides, (first, second))

    def digest(self) -> str:
        """Of the text alone."""
        return hashlib.sha256((self.source.digest() + self.target.digest()).encode()).hexdigest()


def _emptied(text: Corpus, which: Array) -> Corpus:
    return replace(text, sentences=_without(text.sentences, which))


def _without(rows: Ragged, which: Array) -> Ragged:
    """As many rows, of which some are empty now."""
    kept = rows.values[np.repeat(~which, rows.lengths)]
    return Ragged(offsets_of(np.where(which, 0, rows.lengths)), kept)


def bitext(
    source: Any, target: Any = None, vocabularies: tuple[Vocabulary, Vocabulary] | None = None, min_count: int = 1,
    lowercase: bool = False,
) -> Bitext:  # fmt: skip
    """Create a Bitext from sentence pairs in memory.

    Read more in the :doc:`guide to softcount in Python </how-to/python>`.

    >>> from softcount import bitext
    >>> len(bitext([("the house", "das haus"), ("a book", "ein buch")]))
    2

    Parameters
    ----------
    source : list of str, list of token lists, list of pairs, Bitext, or Shards
        The source sentences, or both sides at once. Of a folder of shards, pairs that stay there.
    target : list of str or list of token lists, optional
        Their translations.
    vocabularies : pair of Vocabulary, optional
        Whose numbers are used, as new text is read by an old model; then `min_count` has no say.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    lowercase : bool, default False
        Whether text is lower-cased first.

    Returns
    -------
    Bitext
    """
    if target is None and (hasattr(source, "read_as") or is_shards(source)):
        from softcount.text.shards import shards_of

        stored: Bitext = shards_of(source, "pairs").read_as(vocabularies, min_count, lowercase)
        return stored
    known = vocabularies or (None, None)
    if isinstance(source, Bitext):
        if target is not None:
            raise InputError("a Bitext has both sides; omit the target")
        source, target = source.source, source.target
    elif target is None:
        source, target = _unzipped(source)
    sides = zip((source, target), known, strict=True)
    return Bitext.of(*(corpus(text, vocabulary, min_count, lowercase=lowercase) for text, vocabulary in sides))


def _unzipped(pairs: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    if isinstance(pairs, str) or not hasattr(pairs, "__iter__"):
        raise InputError("only one text is given; pass source and target, or a list of (source, target) pairs")
    rows = list(pairs)
    for number, row in enumerate(rows, 1):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
            raise InputError(f"pair {number}: not a pair; pass source and target, or a list of (source, target) pairs")
    return [row[0] for row in rows], [row[1] for row in rows]


def length_classes(bitext: Bitext) -> tuple[Array, Array]:
    """(distinct (source length, target length) pairs, sorted; which of them each pair of sentences has)."""
    lengths = np.stack([bitext.source.sentences.lengths, bitext.target.sentences.lengths], axis=1)
    width = int(lengths[:, 1].max(initial=0)) + 1
    keys, which = np.unique(lengths[:, 0] * width + lengths[:, 1], return_inverse=True)
    return np.stack([keys // width, keys % width], axis=1), which.astype(np.int32)
