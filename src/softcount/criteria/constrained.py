"""Posterior regularisation: the E-step takes, of all distributions over the hidden, the one nearest to the posterior
among those whose expectations are as they should be; what is too much is punished.

    F(q, θ) = log P(x | θ) − KL(q ‖ P(z | x, θ)) − strength · Σ_g max(0, max_{i ∈ g} E_q[f_i] − bound)
    q ∝ P(z, x | θ) · exp(−⟨λ, f(z)⟩)      λ minimises log Z(θ, λ) + bound · Σ λ  over  λ ≥ 0, Σ_{i ∈ g} λ_i ≤ strength

The model says what is counted (f), which multipliers share a budget (g) and the bound. Tagging: f_i is that token i has
tag k, a group is a word type with a tag, the bound is 0, so that a word is to have few tags. Alignment: f_i is how many
words are linked to source word i, alone in its group, and the bound is 1 (one-to-one); or, of two directions that are
trained side by side, by how much more often the one links two words than the other, and the bound is 0 (symmetry).
K. Ganchev, J. Graça, J. Gillenwater, B. Taskar, JMLR 11, 2010; for tags J. Graça, K. Ganchev, B. Taskar, F. Pereira,
NIPS 2009. λ follows the projected gradient E_q[f] − bound, from where the last E-step left it.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, cast

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, State, around
from softcount.errors import InputError
from softcount.numbers.attribute import SUM
from softcount.numbers.budget import Groups, along, excess, project, promised
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Tables

RATE = 1.0  # of the first step along the gradient; then what the last one has found
SURE = 1e-4  # of the rise that the gradient promises, a step must reach so much
TRIES = 30  # how often λ may go on where the objective would fall
ROUNDING = 1e-12


class ConstrainedState(NamedTuple):
    inner: State
    multipliers: Array  # λ, [nodes, values]; at first of no size
    rate: float
    objective: float  # of the last step


class Nodes(NamedTuple):
    """What a model counts of its hidden structures."""

    groups: Groups
    shape: tuple[int, int]
    bound: float
    of: str  # what the constraint is called


class Wished(Protocol):
    """The E-step under multipliers."""

    def nodes(self, least: int) -> Nodes:
        """Groups of at least so many."""

    def expect(self, log_weights: Tables, multipliers: Array) -> tuple[Expectation, Array]:
        """With potentials −⟨λ, f⟩, and E_q[f]."""


class Constrainable(Expect, Protocol):
    """The E-step of a model that has constraints."""

    @property
    def constrained(self) -> Wished: ...


def constrained(inner: Criterion, strength: float, least: int, steps: int, of: str | None = None) -> Criterion:
    def init(parameters: Tables, expect: Expect) -> ConstrainedState:
        return ConstrainedState(inner.init(parameters, expect), np.empty((0, 0)), RATE, -np.inf)

    def step(state: ConstrainedState, expect: Expect) -> tuple[ConstrainedState, Progress]:
        q = _Projected(expect, state, strength, least, steps)
        if of not in (None, q.nodes.of):
            raise InputError(f"constrained(of={of}): this model counts {q.nodes.of} instead; omit of=")
        for _ in range(TRIES):
            moved, progress = inner.step(state.inner, q)
            if not inner.never_falls or progress.objective >= state.objective - ROUNDING * abs(state.objective):
                break  # else λ is not yet near enough to its best, and goes on
        else:  # as near as rounding lets it come: nothing moves
            moved, progress = state.inner, progress._replace(objective=state.objective)
        parts = {**progress.parts, "penalty": q.penalty, "gap": q.gap}
        return ConstrainedState(moved, q.multipliers, q.rate, progress.objective), progress._replace(parts=parts)

    return around(inner, init, step, never_falls=inner.never_falls, settles=inner.settles)


class _Projected:
    """The E-step that it is given, its posteriors projected; λ stays from call to call."""

    penalty = gap = 0.0

    def __init__(self, expect: Expect, state: ConstrainedState, strength: float, least: int, steps: int) -> None:
        self.wished, self.batches = cast(Constrainable, expect).constrained, expect.batches
        self.strength, self.steps, self.rate = strength, steps, state.rate
        self.nodes = self.wished.nodes(least)
        self.multipliers = _fitting(state.multipliers, self.nodes.shape)

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        at = self._at(log_weights, self.multipliers)
        for _ in range(self.steps):
            before, at = at, self._ascend(log_weights, at)
            if at is before or at.gap <= ROUNDING * abs(at.dual):
                break
        self.multipliers, self.penalty, self.gap = at.multipliers, at.penalty, at.gap
        return Expectation(at.found.counts, at.dual - at.gap)  # F(q, θ), which is the dual where λ is best

    def _ascend(self, log_weights: Tables, at: _At) -> _At:
        """One step along the gradient, back into the budget, as long as the dual falls enough."""
        (rows, offsets), bound, begun = self.nodes.groups, self.nodes.bound, self.rate
        for _ in range(TRIES):
            new = along(at.multipliers, at.expected, bound, self.rate, rows)
            project(new, rows, offsets, self.strength)
            rise = promised(at.multipliers, new, at.expected, bound)
            if rise <= 0.0:
                return at
            there = self._at(log_weights, new)
            if there.dual <= at.dual - SURE * rise:
                self.rate *= 1.5
                return there
            self.rate *= 0.5
        self.rate = begun  # too near to its best for any step to show
        return at

    def _at(self, log_weights: Tables, multipliers: Array) -> _At:
        found, expected = self.wished.expect(log_weights, multipliers)
        (rows, offsets), bound = self.nodes.groups, self.nodes.bound
        penalty = self.strength * excess(expected, rows, offsets, bound)
        allowed = bound * float(multipliers.sum())
        dual, gap = found.log_norm + allowed, penalty - (float(np.vdot(multipliers, expected)) - allowed)
        return _At(multipliers, found, expected, dual, penalty, gap)


class _At(NamedTuple):
    """What λ gives."""

    multipliers: Array
    found: Expectation
    expected: Array  # E_q[f]
    dual: float  # log Z(θ, λ) + bound · Σ λ, never below F
    penalty: float
    gap: float  # dual − F(q, θ)


def _fitting(multipliers: Array, shape: tuple[int, int]) -> Array:
    if multipliers.size == 0:
        return np.zeros(shape)
    if multipliers.shape != shape or not (np.isfinite(multipliers).all() and multipliers.min() >= 0.0):
        raise InputError("the checkpoint belongs to other sentences; delete it to start again")
    return multipliers
