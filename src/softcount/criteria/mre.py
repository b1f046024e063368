"""Maximum reconstruction estimation: encode x into z by P(z | x), decode it back by P(x | z), and make x likely again.

    J = log Σ_z P(x | z) P(z | x) = log Z(κη) − log Z(η)      κ = 2 on tables that emit data, 1 elsewhere
    g = ∂J/∂η = κ∘c₂ − c₁                                      two E-steps: c₂ under κη, c₁ under η

Y. Cheng, Y. Liu, W. Xu, "Maximum reconstruction estimation for generative latent-variable models", AAAI 2017.
Three multiplicative step rules; each ends with rows renormalised. Start from EM: from random parameters MRE fails.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights
from softcount.criteria.rates import adapted
from softcount.errors import InputError
from softcount.families.family import AscendingFamily, SimplexFamily
from softcount.families.layout import by_family, by_table, named, total_by_family
from softcount.families.penalty import Sparsity
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Table, Tables, by_row, each, like, row_sums, scale, values

ROUNDING = 1e-12  # of counts
CLIP = 5.0  # no parameter changes by more than e^5 in one step


class MREState(NamedTuple):
    parameters: Tables
    rates: Tables | None  # of the adaptive rule, per parameter
    signs: Tables | None  # of the last gradient; 0 rests


def powers_of(layout: Tables) -> Tables:
    """κ: 2 on entries that emit data, 1 elsewhere."""
    return by_table(layout, lambda spec: np.where(spec.emits, 2.0, 1.0))


def reconstructing(layout: Tables, weights: Tables) -> Tables:
    """κη: under it the best structure, and log Z, are those of P(x | z) P(z | x), up to a constant of x."""
    return scale(powers_of(layout), weights)


def mre(layout: Tables, rule: str, rate: float, sparse: Tables = None) -> Criterion:
    """`sparse`: by table, the wish for sparse rows that is added to the objective, or None."""
    for name, spec in named(layout):
        if not isinstance(spec.family, SimplexFamily | AscendingFamily):
            raise InputError(f"mre is not available for Gaussian tables such as {name!r}; use em, hard, vb or gibbs")
    powers = powers_of(layout)
    ascend = RULES[rule]
    wishes = by_table(layout, lambda _: None) if sparse is None else sparse
    wishing = any(wish is not None for *_, wish in named(layout, wishes))

    def init(parameters: Tables, expect: Expect) -> MREState:
        return MREState(parameters, None, None)

    def step(state: MREState, expect: Expect) -> tuple[MREState, Progress]:
        weights = log_weights(layout, state.parameters)
        encode = expect(weights)  # P(z | x)
        decode = expect(reconstructing(layout, weights))  # ∝ P(z) P(x | z)²
        wished = total_by_family(layout, _worth, state.parameters, wishes) if wishing else 0.0
        parts = {"decode": decode.log_norm, "encode": encode.log_norm} | ({"sparse": wished} if wished else {})
        gradient = by_family(layout, _gradient, decode.counts, encode.counts, powers)
        if wishing:
            gradient = by_family(layout, _sparser, gradient, state.parameters, wishes)
        objective = decode.log_norm - encode.log_norm + wished
        return ascend(layout, state, gradient, encode.counts, rate), Progress(objective, parts)

    return Criterion(
        init=init,
        step=step,
        log_weights=lambda state: log_weights(layout, state.parameters),
        parameters=lambda state: state.parameters,
    )


# Functions of a family and tables, which are asked where a table is.


def _worth(family: Any, theta: Any, wish: Sparsity | None) -> float:
    return 0.0 if wish is None else wish.log_prior(values(theta))


def _sparser(family: Any, gradient: Table, theta: Table, wish: Sparsity | None) -> Table:
    """With the slope of the wish for sparse rows, in log θ as all of it."""
    if wish is None:
        return gradient
    return like(gradient, values(gradient) - values(theta) * wish.slope(values(theta)))


def _gradient(family: Any, c2: Table, c1: Table, power: Any) -> Table:
    return like(c2, power * values(c2) - values(c1))


def _row_scaled(layout: Tables, state: MREState, gradient: Tables, counts: Tables, rate: float) -> MREState:
    """θ ∝ θ · exp(rate · g / (θ · Σ_row c₁)): the gradient in θ, measured in the row's own count."""
    return _multiply(layout, state, gradient, counts, partial(_scaled, rate=rate))


