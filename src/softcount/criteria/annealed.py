"""Any criterion with its posteriors raised to a power β: below one they are softer, above one harder.

    P(z | x)^β / Σ P(z | x)^β = P(z | x; βη)         β goes from `start` to `stop` geometrically, then stays

K. Rose, Proc. IEEE 86(11), 1998; N. Ueda, R. Nakano, Neural Networks 11(2), 1998. At β = 1 it is the inner criterion.
"""

from __future__ import annotations

from typing import NamedTuple

from softcount.criteria.criterion import Criterion, Expect, Progress, State, around
from softcount.numbers.attribute import SUM
from softcount.numbers.tables import Expectation, Tables, each


class AnnealedState(NamedTuple):
    inner: State
    step: int


def annealed(inner: Criterion, start: float, stop: float, steps: int) -> Criterion:
    def hardness(step: int) -> float:
        along = min(1.0, step / max(steps - 1, 1))
        return float(start * (stop / start) ** along)

    def step(state: AnnealedState, expect: Expect) -> tuple[AnnealedState, Progress]:
        beta = hardness(state.step)
        moved, progress = inner.step(state.inner, _Tempered(expect, beta))
        return AnnealedState(moved, state.step + 1), progress._replace(parts={**progress.parts, "hardness": beta})

    def init(parameters: Tables, expect: Expect) -> AnnealedState:
        return AnnealedState(inner.init(parameters, _Tempered(expect, hardness(0))), 0)

    return around(inner, init, step)


class _Tempered:
    """The E-step that it is given, asked about βη."""

    def __init__(self, expect: Expect, beta: float) -> None:
        self.expect, self.beta, self.batches = expect, beta, expect.batches

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        asked = log_weights if self.beta == 1.0 else each(lambda w: w * self.beta, log_weights)
        return self.expect(asked, mode, key, batch)
