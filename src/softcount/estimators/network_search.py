"""Structural EM: which arcs a network has, where cells may be missing and variables hidden.

    mass(row) = P(what is missing | what is seen, network now)             expected counts of every possible family
    arcs ← argmax over arcs added, dropped, turned of Σ_v [Σ c log(c / Σ_row c) − ½ log N · entries of v's table]
    tables ← EM on these arcs                                              BIC = log P(seen) − ½ log N · entries

Arcs that have a better expected BIC have a better BIC, so that it never falls: N. Friedman, "The Bayesian structural EM
algorithm", UAI 1998. Rows are completed in all ways at once, which needs them to lack few cells. The climb is greedy,
and begins again from shaken arcs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.signals import obey
from softcount.numbers.ragged import Array
from softcount.text.records import Records
from softcount.text.structure import Structure

AUTO = "auto"
MOST_PARENTS = 4
MOST_ROWS = 3_000_000  # completions of all rows
STEPS, SETTLED = 200, 1e-7  # of EM between two changes of arcs
SHAKES, SHAKEN = 150, 8  # how often the climb begins again, and by how many random changes at most
ROUNDING = 1e-9

Arcs = tuple[frozenset[int], ...]  # of every variable its parents


class Scored(NamedTuple):
    """What was found, and how it came about."""

    parents: Arcs
    bic: float
    bics: list[float]  # after every change of arcs; they never fall


def learned_structure(
    begun: Structure, data: Records, sizes: tuple[int, ...], restarts: int, seed: int
) -> tuple[Structure, Scored]:
    """The best of several searches, which begin with these arcs and with different hidden values."""
    if begun.over_time:
        raise InputError("arcs from the previous row are not searched; omit @-1, or give the arcs")
    place = {name: v for v, name in enumerate(begun.names)}
    arcs = tuple(frozenset(place[name] for name, _ in above) for above in begun.parents)
    filled = completed(data.cells, np.repeat(data.weights, data.sizes), sizes)
    found = max((Search(filled, np.random.default_rng([seed, r])).run(arcs) for r in range(restarts)), key=_bic)
    parents = tuple(tuple((begun.names[u], 0) for u in sorted(above)) for above in found.parents)
    return Structure(begun.names, parents), found


def _bic(found: Scored) -> float:
    return found.bic


def unconnected(columns: Sequence[str], hidden: Sequence[str]) -> Structure:
    """The columns without arcs; but hidden variables act on all of them, or nothing would tell what they are."""
    above = tuple((name, 0) for name in hidden)
    return Structure((*columns, *hidden), (*(above for _ in columns), *(() for _ in hidden)))


class Completed(NamedTuple):
    """Rows with all that is missing filled in, in every way."""

    cells: Array  # [completions, variables]
    row: Array  # which row each completes
    weights: Array  # how often each row was seen
    sizes: tuple[int, ...]


def completed(cells: Array, weights: Array, sizes: tuple[int, ...]) -> Completed:
    rows, which = np.unique(cells, axis=0, return_inverse=True)
    ways = np.where(rows < 0, np.array(sizes, dtype=float), 1.0).prod(axis=1)
    if ways.sum() > MOST_ROWS:
        raise InputError(
            f"{ways.sum():,.0f} combinations of missing values, more than {MOST_ROWS:,}; use fewer "
            "hidden variables or values, or remove rows with many missing cells"
        )
    parts = [_ways(row, sizes) for row in rows]
    counts = np.bincount(which.ravel(), weights, len(rows))
    return Completed(np.concatenate(parts), np.repeat(np.arange(len(rows)), [len(p) for p in parts]), counts, sizes)


def _ways(row: Array, sizes: tuple[int, ...]) -> Array:
    choices = [range(size) if value < 0 else (value,) for value, size in zip(row.tolist(), sizes, strict=True)]
    return np.array(list(product(*choices)), dtype=np.int64)


class Search:
    """The climb; tables are held by family, for families are what arcs change."""

    def __init__(self, data: Completed, rng: np.random.Generator) -> None:
        self.data, self.rng = data, rng
        self.n = float(data.weights.sum())
        self.scores: dict[tuple[int, frozenset[int]], float] = {}  # of families, under the masses of now

    def run(self, parents: Arcs) -> Scored:
        mass = self.data.weights[self.data.row] * self._spread()
        mass, found = self.fitted(parents, mass)
        bics = [found]
        while True:
            obey()
            stage.begin(f"choosing arcs, BIC {bics[-1]:,.1f}")
            self.scores = {}
            better = self.climbed(parents, mass)
            if better == parents:
                return Scored(parents, bics[-1], bics)
            moved, score = self.fitted(better, mass)
            if score <= bics[-1] + ROUNDING * abs(bics[-1]):
                return Scored(parents, bics[-1], bics)
            parents, mass = better, moved
            bics.append(score)

    def _spread(self) -> Array:
        """Some weight to every way to complete a row, at random: hidden values must not begin alike."""
        weight = self.rng.random(len(self.data.row)) + 0.1
        return np.asarray(weight / np.bincount(self.data.row, weight)[self.data.row])

    # --- tables ---------------------------------------------------------------------------------------------------

    def fitted(self, parents: Arcs, mass: Array) -> tuple[Array, float]:
        """EM on these arcs from these masses: (masses, BIC)."""
        penalty = 0.5 * log(self.n) * sum(self.entries(v, above) for v, above in enumerate(parents))
        before = -np.inf
        for _ in range(STEPS):
            mass, seen = self.expected(parents, mass)
            if seen - before <= SETTLED * abs(seen):
                break
            before = seen
        return mass, seen - penalty

    def expected(self, parents: Arcs, mass: Array) -> tuple[Array, float]:
        """M-step and E-step: the masses under the tables that these masses make, and log P(what is seen)."""
        joint = np.zeros(len(mass))
        for v, above in enumerate(parents):
            index, counts = self.counted(v, above, mass)
            with np.errstate(divide="ignore", invalid="ignore"):
                table = np.where(counts.sum(axis=1, keepdims=True) > 0, counts / counts.sum(axis=1, keepdims=True), 0.0)
                joint += np.log(table).ravel()[index]
        top = np.full(len(self.data.weights), -np.inf)
        np.maximum.at(top, self.data.row, joint)
        share = np.exp(joint - top[self.data.row])
        total = np.bincount(self.data.row, share)
        seen = float(self.data.weights @ (np.log(total) + top))
        return self.data.weights[self.data.row] * share / total[self.data.row], seen

    def counted(self, v: int, above: frozenset[int], mass: Array) -> tuple[Array, Array]:
        """(The entry that each completion uses, the table of expected counts [parents' values, own values])."""
        index = np.zeros(len(mass), dtype=np.int64)
        for u in (*sorted(above), v):
            index = index * self.data.sizes[u] + self.data.cells[:, u]
        entries = self.data.sizes[v] * int(np.prod([self.data.sizes[u] for u in above], dtype=np.int64))
        return index, np.bincount(index, mass, entries).reshape(-1, self.data.sizes[v])

    def entries(self, v: int, above: frozenset[int]) -> float:
        return (self.data.sizes[v] - 1) * float(np.prod([self.data.sizes[u] for u in above]))

    # --- arcs -----------------------------------------------------------------------------------------------------

    def climbed(self, parents: Arcs, mass: Array) -> Arcs:
        """The best arcs that a greedy climb finds from these, or from these when shaken."""
        best = self._climb(parents, mass)
        for k in range(SHAKES):
            found = self._climb(self._shaken(best, 2 + k % (SHAKEN - 1)), mass)
            if self.total(found, mass) > self.total(best, mass) + ROUNDING * self.n:
                best = found
        return best if self.total(best, mass) > self.total(parents, mass) + ROUNDING * self.n else parents

    def total(self, parents: Arcs, mass: Array) -> float:
        return sum(self.score(v, above, mass) for v, above in enumerate(parents))

    def score(self, v: int, above: frozenset[int], mass: Array) -> float:
        """The expected log-likelihood of a family, less what its entries cost."""
        if (v, above) not in self.scores:
            counts = self.counted(v, above, mass)[1]
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.where(counts > 0, np.log(counts / counts.sum(axis=1, keepdims=True)), 0.0)
            self.scores[v, above] = float((counts * logs).sum()) - 0.5 * log(self.n) * self.entries(v, above)
        return self.scores[v, above]

    def _climb(self, parents: Arcs, mass: Array) -> Arcs:
        while True:
            obey()
            gains = [(self._gain(parents, changed, mass), changed) for changed in moves(parents)]
            gain, changed = max(gains, key=lambda one: one[0], default=(0.0, {}))
            if gain <= ROUNDING * self.n:
                return parents
            parents = applied(parents, changed)

    def _gain(self, parents: Arcs, changed: Mapping[int, frozenset[int]], mass: Array) -> float:
        return sum(self.score(v, above, mass) - self.score(v, parents[v], mass) for v, above in changed.items())

    def _shaken(self, parents: Arcs, times: int) -> Arcs:
        for _ in range(times):
            possible = list(moves(parents))
            if possible:
                parents = applied(parents, possible[int(self.rng.integers(len(possible)))])
        return parents


def applied(parents: Arcs, changed: Mapping[int, frozenset[int]]) -> Arcs:
    return tuple(changed.get(v, above) for v, above in enumerate(parents))


def moves(parents: Arcs) -> Iterator[dict[int, frozenset[int]]]:
    """Every arc that may be added, dropped or turned, as the families that change; none goes round in a circle."""
    n = len(parents)
    for child, above in enumerate(parents):
        for u in range(n):
            if u in above:
                dropped = {child: above - {u}}
                yield dropped
                turned = {**dropped, u: parents[u] | {child}}
                if len(turned[u]) <= MOST_PARENTS and not reaches(applied(parents, dropped), u, child):
                    yield turned
            elif u != child and len(above) < MOST_PARENTS and not reaches(parents, child, u):
                yield {child: above | {u}}


def reaches(parents: Arcs, u: int, v: int) -> bool:
    """Whether a way leads from u down to v."""
    open, seen = [v], {v}
    while open:
        at = open.pop()
        if at == u:
            return True
        open += [above for above in parents[at] if above not in seen]
        seen |= parents[at]
    return False