def _scaled(theta: Table, g: Table, row: Array, rate: float) -> Array:
    slope = np.divide(values(g), values(theta) * row, out=np.zeros_like(values(g)), where=_movable(theta, row))
    return np.asarray(values(theta) * np.exp(np.clip(rate * slope, -CLIP, CLIP)))


def _growth(layout: Tables, state: MREState, gradient: Tables, counts: Tables, rate: float) -> MREState:
    """θ ∝ max(g + D · θ · Σ_row c₁, tiny) with D = 1 / rate: Baum's growth transform, no exponential at all."""
    return _multiply(layout, state, gradient, counts, partial(_grown, rate=rate))


def _grown(theta: Table, g: Table, row: Array, rate: float) -> Array:
    return np.asarray(np.maximum(values(g) + values(theta) * row / rate, 1e-12 * values(theta) * row))


def _multiply(
    layout: Tables, state: MREState, gradient: Tables, counts: Tables, rule: Callable[..., Array]
) -> MREState:
    moved = by_family(layout, partial(_multiplied, rule), state.parameters, gradient, counts)
    return state._replace(parameters=moved)


def _multiplied(rule: Callable[..., Array], family: Any, theta: Table, g: Table, c: Table) -> Any:
    if isinstance(family, SimplexFamily):
        grown = rule(theta, g, by_row(row_sums(c), c))
        return family.normalize(like(theta, grown), otherwise=theta)
    return cast(AscendingFamily, family).ascend(theta, g, c)


def _adaptive(layout: Tables, state: MREState, gradient: Tables, counts: Tables, rate: float) -> MREState:
    """θ ∝ θ · exp(rate_i · sign g_i), each parameter's rate adapted to whether its sign persists (RPROP).

    P. G. Bagos, T. D. Liakopoulos, S. J. Hamodrakas, WABI 2004. The gradient is first centred in its row, because a
    sign test, unlike the step itself, is not indifferent to a constant added to the row. What is no more than the
    rounding of the counts that it is a difference of has no sign, or the order in which they were added would decide.
    """
    theta = state.parameters
    rates = state.rates or by_family(layout, partial(_everywhere, rate), theta)
    signs = state.signs or by_family(layout, partial(_everywhere, 0.0), theta)
    found = by_family(layout, _adapt, theta, gradient, counts, rates, signs)
    return MREState(*(by_family(layout, partial(_column, k), found) for k in range(3)))


def _everywhere(number: float, family: Any, theta: Any) -> Any:
    """Parameters of other kinds follow the gradient their own way, and these numbers are not looked at."""
    return each(lambda table: np.full_like(table, number), theta)


class Adapted:
    """What the adaptive rule makes of one table."""

    def __init__(self, *columns: Table) -> None:
        self.columns = columns  # parameters, rates, signs


def _adapt(family: Any, theta: Table, g: Table, c: Table, rates: Table, signs: Table) -> Adapted:
    if not isinstance(family, SimplexFamily):
        return Adapted(cast(AscendingFamily, family).ascend(theta, g, c), rates, signs)
    centred = values(g) - values(theta) * by_row(row_sums(g), g)
    rounding = ROUNDING * (values(c) + values(theta) * by_row(row_sums(c), c))
    centred = np.where(np.abs(centred) <= rounding, 0.0, centred)
    rate, sign = adapted(centred, values(rates), values(signs))
    new = family.normalize(like(theta, values(theta) * np.exp(rate * sign)), otherwise=theta)
    return Adapted(new, like(theta, rate), like(theta, sign))


def _column(k: int, family: Any, found: Adapted) -> Table:
    return found.columns[k]


def _movable(theta: Table, row: Array) -> Any:
    return values(theta) * row > 1e-280


RULES = {"row-scaled": _row_scaled, "adaptive": _adaptive, "growth": _growth}
DEFAULT_RATES = {"row-scaled": 1.0, "adaptive": 0.01, "growth": 1.0}
