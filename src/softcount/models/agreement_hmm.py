"""HMMs over positions both ways and what they agree on (models/agreement_kernel.py), eight sentence pairs at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel, part, within
from softcount.models.agreement_kernel import NEGLIGIBLE, Direction, Tally, settled
from softcount.models.fertility import add_fertility, add_up, temper
from softcount.models.ibm_link import wish
from softcount.models.jump_abreast import Room, backward, count_moves, forward, room
from softcount.numbers.abreast import inverse, load, store
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array, Ragged


def groups_of(l: Array, m: Array) -> Array:
    """Pairs of l and m words by their shapes; those with an empty side are in none."""
    both = np.flatnonzero((l > 0) & (m > 0))
    order = both[np.lexsort((m[both], l[both]))].astype(np.int32)
    return np.append(order, np.full(-len(order) % LANES, -1, np.int32)).reshape(-1, LANES)


@kernel
def agree_hmm(
    shard: Any, weights: Array, directions: tuple[Direction, Direction], fertile: bool, counting: bool, stride: int,
    counts: Array, tallies: tuple[Tally, Tally], shares: Array, log_norms: Array,
) -> None:  # fmt: skip
    """HMMs both ways. Adds to counts and tallies where counting; else shares = (P₁, P₂) of every token pair.

    Jumps, which cost as much to count as to sum over, are counted in one group of `stride`, as that many times each.
    With fertilities the posteriors are computed twice, and those of the second time count; log_norms[pair, direction]
    are of the first.
    """
    source, target = shard.source, shard.target
    cells, longest = 1, 1
    for group in shard.groups:
        l, m = _widest(source, group), _widest(target, group)
        cells, longest = max(cells, l * m), max(longest, l, m)
    at, size = room(longest, cells), cells * LANES
    em, found = (_zeros(size), _zeros(size)), (_zeros(size), _zeros(size))
    for g in range(len(shard.groups)):
        group, jumps_too = shard.groups[g], g % stride == 0
        l, m = _widest(source, group), _widest(target, group)
        _gather(shard, group, weights, l, m, em[0], em[1])
        for d in range(2):
            states, words, n, k = (source, target, l, m) if d == 0 else (target, source, m, l)
            _direct(
                directions[d], states, words, shard.wishes[d], shard.wished[d], group, at, n, k, em[d], found[d],
                fertile, counting, jumps_too, tallies[d], log_norms, d,
            )  # fmt: skip
        if counting:
            _count(shard, group, l, m, found[0], found[1], counts)
        for a in range(0 if counting else LANES):
            if group[a] >= 0:
                _show(shard, group[a], a, l, m, found[0], found[1], log_norms, shares)
    for d in range(2 if counting else 0):
        _settle(directions[d], stride, tallies[d])


@within
def _zeros(size: int) -> Array:
    return np.zeros(size, np.float32)


@within
def _length(side: Ragged, s: int) -> int:
    return side.offsets[s + 1] - side.offsets[s] if s >= 0 else 0


@within
def _widest(side: Ragged, group: Array) -> int:
    """The most words that a pair of the group has on this side."""
    most = 0
    for s in group:
        most = max(most, _length(side, s))
    return most


@part
def _gather(shard: Any, group: Array, weights: Array, l: int, m: int, one: Array, two: Array) -> None:
    """one[j, i], two[i, j] = weights[index[i, j]] of each pair; zero where it has no such words"""
    one[: l * m * LANES] = 0.0
    two[: l * m * LANES] = 0.0
    for a in range(LANES):
        s = group[a]
        cell, width = shard.starts[s], _length(shard.target, s)
        for i in range(_length(shard.source, s)):
            for j in range(width):
                k = shard.cells[cell + i * width + j]
                one[(j * l + i) * LANES + a] = weights[k, 0]
                two[(i * m + j) * LANES + a] = weights[k, 1]


@part
def _direct(
    direction: Direction, states: Ragged, words: Ragged, wishes: Array, wished: Array, group: Array, at: Room, l: int,
    m: int, em: Array, shares: Array, fertile: bool, counting: bool, jumps_too: bool, tally: Tally, log_norms: Array,
    d: int,
) -> None:  # fmt: skip
    """shares[j, i] = P(a_j = i) of one direction, and its tally."""
    _lay(direction, states, words, group, at, l, m)
    for a in range(LANES):
        if group[a] >= 0 and wish(wished, group[a], 1) > 0:
            _wish(wishes, wish(wished, group[a], 0), _length(states, group[a]), _length(words, group[a]), a, l, at, em)
    last = 1 if fertile else 0
    for again in range(last + 1):
        if again:
            temper(direction.ratio, states, group, l, m, shares, em, at.onward, at.steps)
        forward(at, em, shares, l, m)
        for a in range(0 if again else LANES):
            if group[a] >= 0:
                log_norms[group[a], d] = _log_norm(at.total, a, m)
        backward(at, em, shares, l, m, counting and again == last)
    if counting:
        _tally(direction, states, words, group, at, l, m, em, shares, jumps_too, tally)


@within
def _log_norm(totals: Array, a: int, m: int) -> float:
    """Σ_j log s_j and the logarithm of the end's weight, or −inf"""
    result, product = 0.0, 1.0
    for j in range(m + 1):
        product *= float(totals[j * LANES + a])
        if product < 1e-200 or product > 1e200:
            result += np.log(product) if product > 0.0 else -np.inf
            product = 1.0
    return result + np.log(product)


