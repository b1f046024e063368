"""How many words a word gives rise to: the distribution p(k | e), k = 0 … 6, by one mean-field step.

    em(j, i) ← em(j, i) · r(e_i, x),   r(e, k) = p(k + 1 | e) / p(k | e),   x = Σ_{j′ ≠ j} P(a_j′ = i)

An HMM does not know how often a position has been used. Given everything else, a further word of position i multiplies
the probability of the whole by p(k + 1) / p(k), where k counts the others; here k is replaced by its expectation x, and
r is read between whole numbers on a straight line. The fertility of Brown et al. 1993 as a field of neighbours.
"""

from __future__ import annotations

import numpy as np

from softcount.machine.kernel import part, within
from softcount.numbers.abreast import everywhere, larger, load, smaller, store
from softcount.numbers.lanes import LANES
from softcount.numbers.ragged import Array, Ragged

MOST = 6  # more words than that are counted as that many


def fertility_ratios(
    counts: Array, strength: float = 3.5, floor: float = 1e-3, least: float = 1e-3, most: float = 20.0
) -> Array:
    """r(e, k), k = 0 … 5, of counts n(e, k): p(k | e) ∝ n(e, k) + strength · g(k) + floor, g that of all words."""
    total = counts.sum(axis=0)
    smooth = counts + strength * total / max(total.sum(), 1e-300) + floor
    return np.clip(smooth[:, 1:] / smooth[:, :-1], least, most).astype(np.float32)


@part
def temper(
    ratio: Array, states: Ragged, group: Array, l: int, m: int, shares: Array, em: Array, sums: Array, steps: Array
) -> None:
    """em[j, i] *= r(e_i, Σ_j′ shares[j′, i] − shares[j, i]), of pairs abreast; `sums` [l] and `steps` are room."""
    zero, unit = everywhere(np.float32(0.0)), everywhere(np.float32(1.0))
    add_up(shares, l, m, sums)
    for i in range(l):
        _lay_ratios(ratio, states, group, i, steps)
        first, total = load(steps, 0), load(sums, i)
        for j in range(m):
            x, factor = total - load(shares, j * l + i), first
            for k in range(1, MOST):  # on straight lines: what x has of the step from k − 1 to k
                factor = factor + load(steps, k) * larger(smaller(x, unit), zero)
                x = x - unit
            store(em, j * l + i, factor * load(em, j * l + i))


@part
def add_up(shares: Array, l: int, m: int, sums: Array) -> None:
    """sums[i] = Σ_j shares[j, i]"""
    for i in range(l):
        total = load(shares, i)
        for j in range(1, m):
            total = total + load(shares, j * l + i)
        store(sums, i, total)


@within
def _lay_ratios(ratio: Array, states: Ragged, group: Array, i: int, steps: Array) -> None:
    """steps[0] = r(e_i, 0), steps[k] = r(e_i, k) − r(e_i, k − 1), of all pairs that have a position i"""
    for a in range(LANES):
        s = group[a]
        inside = s >= 0 and i < states.offsets[s + 1] - states.offsets[s]
        e = states.values[states.offsets[s] + i] if inside else -1
        steps[a] = ratio[e, 0]
        for k in range(1, MOST):
            steps[k * LANES + a] = ratio[e, k] - ratio[e, k - 1]


@within
def add_fertility(total: float, state: int, counts: Array) -> None:
    """counts[state, k], counts[state, k + 1] += 1 − part, part, where total = k + part"""
    k = min(int(total), MOST)
    part = min(total - k, 1.0) if k < MOST else 0.0
    counts[state, k] += 1.0 - part
    if part > 0.0:
        counts[state, k + 1] += part
