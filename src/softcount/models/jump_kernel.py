"""The E-step of an HMM over source positions, one sentence pair at a time: forward filter, then backward.

    P(f, a | e) = Π_j  a_j linked: leave(i′) · jump(i′, a_j) · em(j, a_j)     or    empty: null(j), and the place stays

i′ is the place before word j: the position linked last, which the empty word does not change (Och & Ney 2003), or none
yet; the first link is weighted by begin(i) instead, and the place after the last word by end(i). The future depends on
the place alone, so one backward vector serves the linked and the empty state of a position. Weights need not normalise.

Everything is scaled word by word, with exact zeros. Rows of l numbers are as wide as whole lanes, w; what is beyond l
is zero in `em` and finite elsewhere. All that a pass reads and writes lies in one array, the desk, at the places that a
`Desk` names: sentences are short, and to hand over twenty arrays would cost more than the arithmetic on them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.attribute import draw
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array
from softcount.numbers.windows import add, combine, correlate, dot, multiply, spread


class Desk(NamedTuple):
    """Where on the desk each thing begins. Rows [w] are by position, columns [m] by word, grids [m · w] by both."""

    # The weights
    begin: int  # row
    leave: int  # row
    end: int  # row
    never: int  # one number: instead of `end` where every word is linked to the empty word
    jump: int  # square [i′ · w + i]: from position i′ to position i
    back: int  # the same turned: [i · w + i′]
    null: int  # column
    em: int  # grid
    # What the passes keep; `linked` and `place` are still to be multiplied by the word's `inverse`
    linked: int  # grid: P(a_j = i, linked | words up to j)
    place: int  # grid: P(place is i | words up to j)
    left: int  # grid: place · leave
    drawn: int  # grid: em_j ∘ b_j / s_j
    nowhere: int  # column and one more: P(nothing linked yet | words before j)
    inverse: int  # column: 1 / s_j, s_j = P(word j | words before)
    ahead: int  # row
    behind: int  # row
    onward: int  # row
    # What comes out: posteriors, and ∂ log Z by the logarithm of each weight, added up over sentence pairs
    shares: int  # grid: P(a_j = i | both sentences)
    empty: int  # column: P(a_j empty | both sentences)
    begins: int  # row
    leaves: int  # row
    ends: int  # row
    jumps: int  # jumps + d: jumps of d, still to be multiplied by their weights
    size: int


def desk(longest: int) -> Desk:
    """A desk for sentences of up to so many words."""
    wide = longest + LANES
    sizes = dict.fromkeys(Desk._fields[:-1], wide)
    sizes |= dict.fromkeys(("jump", "back"), longest * wide) | {"jumps": 2 * wide + LANES}
    sizes |= dict.fromkeys(("em", "linked", "place", "left", "drawn", "shares"), longest * wide)
    ends = np.cumsum(list(sizes.values()))
    starts = dict(zip(sizes, (ends - list(sizes.values())).tolist(), strict=True))
    starts["jumps"] += wide
    return Desk(**starts, size=int(ends[-1]))


@kernel
def forward(at: Desk, desk: Array, l: int, m: int, w: int) -> float:
    """linked_j = (place_{j−1} A) ∘ em_j and place_j = linked_j + null_j place_{j−1}, over s_j.

    Returns Σ log s_j + log of the end's weight, or −inf.
    """
    unit = desk.dtype.type(1.0)  # of the desk's kind, so that nothing is widened on the way
    desk[at.nowhere] = unit
    log_norm, product = 0.0, 1.0
    for j in range(m):
        here, none, null = j * w, desk[at.nowhere + j], desk[at.null + j]
        linked, place = at.linked + here, at.place + here
        if j == 0:
            total = null + multiply(desk, linked, none, desk, at.begin, desk, at.em, w)
            spread(desk, place, unit, desk, linked, w)
        else:
            inverse = desk[at.inverse + j - 1]
            combine(desk, linked, desk, at.left + here - w, l, desk, at.jump, w)
            if none > 0.0:
                add(desk, linked, none, desk, at.begin, w)
            total = null + multiply(desk, linked, unit, desk, linked, desk, at.em + here, w)
            spread(desk, place, null * inverse, desk, place - w, w)
            add(desk, place, unit, desk, linked, w)
        if not total > 0.0:
            return -np.inf
        desk[at.inverse + j] = unit / total
        multiply(desk, at.left + here, unit / total, desk, place, desk, at.leave, w)
        desk[at.nowhere + j + 1] = none * null / total
        product *= float(total)
        if product < 1e-200 or product > 1e200:
            log_norm += np.log(product)
            product = 1.0
    last = _ended(at, desk, m, w)
    return log_norm + np.log(product) + np.log(last) if last > 0.0 else -np.inf


@kernel
def _ended(at: Desk, desk: Array, m: int, w: int) -> Any:
    """The weight of the places after the last word: Σ_i place(i) end(i)"""
    final = dot(desk, at.place + (m - 1) * w, desk, at.end, w)
    return desk[at.nowhere + m] * desk[at.never] + desk[at.inverse + m - 1] * final


@kernel
def backward(at: Desk, desk: Array, l: int, m: int, w: int, counting: bool) -> None:
    """b_{j−1} = A (em_j ∘ b_j / s_j) + null_j b_j / s_j; shares_j = linked_j ∘ b_j. After `forward`."""
    unit = desk.dtype.type(1.0)
    ahead, behind = at.ahead, at.behind
    scale = unit / _ended(at, desk, m, w)
    spread(desk, ahead, scale, desk, at.end, w)
    never = desk[at.never] * scale
    if counting:
        multiply(desk, behind, desk[at.inverse + m - 1], desk, at.place + (m - 1) * w, desk, ahead, w)
        add(desk, at.ends, unit, desk, behind, w)
    for j in range(m - 1, -1, -1):
        here, none, inverse = j * w, desk[at.nowhere + j], desk[at.inverse + j]
        drawn, stay = at.drawn + here, desk[at.null + j] * inverse
        multiply(desk, at.shares + here, inverse, desk, at.linked + here, desk, ahead, w)
        multiply(desk, drawn, inverse, desk, at.em + here, desk, ahead, w)
        alone = desk[at.nowhere + j + 1] * never
        if none > 0.0:
            never = dot(desk, at.begin, desk, drawn, w) + stay * never
            if counting:
                multiply(desk, at.onward, none, desk, at.begin, desk, drawn, w)
                add(desk, at.begins, unit, desk, at.onward, w)
        if j > 0:
            before, inverse = at.place + here - w, desk[at.inverse + j - 1]
            alone += stay * inverse * dot(desk, before, desk, ahead, w)
            combine(desk, at.onward, desk, drawn, l, desk, at.back, w)
            multiply(desk, behind, unit, desk, at.onward, desk, at.leave, w)
            if counting:
                multiply(desk, at.onward, inverse, desk, before, desk, behind, w)
                add(desk, at.leaves, unit, desk, at.onward, w)
            add(desk, behind, stay, desk, ahead, w)
            ahead, behind = behind, ahead
        desk[at.empty + j] = alone


@kernel
def count_jumps(at: Desk, desk: Array, i: int, m: int, w: int) -> None:
    """jumps[k − i] += Σ_j left_{j−1}[i] drawn_j[k], of all jumps from position i"""
    correlate(desk, at.jumps - i, desk, at.left + i, w, desk, at.drawn + w, m - 1, w)


@kernel
def viterbi(at: Desk, desk: Array, l: int, m: int, w: int, back: Array, links: Array) -> float:
    """links[j] = 1 + position, or 0, of the best alignment; returns its log-weight, or −inf.

    State l is: nothing linked yet. back[j · (l + 1) + i] = the place before, or −1 where word j is linked to the empty
    word. Rows `place` and `left` hold the states before and after a word.
    """
    before, here = at.place, at.left
    desk[before : before + l] = 0.0
    desk[before + l] = 1.0
    log_norm = 0.0
    for j in range(m):
        top = 0.0
        for i in range(l + 1):
            best, origin = desk[at.null + j] * desk[before + i], -1
            if i < l:
                emitted = desk[at.em + j * w + i]
                if desk[before + l] * desk[at.begin + i] * emitted > best:
                    best, origin = desk[before + l] * desk[at.begin + i] * emitted, l
                for k in range(l):
                    weight = desk[before + k] * desk[at.leave + k] * desk[at.jump + k * w + i] * emitted
                    if weight > best:
                        best, origin = weight, k
            desk[here + i], back[j * (l + 1) + i] = best, origin
            top = max(top, best)
        if not top > 0.0:
            return -np.inf
        for i in range(l + 1):
            desk[here + i] /= top
        log_norm += np.log(top)
        before, here = here, before
    place, best = l, desk[before + l] * desk[at.never]
    for i in range(l):
        if desk[before + i] * desk[at.end + i] > best:
            place, best = i, desk[before + i] * desk[at.end + i]
    if not best > 0.0:
        return -np.inf
    for j in range(m - 1, -1, -1):
        origin = back[j * (l + 1) + place]
        links[j] = 0 if origin < 0 else place + 1
        place = place if origin < 0 else origin
    return log_norm + np.log(best)


@kernel
def sample(at: Desk, desk: Array, l: int, m: int, w: int, uniforms: Array, links: Array) -> None:
    """links[j] = 1 + position, or 0, of an alignment drawn from its posterior. After `forward`.

    Backwards: given the place after word j, was it linked, and if so, from where? uniforms[m] draws the last place.
    """
    terms = desk[at.drawn : at.drawn + l + 1]
    for i in range(l):
        terms[i] = desk[at.inverse + m - 1] * desk[at.place + (m - 1) * w + i] * desk[at.end + i]
    terms[l] = desk[at.nowhere + m] * desk[at.never]
    place = _drawn(terms, uniforms[m])
    for j in range(m - 1, -1, -1):
        links[j] = 0
        if place == l:
            continue
        linked = desk[at.linked + j * w + place] / desk[at.place + j * w + place]
        if uniforms[j] >= linked:
            continue
        links[j] = place + 1
        if j == 0:
            break
        for i in range(l):
            terms[i] = desk[at.left + (j - 1) * w + i] * desk[at.jump + i * w + place]
        terms[l] = desk[at.nowhere + j] * desk[at.begin + place]
        place = _drawn(terms, uniforms[j] / linked)


@kernel
def _drawn(terms: Array, uniform: float) -> int:
    total = 0.0
    for i in range(len(terms)):
        total += terms[i]
    return draw(terms, uniform * total)