@part
def _lay(direction: Direction, states: Ragged, words: Ragged, group: Array, at: Room, l: int, m: int) -> None:
    """The weights of each pair's l states, and those of the empty word for each of its m words.

    First and last places are distributions over the l positions that there are, and so is a last place that no link
    has chosen: of any position 1 / l. The last of a table by word stands for words not known, −1.
    """
    for row in (at.begin, at.end, at.leave):
        row[: l * LANES] = 0.0
    at.null[: m * LANES] = 1.0
    at.never[:] = 1.0
    for a in range(LANES):
        s, n = group[a], _length(states, group[a])
        first_sum, last_sum = 1e-300, 1e-300
        for i in range(n):
            first_sum += direction.begin[i]
            last_sum += direction.end[i]
        first_sum, last_sum = 1.0 / first_sum, 1.0 / last_sum
        for i in range(n):
            kind, first = direction.kinds[states.values[states.offsets[s] + i]], direction.jump.shape[1] // 2 - i
            at.begin[i * LANES + a] = direction.begin[i] * first_sum
            at.end[i * LANES + a] = direction.end[n - 1 - i] * last_sum
            at.leave[i * LANES + a] = direction.sums[kind, first + n] - direction.sums[kind, first]
        at.never[a] = 1.0 / max(n, 1)
        for j in range(_length(words, s)):
            at.null[j * LANES + a] = direction.null[words.values[words.offsets[s] + j]]
    for i in range(l):
        store(at.leave, i, inverse(load(at.leave, i)))
    _lay_jumps(direction, states, group, at, l)


@part
def _lay_jumps(direction: Direction, states: Ragged, group: Array, at: Room, l: int) -> None:
    """jump[i, k] = direction.jump[the kind of state i, k − i]; anything where a pair has no such positions"""
    flat, wide, begin = direction.jump.ravel(), direction.jump.shape[1], np.zeros(LANES, np.int64)
    for i in range(l):
        for a in range(LANES):
            inside = i < _length(states, group[a])
            kind = direction.kinds[states.values[states.offsets[group[a]] + i]] if inside else 0
            begin[a] = np.int64(kind) * wide + wide // 2 - i
        for k in range(l):
            for a in range(LANES):
                at.jump[(i * l + k) * LANES + a] = flat[begin[a] + k]


@part
def _wish(wishes: Array, begin: int, n: int, width: int, a: int, l: int, at: Room, em: Array) -> None:
    """null[j] *= wishes[0, j], em[j, i] *= wishes[i + 1, j] of one pair, whose wishes are (n + 1) × width"""
    for j in range(width):
        at.null[j * LANES + a] *= wishes[begin + j]
        for i in range(n):
            em[(j * l + i) * LANES + a] *= wishes[begin + (i + 1) * width + j]


