"""Generator of an artificial language with known tags, of any size, from a seed.

Read more in the :doc:`guide to softcount in Python </how-to/python>`.

    tree ~ grammar        word ~ its class in the lexicon, 1 / rank

>>> sample = language(1, seed=2)
>>> " ".join(sample.sentences[0])
'this judge fishes in this river .'
>>> " ".join(sample.tags[0])
'DET NOUN VERB ADP DET NOUN PUNCT'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from softcount.errors import InputError
from softcount.machine.memory import check_room
from softcount.synthetic.derivation import Phrase, speakable
from softcount.synthetic.derivation import trees as _trees
from softcount.synthetic.grammar import grammar
from softcount.synthetic.lexicon import TAGS, Word, lexicon
from softcount.synthetic.translation import ParallelSample, bilingual

__all__ = [
    "TAGS", "ParallelSample", "Phrase", "Sample", "Word", "bilingual", "dictionary", "language", "spoken", "trees",
]  # fmt: skip

LARGEST = 10_000  # four million words
SENTENCE = 500  # bytes of memory that one takes


class Sample(NamedTuple):
    sentences: list[list[str]]
    tags: list[list[str]]  # tags[i][t] is the tag of sentences[i][t]


def language(n_sentences: int, seed: int = 0, vocabulary: float = 1.0) -> Sample:
    """The first sentences of the seed's text.

    ``vocabulary`` below 1 leaves only the frequent share of the open classes; above 1 it adds invented words: 10 has
    some ten times as many words as 1, which has 400.
    """
    if n_sentences < 0:
        raise InputError(f"n_sentences is {n_sentences}: it must be 0 or more")
    check_room(n_sentences * SENTENCE, f"{n_sentences:,} sentences", "ask for fewer")
    sample = Sample([], [])
    for tree in islice(trees(seed, vocabulary), n_sentences):
        words = list(spoken(tree.words()))
        sample.sentences.append([word.form for word in words])
        sample.tags.append([word.tag for word in words])
    return sample


def trees(seed: int = 0, vocabulary: float = 1.0) -> Iterator[Phrase]:
    """The same text as trees, without end: phrases, forms, tags and lemmas."""
    _check(seed, vocabulary)
    return _trees(speakable(grammar(), lexicon(vocabulary)), seed)


def dictionary(vocabulary: float = 1.0) -> dict[str, tuple[str, ...]]:
    """Each word that the language can say, in alphabetical order, with all of its tags."""
    _check(0, vocabulary)
    tags: dict[str, set[str]] = {"an": {"DET"}}
    for words in lexicon(vocabulary).values():
        for word in words:
            tags.setdefault(word.form, set()).add(word.tag)
    return {form: tuple(sorted(tags[form], key=TAGS.index)) for form in sorted(tags)}


def spoken(words: Iterable[Word]) -> Iterator[Word]:
    """The words as they sound side by side: "a" is "an" before a vowel."""
    last: Word | None = None
    for word in words:
        if last is not None:
            before_vowel = last.form == "a" and word.form[0] in "aeiou"
            yield last._replace(form="an") if before_vowel else last
        last = word
    if last is not None:
        yield last


def _check(seed: int, vocabulary: float) -> None:
    if seed < 0:
        raise InputError(f"seed is {seed}: it must be 0 or more")
    if not 0 < vocabulary <= LARGEST:
        raise InputError(
            f"vocabulary is {vocabulary}: it must be positive, at most {LARGEST:,}; 1 is the whole lexicon"
        )
