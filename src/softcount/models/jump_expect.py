"""The HMM over positions on a shard of sentence pairs, one direction, exact, in all three readings.

    log Z = Σ_pairs log Σ_a P(f, a | e)        counts = ∂ log Z / ∂ log weight, of every weight there is

S. Vogel, H. Ney, C. Tillmann, COLING 1996. What is looked up where: the weight of word pair k is ``weights[index]``; a
sentence of l words finds its own factors, 1 over the sum of what its positions allow, from ``cells[places[l]]`` on:
of the first link, of the last place, of no link at all, and of leaving each position. A pair without source words is
not part of the model. Of alignments that are as good the one is best whose last place is the lowest, none at all before
any; then, word by word from the last one, that where the word is linked to the empty word, or else is the first to be
linked, or else comes from the lowest place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.ibm_link import wish
from softcount.models.jump_kernel import Desk, backward, count_jumps, forward, sample, viterbi
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array

BEGIN, END, NEVER, LEAVE = 0, 1, 2, 3  # what stands where among the cells of a length


class JumpWeights(NamedTuple):
    """Or their counts. Tables are as long as the family's; what is farther is clipped."""

    null: Array  # [2]: of the empty word, of any other
    begin: Array  # [i]
    end: Array  # [d]: positions after the last place
    jump: Array  # [D + d], −D ≤ d ≤ D
    cells: Array
    places: Array  # int64 [l]: where the cells of a length begin


