"""The E-step of letters that follow one another as n-grams do: forward, then backward (SUM), drawing (SAMPLE), or the
best path (MAX).

A state is a *history*: the last n − 1 letters as digits to the base B = K + 1, of which the highest, K, stands before
the first letter. From history h letter w leads to (h mod low) · B + w, with low = Bⁿ⁻²: a history has K successors and
B predecessors, whatever n, so that a token costs Kⁿ products and not K²ⁿ⁻². Histories without mass cost nothing, and
when a key is nearly known, most have none.

A silent letter (the blank of a text that is written without blanks) stands between letters and emits nothing: when a
token has been read, some of the mass moves on to histories that end in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.attribute import draw
from softcount.numbers.ragged import Array

NEGLIGIBLE = 1e-30  # share of a history that is left out: what it could add is lost in rounding


@kernel
def begin(weights: Any, low: int, here: Array) -> None:
    """All mass on the history before the first letter."""
    here[:] = 0.0
    here[-1] = 1.0
    pause(weights, low, here)


@kernel
def pause(weights: Any, low: int, here: Array) -> None:
    """here[h ▁] = Σ here[h] · P(▁ | h), for a silent ▁."""
    silent, B = weights.silent, weights.language.shape[1]
    if silent >= 0:
        for h in range(len(here)):
            if here[h] > 0.0 and h % B != silent:
                here[h % low * B + silent] += here[h] * weights.language[h, silent]


@kernel
def arrive(weights: Any, low: int, before: Array, word: int, least: float, here: Array) -> float:
    """here[h w] = emission[w, word] · Σ before[· h] · P(w | · h), scaled to sum to one; returns what they summed to.

    Shares up to `least` become zero.
    """
    B = weights.language.shape[1]
    K = B - 1
    here[:] = 0.0
    for h in range(len(before)):
        mass = before[h]
        if mass > 0.0:
            base = h % low * B
            for w in range(K):
                here[base + w] += mass * weights.language[h, w]
    total = 0.0
    for base in range(0, len(here), B):
        for w in range(K):
            here[base + w] *= weights.emission[word, w]
            total += here[base + w]
    if total > 0.0:
        for h in range(len(here)):
            here[h] = here[h] / total if here[h] > least * total else 0.0
    return total


@kernel
def longest(shard: Any) -> int:
    return np.max(np.diff(shard.offsets)) if len(shard.offsets) > 1 else 0


@kernel
def ending(weights: Any, h: int) -> float:
    """What it is worth to end after history h; nothing ends with a silent letter."""
    B = weights.language.shape[1]
    return 0.0 if h % B == weights.silent else weights.language[h, B - 1]


@kernel
def filtered(
    weights: Any, shard: Any, low: int, i: int, least: float, forward: Array, inverse: Array
) -> tuple[float, float]:
    """forward[t] = P(history | the first t letters of line i), inverse[t] = 1 / P(letter t | those before it).

    Returns log P of the line, −inf where that is zero, and P(end | all letters).
    """
    first, T = shard.offsets[i], shard.offsets[i + 1] - shard.offsets[i]
    log_norm = 0.0
    begin(weights, low, forward[0])
    for t in range(T):
        word = shard.words[first + t]
        total = arrive(weights, low, forward[t], word, least, forward[t + 1])
        if not total > 0.0:
            return -np.inf, 0.0
        inverse[t] = 1.0 / total
        log_norm += np.log(total) + weights.log_scale[word]
        pause(weights, low, forward[t + 1])
    total = 0.0
    for h in range(len(weights.language)):
        total += forward[T, h] * ending(weights, h)
    return (log_norm + np.log(total), total) if total > 0.0 else (-np.inf, 0.0)


@kernel
def forward_filter(weights: Any, shard: Any, low: int, i: int, forward: Array, inverse: Array) -> tuple[float, float]:
    """Without histories that have next to no share; where the line needs one of them, with all."""
    found = filtered(weights, shard, low, i, NEGLIGIBLE, forward, inverse)
    return found if found[0] > -np.inf else filtered(weights, shard, low, i, 0.0, forward, inverse)


@kernel
def label(weights: Any, low: int, h: int) -> int:
    """The last letter of a history; K more where a silent letter stands before it."""
    B = weights.language.shape[1]
    return h % B + (B - 1 if weights.silent >= 0 and h // B % B == weights.silent else 0)


@kernel
def smooth(weights: Any, shard: Any, low: int, emission: Array, shares: Array, labels: Array) -> tuple[float, int]:
    """Posteriors of the labels of every token, and their sums as counts.

    b_t[h] = Σ_w P(w | h) · r[h w],   r = emission ∘ b_{t+1} / s_{t+1},   share_t = f_t ∘ b_t
    """
    H, B = weights.language.shape
    K, silent = B - 1, weights.silent
    forward, inverse = np.empty((longest(shard) + 1, H)), np.empty(longest(shard) + 1)
    backward, r, share = np.empty(H), np.empty(H), np.empty(2 * K if silent >= 0 else K)
    log_norm = 0.0
    for i in range(len(shard.offsets) - 1):
        first, T = shard.offsets[i], shard.offsets[i + 1] - shard.offsets[i]
        if T == 0:
            continue
        part, ends = forward_filter(weights, shard, low, i, forward, inverse)
        if part == -np.inf:
            return log_norm, i
        log_norm += part
        for h in range(H):
            backward[h] = ending(weights, h) / ends
        for t in range(T - 1, -1, -1):
            word = shard.words[first + t]
            share[:] = 0.0
            for h in range(H):
                r[h] = 0.0
                if h % B < K and h % B != silent:
                    share[label(weights, low, h)] += forward[t + 1, h] * backward[h]
                    r[h] = weights.emission[word, h % B] * backward[h] * inverse[t]
            for z in range(len(share)):
                emission[word, z % K] += share[z]
            if len(shares) > 0:
                shares[first + t] = share
            if len(labels) > 0:
                labels[first + t] = np.argmax(share)
            for h in range(H):
                total = 0.0
                if forward[t, h] > 0.0:
                    base = h % low * B
                    for w in range(K):
                        total += weights.language[h, w] * r[base + w]
                backward[h] = total
            if silent >= 0:
                for h in range(H):
                    if h % B != silent:
                        backward[h] += weights.language[h, silent] * backward[h % low * B + silent]
    return log_norm, -1


@kernel
def sample(weights: Any, shard: Any, low: int, uniforms: Array, emission: Array, labels: Array) -> tuple[float, int]:
    """Forward, then histories drawn from the last to the first: h_t ~ f_t[h] · P(w_{t+1} | h)."""
    H, B = weights.language.shape
    silent = weights.silent
    forward, inverse = np.empty((longest(shard) + 1, H)), np.empty(longest(shard) + 1)
    terms, before = np.empty(H), np.empty(B)
    log_norm = 0.0
    for i in range(len(shard.offsets) - 1):
        first, T = shard.offsets[i], shard.offsets[i + 1] - shard.offsets[i]
        if T == 0:
            continue
        part, ends = forward_filter(weights, shard, low, i, forward, inverse)
        if part == -np.inf:
            return log_norm, i
        log_norm += part
        for h in range(H):
            terms[h] = forward[T, h] * ending(weights, h)
        u = 2 * first + i  # one for the end, two for every token
        h = draw(terms, uniforms[u] * ends)
        for t in range(T - 1, -1, -1):
            emission[shard.words[first + t], h % B] += 1.0
            if len(labels) > 0:
                labels[first + t] = label(weights, low, h)
            for again in range(2):
                if again == 1 and h % B != silent:
                    continue
                total = 0.0
                for k in range(B):
                    h_before = k * low + h // B
                    letter_before = again == 0 or h_before % B != silent
                    before[k] = forward[t, h_before] * weights.language[h_before, h % B] if letter_before else 0.0
                    total += before[k]
                h = draw(before, uniforms[u + 1 + 2 * t + again] * total) * low + h // B
    return log_norm, -1


@kernel
def best_path(weights: Any, shard: Any, low: int, emission: Array, labels: Array) -> tuple[float, int]:
    """The best histories' counts and their log-weight; of paths as good, the last letter is the lowest, then the one
    before it, and so on."""
    H, B = weights.language.shape
    K, silent = B - 1, weights.silent
    back = np.empty((longest(shard) + 1, H), np.int16)
    best, here = np.empty(H), np.empty(H)
    log_norm = 0.0
    for i in range(len(shard.offsets) - 1):
        first, T = shard.offsets[i], shard.offsets[i + 1] - shard.offsets[i]
        if T == 0:
            continue
        best[:] = 0.0
        best[-1] = 1.0
        for t in range(T + 1):
            if t > 0:
                word = shard.words[first + t - 1]
                top = 0.0
                here[:] = 0.0
                for h in range(H):
                    if best[h] > 0.0:
                        base = h % low * B
                        for w in range(K):
                            through = best[h] * weights.language[h, w]
                            if through > here[base + w]:
                                here[base + w] = through
                                back[t, base + w] = h // low
                for h in range(H):
                    best[h] = here[h] * weights.emission[word, h % B] if h % B < K else 0.0
                    top = max(top, best[h])
                if not top > 0.0:
                    return log_norm, i
                best /= top
                log_norm += np.log(top) + weights.log_scale[word]
            if silent >= 0:
                for h in range(H):
                    if best[h] > 0.0 and h % B != silent:
                        through = best[h] * weights.language[h, silent]
                        target = h % low * B + silent
                        if through > best[target]:
                            best[target] = through
                            back[t, target] = h // low
        h, top, order = -1, 0.0, 0
        for end in range(H):
            through = best[end] * ending(weights, end)
            if through > 0.0 and (through > top or (through == top and _backwards(end, H, B) < order)):
                h, top, order = end, through, _backwards(end, H, B)
        if h < 0:
            return log_norm, i
        log_norm += np.log(top)
        for t in range(T, 0, -1):
            emission[shard.words[first + t - 1], h % B] += 1.0
            if len(labels) > 0:
                labels[first + t - 1] = label(weights, low, h)
            h = back[t, h] * low + h // B
            if h % B == silent:
                h = back[t - 1, h] * low + h // B
    return log_norm, -1


@kernel
def _backwards(history: int, n_histories: int, base: int) -> int:
    """The history with its letters from the last to the first."""
    found = 0
    while n_histories > 1:
        found = found * base + history % base
        history //= base
        n_histories //= base
    return found
