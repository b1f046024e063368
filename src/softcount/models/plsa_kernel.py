"""The inner loops of PLSA: the E-step of one document, and the two that are made of it, training and folding in.

    totals[i] = Σ_h topic[d, h] · wish[i, h] · word[h, w_i]                                  r_i = count_i / totals[i]
    counts: topic[d, h] Σ_i r_i · wish[i, h] · word[h, w_i]  and  word[h, w] Σ_i r_i · wish[i, h] · topic[d, h]

All rows of topics are in whole lanes.
"""

from __future__ import annotations

import numpy as np

from softcount.machine.kernel import kernel, prefetch
from softcount.numbers.attribute import SAMPLE, SUM, attribute
from softcount.numbers.lanes import add, dot
from softcount.numbers.ragged import Array

AHEAD = 4  # how many cells ahead a row is asked for


@kernel
def _share_out(
    mine: Array, word_weights: Array, words: Array, counts: Array, begin: int, end: int, counting: bool, totals: Array,
    found: Array, word: Array,
) -> bool:  # fmt: skip
    """The E-step of one document in SUM: ``totals = W @ t; found = W.T @ (n / totals)``, both but for a factor that is
    the row's own (`mine`, `word_weights`); and, if counting, ``word[words] += (n / totals)[:, None] * t``.

    Gathering rows binds, so they are asked for some cells ahead. Returns whether all words are possible; where nothing
    is counted, impossible ones are passed over.
    """
    last = len(words) - 1
    for i in range(begin, end):
        soon = words[min(i + AHEAD, last)]
        prefetch(word_weights, soon)
        if counting:
            prefetch(word, soon)
        theirs = word_weights[words[i]]
        totals[i] = dot(mine, theirs)
        if totals[i] > 0.0:
            ratio = found.dtype.type(counts[i]) / totals[i]
            add(found, ratio, theirs)
            if counting:
                add(word[words[i]], ratio, mine)
        elif counting:
            return False
    return True


@kernel
def _share_as_wished(
    mine: Array, word_weights: Array, words: Array, counts: Array, potentials: Array, begin: int, end: int,
    counting: bool, totals: Array, found: Array, word: Array,
) -> bool:  # fmt: skip
    """The same, each word's topics weighted by its potentials: ``W * P`` for W, and ``t * P`` for t."""
    for i in range(begin, end):
        theirs = word_weights[words[i]] * potentials[i]
        totals[i] = dot(mine, theirs)
        if totals[i] > 0.0:
            ratio = found.dtype.type(counts[i]) / totals[i]
            add(found, ratio, theirs)
            if counting:
                add(word[words[i]], ratio, mine * potentials[i])
        elif counting:
            return False
    return True


@kernel
def sweep(
    topic_weights: Array,
    word_weights: Array,
    rows: Array,
    offsets: Array,
    words: Array,
    counts: Array,
    draws: Array,
    potentials: Array,
    mode: int,
    uniforms: Array,
    topic: Array,
    word: Array,
    totals: Array,
    best: Array,
) -> int:
    """SUM: ``totals = T @ W; R = N / totals; topic = T * (R @ W.T); word = W * (T.T @ R)``, where N > 0;
    MAX and SAMPLE settle cell by cell. Returns the first impossible document, or −1.

    Logarithms cost as much as a row of topics one by one, and a tenth of that all at once, so totals are handed back.
    """
    theirs, wished = np.empty_like(word_weights[0]), len(potentials) > 0
    for d in range(len(rows)):
        mine, found = topic_weights[rows[d]], topic[d]
        begin, end = offsets[d], offsets[d + 1]
        if mode == SUM:
            if wished:
                fine = _share_as_wished(
                    mine, word_weights, words, counts, potentials, begin, end, True, totals, found, word
                )
            else:
                fine = _share_out(mine, word_weights, words, counts, begin, end, True, totals, found, word)
            if not fine:
                return d
            found *= mine
        else:
            for i in range(begin, end):
                w = words[i]
                theirs[:] = word_weights[w]
                if wished:
                    theirs *= potentials[i]
                totals[i] = _settle(mine, theirs, counts[i], mode, uniforms[draws[i] :], found, word[w])
                if not totals[i] > 0.0:
                    return d
        if len(best) > 0:
            for i in range(begin, end):
                theirs[:] = mine * word_weights[words[i]]
                if wished:
                    theirs *= potentials[i]
                best[i] = np.argmax(theirs)
    if mode == SUM:
        word *= word_weights
    return -1


