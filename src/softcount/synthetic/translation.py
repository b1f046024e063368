"""A second language for the same trees, with the true links: each word is translated by its meaning and form.

    adjectives follow their noun            reordering            the old boat → the boat old
    the verb of an action comes last        reordering            she sees the boat → she the boat sees
    the auxiliary "do" is not said          links to nothing      do you sleep → you sleep
    places and paths begin with a particle  from nothing          in the park → PARTICLE in the park
    numbers, "not" and some nouns take two  one to many           two → be lo

>>> sample = bilingual(1, seed=2)
>>> " ".join(sample.source[0])
'this judge fishes in this river .'
>>> len(sample.target[0]) > 0 and len(sample.links[0]) > 0
True
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from softcount.errors import InputError
from softcount.synthetic.derivation import Phrase
from softcount.synthetic.lexicon import Word
from softcount.synthetic.morphology import invent

PARTICLE = "ta"
SUFFIXES = ("", "i", "u", "ek")
DOUBLED = ("NUM", "PART")
Placed = tuple[int, Word]  # a word and its position in the source sentence; −1: it has none


class ParallelSample(NamedTuple):
    source: list[list[str]]
    target: list[list[str]]
    links: list[list[tuple[int, int]]]  # (source position, target position), sorted


def bilingual(n_pairs: int, seed: int = 0, vocabulary: float = 1.0) -> ParallelSample:
    """The first sentences of the seed's text and their translations."""
    from softcount.synthetic import spoken, trees

    if n_pairs < 0:
        raise InputError(f"n_pairs is {n_pairs}: it must be 0 or more")
    sample = ParallelSample([], [], [])
    for tree in islice(trees(seed, vocabulary), n_pairs):
        target: list[str] = []
        links = []
        for position, word in _ordered(_numbered(tree, iter(range(10**9)))):
            for form in _translated(word):
                if position >= 0:
                    links.append((position, len(target)))
                target.append(form)
        sample.source.append([word.form for word in spoken(tree.words())])
        sample.target.append(target)
        sample.links.append(sorted(links))
    return sample


Numbered = tuple[str, list["Numbered | Placed"]]  # a phrase by name, with numbered words


def _numbered(tree: Phrase, positions: Iterator[int]) -> Numbered:
    parts: list[Numbered | Placed] = []
    for part in tree.parts:
        parts.append(_numbered(part, positions) if isinstance(part, Phrase) else (next(positions), part))
    return tree.name, parts


def _ordered(phrase: Numbered) -> Iterator[Placed]:
    """The words in the order of the second language, without those that it does not say."""
    name, parts = phrase
    kind = name.partition(".")[0]
    if kind in ("Place", "Path"):
        yield -1, Word(PARTICLE, "PRT", PARTICLE)
    if kind == "Act":
        parts = sorted(parts, key=lambda part: _is_word(part, "VERB"))
    elif kind == "Group":
        parts = sorted(parts, key=lambda part: _is_word(part, "ADJ"))
    for part in parts:
        if isinstance(part[0], str):
            yield from _ordered(part)
        elif not (part[1].lemma in ("do", "did") and part[1].tag == "AUX"):
            yield part


def _is_word(part: Numbered | Placed, tag: str) -> bool:
    return isinstance(part[1], Word) and part[1].tag == tag


@lru_cache(maxsize=1 << 16)
def _translated(word: Word) -> tuple[str, ...]:
    if word.tag in ("PUNCT", "PRT"):
        return (word.form,)
    stem = invent(_number(word.lemma, word.tag) % 40_000)
    form = stem if word.form == word.lemma else stem + SUFFIXES[_number(word.form, word.tag) % len(SUFFIXES)]
    if word.tag in DOUBLED or (word.tag == "NOUN" and _number(word.lemma, "two") % 7 == 0):
        return form[: len(form) // 2 + 1] + "a", "o" + form[len(form) // 2 :]
    return (form,)


def _number(text: str, salt: str) -> int:
    """The same number everywhere: Python's own hash differs from run to run."""
    return int.from_bytes(blake2b(f"{salt}/{text}".encode(), digest_size=6).digest(), "big")
