"""How many words a word gives rise to: the distribution p(k | e), k = 0 … 6, by one mean-field step.

    em(j, i) ← em(j, i) · r(e_i, x),   r(e, k) = p(k + 1 | e) / p(k | e),   x = Σ_{j′ ≠ j} P(a_j′ = i)

An HMM does not know how often a position has been used. Given everything else, a further word of position i multiplies
the probability of the whole by p(k + 1) / p(k), where k counts the others; here k is replaced by its expectation x, and
r is read between whole numbers on a straight line. The fertility of Brown et al. 1993 as a field of neighbours.
"""

from __future__ import annotations

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array
from softcount.numbers.windows import add, spread

MOST = 6  # more words than that are counted as that many
SMALL = 1e-3  # posteriors below change x too little to look r up again


def fertility_ratios(
    counts: Array, strength: float = 3.5, floor: float = 1e-3, least: float = 1e-3, most: float = 20.0
) -> Array:
    """r(e, k), k = 0 … 5, of counts n(e, k): p(k | e) ∝ n(e, k) + strength · g(k) + floor, g that of all words."""
    total = counts.sum(axis=0)
    smooth = counts + strength * total / max(total.sum(), 1e-300) + floor
    return np.clip(smooth[:, 1:] / smooth[:, :-1], least, most).astype(np.float32)


@kernel
def temper(
    ratio: Array, states: Array, start: int, l: int, m: int, w: int, desk: Array, shares: int, em: int, sums: int
) -> None:
    """em[j, i] *= r(e_i, Σ_j′ shares[j′, i] − shares[j, i]), e_i = states[start + i]; `sums` is room for a row."""
    _sum(l, m, w, desk, shares, sums)
    for i in range(l):
        e, total = states[start + i], desk[sums + i]
        usual = _between(ratio, e, total)
        for j in range(m):
            share = desk[shares + j * w + i]
            desk[em + j * w + i] *= usual if share < SMALL else _between(ratio, e, total - share)


@kernel
def _sum(l: int, m: int, w: int, desk: Array, shares: int, sums: int) -> None:
    """sums[i] = Σ_j shares[j, i]"""
    unit = desk.dtype.type(1.0)
    spread(desk, sums, unit, desk, shares, w)
    for j in range(1, m):
        add(desk, sums, unit, desk, shares + j * w, w)


@kernel
def _between(ratio: Array, state: int, x: float) -> float:
    """np.interp(x, range(K), ratio[state])"""
    top = ratio.shape[1] - 1
    if x >= top:
        return ratio[state, top]
    k = int(x)
    part = x - k
    return ratio[state, k] + part * (ratio[state, k + 1] - ratio[state, k])


@kernel
def add_fertilities(
    states: Array, start: int, l: int, m: int, w: int, desk: Array, shares: int, sums: int, counts: Array
) -> None:
    """counts[e_i, k], counts[e_i, k + 1] += 1 − part, part, where Σ_j shares[j, i] = k + part"""
    _sum(l, m, w, desk, shares, sums)
    for i in range(l):
        total = desk[sums + i]
        k = min(int(total), MOST)
        part = min(total - k, 1.0) if k < MOST else 0.0
        counts[states[start + i], k] += 1.0 - part
        if part > 0.0:
            counts[states[start + i], k + 1] += part
