"""Words without their endings: what words of a language are made of, by the words alone.

    P(word) = P(stem) · P(ending)         word = stem + ending, cut where nobody has seen it

Both distributions are Chinese restaurant processes over strings, whose base measures make long strings unlikely: a
stem, or an ending, that other words have costs less than one of its own (S. Goldwater, T. L. Griffiths, M. Johnson,
"Interpolating between types and tokens by estimating power-law generators", NIPS 2005; J. Goldsmith, Computational
Linguistics 27(2), 2001, weighs the same by code lengths). Each word is there once, however frequent. Cuts are found by
mean field: the share of each cut by the expected counts of its stem and its ending in all other words.

    walk|ed  walk|ing  talk|ed  talk|ing        mujer|es  color|es  alt|o  alt|a
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.numbers.ragged import Array

LONGEST = 5  # letters of an ending
LEAST = 3  # letters of a stem; shorter words are whole
STEPS = 10
STEM_END, ENDING_END = 0.1, 0.5  # the base measures: how likely a stem, or an ending, is to end after a letter


def cut_words(words: Sequence[str]) -> Array:
    """int32: how many letters each word's stem has."""
    word, stem, ending, sizes = _cuts(words)
    if not len(word):
        return np.zeros(len(words), np.int32)
    one = np.log(1.0 / (len(set("".join(words))) + 1.0))
    whole = np.array([len(each) for each in words], np.int64)
    bases = (
        _base(sizes, one, STEM_END),
        _base(whole[word] - sizes, one, ENDING_END),
    )
    shares = 1.0 / np.bincount(word)[word]
    for _ in range(STEPS):
        counts = np.bincount(stem, shares), np.bincount(ending, shares)
        others = (np.maximum(c[k] - shares, 0.0) + b for c, k, b in zip(counts, (stem, ending), bases, strict=True))
        shares = _normalized(word, sum(np.log(part) for part in others))
    best = np.lexsort((sizes, shares, word))  # of each word the likeliest cut last, of equal ones the latest
    last = np.append(word[best][1:] != word[best][:-1], True)
    found = np.zeros(len(words), np.int32)
    found[word[best[last]]] = sizes[best[last]]
    return found


def _base(sizes: Array, one: float, end: float) -> Array:
    return np.asarray(np.exp(sizes * (one + np.log(1.0 - end))) * end)


def _normalized(word: Array, logs: Array) -> Array:
    top = np.full(int(word[-1]) + 1, -np.inf)
    np.maximum.at(top, word, logs)
    shares = np.exp(logs - top[word])
    return np.asarray(shares / np.bincount(word, shares)[word])


def _cuts(words: Sequence[str]) -> tuple[Array, Array, Array, Array]:
    """Of every cut that may be: its word, the numbers of its stem and its ending, and how many letters the stem has."""
    stems: dict[str, int] = {}
    endings: dict[str, int] = {}
    rows = []
    for k, word in enumerate(words):
        for cut in range(first_cut(word), len(word) + 1):
            stem, ending = stems.setdefault(word[:cut], len(stems)), endings.setdefault(word[cut:], len(endings))
            rows.append((k, stem, ending, cut))
    table = np.array(rows, np.int64).reshape(-1, 4)
    return table[:, 0], table[:, 1], table[:, 2], table[:, 3]


def first_cut(word: str) -> int:
    """Where the longest ending begins that the word may have: of letters alone, and of what is no word, none."""
    first = len(word)
    while first > max(LEAST, len(word) - LONGEST) and word[first - 1].isalpha():
        first -= 1
    return first if word[:1].isalpha() else len(word)


def stems_of_new(words: Sequence[str], stems: set[str], endings: set[str]) -> list[str]:
    """Of words that nobody has cut: the longest stem that is known, before an ending that is known; or the word."""
    return [_known_stem(word, stems, endings) for word in words]


def _known_stem(word: str, stems: set[str], endings: set[str]) -> str:
    for cut in range(len(word), first_cut(word) - 1, -1):
        if word[:cut] in stems and (cut == len(word) or word[cut:] in endings):
            return word[:cut]
    return word
