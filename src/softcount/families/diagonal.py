"""Alignment near the diagonal with one learned number, the tension λ, and a probability of the empty word.

    a(0 | j, l, m) = p₀        a(i | j, l, m) = (1 − p₀) · exp(λ h_ij) / Z_jlm(λ),   h_ij = −|i/l − j/m|

C. Dyer, V. Chahuneau, N. A. Smith, NAACL 2013. Linear in its log-parameters, as everything here must be, once each
(l, m, j) has its own −log Z: a table is the vector (p₀, 1 − p₀, λ, −log Z of every cell), its counts are (empty links,
other links, Σ h of the links, links of every cell), and those are all that maximising λ needs: a concave function of
one number. Under variational Bayes and Gibbs this table stays a point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.families.penalty import NOTHING, Pseudo
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, offsets_of

NULL, LINK, TENSION, CELLS = 0, 1, 2, 3  # what stands where in the vector; cells from there on
TIGHTEST = 60.0  # more and everything off the diagonal is as good as impossible


class Diagonal(NamedTuple):
    classes: Array  # int64 [C, 2]: the (source length, target length) pairs there are
    null: float = 0.08
    tension: float = 4.0
    learn_null: bool = False
    learn_tension: bool = True

    @property
    def cells(self) -> Array:
        """Where each class's cells, one per target position, begin; a pair with an empty side has none."""
        return offsets_of(np.where(self.classes[:, 0] > 0, self.classes[:, 1], 0))

    def table(self, null: float, tension: float) -> Array:
        vector = np.empty(self.size())
        vector[:CELLS] = null, 1.0 - null, tension
        _moments(self.classes, tension, np.empty(0), vector[CELLS:])
        return vector

    def uniform(self) -> Array:
        return self.table(self.null, self.tension)

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        return self.uniform()

    def size(self) -> tuple[int, ...]:
        return (CELLS + int(self.cells[-1]),)

    def impossible(self, parameters: Array) -> Array:
        """The entries that no data will ever bring back: p₀ of zero."""
        return np.concatenate([parameters[: LINK + 1] == 0.0, np.zeros(len(parameters) - LINK - 1, dtype=bool)])

    def sound(self, parameters: Array) -> bool:
        """The cells follow from p₀ and λ."""
        null, tension = float(parameters[NULL]), float(parameters[TENSION])
        within = 0.0 <= null <= 1.0 and 0.0 <= tension <= TIGHTEST
        return within and bool(np.allclose(parameters, self.table(null, tension)))

    def hold(self, parameters: Array, held: Array) -> Diagonal:
        """Masks speak of (p₀, 1 − p₀, λ); the cells follow."""
        return self._replace(
            null=float(parameters[NULL]),
            tension=float(parameters[TENSION]),
            learn_null=self.learn_null and not held[: LINK + 1].any(),
            learn_tension=self.learn_tension and not held[TENSION],
        )

    def maximize(self, counts: Array, penalty: Pseudo = NOTHING, parameters: Array | None = None) -> Array:
        """p₀ by counting, λ by Newton's method; both as they were where nothing was counted or learned."""
        null, tension = (self.null, self.tension) if parameters is None else parameters[[NULL, TENSION]]
        links = counts[NULL] + counts[LINK]
        if self.learn_null and links > 0:
            imagined = np.max(penalty.amount)
            null = (counts[NULL] + imagined) / (links + 2 * imagined)
        if self.learn_tension and counts[LINK] > 0:
            tension = self._tightened(float(counts[TENSION]), np.ascontiguousarray(counts[CELLS:]))
        return self.table(float(null), float(tension))

    def _tightened(self, feature: float, masses: Array) -> float:
        """argmax_λ λ Σh − Σ_cells mass · log Z(λ), whose slope falls in λ."""
        low, high, tension, scratch = 0.0, TIGHTEST, self.tension or 1.0, np.empty(len(masses))
        for _ in range(60):
            mean, variance = _moments(self.classes, tension, masses, scratch)
            slope = feature - mean
            low, high = (tension, high) if slope > 0 else (low, tension)
            newton = tension + slope / variance if variance > 0 else high
            after = newton if low < newton < high else 0.5 * (low + high)
            if abs(after - tension) <= 1e-13 * max(tension, 1.0):
                break
            tension = after
        return tension

    def ascend(self, parameters: Array, gradient: Array, counts: Array) -> Array:
        """Towards the counts that the gradient points to: at counts' own maximum that is uphill."""
        return self.maximize(counts + gradient, NOTHING, parameters)

    def log_weights(self, parameters: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.concatenate([np.log(parameters[: LINK + 1]), parameters[TENSION:]])

    def unvisited(self, counts: Array) -> Array:
        return np.empty(0, dtype=np.int64)

    def log_prior(self, parameters: Array, penalty: Pseudo) -> float:
        if not (self.learn_null and penalty):
            return 0.0
        return float(np.max(penalty.amount) * np.sum(np.log(parameters[: LINK + 1])))


@kernel
def closeness(i: int, l: int, j: int, m: int) -> float:
    """h_ij; both count from 1"""
    return -abs(i / l - j / m)


@kernel
def _moments(classes: Array, tension: float, masses: Array, minus_log_z: Array) -> tuple[float, float]:
    """minus_log_z = −log Σ_i exp(λ h_ij) of every cell; returns Σ mass · E[h] and Σ mass · Var[h]."""
    cell, mean, variance = 0, 0.0, 0.0
    for c in range(len(classes)):
        l, m = classes[c, 0], classes[c, 1]
        if l == 0:
            continue
        rise = np.exp(tension / l)
        for j in range(1, m + 1):
            below = j * l // m  # the last i with i/l ≤ j/m
            total, first, second = 0.0, 0.0, 0.0
            weight = np.exp(tension * closeness(below, l, j, m))
            for i in range(below, 0, -1):
                h = closeness(i, l, j, m)
                total += weight
                first += weight * h
                second += weight * h * h
                weight /= rise
            weight = np.exp(tension * closeness(below + 1, l, j, m))
            for i in range(below + 1, l + 1):
                h = closeness(i, l, j, m)
                total += weight
                first += weight * h
                second += weight * h * h
                weight /= rise
            minus_log_z[cell] = -np.log(total)
            if len(masses) > 0:
                average = first / total
                mean += masses[cell] * average
                variance += masses[cell] * (second / total - average * average)
            cell += 1
    return mean, variance
