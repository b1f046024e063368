"""Sentences as trees, drawn from the grammar and the lexicon with one stream of uniforms.

The tree keeps what plain text loses: which phrase a word belongs to, and which lemma it is a form of. Documents with
topics, or a second language with known links, are other readings of the same trees.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from softcount.synthetic.grammar import START, Grammar, Symbols
from softcount.synthetic.lexicon import Lexicon, Word

MAX_DEPTH = 12  # a phrase this deep takes one of its shortest ways to end
BLOCK = 1 << 14
OPEN_TAGS = ("NOUN", "VERB", "ADJ", "ADV")

Option = TypeVar("Option")


class Choice(NamedTuple, Generic[Option]):
    """One of the options, with probability proportional to its weight."""

    cumulative: list[float]
    options: list[Option]

    def pick(self, uniform: float) -> Option:
        return self.options[bisect_right(self.cumulative, uniform * self.cumulative[-1], hi=len(self.options) - 1)]


class Language(NamedTuple):
    words: dict[str, Choice[Word]]
    phrases: dict[str, Choice[Symbols]]
    endings: dict[str, Choice[Symbols]]  # the phrases once more, with their shortest right sides only


class Phrase(NamedTuple):
    name: str
    parts: tuple[Phrase | Word, ...]

    def words(self) -> Iterator[Word]:
        for part in self.parts:
            if isinstance(part, Phrase):
                yield from part.words()
            else:
                yield part


def speakable(grammar: Grammar, lexicon: Lexicon) -> Language:
    """Grammar and lexicon in the form that ``trees`` draws from."""
    heights = _heights(grammar, lexicon)
    shortest = {
        name: [(w, right) for w, right in rules if _height(right, heights) == heights[name] - 1]
        for name, rules in grammar.items()
    }
    words = {name: [(_zipf(rank, word), word) for rank, word in enumerate(ws)] for name, ws in lexicon.items()}
    return Language(
        {name: _choice(weighted) for name, weighted in words.items()},
        {name: _choice(weighted) for name, weighted in grammar.items()},
        {name: _choice(weighted) for name, weighted in shortest.items()},
    )


def trees(language: Language, seed: int) -> Iterator[Phrase]:
    """Sentence after sentence, without end; the first n do not depend on how many follow."""
    stream = _uniforms(seed)
    while True:
        yield _derive(language, START, stream, 0)


def _derive(language: Language, name: str, stream: Iterator[float], depth: int) -> Phrase:
    rules = language.phrases if depth < MAX_DEPTH else language.endings
    parts: list[Phrase | Word] = []
    for symbol in rules[name].pick(next(stream)):
        words = language.words.get(symbol)
        parts.append(words.pick(next(stream)) if words else _derive(language, symbol, stream, depth + 1))
    return Phrase(name, tuple(parts))


def _uniforms(seed: int) -> Iterator[float]:
    """PCG64's doubles, the same on every platform; asked for in blocks, since single calls cost ten times as much."""
    generator = np.random.Generator(np.random.PCG64(seed))
    while True:
        yield from generator.random(BLOCK).tolist()


def _choice(weighted: Sequence[tuple[float, Option]]) -> Choice[Option]:
    return Choice(list(accumulate(weight for weight, _ in weighted)), [option for _, option in weighted])


def _zipf(rank: int, word: Word) -> float:
    """Zipf–Mandelbrot with exponent 1: a division rounds alike everywhere, a power may not."""
    return 1.0 / (rank + (4 if word.tag in OPEN_TAGS else 1))


def _heights(grammar: Grammar, lexicon: Lexicon) -> dict[str, float]:
    """How many levels the flattest tree below each symbol has."""
    heights = dict.fromkeys(lexicon, 0.0) | dict.fromkeys(grammar, float("inf"))
    changed = True
    while changed:
        lower = {name: 1 + min(_height(right, heights) for _, right in rules) for name, rules in grammar.items()}
        changed = any(heights[name] != height for name, height in lower.items())
        heights |= lower
    return heights


def _height(symbols: Symbols, heights: dict[str, float]) -> float:
    return max(heights[symbol] for symbol in symbols)