@kernel
def sweep_mixed(
    topic_weights: Array, word_weights: Array, topic_shares: Array, word_shares: Array, odds: Array, rows: Array,
    offsets: Array, words: Array, counts: Array, topic: Array, word: Array, totals: Array,
) -> None:  # fmt: skip
    """SUM with a background: ``S = θ @ φ; totals = S + odds; R = N * (S / totals) / (T @ W)``, then as in `sweep`.

    `topic_weights` and `word_weights` (T, W) are θ and φ raised to the power β; which part of a count the topics have
    is decided at power 1.
    """
    last = len(words) - 1
    for d in range(len(rows)):
        mine, own, found = topic_weights[rows[d]], topic_shares[rows[d]], topic[d]
        for i in range(offsets[d], offsets[d + 1]):
            soon = words[min(i + AHEAD, last)]
            prefetch(word_weights, soon)
            prefetch(word_shares, soon)
            prefetch(word, soon)
            w = words[i]
            theirs = word_weights[w]
            share, weight = dot(own, word_shares[w]), dot(mine, theirs)
            totals[i] = share + odds[w]
            if weight > 0.0:
                ratio = found.dtype.type(counts[i]) * share / (totals[i] * weight)
                add(found, ratio, theirs)
                add(word[w], ratio, mine)
        found *= mine
    word *= word_weights


@kernel
def _settle(mine: Array, theirs: Array, count: float, mode: int, uniforms: Array, topic: Array, word: Array) -> float:
    """One cell under MAX (its count goes to the best topic) or SAMPLE (each of its tokens to a drawn one)."""
    total, draw = 0.0, 0
    while count > 0.0:
        terms = mine * theirs
        total = attribute(terms, mode, uniforms[draw] if mode == SAMPLE else 0.0)
        share = min(count, 1.0) if mode == SAMPLE else count
        pick = np.argmax(terms)
        topic[pick] += share
        word[pick] += share
        count -= share
        draw += 1
    return total


@kernel
def fold(
    word: Array, offsets: Array, words: Array, counts: Array, potentials: Array, prior: Array, last: int, kept: float,
    steps: int, tolerance: float, topic: Array,
) -> None:  # fmt: skip
    """The E-step of each document and the M-step of its row by turns, until the row moves no more.

    A document's row depends on no other document; an empty one stays at the start, and so does an impossible one.
    """
    found, none, wished = np.empty_like(prior), np.empty((0, 0), prior.dtype), len(potentials) > 0
    totals = np.empty(len(words), prior.dtype)
    for d in range(len(offsets) - 1):
        mine, begin, end = topic[d], offsets[d], offsets[d + 1]
        if kept > 0.0:
            mine[last] = 0.0
            mine *= (1.0 - kept) / max(mine.sum(), 1e-300)
            mine[last] = kept
        for _ in range(steps if end > begin else 0):
            found[:] = 0.0
            if wished:
                _share_as_wished(mine, word, words, counts, potentials, begin, end, False, totals, found, none)
            else:
                _share_out(mine, word, words, counts, begin, end, False, totals, found, none)
            found *= mine
            found += prior
            if kept > 0.0:
                found[last] = 0.0
            mass, change = found.sum(), 0.0
            if not mass > 0.0:
                break
            if kept > 0.0:
                mass /= 1.0 - kept
                found[last] = kept * mass
            for h in range(len(mine)):
                change = max(change, abs(found[h] / mass - mine[h]))
                mine[h] = found[h] / mass
            if change < tolerance:
                break
