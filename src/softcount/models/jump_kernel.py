"""The E-step of an HMM over source positions, one sentence pair at a time: forward filter, then backward.

    P(f, a | e) = Π_j  a_j linked: leave(i′) · jump(a_j − i′) · em(j, a_j)     or    empty: null(j), and the place stays

i′ is the place before word j: the position linked last, which the empty word does not change (Och & Ney 2003), or none
yet; the first link is weighted by begin(i) instead, and the place after the last word by end(i). The future depends on
the place alone, so one backward vector serves the linked and the empty state of a position. Weights need not normalise.

Rows of l numbers are as wide as whole lanes, w; what is beyond l is zero in `em` and finite in all others. Everything
is scaled word by word, with exact zeros. States that hold less than `prune` of the mass are not left but by staying.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.attribute import draw
from softcount.numbers.lanes import add, dot
from softcount.numbers.ragged import Array


class Chain(NamedTuple):
    """The weights of the places of a sentence of l words; all but `jump` have w numbers."""

    begin: Array
    leave: Array
    jump: Array  # jump[centre + d] is the weight of a jump of d
    centre: int
    end: Array
    never: float  # instead of `end` where every word is linked to the empty word


class Filter(NamedTuple):
    """Room for the forward pass; rows j."""

    linked: Array  # [m · w]: P(a_j = i, linked | words up to j)
    place: Array  # [m · w]: P(place is i | words up to j)
    nowhere: Array  # [m + 1]: P(nothing linked yet | words before j)
    inverse: Array  # [m]: 1 / P(word j | words before)


class Moves(NamedTuple):
    """What the backward pass adds up: ∂ log Z by the logarithm of each weight."""

    begin: Array  # [w]
    leave: Array  # [w]
    jump: Array  # as the weights; still to be multiplied by them
    end: Array  # [w]


@kernel
def forward(chain: Chain, em: Array, null: Array, l: int, w: int, prune: float, found: Filter) -> float:
    """linked_j = (place_{j−1} A) ∘ em_j / s_j; returns Σ log s_j + log of the end's weight, or −inf"""
    m = len(null)
    found.nowhere[0] = 1.0
    log_norm = 0.0
    for j in range(m):
        row, place = found.linked[j * w : (j + 1) * w], found.place[j * w : (j + 1) * w]
        emitted, none = em[j * w : (j + 1) * w], found.nowhere[j]
        for i in range(w):
            row[i] = none * chain.begin[i]
        total = none * null[j]
        if j > 0:
            before = found.place[(j - 1) * w : j * w]
            for i in range(l):
                if before[i] > prune:
                    first = chain.centre - i
                    add(row, before[i] * chain.leave[i], chain.jump[first : first + w])
            for i in range(w):
                row[i] *= emitted[i]
                place[i] = row[i] + null[j] * before[i]
                total += place[i]
        else:
            for i in range(w):
                row[i] *= emitted[i]
                place[i] = row[i]
                total += place[i]
        if not total > 0.0:
            return -np.inf
        found.inverse[j] = 1.0 / total
        inverse = found.inverse[j]
        for i in range(w):
            row[i] *= inverse
            place[i] *= inverse
        found.nowhere[j + 1] = none * null[j] * inverse
        log_norm += np.log(total)
    last = found.nowhere[m] * chain.never + dot(found.place[(m - 1) * w : m * w], chain.end)
    return log_norm + np.log(last) if last > 0.0 else -np.inf


