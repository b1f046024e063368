"""How a word aligner's directions are trained: both together, or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from softcount.disk.checkpoint import Checkpoint
from softcount.engines import Engine
from softcount.engines.engine import Keeping
from softcount.estimators import agreed, ranged_agreed, ranged_direction
from softcount.estimators.align_direction import Direction, train
from softcount.estimators.align_directions import NAMES, Apart, Together
from softcount.estimators.align_plan import Plan
from softcount.estimators.align_prior import Before
from softcount.estimators.meeting import meeting
from softcount.estimators.ranged_direction import keeps_ranges
from softcount.loop.trace import Step
from softcount.machine import stage
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.cooccurrence import transpose, with_null, without_null


class Job(NamedTuple):
    settings: Any  # the aligner's
    data: Bitext
    planned: Plan
    dictionary: Sequence[tuple[str, str, str]]
    engine: Engine
    seed: int
    on_step: Callable[[str, Step], None] | None
    checkpoint: Checkpoint | None
    before: Before | None = None  # the prior; the data is in its words
    weights: Array | None = None  # what each pair counts

    def watch(self, name: str) -> tuple[Any, Any]:
        """Who is told of a direction's steps, and where in the checkpoint each of its stages has its place."""
        tell, kept = self.on_step, self.checkpoint
        step = (lambda done: tell(name, done)) if tell else None
        return step, (lambda stage: kept.slot(f"{name} {stage}")) if kept else (lambda stage: None)


def trained(job: Job) -> Apart | Together:
    return together(job) if job.planned.together else apart(job)


def together(job: Job) -> Together:
    how = job.planned.how._replace(dictionary=tuple((e, f, kind) for e, f, kind in job.dictionary))
    step, slot = job.watch("both")
    if keeps_ranges(job) and how.strength != "evidence":
        far = cast(Keeping, job.engine), job.seed, step, job.settings.tolerance
        return Together(ranged_agreed.train(how, job.data, job.planned.stages, *far))
    known = job.before.both(job.data) if job.before else None
    run = job.engine, job.seed, step, slot, job.settings.tolerance
    return Together(agreed.train(how, job.data, job.planned.stages, *run, known, job.weights))


def apart(job: Job) -> Apart:
    data, directions = job.data, {}
    names = NAMES if job.settings.direction == "both" else (job.settings.direction,)
    stage.begin("finding the words that meet")
    if keeps_ranges(job):
        return Apart({name: _in_ranges(job, name) for name in names})
    rows = meeting(data, job.engine, keep=True)
    for name in names:
        items, entries, found = data, list(job.dictionary), rows
        if name == "reverse":
            items, entries = data.reverse(), [(f, e, kind) for e, f, kind in job.dictionary]
            found = _turned(rows, data)
        known = job.before.direction(name, items) if job.before else None
        directions[name] = train(
            job.settings, items, found, job.planned, entries, job.engine, job.seed, *job.watch(name), known,
            job.weights,
        )  # fmt: skip
    return Apart(directions)


def _in_ranges(job: Job, name: str) -> Direction:
    items, engine = job.data if name == "forward" else job.data.reverse(), cast(Keeping, job.engine)
    return ranged_direction.train(job.settings, items, job.planned, engine, job.seed, job.watch(name)[0])


def _turned(rows: Ragged, data: Bitext) -> Ragged:
    """The other direction's rows: the same pairs of words, so nothing is counted again."""
    present = np.flatnonzero(data.source.frequencies).astype(np.int32)
    return with_null(transpose(without_null(rows), len(data.target.vocabulary)), present)
