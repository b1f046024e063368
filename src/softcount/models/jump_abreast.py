"""The HMM over source positions of models/jump_kernel.py, eight sentence pairs at a time: sums, and what they count.

    linked_j = (place_{j−1} A) ∘ em_j        place_j = linked_j + null_j · place_{j−1}
    b_{j−1} = A (em_j ∘ b_j) + null_j · b_j        P(a_j = i | both sentences) = linked_j(i) · b_j(i)

with A(i′, i) = leave(i′) jump(i′, i), and all scaled by s_j, the sum of word j's terms. Pairs of about the same shape
lie abreast (numbers/abreast.py), as wide as the widest of them: positions that a pair does not have are never linked,
their `em` being zero, and words that it does not have leave the place where it is, their `null` being one. A pair whose
probability is zero has shares of zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.machine.kernel import part, within
from softcount.models.fertility import MOST
from softcount.numbers.abreast import everywhere, inverse, load, store
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array

BLOCK = 4  # sums that are added up at the same time


class Room(NamedTuple):
    """Numbers abreast. Rows [l] are by position, columns [m] by word, grids [m · l] by both."""

    # The weights
    begin: Array  # row
    leave: Array  # row
    end: Array  # row
    never: Array  # one: instead of `end` where every word is linked to the empty word
    jump: Array  # square [i′ · l + i]: from position i′ to position i
    null: Array  # column
    # What the passes keep
    place: Array  # grid, one word more: P(place is i | words before j)
    nowhere: Array  # column and one more: P(nothing linked yet | words before j)
    inverse: Array  # column: 1 / s_j
    total: Array  # column and one more: s_j, and the weight of the places after the last word
    left: Array  # row: place · leave
    ahead: Array  # row: b_j
    onward: Array  # row
    steps: Array  # of fertilities
    # What comes out
    empty: Array  # column: P(a_j empty | both sentences)
    begins: Array  # row: expected first links
    ends: Array  # row: expected last places
    moves: Array  # square: Σ_j place_{j−1}(i′) em_j(i) b_j(i) / s_j, still to be multiplied by leave(i′) jump(i′, i)


@part
def room(longest: int, cells: int) -> Room:
    """For sentences of up to so many words, and pairs of up to so many token pairs."""
    return Room(
        _zeros(longest), _zeros(longest), _zeros(longest), _zeros(1), _zeros(longest * longest), _zeros(longest),
        _zeros(cells + longest), _zeros(longest + 1), _zeros(longest), _zeros(longest + 1), _zeros(longest),
        _zeros(longest), _zeros(longest), _zeros(MOST), _zeros(longest), _zeros(longest), _zeros(longest),
        _zeros(longest * longest),
    )  # fmt: skip


@within
def _zeros(n: int) -> Array:
    return np.zeros(n * LANES, np.float32)


@part
def forward(at: Room, em: Array, linked: Array, l: int, m: int) -> None:
    """`linked`, still to be multiplied by the word's `inverse`, and what `backward` needs besides."""
    zero, none = everywhere(np.float32(0.0)), everywhere(np.float32(1.0))
    for i in range(l):
        store(at.place, i, zero)
    for j in range(m):
        store(at.nowhere, j, none)
        null, here = load(at.null, j), j * l
        total = null
        _product(at.left, 0, 1, l if j > 0 else 0, at.jump, 0, 1, l, l, linked, here)
        for i in range(l):
            value = (load(linked, here + i) + none * load(at.begin, i)) * load(em, here + i)
            store(linked, here + i, value)
            store(at.place, here + l + i, value + null * load(at.place, here + i))
            total = total + value
        scale = inverse(total)
        for i in range(l):
            place = scale * load(at.place, here + l + i)
            store(at.place, here + l + i, place)
            store(at.left, i, place * load(at.leave, i))
        none = none * null * scale
        store(at.total, j, total)
        store(at.inverse, j, scale)
    store(at.nowhere, m, none)
    last = none * load(at.never, 0)
    for i in range(l):
        last = last + load(at.place, m * l + i) * load(at.end, i)
    store(at.total, m, last)


@part
def backward(at: Room, em: Array, linked: Array, l: int, m: int, counting: bool) -> None:
    """Makes shares P(a_j = i) of `linked`, and em_j ∘ b_j / s_j of `em` where counting. After `forward`."""
    zero = everywhere(np.float32(0.0))
    scale = inverse(load(at.total, m))
    never = load(at.never, 0) * scale
    for i in range(l):
        b = scale * load(at.end, i)
        store(at.ahead, i, b)
        store(at.ends, i, load(at.place, m * l + i) * b)
        store(at.begins, i, zero)
    for j in range(m - 1, -1, -1):
        here, scale, none = j * l, load(at.inverse, j), load(at.nowhere, j)
        drawn, row = (em, here) if counting else (at.left, 0)
        stay, first, same = load(at.null, j) * scale, zero, zero
        for i in range(l):
            ahead = load(at.ahead, i)
            term = load(em, here + i) * (scale * ahead)
            begun = load(at.begin, i) * term
            store(linked, here + i, load(linked, here + i) * (scale * ahead))
            store(drawn, row + i, term)
            store(at.begins, i, load(at.begins, i) + none * begun)
            same = same + load(at.place, here + i) * ahead
            first = first + begun
        store(at.empty, j, load(at.nowhere, j + 1) * never + stay * same)
        never = first + stay * never
        if j > 0:
            _product(drawn, row, 1, l, at.jump, 0, l, 1, l, at.onward, 0)
            for i in range(l):
                store(at.ahead, i, load(at.leave, i) * load(at.onward, i) + stay * load(at.ahead, i))


@part
def count_moves(at: Room, drawn: Array, l: int, m: int) -> None:
    """moves[i′, i] = Σ_j place_{j−1}[i′] drawn_j[i]. After `backward`, counting."""
    for k in range(l):
        _product(at.place, l + k, l, m - 1, drawn, l, 1, l, l, at.moves, k * l)


@within
def _product(
    row: Array, r: int, t: int, n: int, matrix: Array, g: int, p: int, q: int, l: int, out: Array, o: int
) -> None:
    """out[o + a] = Σ_{b < n} row[r + b t] · matrix[g + a p + b q], a < l

    Several of these sums at a time, so that none waits for its last term; the last of them once more.
    """
    zero = everywhere(np.float32(0.0))
    for a in range(l if l < BLOCK else 0):
        w = zero
        for b in range(n):
            w = w + load(row, r + b * t) * load(matrix, g + a * p + b * q)
        store(out, o + a, w)
    for begin in range(0, l if l >= BLOCK else 0, BLOCK):
        a = min(begin, l - BLOCK)
        w, x, y, z = zero, zero, zero, zero
        for b in range(n):
            factor, k = load(row, r + b * t), g + a * p + b * q
            w = w + factor * load(matrix, k)
            x = x + factor * load(matrix, k + p)
            y = y + factor * load(matrix, k + 2 * p)
            z = z + factor * load(matrix, k + 3 * p)
        store(out, o + a, w)
        store(out, o + a + 1, x)
        store(out, o + a + 2, y)
        store(out, o + a + 3, z)