@kernel
def backward(
    chain: Chain, em: Array, null: Array, l: int, w: int, prune: float, found: Filter, room: Array, counting: bool,
    shares: Array, empty: Array, moves: Moves,
) -> None:  # fmt: skip
    """shares[j, i] = P(a_j = i | both sentences); empty[j] = P(a_j empty); moves, where counting, are added to.

    b_{j−1} = A (em_j ∘ b_j / s_j) + null_j b_j / s_j; shares_j = linked_j ∘ b_j; `room` is three rows.
    """
    m = len(null)
    ahead, behind, drawn = room[:w], room[w : 2 * w], room[2 * w : 3 * w]
    final = found.place[(m - 1) * w : m * w]
    scale = 1.0 / (found.nowhere[m] * chain.never + dot(final, chain.end))
    for i in range(w):
        ahead[i] = chain.end[i] * scale
        if counting:
            moves.end[i] += final[i] * ahead[i]
    never = chain.never * scale
    for j in range(m - 1, -1, -1):
        row, share, emitted = found.linked[j * w : (j + 1) * w], shares[j * w : (j + 1) * w], em[j * w : (j + 1) * w]
        inverse, none, stay = found.inverse[j], found.nowhere[j], null[j] * found.inverse[j]
        for i in range(w):
            share[i] = row[i] * ahead[i]
            drawn[i] = emitted[i] * ahead[i] * inverse
        if counting and none > prune:
            for i in range(w):
                moves.begin[i] += none * chain.begin[i] * drawn[i]
        empty[j] = found.nowhere[j + 1] * never
        never = dot(chain.begin, drawn) + stay * never
        if j == 0:
            break
        before = found.place[(j - 1) * w : j * w]
        empty[j] += stay * dot(before, ahead)
        for i in range(w):
            behind[i] = stay * ahead[i]
        for i in range(l):
            if before[i] > prune:
                first = chain.centre - i
                onward = chain.leave[i] * dot(chain.jump[first : first + w], drawn)
                behind[i] += onward
                if counting:
                    moves.leave[i] += before[i] * onward
                    add(moves.jump[first : first + w], before[i] * chain.leave[i], drawn)
        ahead, behind = behind, ahead


@kernel
def viterbi(chain: Chain, em: Array, null: Array, l: int, w: int, room: Array, back: Array, links: Array) -> float:
    """links[j] = 1 + position, or 0, of the best alignment; returns its log-weight, or −inf. `room`: two rows of l + 1.

    State l is: nothing linked yet. back[j, i] = the place before, or −1 − place where word j is linked to the empty word.
    """
    m = len(null)
    before, here = room[: l + 1], room[l + 1 : 2 * l + 2]
    before[:l] = 0.0
    before[l] = 1.0
    log_norm = 0.0
    for j in range(m):
        top = 0.0
        for i in range(l + 1):
            here[i], back[j * (l + 1) + i] = null[j] * before[i], -1 - i
            if i == l:
                continue
            best, arg = before[l] * chain.begin[i], l
            for k in range(l):
                weight = before[k] * chain.leave[k] * chain.jump[chain.centre + i - k]
                if weight > best:
                    best, arg = weight, k
            if best * em[j * w + i] > here[i]:
                here[i], back[j * (l + 1) + i] = best * em[j * w + i], arg
            top = max(top, here[i])
        top = max(top, here[l])
        if not top > 0.0:
            return -np.inf
        for i in range(l + 1):
            here[i] /= top
        log_norm += np.log(top)
        before, here = here, before
    place, best = l, before[l] * chain.never
    for i in range(l):
        if before[i] * chain.end[i] > best:
            place, best = i, before[i] * chain.end[i]
    if not best > 0.0:
        return -np.inf
    for j in range(m - 1, -1, -1):
        origin = back[j * (l + 1) + place]
        links[j] = 0 if origin < 0 else place + 1
        place = -1 - origin if origin < 0 else origin
    return log_norm + np.log(best)


@kernel
def sample(chain: Chain, null: Array, l: int, w: int, found: Filter, room: Array, uniforms: Array, links: Array) -> None:
    """links[j] = 1 + position, or 0, of an alignment drawn from its posterior; forward's pass must stand in `found`.

    Backwards, each draw is of the place after word j − 1 together with whether word j is linked: `room` is one row of
    2 l + 2: places from which a link came, nothing linked yet, and the same place with word j empty.
    """
    m, last = len(null), len(null) - 1
    terms = room[: 2 * l + 2]
    for i in range(l):
        terms[i] = found.place[last * w + i] * chain.end[i]
    terms[l] = found.nowhere[m] * chain.never
    place = _drawn(terms[: l + 1], uniforms[last + 1])
    for j in range(last, -1, -1):
        # The posterior of word j's state given the place after it: linked or empty; then, if linked, from where.
        if place == l:
            links[j] = 0
            continue
        linked = found.linked[j * w + place] / found.place[j * w + place]
        if uniforms[j] >= linked:
            links[j] = 0
            continue
        links[j] = place + 1
        if j == 0:
            break
        for i in range(l):
            terms[i] = found.place[(j - 1) * w + i] * chain.leave[i] * chain.jump[chain.centre + place - i]
        terms[l] = found.nowhere[j] * chain.begin[place]
        place = _drawn(terms[: l + 1], uniforms[j] / linked)


@kernel
def _drawn(terms: Array, uniform: float) -> int:
    total = 0.0
    for i in range(len(terms)):
        total += terms[i]
    return draw(terms, uniform * total)
