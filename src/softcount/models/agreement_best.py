"""The best alignment of each direction of two that were trained together: Viterbi's algorithm on their HMMs.

    arg max_a Π_j em(j, a_j) · a(a_j | a_j′)

With fertilities em has their mean-field factors (models/fertility.py), as for posteriors. Models 1 and 2 choose word by
word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel, within
from softcount.models.agreement_kernel import Direction
from softcount.models.fertility import MOST
from softcount.models.ibm_link import wish
from softcount.models.jump_kernel import Desk, viterbi
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array, Ragged


@kernel
def best_links(
    shard: Any, weights: Array, directions: tuple[Direction, Direction], fertile: bool, shares: Array, at: Desk,
    chosen: Array,
) -> None:  # fmt: skip
    """chosen[token pair, direction] = 1 of the best alignment's links; `shares`: posteriors without fertilities."""
    most = 1
    for s in range(len(shard.starts) - 1):
        most = max(most, (_length(shard.source, s) + 1) * (_length(shard.target, s) + 1))
    desk, back, links = np.zeros(at.size), np.empty(most, np.int32), np.zeros(most, np.int32)
    for d in range(2):
        states, words = (shard.source, shard.target) if d == 0 else (shard.target, shard.source)
        for s in range(len(shard.starts) - 1):
            l, m = _length(states, s), _length(words, s)
            if l == 0 or m == 0:
                continue
            _lay(shard, s, weights, directions[d], d, states, words, fertile, shares, at, desk)
            if viterbi(at, desk, l, m, -(-l // LANES) * LANES, back, links[:m]) == -np.inf:
                continue
            across, along = (m, 1) if d == 0 else (1, l)
            for j in range(m):
                if links[j] > 0:
                    chosen[shard.starts[s] + (links[j] - 1) * across + j * along, d] = 1.0


@within
def _length(side: Ragged, s: int) -> int:
    return side.offsets[s + 1] - side.offsets[s]


@kernel
def _lay(
    shard: Any, s: int, weights: Array, direction: Direction, d: int, states: Ragged, words: Ragged, fertile: bool,
    shares: Array, at: Desk, desk: Array,
) -> None:  # fmt: skip
    """The weights of one pair in one direction on the desk."""
    l, m = _length(states, s), _length(words, s)
    w, middle = -(-l // LANES) * LANES, direction.jump.shape[1] // 2
    across, along = (m, 1) if d == 0 else (1, l)
    wishes, begin = shard.wishes[d], wish(shard.wished[d], s, 0)
    beside = wish(shard.wished[d], s, 1) > 0
    firsts, lasts = direction.begin[:l].sum(), direction.end[:l].sum()
    desk[at.never] = 1.0 / l
    for j in range(m):
        word = words.values[words.offsets[s] + j]
        desk[at.null + j] = direction.null[word] * (wishes[begin + j] if beside else 1.0)
    for i in range(l):
        state = states.values[states.offsets[s] + i]
        kind = direction.kinds[state]
        desk[at.begin + i] = direction.begin[i] / firsts
        desk[at.end + i] = direction.end[l - 1 - i] / lasts
        desk[at.leave + i] = 1.0 / (direction.sums[kind, middle - i + l] - direction.sums[kind, middle - i])
        total = 0.0
        for j in range(m):
            total += shares[shard.starts[s] + i * across + j * along, d]
        for k in range(l):
            desk[at.jump + i * w + k] = direction.jump[kind, middle + k - i]
        for j in range(m):
            cell = shard.starts[s] + i * across + j * along
            em = float(weights[shard.cells[cell], d]) * (wishes[begin + (i + 1) * m + j] if beside else 1.0)
            if fertile:
                em *= _ratio(direction.ratio, state, total - shares[cell, d])
            desk[at.em + j * w + i] = em


@kernel
def _ratio(ratio: Array, state: int, others: float) -> float:
    """r(e, x), read between whole numbers on a straight line."""
    found = float(ratio[state, 0])
    for k in range(1, MOST):
        found += (ratio[state, k] - ratio[state, k - 1]) * min(max(others - (k - 1), 0.0), 1.0)
    return found


@kernel
def best_words(starts: Array, heights: Array, widths: Array, shares: Array, chosen: Array) -> None:
    """As `best_links`, of models whose words choose by themselves: the greatest share of each word."""
    for s in range(len(starts) - 1):
        l, m = heights[s], widths[s]
        for d in range(2):
            n, k, across, along = (l, m, m, 1) if d == 0 else (m, l, 1, m)
            for j in range(k):
                linked, best, most = 0.0, -1, 0.0
                for i in range(n):
                    share = float(shares[starts[s] + i * across + j * along, d])
                    linked += share
                    if share > most:
                        best, most = i, share
                if best >= 0 and most > 1.0 - linked:
                    chosen[starts[s] + best * across + j * along, d] = 1.0
