"""Both directions of a sentence pair at once, and the counts on which they agree.

    c(e, f) = Σ_{i,j: e_i = e, f_j = f} P₁(a_j = i) · P₂(b_i = j)

P. Liang, B. Taskar, D. Klein, NAACL 2006: P₁ from t(f | e), in which every target word chooses a source position, P₂ from
t(e | f), in which every source word chooses a target position. One table of counts serves both; the empty words, the
jumps and the fertilities are counted by each direction alone. The weights of a word pair in both directions lie side by
side, so that one read from memory brings both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.fertility import add_fertilities, temper
from softcount.models.jump_kernel import Chain, Filter, Moves, backward, forward
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array

NEGLIGIBLE = 1e-7  # a product of posteriors that is not worth a write to memory


class Direction(NamedTuple):
    """The weights of one direction besides its translations; states are the words of the side that generates."""

    null: Array  # [types of the generated side]: p₀ t(word | empty)
    jump: Array  # [centre + d]: the jump table, longer than any sentence on both sides
    sums: Array  # sums[k] = Σ jump[:k]
    begin: Array  # [i]: the first link is to position i
    end: Array  # [d]: the last place is d before the last position
    ratio: Array  # [types of the generating side, k]: p(k + 1 words) / p(k words)


class Tally(NamedTuple):
    """What one direction counts by itself."""

    null: Array
    jump: Array
    begin: Array
    end: Array
    fertility: Array  # [types, k]


@kernel
def agree_ibm1(
    shard: Any, weights: Array, null: tuple[Array, Array], counts: Array, null_counts: tuple[Array, Array]
) -> tuple[float, float]:
    """Model 1 both ways: P₁ = t₁ / (its column's sum + null), P₂ = t₂ / (its row's sum + null), counts += P₁ P₂.

    Weights are times (1 − p₀); returns log Z of both directions.
    """
    widest = 0
    for s in range(len(shard.starts) - 1):
        widest = max(widest, shard.starts[s + 1] - shard.starts[s])
    one, two = np.empty(widest, np.float32), np.empty(widest, np.float32)
    column = np.empty(shard.target.values.size + 1, np.float32)
    first, second = 0.0, 0.0
    for s in range(len(shard.starts) - 1):
        source = shard.source.values[shard.source.offsets[s] : shard.source.offsets[s + 1]]
        target = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        index = shard.index[shard.starts[s] : shard.starts[s + 1]]
        l, m = len(source), len(target)
        for j in range(m):
            column[j] = null[0][target[j]] * l  # the position's 1 / l is taken out of all terms
        for i in range(l):
            row = null[1][source[i]] * m
            for j in range(m):
                k = index[i * m + j]
                one[i * m + j] = weights[k, 0]
                two[i * m + j] = weights[k, 1]
                column[j] += weights[k, 0]
                row += weights[k, 1]
            second += np.log(row / max(m, 1))
            inverse = np.float32(1.0 / row)
            null_counts[1][source[i]] += null[1][source[i]] * m * inverse
            for j in range(m):
                one[i * m + j] *= two[i * m + j] * inverse
        for j in range(m):
            first += np.log(column[j] / max(l, 1))
            column[j] = 1.0 / column[j]
            null_counts[0][target[j]] += null[0][target[j]] * l * column[j]
        for i in range(l):
            for j in range(m):
                both = one[i * m + j] * column[j]
                if both > NEGLIGIBLE:
                    counts[index[i * m + j]] += both
    return first, second


@kernel
def agree_hmm(
    shard: Any, weights: Array, directions: tuple[Direction, Direction], centre: int, prune: float, fertile: bool,
    counting: bool, counts: Array, tallies: tuple[Tally, Tally], scores: Array,
) -> tuple[float, float]:  # fmt: skip
    """HMMs both ways. Adds to counts and tallies where counting; else scores = √(P₁ P₂) of every token pair.

    With fertilities the posteriors are computed twice, and those of the second time count; log Z are of the first.
    """
    longest = 1
    for s in range(len(shard.starts) - 1):
        longest = max(longest, shard.source.offsets[s + 1] - shard.source.offsets[s])
        longest = max(longest, shard.target.offsets[s + 1] - shard.target.offsets[s])
    wide = longest + LANES
    kind = np.float32
    em = np.empty(longest * wide, kind), np.empty(longest * wide, kind)
    shares = np.empty(longest * wide, kind), np.empty(longest * wide, kind)
    empty = np.empty(longest, kind), np.empty(longest, kind)
    nulls = np.empty(longest, kind), np.empty(longest, kind)
    places = np.zeros(wide, kind), np.zeros(wide, kind), np.zeros(wide, kind)
    found = Filter(
        np.empty(longest * wide, kind), np.empty(longest * wide, kind), np.empty(longest + 1, kind), np.empty(longest, kind)
    )
    room = np.empty(3 * wide, kind)
    moves = (
        Moves(np.zeros(wide, kind), np.zeros(wide, kind), np.zeros(len(directions[0].jump), kind), np.zeros(wide, kind)),
        Moves(np.zeros(wide, kind), np.zeros(wide, kind), np.zeros(len(directions[1].jump), kind), np.zeros(wide, kind)),
    )
    first, second = 0.0, 0.0
    for s in range(len(shard.starts) - 1):
        source = shard.source.values[shard.source.offsets[s] : shard.source.offsets[s + 1]]
        target = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        index = shard.index[shard.starts[s] : shard.starts[s + 1]]
        l, m = len(source), len(target)
        if l == 0 or m == 0:
            continue
        u, v = -(-l // LANES) * LANES, -(-m // LANES) * LANES
        _gather(index, weights, l, m, u, v, em[0], em[1])
        first += _posteriors(
            directions[0], centre, em[0], source, target, u, prune, fertile, counting, nulls[0][:m], places, found, room,
            shares[0], empty[0], moves[0], tallies[0],
        )  # fmt: skip
        second += _posteriors(
            directions[1], centre, em[1], target, source, v, prune, fertile, counting, nulls[1][:l], places, found, room,
            shares[1], empty[1], moves[1], tallies[1],
        )  # fmt: skip
        if counting:
            for i in range(l):
                for j in range(m):
                    both = shares[0][j * u + i] * shares[1][i * v + j]
                    if both > NEGLIGIBLE:
                        counts[index[i * m + j]] += both
        else:
            for i in range(l):
                for j in range(m):
                    scores[shard.starts[s] + i * m + j] = np.sqrt(shares[0][j * u + i] * shares[1][i * v + j])
    for d in range(2):
        for k in range(len(directions[d].jump)):
            tallies[d].jump[k] += moves[d].jump[k] * directions[d].jump[k]
    return first, second


@kernel
def _gather(index: Array, weights: Array, l: int, m: int, u: int, v: int, one: Array, two: Array) -> None:
    """one[j, i], two[i, j] = weights[index[i, j]]; zero in what fills the lanes"""
    for i in range(l):
        for j in range(m):
            k = index[i * m + j]
            one[j * u + i] = weights[k, 0]
            two[i * v + j] = weights[k, 1]
        for j in range(m, v):
            two[i * v + j] = 0.0
    for j in range(m):
        for i in range(l, u):
            one[j * u + i] = 0.0


@kernel
def _posteriors(
    direction: Direction, centre: int, em: Array, states: Array, words: Array, w: int, prune: float, fertile: bool,
    counting: bool, null: Array, places: tuple[Array, Array, Array], found: Filter, room: Array, shares: Array,
    empty: Array, moves: Moves, tally: Tally,
) -> float:  # fmt: skip
    """shares[j, i] = P(a_j = i), by one forward–backward pass or, with fertilities, two; returns log Z of the first"""
    l, m = len(states), len(words)
    chain = Chain(places[0][:w], places[1][:w], direction.jump, centre, places[2][:w], np.float32(1.0 / l))
    _chain(direction, centre, l, chain)
    for j in range(m):
        null[j] = direction.null[words[j]]
    log_norm = forward(chain, em, null, l, w, prune, found)
    if fertile:
        backward(chain, em, null, l, w, prune, found, room, False, shares, empty, moves)
        temper(direction.ratio, states, m, w, shares, em)
        forward(chain, em, null, l, w, prune, found)
    if counting:
        for i in range(w):
            moves.begin[i], moves.end[i] = 0.0, 0.0
    backward(chain, em, null, l, w, prune, found, room, counting, shares, empty, moves)
    if counting:
        for i in range(l):
            tally.begin[i] += moves.begin[i]
            tally.end[l - 1 - i] += moves.end[i]
        for j in range(m):
            tally.null[words[j]] += empty[j]
        add_fertilities(states, m, w, shares, room, tally.fertility)
    return log_norm


@kernel
def _chain(direction: Direction, centre: int, l: int, chain: Chain) -> None:
    """begin, leave and end of a sentence of l words, normalised: 1 / Σ_i jump(i − i′) and so on"""
    first, last = 0.0, 0.0
    for i in range(l):
        first += direction.begin[i]
        last += direction.end[i]
    for i in range(l):
        chain.begin[i] = direction.begin[i] / first
        chain.end[i] = direction.end[l - 1 - i] / last
        chain.leave[i] = 1.0 / (direction.sums[centre - i + l] - direction.sums[centre - i])
    for i in range(l, len(chain.begin)):
        chain.begin[i], chain.end[i], chain.leave[i] = 0.0, 0.0, 0.0
