"""The inner loop of rows of features: each row climbs by itself, by L-BFGS in units of its own curvature.

    maximise  J(w) = Σ_v c_v s_v − C log Σ_v exp(s_v) − |w|² / 2σ²         s = F w,  C = Σ c,  θ ∝ exp(s)
    slope     g = Fᵀ (c − C θ) − w / σ²             curvature along p     C Var_θ(F p) + |p|² / σ²

D. C. Liu, J. Nocedal, Math. Programming 45, 1989. Curvatures of features differ by as much as words' frequencies do,
so directions are first divided by the diagonal of the Hessian; and as s is linear in w, trying another length of a
step asks for exponentials alone, no product with F.
"""

from __future__ import annotations

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array

MEMORY = 5  # steps that L-BFGS remembers
HALVINGS = 30  # of a step that does not rise enough
ENOUGH = 1e-4  # of the rise that the slope promises


@kernel
def climb(
    begins: Array, features: Array, data: Array, counts: Array, free: Array, variance: float, iterations: int,
    precision: float, weights: Array,
) -> None:  # fmt: skip
    """Every row of `weights` in place: ``w = argmax J(w)`` as far as `iterations` go, and never below where it began.

    begins, features, data : F in rows of columns (csr)
    free : which entries of a row are learned, bool [rows or 1, columns]; c of the others is zero
    """
    for r in range(len(weights)):
        _climb_row(begins, features, data, counts[r], free[r % len(free)], variance, iterations, precision, weights[r])


@kernel
def _climb_row(
    begins: Array, features: Array, data: Array, counts: Array, free: Array, variance: float, iterations: int,
    precision: float, w: Array,
) -> None:  # fmt: skip
    n, total = len(w), counts.sum()
    moves, turns = np.empty((MEMORY, n)), np.empty((MEMORY, n))
    theta, along, g, before, p = np.empty(len(counts)), np.zeros(len(counts)), np.empty(n), np.empty(n), np.empty(n)
    scores, scale = np.empty(len(counts)), np.empty(n)
    _product(begins, features, data, w, scores)
    value = _shares(scores, along, 0.0, counts, free, total, theta) - 0.5 * _inner(w, w) / variance
    _slope(begins, features, data, counts, theta, total, w, variance, g)
    _diagonal(begins, features, data, counts, theta, total, variance, scale)
    kept = 0
    for k in range(iterations):
        _direction(g, scale, moves, turns, kept, k, p)
        _product(begins, features, data, p, along)
        rise, square, cross = _inner(g, p), _inner(p, p), _inner(w, p)
        bend = total * _variance_of(along, theta) + square / variance
        if not (rise > 0.0 and bend > 0.0):
            break
        length, found, base = rise / bend, value, _inner(w, w)
        for _ in range(HALVINGS):
            found = _shares(scores, along, length, counts, free, total, theta)
            found -= 0.5 * (base + length * (2.0 * cross + length * square)) / variance
            if found >= value + ENOUGH * length * rise:
                break
            length *= 0.5
        if not found > value:
            break
        before[:] = g
        for j in range(n):
            w[j] += length * p[j]
        for v in range(len(scores)):
            scores[v] += length * along[v]
        _slope(begins, features, data, counts, theta, total, w, variance, g)
        at = k % MEMORY
        for j in range(n):
            moves[at, j], turns[at, j] = length * p[j], before[j] - g[j]
        kept = min(kept + 1, MEMORY)
        if found - value <= precision * abs(found):
            break
        value = found


@kernel
def _inner(a: Array, b: Array) -> float:
    """``a @ b``, without the threads of a library for matrices."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def _product(begins: Array, features: Array, data: Array, w: Array, scores: Array) -> None:
    """``scores = F @ w``"""
    for v in range(len(scores)):
        total = 0.0
        for i in range(begins[v], begins[v + 1]):
            total += data[i] * w[features[i]]
        scores[v] = total


@kernel
def _shares(
    scores: Array, along: Array, length: float, counts: Array, free: Array, total: float, theta: Array
) -> float:
    """``theta = softmax(scores + length * along)`` of the free entries; returns ``Σ c log θ``."""
    top, value, mass = -np.inf, 0.0, 0.0
    for v in range(len(scores)):
        theta[v] = scores[v] + length * along[v]
        if free[v]:
            top = max(top, theta[v])
            value += counts[v] * theta[v]
    for v in range(len(scores)):
        theta[v] = np.exp(theta[v] - top) if free[v] else 0.0
        mass += theta[v]
    if not mass > 0.0:  # a row that is held as a whole
        return 0.0
    for v in range(len(scores)):
        theta[v] /= mass
    return value - total * (top + np.log(mass))


@kernel
def _variance_of(along: Array, theta: Array) -> float:
    """``Var_θ(along)``"""
    mean, square = _inner(theta, along), 0.0
    for v in range(len(along)):
        square += theta[v] * (along[v] - mean) ** 2
    return square


@kernel
def _slope(
    begins: Array, features: Array, data: Array, counts: Array, theta: Array, total: float, w: Array, variance: float,
    g: Array,
) -> None:  # fmt: skip
    """``g = F.T @ (c − C θ) − w / σ²``"""
    for j in range(len(w)):
        g[j] = -w[j] / variance
    for v in range(len(counts)):
        left = counts[v] - total * theta[v]
        for i in range(begins[v], begins[v + 1]):
            g[features[i]] += data[i] * left


@kernel
def _diagonal(
    begins: Array, features: Array, data: Array, counts: Array, theta: Array, total: float, variance: float,
    scale: Array,
) -> None:  # fmt: skip
    """``1 / (F².T @ (c + C θ) / 2 + 1 / σ²)``: of the Hessian, half where it is and half where the counts want it."""
    for j in range(len(scale)):
        scale[j] = 1.0 / variance
    for v in range(len(counts)):
        weight = 0.5 * (max(counts[v], 0.0) + max(total, 0.0) * theta[v])
        for i in range(begins[v], begins[v + 1]):
            scale[features[i]] += data[i] * data[i] * weight
    for j in range(len(scale)):
        scale[j] = 1.0 / scale[j]


@kernel
def _direction(g: Array, scale: Array, moves: Array, turns: Array, kept: int, k: int, p: Array) -> None:
    """L-BFGS's two loops over the last `kept` steps before step `k`, around ``scale``."""
    p[:] = g
    alphas = np.zeros(MEMORY)
    for back in range(kept):
        at = (k - 1 - back) % MEMORY
        alphas[at] = _inner(moves[at], p) / _inner(moves[at], turns[at])
        for j in range(len(p)):
            p[j] -= alphas[at] * turns[at, j]
    for j in range(len(p)):
        p[j] *= scale[j]
    for back in range(kept - 1, -1, -1):
        at = (k - 1 - back) % MEMORY
        beta = _inner(turns[at], p) / _inner(moves[at], turns[at])
        for j in range(len(p)):
            p[j] += (alphas[at] - beta) * moves[at, j]