@part
def _tally(
    direction: Direction, states: Ragged, words: Ragged, group: Array, at: Room, l: int, m: int, drawn: Array,
    shares: Array, jumps_too: bool, tally: Tally,
) -> None:  # fmt: skip
    add_up(shares, l, m, at.onward)
    if jumps_too:
        count_moves(at, drawn, l, m)
        _add_moves(direction, states, group, at, l, tally.moves)
    for a in range(LANES):
        s, n = group[a], _length(states, group[a])
        for i in range(n):
            state = states.values[states.offsets[s] + i]
            tally.begin[i] += at.begins[i * LANES + a]
            tally.end[n - 1 - i] += at.ends[i * LANES + a]
            add_fertility(at.onward[i * LANES + a], state, tally.fertility)
        for j in range(_length(words, s)):
            tally.null[words.values[words.offsets[s] + j]] += at.empty[j * LANES + a]


@part
def _add_moves(direction: Direction, states: Ragged, group: Array, at: Room, l: int, moves: Array) -> None:
    """moves[the kind of state i, k − i] += leave[i] · at.moves[i, k], of each pair"""
    middle = direction.jump.shape[1] // 2
    for a in range(LANES):
        s, n = group[a], _length(states, group[a])
        for i in range(n):
            kind, leave = direction.kinds[states.values[states.offsets[s] + i]], at.leave[i * LANES + a]
            for k in range(n):
                moves[kind, middle + k - i] += leave * at.moves[(i * l + k) * LANES + a]


@part
def _settle(direction: Direction, stride: int, tally: Tally) -> None:
    """What all pairs counted of jumps, by their weights."""
    for kind in range(len(direction.jump)):
        for k in range(direction.jump.shape[1]):
            tally.jump[kind, k] += stride * direction.jump[kind, k] * tally.moves[kind, k]


@part
def _count(shard: Any, group: Array, l: int, m: int, one: Array, two: Array, counts: Array) -> None:
    """counts[index[i, j]] += P₁ P₂"""
    for a in range(LANES):
        if group[a] >= 0 and wish(shard.wished[0], group[a], 1) > 0:
            _settle_known(shard, group[a], a, l, m, one, two)
    for i in range(l):
        for j in range(m):
            store(two, i * m + j, load(two, i * m + j) * load(one, j * l + i))
    for a in range(LANES):
        cell, width = shard.starts[group[a]], _length(shard.target, group[a])
        for i in range(_length(shard.source, group[a])):
            for j in range(width):
                agreed = two[(i * m + j) * LANES + a]
                if agreed > NEGLIGIBLE:
                    counts[shard.cells[cell + i * width + j]] += agreed


@part
def _settle_known(shard: Any, s: int, a: int, l: int, m: int, one: Array, two: Array) -> None:
    """P₁, P₂ = max(P₁, P₂), 1 of words that are known to be linked, of one pair"""
    known = wish(shard.wished[0], s, 0), wish(shard.wished[1], s, 0)
    for i in range(_length(shard.source, s)):
        for j in range(_length(shard.target, s)):
            if settled(shard, known, i, j):
                p, q = (j * l + i) * LANES + a, (i * m + j) * LANES + a
                one[p], two[q] = max(one[p], two[q]), 1.0


@part
def _show(shard: Any, s: int, a: int, l: int, m: int, one: Array, two: Array, log_norms: Array, shares: Array) -> None:
    """shares[token pair] = (P₁, P₂), of one pair; of an impossible pair no link has a share"""
    cell, width = shard.starts[s], _length(shard.target, s)
    possible = log_norms[s, 0] > -np.inf and log_norms[s, 1] > -np.inf
    for i in range(_length(shard.source, s)):
        for j in range(width):
            shares[cell + i * width + j, 0] = one[(j * l + i) * LANES + a] if possible else 0.0
            shares[cell + i * width + j, 1] = two[(i * m + j) * LANES + a] if possible else 0.0
