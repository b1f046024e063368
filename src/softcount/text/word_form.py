"""What a word looks like, as five categorical features: its last one, two and three letters, its shape, its hyphen.

    Wall-Street  →  -t  -et  -eet  initial capital  hyphen        1,000  →  #  #  #  digits  no hyphen

Words of one class end alike and are written alike, and words that a text shows once show at least this much. In a
language whose words rather begin alike, the letters are the first ones, `backwards`.
A. Clark, "Combining distributional and morphological information for part of speech induction", EACL 2003.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from softcount.numbers.ragged import Array

FEATURES = ("last letter", "last two letters", "last three letters", "shape", "hyphen")
SUFFIX, SHAPE = 2, 3  # of FEATURES: words that agree in both are a group
RARE = ""  # the value that stands for all values of fewer than COMMON words
COMMON = 2
NO_LETTERS = "#"  # the ending of words with a digit or without letters
WHOLE = "^"  # before the ending of words that are not longer


def word_form(word: str, backwards: bool = False) -> tuple[str, ...]:
    """The value of each feature."""
    letters = word.isalpha()  # and nothing else: most words
    digit, letter = (False, True) if letters else (any(map(str.isdigit, word)), any(map(str.isalpha, word)))
    shape, hyphen = _shape(word, digit, letter), "hyphen" if "-" in word else "none"
    if digit or not letter:
        return NO_LETTERS, NO_LETTERS, NO_LETTERS, shape, hyphen
    word = word.lower()[::-1] if backwards else word.lower()
    n, whole = len(word), WHOLE + word
    return word[-1:] if n > 1 else whole, word[-2:] if n > 2 else whole, word[-3:] if n > 3 else whole, shape, hyphen


def _shape(word: str, digit: bool, letter: bool) -> str:
    if digit:
        return "some digit" if letter else "digits"
    if not letter:
        return "no letter"
    if word.islower() or not any(map(str.isupper, word)):
        return "lower"
    if word.isupper():
        return "one capital" if len(word) == 1 else "all capitals"
    return "initial capital" if word[0].isupper() else "lower"


class WordForms(NamedTuple):
    """The features of a list of words as numbers."""

    names: tuple[tuple[str, ...], ...]  # per feature, its values; the first is RARE
    values: Array  # int32 [V, T]: which value of each feature a word has
    backwards: bool = False  # whether the letters are the first ones, the first of all last

    @property
    def sizes(self) -> Array:
        return np.array([len(names) for names in self.names], dtype=np.int64)

    def groups(self) -> Array:
        """int64 [V]: words that end and look alike have the same number."""
        pairs = self.values[:, SUFFIX].astype(np.int64) * len(self.names[SHAPE]) + self.values[:, SHAPE]
        return np.unique(pairs, return_inverse=True)[1].ravel()


def word_forms(words: Sequence[str], backwards: bool = False) -> WordForms:
    """Of a vocabulary; values that hardly any word has are one value."""
    columns = _columns(words, backwards)
    names = []
    for column in columns:
        counts = Counter(column)
        names.append((RARE, *sorted(value for value, n in counts.items() if n >= COMMON)))
    return WordForms(tuple(names), _numbered(columns, names), backwards)


def read_forms(words: Iterable[str], names: Sequence[Sequence[str]], backwards: bool = False) -> Array:
    """int32 [V, T]: the features of other words, in the values of a vocabulary."""
    return _numbered(_columns(words, backwards), names)


def _columns(words: Iterable[str], backwards: bool) -> list[tuple[str, ...]]:
    return list(zip(*(word_form(word, backwards) for word in words), strict=True)) or [()] * len(FEATURES)


def _numbered(columns: Sequence[Sequence[str]], names: Sequence[Sequence[str]]) -> Array:
    table = np.zeros((len(columns[0]), len(columns)), dtype=np.int32)
    for t, (column, known) in enumerate(zip(columns, names, strict=True)):
        place = {value: i for i, value in enumerate(known)}
        table[:, t] = [place.get(value, 0) for value in column]
    return table
