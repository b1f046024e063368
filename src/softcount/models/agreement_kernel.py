"""Both directions of a sentence pair at once, and the counts on which they agree.

    c(e, f) = Σ_{i,j: e_i = e, f_j = f} P₁(a_j = i) · P₂(b_i = j)

P. Liang, B. Taskar, D. Klein, NAACL 2006: P₁ from t(f | e), in which every target word chooses a source position, P₂
from t(e | f), in which every source word chooses a target position. One table of counts serves both; empty words,
jumps and the fertilities are counted by each direction alone. Of two words that are both known to be linked, to this or
that word, c is the larger of P₁ and P₂: there is nothing to agree on, and a link that is known must not die out. The
weights of a word pair in both directions lie side by side, so that one read from memory brings both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel, within
from softcount.models.fertility import add_fertilities, temper
from softcount.models.ibm_link import wish
from softcount.models.jump_kernel import Desk, backward, count_jumps, forward
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array, Ragged

NEGLIGIBLE = 1e-7  # a product of posteriors that is not worth a write to memory


class Direction(NamedTuple):
    """The weights of one direction besides its translations; states are the words of the side that generates."""

    null: Array  # [types of the generated side, and one for words not known]: p₀ t(word | empty)
    kinds: Array  # int32 [types of the generating side, and one]: which kind of jumps a word's are
    jump: Array  # [kind, n + d]: the weight of a jump of d, −n ≤ d ≤ n, n at least the longest sentence
    sums: Array  # float64, sums[kind, k] = Σ jump[kind, :k]
    begin: Array  # [i]: the first link is to position i
    end: Array  # [d]: the last place is d before the last position
    ratio: Array  # [types of the generating side, and one, k]: p(k + 1 words) / p(k words)


class Tally(NamedTuple):
    """What one direction counts by itself."""

    null: Array
    jump: Array  # [kind, n + d]
    begin: Array
    end: Array
    fertility: Array  # [types, k]


class Shard(NamedTuple):
    """A PairIndex, and what is wished of the links of each direction (ibm_link.py)."""

    source: Ragged
    target: Ragged
    starts: Array
    cells: Array
    entries: Array
    wishes: tuple[Array, Array]  # float32
    wished: tuple[Array, Array]
    longest: int


@kernel
def agree_ibm1(
    shard: Any, weights: Array, null: tuple[Array, Array], counting: bool, counts: Array,
    null_counts: tuple[Array, Array], shares: Array, log_norms: Array,
) -> None:  # fmt: skip
    """Model 1 both ways: P₁ = t₁ / (its column's sum + null), P₂ = t₂ / (its row's sum + null), counts += P₁ P₂.

    Where not counting, shares = (P₁, P₂) instead. Weights are times (1 − p₀).
    """
    widest = 0
    for s in range(len(shard.starts) - 1):
        widest = max(widest, shard.starts[s + 1] - shard.starts[s])
    one, two = np.empty(widest, np.float32), np.empty(widest, np.float32)
    column = np.empty(widest, np.float32)
    for s in range(len(shard.starts) - 1):
        source = shard.source.values[shard.source.offsets[s] : shard.source.offsets[s + 1]]
        target = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        index = shard.cells[shard.starts[s] : shard.starts[s + 1]]
        l, m = len(source), len(target)
        if l == 0 or m == 0:
            continue
        known = wish(shard.wished[0], s, 0), wish(shard.wished[1], s, 0)
        wishful = wish(shard.wished[0], s, 1) > 0
        for j in range(m):  # the position's 1 / l is taken out of all terms
            column[j] = null[0][target[j]] * l * shard.wishes[0][known[0] + j]
        for i in range(l):
            empty = null[1][source[i]] * m * shard.wishes[1][known[1] + i]
            row = empty
            for j in range(m):
                k = index[i * m + j]
                a, b = weights[k, 0], weights[k, 1]
                if wishful:
                    a *= shard.wishes[0][known[0] + (i + 1) * m + j]
                    b *= shard.wishes[1][known[1] + (j + 1) * l + i]
                one[i * m + j] = a
                two[i * m + j] = b
                column[j] += a
                row += b
            log_norms[s, 1] += np.log(row / m) if row > 0.0 else -np.inf
            inverse = np.float32(1.0 / row) if row > 0.0 else np.float32(0.0)
            null_counts[1][source[i]] += empty * inverse
            for j in range(m):
                two[i * m + j] *= inverse
        for j in range(m):
            log_norms[s, 0] += np.log(column[j] / l) if column[j] > 0.0 else -np.inf
            column[j] = 1.0 / column[j] if column[j] > 0.0 else 0.0
            null_counts[0][target[j]] += null[0][target[j]] * l * shard.wishes[0][known[0] + j] * column[j]
        for i in range(l):
            for j in range(m):
                a, b = one[i * m + j] * column[j], two[i * m + j]
                if not counting:
                    shares[shard.starts[s] + i * m + j, 0], shares[shard.starts[s] + i * m + j, 1] = a, b
                    continue
                agreed = max(a, b) if wishful and _settled(shard, known, i, j) else a * b
                if agreed > NEGLIGIBLE:
                    counts[index[i * m + j]] += agreed


@kernel
def agree_hmm(
    shard: Any, weights: Array, directions: tuple[Direction, Direction], at: Desk, fertile: bool, counting: bool,
    stride: int, counts: Array, tallies: tuple[Tally, Tally], shares: Array, log_norms: Array,
) -> None:  # fmt: skip
    """HMMs both ways. Adds to counts and tallies where counting; else shares = (P₁, P₂) of every token pair.

    Jumps, which cost as much to count as to sum over, are counted in one pair of `stride`, as that many times each.
    With fertilities the posteriors are computed twice, and those of the second time count; log_norms[pair, direction]
    are of the first.
    """
    one, two = np.zeros(at.size, np.float32), np.zeros(at.size, np.float32)
    for s in range(len(shard.starts) - 1):
        start, l = shard.source.offsets[s], shard.source.offsets[s + 1] - shard.source.offsets[s]
        begin, m = shard.target.offsets[s], shard.target.offsets[s + 1] - shard.target.offsets[s]
        if l == 0 or m == 0:
            continue
        u, v, cell = -(-l // LANES) * LANES, -(-m // LANES) * LANES, shard.starts[s]
        _gather(shard.cells, cell, weights, at.em, l, m, u, v, one, two)
        _lay(directions[0], at, one, shard.source.values, start, l, shard.target.values, begin, m, u)
        _lay(directions[1], at, two, shard.target.values, begin, m, shard.source.values, start, l, v)
        known = wish(shard.wished[0], s, 0), wish(shard.wished[1], s, 0)
        wishful = wish(shard.wished[0], s, 1) > 0
        if wishful:
            _wish(shard.wishes[0], known[0], at, one, l, m, u)
            _wish(shard.wishes[1], known[1], at, two, m, l, v)
        log_norms[s, 0] = _pass(at, one, l, m, u, counting and not fertile)
        log_norms[s, 1] = _pass(at, two, m, l, v, counting and not fertile)
        if log_norms[s, 0] == -np.inf or log_norms[s, 1] == -np.inf:
            _nothing(shares, cell, l * m, counting)
            continue
        if fertile:
            temper(directions[0].ratio, shard.source.values, start, l, m, u, one, at.shares, at.em, at.onward)
            temper(directions[1].ratio, shard.target.values, begin, m, l, v, two, at.shares, at.em, at.onward)
            _pass(at, one, l, m, u, counting)
            _pass(at, two, m, l, v, counting)
        if counting:
            sample = s % stride == 0
            _tally(
                directions[0], at, one, shard.source.values, start, l, shard.target.values, begin, m, u, sample,
                tallies[0],
            )  # fmt: skip
            _tally(
                directions[1], at, two, shard.target.values, begin, m, shard.source.values, start, l, v, sample,
                tallies[1],
            )  # fmt: skip
        for i in range(l):
            for j in range(m):
                a, b = one[at.shares + j * u + i], two[at.shares + i * v + j]
                if not counting:
                    shares[cell + i * m + j, 0], shares[cell + i * m + j, 1] = a, b
                    continue
                agreed = max(a, b) if wishful and _settled(shard, known, i, j) else a * b
                if agreed > NEGLIGIBLE:
                    counts[shard.cells[cell + i * m + j]] += agreed
    if counting:
        _settle(directions[0], at, one, stride, tallies[0])
        _settle(directions[1], at, two, stride, tallies[1])


@kernel
def _settle(direction: Direction, at: Desk, desk: Array, stride: int, tally: Tally) -> None:
    """What all pairs counted of jumps, by their weights."""
    n = direction.jump.shape[1] // 2
    for kind in range(len(direction.jump)):
        for d in range(-min(n, at.reach), min(n, at.reach) + 1):
            found = direction.jump[kind, n + d] * desk[at.jumps + kind * at.kind + d]
            tally.jump[kind, n + d] += stride * found


@kernel
def _gather(
    index: Array, cell: int, weights: Array, em: int, l: int, m: int, u: int, v: int, one: Array, two: Array
) -> None:
    """one[j, i], two[i, j] = weights[index[i, j]]; zero in what fills the lanes"""
    for i in range(l):
        for j in range(m):
            k = index[cell + i * m + j]
            one[em + j * u + i] = weights[k, 0]
            two[em + i * v + j] = weights[k, 1]
        for j in range(m, v):
            two[em + i * v + j] = 0.0
    for j in range(m):
        for i in range(l, u):
            one[em + j * u + i] = 0.0


@within
def _settled(shard: Any, known: tuple[int, int], i: int, j: int) -> bool:
    """Whether both words are known to be linked: the empty word is forbidden to either."""
    return shard.wishes[0][known[0] + j] == 0.0 and shard.wishes[1][known[1] + i] == 0.0


@kernel
def _wish(wishes: Array, begin: int, at: Desk, desk: Array, l: int, m: int, w: int) -> None:
    """null[j] *= wishes[0, j], em[j, i] *= wishes[i + 1, j]"""
    for j in range(m):
        desk[at.null + j] *= wishes[begin + j]
        for i in range(l):
            desk[at.em + j * w + i] *= wishes[begin + (i + 1) * m + j]


@kernel
def _pass(at: Desk, desk: Array, l: int, m: int, w: int, counting: bool) -> float:
    """shares[j, i] = P(a_j = i); returns log Z"""
    if counting:
        for i in range(w):
            desk[at.begins + i], desk[at.ends + i] = 0.0, 0.0
    log_norm = forward(at, desk, l, m, w)
    if log_norm > -np.inf:
        backward(at, desk, l, m, w, counting)
    return log_norm


@kernel
def _nothing(shares: Array, start: int, n: int, counting: bool) -> None:
    """Of an impossible pair no link has a share."""
    if not counting:
        shares[start : start + n] = 0.0


@kernel
def _tally(
    direction: Direction, at: Desk, desk: Array, states: Array, start: int, l: int, words: Array, begin: int, m: int,
    w: int, jumps_too: bool, tally: Tally,
) -> None:  # fmt: skip
    for i in range(l):
        if jumps_too:
            count_jumps(at, desk, i, direction.kinds[states[start + i]], m, w)
        tally.begin[i] += desk[at.begins + i]
        tally.end[l - 1 - i] += desk[at.ends + i]
    for j in range(m):
        tally.null[words[begin + j]] += desk[at.empty + j]
    add_fertilities(states, start, l, m, w, desk, at.shares, at.onward, tally.fertility)


@kernel
def _lay(
    direction: Direction, at: Desk, desk: Array, states: Array, begin: int, l: int, words: Array, start: int, m: int,
    w: int,
) -> None:  # fmt: skip
    """The weights of a sentence of l words, and those of the empty word for each of the m words of the other.

    First and last places are distributions over the l positions that there are, and so is a last place that no link
    has chosen: of any position 1 / l. The last of a table by word stands for words not known, −1.
    """
    first_sum, last_sum = 1e-300, 1e-300
    for i in range(l):
        first_sum += direction.begin[i]
        last_sum += direction.end[i]
    for i in range(l):
        desk[at.begin + i] = direction.begin[i] / first_sum
        desk[at.end + i] = direction.end[l - 1 - i] / last_sum
        kind, first = direction.kinds[states[begin + i]], direction.jump.shape[1] // 2 - i  # of the jumps from i
        desk[at.leave + i] = 1.0 / (direction.sums[kind, first + l] - direction.sums[kind, first])
        for k in range(l):
            desk[at.jump + i * w + k] = desk[at.back + k * w + i] = direction.jump[kind, first + k]
        for k in range(l, w):
            desk[at.jump + i * w + k] = desk[at.back + i * w + k] = 0.0
    for i in range(l, w):
        desk[at.begin + i], desk[at.end + i], desk[at.leave + i] = 0.0, 0.0, 0.0
    desk[at.never] = 1.0 / l
    for j in range(m):
        desk[at.null + j] = direction.null[words[start + j]]
