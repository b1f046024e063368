"""Which letters of two scripts stand for one another, learned from words that seem to translate each other.

    P(f | e) = λ · Π_j e^{−δ} Σ_i a(i | j) t(f_j | e_i)  +  (1 − λ) · Π_j u(f_j)        a ∝ exp(−8 |i/l − j/m|)

Some pairs of words are transliterations, in which letters follow letters near the diagonal; the others are translations
of which the letters say nothing. Which are which, and t, is learned by EM (H. Sajjad, A. Fraser, H. Schmid, "A
statistical model for unsupervised and semi-supervised transliteration mining", ACL 2012). As t has many more numbers
than u, it would in the end explain every pair a little better; so what it gains per letter must exceed δ, which grows
from step to step up to one nat. Words that are paired wrongly on purpose tell whether there was anything to learn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.numbers.ragged import Array

LETTERS = 4  # words of fewer say too little
LONGEST = 20
ROUNDS = 12
SMALL = 0.02  # smoothing of t
FEWEST = 20.0  # transliterations to learn from, expected
LEAST, OFTEN = 2.0, 0.2  # a correspondence is expected so often, and in such a share of one of its letters' uses

Letters = tuple[tuple[str, str], ...]


def foreign(source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether the words of one side are hardly ever written with letters of the other."""
    ours = {letter for letter in set("".join(source)) if letter.isalpha()}
    spelt = [word for word in target if word.isalpha()]
    common = sum(map(ours.issuperset, spelt))
    return bool(ours) and 2 * common < len(spelt)


def corresponding(pairs: Sequence[tuple[str, str]]) -> Letters:
    """(letter of the source, letter of the target), sorted; none where there is nothing to learn."""
    pairs = [pair for pair in pairs if all(LETTERS <= len(word) <= LONGEST and word.isalpha() for word in pair)]
    if len(pairs) < FEWEST:
        return ()
    one, two = ({letter: n for n, letter in enumerate(sorted(set("".join(side))))} for side in zip(*pairs, strict=True))
    e, f = (_coded([pair[k] for pair in pairs], letters) for k, letters in enumerate((one, two)))
    counts, found = _learn(e, f, len(one), len(two))
    _, control = _learn(e, np.roll(f, 1, axis=0), len(one), len(two))
    if found.sum() < FEWEST or found.sum() < 2.0 * control.sum():
        return ()
    share = np.maximum(counts / counts.sum(axis=1, keepdims=True), counts / counts.sum(axis=0))
    names = list(one), list(two)
    kept = np.argwhere((counts >= LEAST) & (share >= OFTEN)).tolist()
    return tuple((names[0][c], names[1][d]) for c, d in kept)


def _coded(words: Sequence[str], letters: dict[str, int]) -> Array:
    """[words, LONGEST]: letters by number, −1 behind the last."""
    rows = np.full((len(words), LONGEST), -1)
    for row, word in zip(rows, words, strict=True):
        row[: len(word)] = [letters[letter] for letter in word]
    return rows


def _learn(e: Array, f: Array, n: int, m: int) -> tuple[Array, Array]:
    """Expected counts of letter pairs in transliterations, and how probably each pair of words is one."""
    there = (e >= 0)[:, :, None] & (f >= 0)[:, None, :]
    places = [np.arange(LONGEST) / np.maximum((side >= 0).sum(axis=1, keepdims=True) - 1, 1) for side in (e, f)]
    near = np.where(there, np.exp(-8.0 * np.abs(places[0][:, :, None] - places[1][:, None, :])), 0.0)
    near /= np.maximum(near.sum(axis=1, keepdims=True), 1e-300)
    cell = np.where(there, e[:, :, None] * m + f[:, None, :], 0).ravel()
    counts = np.bincount(cell, near.ravel(), n * m).reshape(n, m)
    used = np.bincount(f[f >= 0], minlength=m) / (f >= 0).sum()
    noise = np.where(f >= 0, np.log(used)[f], 0.0).sum(axis=1)
    share, one = 0.5, np.zeros(len(e))
    for step in range(1, ROUNDS + 1):
        table = counts + SMALL
        table /= table.sum(axis=1, keepdims=True)
        terms = near * table.ravel()[cell].reshape(near.shape)
        sums = np.where(f >= 0, terms.sum(axis=1), 1.0)
        gain = np.log(sums).sum(axis=1) - noise - step / ROUNDS * (f >= 0).sum(axis=1)
        odds = np.log(share) - np.log1p(-share) + gain
        one = 1.0 / (1.0 + np.exp(-np.clip(odds, -500.0, 500.0)))
        counts = np.bincount(cell, (terms / sums[:, None, :] * one[:, None, None]).ravel(), n * m).reshape(n, m)
        counts = np.maximum(counts, 1e-9)
        share = min(max(float(one.mean()), 1e-3), 0.999)
    return counts, one
