"""What a step of each model of word links costs, so that time is told before training begins, and while it goes on.

    nanoseconds of a step on one core ≈ per pair · token pairs · passes + per entry · entries · passes

Fitted as `estimators/align_forecast.py` says. While training goes on only ratios of them count: a step of the stage
that is under way is measured, and what is to come is so many of it (`machine/stage.py: then`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from softcount.criteria.spec import Stage
from softcount.estimators.align_stage import AUTOENCODE, CRF, ModelStage


class Steps(NamedTuple):
    """Nanoseconds of one step on one core, in both directions."""

    pair: float
    entry: float


STEPS_TOGETHER = {"ibm1": Steps(5, 80), "ibm2": Steps(50, 80), "ibm2-free": Steps(25, 80), "hmm": Steps(63, 80)}
STEPS_APART = {"ibm1": Steps(10, 125), "ibm2": Steps(50, 170), "ibm2-free": Steps(50, 170), "hmm": Steps(145, 100)}
STEPS_APART[CRF] = STEPS_APART["hmm"]
# The steps alone, without what is prepared for them: CPU of one thread on nl, cs, Hansards and generated text, where a
# step of the HMM took 1.5 to 2.9 steps of Model 1, with fertilities in all of its steps; Model 2 was not measured.
UNDER_WAY = {"ibm1": Steps(16, 200), "ibm2": Steps(60, 200), "ibm2-free": Steps(35, 200), "hmm": Steps(74, 200)}
LINKING = 150  # ns of a token pair, when links are made of what was learned: two steps of the HMM, 1.3 to 2 measured
TWICE = ("mre", "gibbs", AUTOENCODE)  # two E-steps, or draws


class Size(NamedTuple):
    """Of a text, and how it is trained on."""

    token_pairs: int
    entries: int
    together: bool = False


def passes(stage: ModelStage, part: Stage, fertile: bool) -> float:
    """Over the text: with fertilities two in every step of the HMM but the first."""
    steps = part.steps or 1
    if any(name in part.text for name in TWICE):
        return 2.0 * steps
    return 2.0 * steps - 1.0 if fertile and stage.model == "hmm" else float(steps)


def of_step(stage: ModelStage, size: Size) -> float:
    """Of one of its steps, on average."""
    return of_stages([stage], size) / max(sum(part.steps or 1 for part in stage.criteria), 1)


def of_stages(stages: Iterable[ModelStage], size: Size) -> float:
    costs = UNDER_WAY if size.together else STEPS_APART
    return sum(
        passes(stage, part, False)
        * (costs[stage.model].pair * size.token_pairs + costs[stage.model].entry * size.entries)
        for stage in stages
        for part in stage.criteria
    )
