"""Features of pairs of words of two languages: what spelling says of whether one translates the other.

    Monica, Mónica  →  distance=.2  begins=3        1998, 1998  →  same  same number        !, !  →  same  same mark

distance: that of Levenshtein over the length of the longer word, up to the next fifth; begins: how many first letters
agree, up to four. T. Berg-Kirkpatrick and others, NAACL 2010, §6. Whoever trains adds a feature for every pair itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy  # whose `sparse` is loaded when first used

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, from_rows
from softcount.text.features import Features

DISTANCES = (0.2, 0.4, 0.6)  # more is as if they had nothing in common
BEGINNING = 4  # letters
ASSOCIATION, RARE = ("share of source", "share of target", "dice"), 1e-6
LETTERS, NUMBER, MARK = 0, 1, 2  # kinds of words: with a letter; with a digit and none; with neither
NAMES = (
    "same", "same number", "same mark", "other number", "mark or not",
    *(f"distance={most:g}" for most in DISTANCES), *(f"begins={n}" for n in range(1, BEGINNING + 1)),
)  # fmt: skip


def spelt_alike(rows: Ragged, source: Sequence[str], target: Sequence[str]) -> Features:
    """The features that pairs share."""
    sides = [from_rows([_codes(word) for word in words], np.int32) for words in (source, target)]
    kinds = [np.array([_kind(word) for word in words], np.int8) for words in (source, target)]
    common = np.zeros((len(rows.values), 2), np.int32)  # Levenshtein's distance, first letters that agree
    longest = max(int(side.lengths.max(initial=0)) for side in sides)
    _compare(rows.offsets, rows.values, *sides[0], *sides[1], np.zeros(longest + 1, np.int32), common)
    row = np.repeat(np.arange(rows.n_rows), rows.lengths)
    length = np.maximum(sides[0].lengths[row], sides[1].lengths[rows.values])
    return Features(NAMES, _matrix(common, length, kinds[0][row], kinds[1][rows.values]))


def association(rows: Ragged, counts: Array) -> Features:
    """How often the two words of every entry are linked, row 0 being the empty word's: shares of what each of them is
    linked, and Dice's coefficient. 0 where never, 1 where always; shares by their logarithms, from a millionth on."""
    e = np.repeat(np.arange(rows.n_rows), rows.lengths)
    of_e = np.bincount(e, counts, rows.n_rows)[e]
    of_f = np.bincount(rows.values, counts)[rows.values] if len(counts) else counts
    shares = [counts / np.maximum(total, RARE) for total in (of_e, of_f)]
    logs = [1.0 - np.log(np.clip(share, RARE, 1.0)) / np.log(RARE) for share in shares]
    dice = 2.0 * counts / np.maximum(of_e + of_f, RARE)
    return Features(ASSOCIATION, scipy.sparse.csr_matrix(np.stack([*logs, dice], axis=1)))


def _matrix(common: Array, length: Array, one: Array, two: Array) -> scipy.sparse.csr_matrix:
    same, words = common[:, 0] == 0, (one == LETTERS) & (two == LETTERS)
    ratio = common[:, 0] / np.maximum(length, 1)
    numbers = (one == NUMBER) & (two == NUMBER)
    columns = [same, same & numbers, same & (one == MARK), ~same & numbers, (one == MARK) != (two == MARK)]
    lower = 0.0
    for most in DISTANCES:
        columns.append(words & (ratio > lower) & (ratio <= most))
        lower = most
    columns += [words & (common[:, 1] >= n) for n in range(1, BEGINNING + 1)]
    return scipy.sparse.csr_matrix(np.stack(columns, axis=1), dtype=np.float64)


def _codes(word: str) -> list[int]:
    return [ord(letter) for letter in word.lower()]


def _kind(word: str) -> int:
    if any(map(str.isalpha, word)):
        return LETTERS
    return NUMBER if any(map(str.isdigit, word)) else MARK


@kernel
def _compare(
    offsets: Array, columns: Array, source_bounds: Array, source: Array, target_bounds: Array, target: Array,
    line: Array, common: Array,
) -> None:  # fmt: skip
    """common[k] = Levenshtein's distance and the number of first letters that agree, of the words of entry k."""
    for row in range(len(offsets) - 1):
        one = source[source_bounds[row] : source_bounds[row + 1]]
        for k in range(offsets[row], offsets[row + 1]):
            two = target[target_bounds[columns[k]] : target_bounds[columns[k] + 1]]
            n = min(len(one), len(two))
            first = 0
            while first < n and one[first] == two[first]:
                first += 1
            common[k, 1] = first
            if 5 * n < 2 * max(len(one), len(two)):  # further apart than any feature looks
                common[k, 0] = max(len(one), len(two))
                continue
            for j in range(len(two) + 1):
                line[j] = j
            for i in range(len(one)):
                corner = line[0]
                line[0] = i + 1
                for j in range(len(two)):
                    above = line[j + 1]
                    line[j + 1] = min(above + 1, line[j] + 1, corner + (one[i] != two[j]))
                    corner = above
            common[k, 0] = line[len(two)]