@kernel
def expect_pairs(
    shard: Any, weights: Array, null: Array, table: JumpWeights, at: Desk, mode: int, uniforms: Array,
    counts: Array, null_counts: Array, moves: JumpWeights, links: Array, offsets: Array, matrices: Array,
) -> tuple[float, int]:  # fmt: skip
    """Adds to counts, null_counts and moves; links are the best or drawn ones, as 1 + position, or 0.

    Of SUM, matrices are as those of `pair_posteriors`, where there is room for them. Returns log Z and the number of an
    impossible pair, or −1. The last of `null` is of words not known.
    """
    desk, log_norm = np.zeros(at.size), 0.0
    back = np.empty(shard_room(shard) if mode == MAX else 1, np.int32)
    for s in range(len(shard.starts) - 1):
        l = shard.source.offsets[s + 1] - shard.source.offsets[s]
        words = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        here = links[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        m = len(words)
        if m == 0 or l == 0:
            here[:] = 0
            continue
        w = -(-l // LANES) * LANES
        index = shard.cells[shard.starts[s] : shard.starts[s + 1]]
        _lay(shard, s, index, weights, words, null, table, at, l, m, w, desk)
        if mode == MAX:
            part = viterbi(at, desk, l, m, w, back, here)
        else:
            part = forward(at, desk, l, m, w)
        if part == -np.inf:
            return log_norm, s
        if mode == SUM:
            backward(at, desk, l, m, w, True)
            _add_shares(index, words, table, at, l, m, w, desk, counts, null_counts, moves)
            if len(matrices) > 0:
                _tell(at, desk, l, m, w, matrices[offsets[s] : offsets[s + 1]])
        else:
            if mode != MAX:
                sample(at, desk, l, m, w, uniforms[shard.target.offsets[s] + s :], here)
            _add_path(index, words, here, table, l, m, counts, null_counts, moves)
        log_norm += part
    return log_norm, -1


@kernel
def pair_posteriors(
    shard: Any, weights: Array, null: Array, table: JumpWeights, at: Desk, offsets: Array, matrices: Array,
    log_norms: Array,
) -> None:  # fmt: skip
    """matrices[pair][i, j] = P(a_j = i), row 0 of the empty word; of an impossible pair zero, and log Z is −inf."""
    desk = np.zeros(at.size)
    for s in range(len(shard.starts) - 1):
        l = shard.source.offsets[s + 1] - shard.source.offsets[s]
        words = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        m, out = len(words), matrices[offsets[s] : offsets[s + 1]]
        if m == 0 or l == 0:
            out[:] = 1.0
            continue
        w = -(-l // LANES) * LANES
        index = shard.cells[shard.starts[s] : shard.starts[s + 1]]
        _lay(shard, s, index, weights, words, null, table, at, l, m, w, desk)
        log_norms[s] = forward(at, desk, l, m, w)
        if log_norms[s] == -np.inf:
            out[:] = 0.0
            continue
        backward(at, desk, l, m, w, False)
        _tell(at, desk, l, m, w, out)


@kernel
def _tell(at: Desk, desk: Array, l: int, m: int, w: int, out: Array) -> None:
    """out[i, j] = P(a_j = i), row 0 of the empty word. After `backward`."""
    for j in range(m):
        out[j] = desk[at.empty + j]
        for i in range(l):
            out[(i + 1) * m + j] = desk[at.shares + j * w + i]


@kernel
def shard_room(shard: Any) -> int:
    """The most cells that Viterbi's back-pointers need."""
    most = 1
    for s in range(len(shard.starts) - 1):
        l = shard.source.offsets[s + 1] - shard.source.offsets[s]
        most = max(most, (l + 1) * (shard.target.offsets[s + 1] - shard.target.offsets[s]))
    return most


@kernel
def _lay(
    shard: Any, s: int, index: Array, weights: Array, words: Array, null: Array, table: JumpWeights, at: Desk, l: int,
    m: int, w: int, desk: Array,
) -> None:  # fmt: skip
    """The weights of one sentence pair on the desk, and what is wished of its links."""
    cells, reach = table.cells[table.places[l] :], len(table.jump) // 2
    for i in range(l):
        for k in range(w):
            there = k < l
            desk[at.jump + i * w + k] = table.jump[reach + min(max(k - i, -reach), reach)] if there else 0.0
            desk[at.back + i * w + k] = table.jump[reach + min(max(i - k, -reach), reach)] if there else 0.0
    desk[at.never] = cells[NEVER]
    for i in range(w):
        inside = i < l
        desk[at.begin + i] = table.begin[min(i, reach)] * cells[BEGIN] if inside else 0.0
        desk[at.end + i] = table.end[min(l - 1 - i, reach)] * cells[END] if inside else 0.0
        desk[at.leave + i] = cells[LEAVE + i] if inside else 0.0
        desk[at.begins + i], desk[at.ends + i], desk[at.leaves + i] = 0.0, 0.0, 0.0
    for d in range(-w, w + 1):
        desk[at.jumps + d] = 0.0
    begin, beside = wish(shard.wished, s, 0), wish(shard.wished, s, m) > 0  # where none are wished there are ones
    for j in range(m):
        desk[at.null + j] = null[words[j]] * table.null[0] * shard.wishes[begin + j]
        for i in range(w):
            wished = shard.wishes[begin + (i + 1) * m + j] if beside and i < l else 1.0
            desk[at.em + j * w + i] = weights[index[i * m + j]] * table.null[1] * wished if i < l else 0.0


@kernel
def _add_shares(
    index: Array, words: Array, table: JumpWeights, at: Desk, l: int, m: int, w: int, desk: Array, counts: Array,
    null_counts: Array, moves: JumpWeights,
) -> None:  # fmt: skip
    cells, reach, first = table.places[l], len(table.jump) // 2, 0.0
    for i in range(l):
        moves.begin[min(i, reach)] += desk[at.begins + i]
        moves.end[min(l - 1 - i, reach)] += desk[at.ends + i]
        moves.cells[cells + BEGIN] += desk[at.begins + i]
        moves.cells[cells + END] += desk[at.ends + i]
        moves.cells[cells + LEAVE + i] += desk[at.leaves + i]
        first += desk[at.begins + i]
    moves.cells[cells + NEVER] += max(1.0 - first, 0.0)
    for i in range(l):
        count_jumps(at, desk, i, m, w)
    for d in range(1 - l, l):
        clipped = min(max(d, -reach), reach)
        moves.jump[reach + clipped] += desk[at.jumps + d] * table.jump[reach + clipped]
    for j in range(m):
        empty = desk[at.empty + j]
        moves.null[0] += empty
        null_counts[words[j]] += empty
        for i in range(l):
            share = desk[at.shares + j * w + i]
            counts[index[i * m + j]] += share
            moves.null[1] += share


@kernel
def _add_path(
    index: Array, words: Array, links: Array, table: JumpWeights, l: int, m: int, counts: Array, null_counts: Array,
    moves: JumpWeights,
) -> None:  # fmt: skip
    """The counts of one alignment: links[j] = 1 + position, or 0."""
    cells, reach, place = table.places[l], len(table.jump) // 2, -1
    for j in range(m):
        if links[j] == 0:
            moves.null[0] += 1.0
            null_counts[words[j]] += 1.0
            continue
        i = links[j] - 1
        moves.null[1] += 1.0
        counts[index[i * m + j]] += 1.0
        if place < 0:
            moves.begin[min(i, reach)] += 1.0
            moves.cells[cells + BEGIN] += 1.0
        else:
            moves.jump[reach + min(max(i - place, -reach), reach)] += 1.0
            moves.cells[cells + LEAVE + place] += 1.0
        place = i
    if place < 0:
        moves.cells[cells + NEVER] += 1.0
    else:
        moves.end[min(l - 1 - place, reach)] += 1.0
        moves.cells[cells + END] += 1.0
