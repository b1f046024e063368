"""Training on data that arrives in pieces: the stepwise criterion, of which every piece is a mini-batch.

    s ← (1 − γ_k) s + γ_k (N / B) c,   γ_k = (k + 2)^−decay,   then the inner criterion's update from s

as in criteria/stepwise.py; N is how much data there will be, or, where nobody says, how much there has been. The
first s is that of the first piece under the start, since nothing else has been seen.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import Criterion
from softcount.criteria.spec import WRAPPERS, Settings, Stage, parse
from softcount.engines.engine import Engine
from softcount.errors import InputError
from softcount.loop.estep import EStep
from softcount.loop.feature_weights import Computed, computing, shown, weighed, weights_of
from softcount.loop.model import Model
from softcount.loop.start import constrain
from softcount.loop.trace import Step
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Tables


class Online(NamedTuple):
    """What is carried from piece to piece."""

    state: Any  # the stepwise criterion's
    seen: float  # how much data has been seen, as items have sizes


class Learned(NamedTuple):
    online: Online
    parameters: Tables
    log_weights: Tables
    posterior: Tables | None
    step: Step
    weights: dict[str, Array] | None = None  # of the tables whose rows are computed from features


def stepwise_stage(stages: list[Stage]) -> Stage:
    """The last stage of a criterion, if it is stepwise, or stepwise around it."""
    last = stages[-1]
    if last.name == "stepwise":
        return last
    if last.name in WRAPPERS["stepwise"].around:
        return parse(f"stepwise({last.text.rpartition(':')[0]})")[0]
    around = ", ".join(WRAPPERS["stepwise"].around)
    raise InputError(
        f"criterion {last.text!r}: partial_fit needs stepwise around {around}; use for example 'stepwise(vb)'"
    )


def learn(
    model: Model, items: Any, stage: Stage, settings: Settings, parameters: Tables, before: Online | None,
    engine: Engine, *, fixed: Any = (), computed: Computed | None = None, total: float | None = None,
) -> Learned:  # fmt: skip
    """One update from these items. `total`: how many items there will be; by default those that there were."""
    began = time.perf_counter()
    plain = constrain(model.layout, parameters, fixed)
    layout = computing(plain, computed or {})
    criterion: Criterion = stage.build(layout, settings)
    data = EStep(model, items, engine, settings.seed)
    if not data.amount > 0.0:
        raise InputError("every item is empty; give at least one word or row")
    seen = (before.seen if before else 0.0) + data.amount
    share = data.amount / max(seen, 1e-300) if total is None else min(1.0, data.n_items / total)
    expect = Arrived(data, share)
    state = before.state if before else criterion.init(weighed(plain, layout, parameters, expect), expect)
    state, progress = criterion.step(state, expect)
    seconds = time.perf_counter() - began
    step = Step(0, stage.text, state.updates, progress.objective, None, progress.parts, seconds)
    posterior = criterion.posterior(state) if criterion.posterior else None
    found = criterion.parameters(state)
    tables, weights = shown(layout, found), weights_of(layout, found)
    return Learned(Online(state, seen), tables, criterion.log_weights(state), posterior, step, weights)


class Arrived:
    """An E-step of one piece, which is the only mini-batch, and stands for all data where all are asked."""

    def __init__(self, data: EStep, share: float) -> None:
        self.data, self.batches = data, np.array([share])

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        found = self.data(log_weights, mode, key)
        return found if batch is not None else found.times(1.0 / float(self.batches[0]))
