"""Maximum reconstruction estimation: encode x into z by P(z | x), decode it back by P(x | z), and make x likely again.

    J = log Σ_z P(x | z) P(z | x) = log Z(κη) − log Z(η)      κ = 2 on tables that emit data, 1 elsewhere
    g = ∂J/∂η = κ∘c₂ − c₁                                      two E-steps: c₂ under κη, c₁ under η

Y. Cheng, Y. Liu, W. Xu, "Maximum reconstruction estimation for generative latent-variable models", AAAI 2017.
Three multiplicative step rules; each ends with rows renormalised. Start from EM: from random parameters MRE fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights
from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Table, Tables, by_row, like, row_sums, scale, values

CLIP = 5.0  # no parameter changes by more than e^5 in one step


class MREState(NamedTuple):
    parameters: Tables
    rates: Tables | None  # of the adaptive rule, per parameter
    signs: Tables | None  # of the last gradient; 0 rests


def mre(layout: Tables, rule: str, rate: float) -> Criterion:
    for name, spec in zip(layout._fields, layout, strict=True):
        if not (spec.family.simplex or hasattr(spec.family, "ascend")):
            raise InputError(f"mre has no update for Gaussian tables such as {name!r} yet; use em, hard, vb or gibbs")
    powers = type(layout)(*(2.0 if spec.emits else 1.0 for spec in layout))
    ascend = RULES[rule]

    def init(parameters: Tables, expect: Expect) -> MREState:
        return MREState(parameters, None, None)

    def step(state: MREState, expect: Expect) -> tuple[MREState, Progress]:
        weights = log_weights(layout, state.parameters)
        encode = expect(weights)  # P(z | x)
        decode = expect(scale(powers, weights))  # ∝ P(z) P(x | z)²
        objective = decode.log_norm - encode.log_norm
        parts = {"decode": decode.log_norm, "encode": encode.log_norm}
        gradient = type(layout)(
            *(
                like(c2, power * values(c2) - values(c1))
                for power, c2, c1 in zip(powers, decode.counts, encode.counts, strict=True)
            )
        )
        return ascend(layout, state, gradient, encode.counts, rate), Progress(objective, parts)

    return Criterion(
        init=init,
        step=step,
        log_weights=lambda state: log_weights(layout, state.parameters),
        parameters=lambda state: state.parameters,
    )


def _row_scaled(layout: Tables, state: MREState, gradient: Tables, counts: Tables, rate: float) -> MREState:
    """θ ∝ θ · exp(rate · g / (θ · Σ_row c₁)): the gradient in θ, measured in the row's own count."""

    def exponent(theta: Table, g: Table, total: Array) -> Array:
        slope = np.divide(values(g), values(theta) * total, out=np.zeros_like(values(g)), where=_movable(theta, total))
        return np.asarray(np.clip(rate * slope, -CLIP, CLIP))

    return _multiply(layout, state, gradient, counts, lambda *a: values(a[0]) * np.exp(exponent(*a)))


def _growth(layout: Tables, state: MREState, gradient: Tables, counts: Tables, rate: float) -> MREState:
    """θ ∝ max(g + D · θ · Σ_row c₁, tiny) with D = 1 / rate: Baum's growth transform, no exponential at all."""

    def grown(theta: Table, g: Table, total: Array) -> Array:
        return np.asarray(np.maximum(values(g) + values(theta) * total / rate, 1e-12 * values(theta) * total))

    return _multiply(layout, state, gradient, counts, grown)


def _multiply(
    layout: Tables, state: MREState, gradient: Tables, counts: Tables, rule: Callable[..., Array]
) -> MREState:
    new = []
    for spec, theta, g, c in zip(layout, state.parameters, gradient, counts, strict=True):
        if not spec.family.simplex:  # no rows to multiply: the family follows the gradient its own way
            new.append(spec.family.ascend(theta, g, c))
            continue
        total = by_row(row_sums(c), c)
        new.append(spec.family.normalize(like(theta, rule(theta, g, total)), otherwise=theta))
    return state._replace(parameters=type(layout)(*new))


def _adaptive(layout: Tables, state: MREState, gradient: Tables, counts: Tables, rate: float) -> MREState:
    """θ ∝ θ · exp(rate_i · sign g_i), each parameter's rate adapted to whether its sign persists (RPROP).

    P. G. Bagos, T. D. Liakopoulos, S. J. Hamodrakas, WABI 2004. The gradient is first centred in its row, because a
    sign test, unlike the step itself, is not indifferent to a constant added to the row.
    """
    tables = type(layout)
    rates = state.rates or tables(*(like(t, np.full_like(values(t), rate)) for t in state.parameters))
    signs = state.signs or tables(*(like(t, np.zeros_like(values(t))) for t in state.parameters))
    moved = [
        _adapt(spec, *rest) if spec.family.simplex else (spec.family.ascend(rest[0], rest[1], c), *rest[2:])
        for spec, c, *rest in zip(layout, counts, state.parameters, gradient, rates, signs, strict=True)
    ]
    return MREState(*(tables(*column) for column in zip(*moved, strict=True)))


def _adapt(spec: Any, theta: Table, g: Table, rates: Table, signs: Table) -> tuple[Table, Table, Table]:
    centred = values(g) - values(theta) * by_row(row_sums(g), g)
    sign = np.sign(centred)
    agreement = sign * values(signs)
    rate = np.where(agreement > 0, np.minimum(values(rates) * 1.2, 1.0), values(rates))
    rate = np.where(agreement < 0, values(rates) * 0.5, rate)
    sign = np.where(agreement < 0, 0.0, sign)  # a parameter that changed direction rests once
    new = spec.family.normalize(like(theta, values(theta) * np.exp(rate * sign)), otherwise=theta)
    return new, like(theta, rate), like(theta, sign)


def _movable(theta: Table, total: Array) -> Any:
    return values(theta) * total > 1e-280


RULES = {"row-scaled": _row_scaled, "adaptive": _adaptive, "growth": _growth}
DEFAULT_RATES = {"row-scaled": 1.0, "adaptive": 0.01, "growth": 1.0}
