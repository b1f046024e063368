"""Moves of words from class to class by the frames they stand in: a pass is linear in the text."""

from __future__ import annotations

from math import lgamma
from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.word_classes_kernel import Weights, WordTypes, form_worth
from softcount.numbers.ragged import Array

FEW = 4  # factors that are multiplied out rather than asked of the gamma function


class Frames(NamedTuple):
    """Row w: the different frames of word w, and how often it stands in each."""

    offsets: Any  # int64 [V + 1]
    frames: Any  # int32
    counts: Any  # int64
    shares: Any  # [F]: how common each frame would be, were its sides independent


class FrameCounts(NamedTuple):
    """All that J depends on."""

    frames: Any  # int64 [F, K]: tokens of a class in a frame
    tokens: Any  # int64 [K]
    types: Any  # int64 [K]
    values: Any  # int64 [values, K]: words of a class with a value of a feature of their form


@kernel
def rising(x: float, n: int) -> float:
    """``lgamma(x + n) - lgamma(x)``."""
    if n > FEW:
        return lgamma(x + n) - lgamma(x)
    product = 1.0
    for i in range(n):
        product *= x + i
    return np.log(product)


@kernel
def put_framed(word: int, k: int, sign: int, frames: Frames, text: WordTypes, count: FrameCounts) -> None:
    """Puts a word into class k (sign 1), or takes it out (−1): all counts follow."""
    for i in range(frames.offsets[word], frames.offsets[word + 1]):
        count.frames[frames.frames[i], k] += sign * frames.counts[i]
    count.tokens[k] += sign * text.tokens[word]
    count.types[k] += sign
    for t in range(text.forms.shape[1]):
        count.values[text.forms[word, t], k] += sign


@kernel
def frame_worth(word: int, n: int, a: float, frames: Frames, count: FrameCounts, gains: Array) -> None:
    """``gains[k]``: what Σ_f log Γ(N_fk + a·p_f) − log Γ(n_k + a) gains when a word of n tokens joins class k."""
    for k in range(len(gains)):
        gains[k] = -rising(count.tokens[k] + a, n)
    for i in range(frames.offsets[word], frames.offsets[word + 1]):
        f, x = frames.frames[i], frames.counts[i]
        for k in range(len(gains)):
            gains[k] += rising(count.frames[f, k] + a * frames.shares[f], x)


@kernel
def exchange_framed(
    order: Array, frames: Frames, a: float, text: WordTypes, weights: Weights, least: float, classes: Array,
    count: FrameCounts, sure: Array,
) -> tuple[int, float]:  # fmt: skip
    """Moves each word of `order` to its best class, where J rises by more than `least`; the last of a class stays.

    Returns how many moved, and by how much J rose; ``sure[w]`` is P(its class | all other words' classes).
    """
    K = len(count.tokens)
    gains, moved, rise = np.empty(K), 0, 0.0
    for w in order:
        old = classes[w]
        put_framed(w, old, -1, frames, text, count)
        frame_worth(w, text.tokens[w], a, frames, count, gains)
        for k in range(K):
            if text.allowed.shape[0] == 0 or text.allowed[w, k]:
                gains[k] += form_worth(k, text.forms[w], text.shares, weights, count.types, count.values)
            else:
                gains[k] = -np.inf
        best = int(np.argmax(gains))
        if count.types[old] == 0 or not gains[best] > gains[old] + least:
            best = old
        if best != old:
            moved += 1
            rise += gains[best] - gains[old]
            classes[w] = best
        put_framed(w, best, 1, frames, text, count)
        sure[w] = 1.0 / np.exp(gains - gains[best]).sum()
    return moved, rise
