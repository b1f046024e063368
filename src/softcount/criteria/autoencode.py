"""Autoencoding: encode x into z by an encoder P(z | x), make x, or something of it, again from z, and make that likely.

    J = log Σ_z P(z | x) P(x̂ | z) = log Z(η) − log Z(κη)      κ = 0 on tables that emit data, 1 elsewhere
    ∂J/∂η = c₁ − κ∘c₂                                          two E-steps: c₁ under η, c₂ of the encoder alone

W. Ammar, C. Dyer, N. A. Smith, "Conditional random field autoencoders for unsupervised structured prediction", NIPS
2014. Weights of features follow the gradient, each at a rate of its own, all of which are halved where J and the log
prior would fall, so that they never do; rows that are distributions take what EM would make of them: θ ∝ c₁ where they
emit, and elsewhere, by Baum's growth transform, θ ∝ c₁ − c₂ + θ · Σ_row c₂, which is θ ∝ c₁, too, where the encoder is
a chain that normalises itself: of a plain hidden Markov model this is EM.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights
from softcount.criteria.rates import adapted
from softcount.families.family import WeightFamily
from softcount.families.layout import TableLayout, by_table, total
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Table, Tables, by_row, each, like, row_sums, values

RATE, FASTEST = 0.05, 1.0
TRIES = 20  # how often all rates are halved where the objective would fall, before nothing moves
ROUNDING = 1e-12


class AutoencodeState(NamedTuple):
    parameters: Tables
    rates: Tables | None = None
    signs: Tables | None = None  # of the last gradient; 0 rests
    both: Tables | None = None  # c₁ at these parameters
    encoder: Tables | None = None  # c₂
    reconstruction: float = 0.0  # J
    objective: float = -np.inf  # with the log prior


def encoding(layout: Tables, weights: Tables) -> Tables:
    """κη: what emits data is left out, but what is impossible stays so."""

    def alone(spec: TableLayout, table: Any) -> Any:
        emits = spec.emits if isinstance(spec.emits, np.ndarray) else np.full(1, spec.emits)
        logs = np.asarray(values(table))
        return like(table, np.where(emits & (logs > -np.inf), 0.0, logs))

    return by_table(layout, alone, weights)


def autoencode(layout: Tables, penalties: Tables, rate: float) -> Criterion:
    def log_prior(spec: TableLayout, table: Any, penalty: Pseudo) -> float:
        return spec.family.log_prior(table, penalty)

    def look(state: AutoencodeState, expect: Expect) -> AutoencodeState:
        weights = log_weights(layout, state.parameters)
        both, encoder = expect(weights), expect(encoding(layout, weights))
        reconstruction = both.log_norm - encoder.log_norm
        objective = reconstruction + total(layout, log_prior, state.parameters, penalties)
        return AutoencodeState(*state[:3], both.counts, encoder.counts, reconstruction, objective)

    def begun(state: AutoencodeState, expect: Expect) -> AutoencodeState:
        rates = each(lambda t: np.full_like(t, rate), state.parameters)
        return look(AutoencodeState(state.parameters, rates, each(np.zeros_like, state.parameters)), expect)

    def step(state: AutoencodeState, expect: Expect) -> tuple[AutoencodeState, Progress]:
        here = begun(state, expect) if state.both is None else state
        progress = Progress(here.objective, {"log_reconstruction": here.reconstruction})
        for _ in range(TRIES):
            table = here.parameters, here.both, here.encoder, penalties, here.rates, here.signs
            found = by_table(layout, _moved, *table)
            moved = AutoencodeState(*(by_table(layout, partial(_column, k), found) for k in range(3)))
            there = look(moved, expect)
            if there.objective >= here.objective - ROUNDING * abs(here.objective):
                return there, progress
            here = here._replace(rates=each(lambda t: 0.5 * t, here.rates))
        return here, progress

    return Criterion(
        init=lambda parameters, expect: AutoencodeState(parameters),
        step=step,
        log_weights=lambda state: log_weights(layout, state.parameters),
        parameters=lambda state: state.parameters,
        never_falls=True,
    )


class Moved:
    """What a step makes of one table: parameters, rates, signs."""

    def __init__(self, *columns: Table) -> None:
        self.columns = columns


def _column(k: int, spec: TableLayout, moved: Moved) -> Table:
    return moved.columns[k]


def _moved(
    spec: TableLayout, table: Table, both: Table, encoder: Table, penalty: Pseudo, rates: Table, signs: Table
) -> Moved:
    if isinstance(spec.family, WeightFamily):
        gradient = values(both) - values(encoder) + spec.family.slope(table)
        rate, sign = adapted(gradient, values(rates), values(signs), FASTEST)
        return Moved(spec.family.moved(table, rate * sign), rate, sign)
    kept = like(encoder, _kept(spec, values(encoder)))
    grown = values(both) - values(kept) + values(table) * by_row(row_sums(kept), kept)
    return Moved(spec.family.maximize(like(both, np.maximum(grown, 0.0)), penalty, table), rates, signs)


def _kept(spec: TableLayout, counts: Array) -> Array:
    """κ∘c₂"""
    return np.where(spec.emits, 0.0, counts)
