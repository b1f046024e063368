"""How a word aligner's directions are trained: both together, or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from softcount.criteria.spec import Settings
from softcount.disk.checkpoint import Checkpoint
from softcount.engines import Engine
from softcount.engines.engine import Keeping
from softcount.estimators import agreed, ranged_agreed, ranged_direction
from softcount.estimators.agreed_recount import recounted
from softcount.estimators.align_cost import LINKING, Size, of_stages
from softcount.estimators.align_direction import Direction, Known, finished, fitted, known, model_of, sparse_rows, train
from softcount.estimators.align_directions import NAMES, Apart, Together
from softcount.estimators.align_plan import Plan
from softcount.estimators.align_prior import Before
from softcount.estimators.align_stems import Leaners, classed, leaners, remarks
from softcount.estimators.meeting import meeting
from softcount.estimators.ranged import is_far, note_of, whole_because
from softcount.loop.estep import EStep
from softcount.loop.feature_weights import Computed
from softcount.loop.trace import Step
from softcount.loop.weighted import weighted
from softcount.machine import stage as shown
from softcount.models.both_ways import BothWays, BothWaysTables
from softcount.models.jump_hmm import JumpHMM
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
    with shown.then(LINKING * job.data.lengths.token_pairs, 1.0):  # whoever watches has links made of it
        return together(job) if job.planned.together else apart(job)


def together(job: Job) -> Together:
    how = classed(job.settings, job.planned, job.data, job.weights)
    how = how._replace(dictionary=tuple((e, f, kind) for e, f, kind in job.dictionary))
    step, slot = job.watch("both")
    run = job.engine, job.seed, step, slot, job.settings.tolerance
    known = job.before.both(job.data) if job.before else None
    if is_far(job.engine) and whole_because(job) is None:
        found = ranged_agreed.train(how, job.data, job.planned.stages, *cast(Any, (*run, known, job.weights)))
    else:
        found = agreed.train(how, job.data, job.planned.stages, *run, known, job.weights)
        found.trace.remarks += note_of(job)
    found.trace.remarks += remarks(job.planned, how, job.data)
    return Together(recounted(found, job.engine, job.data, job.weights, known) if how.recount else found)


def apart(job: Job) -> Apart:
    data, directions, said = job.data, {}, {}
    names = NAMES if job.settings.direction == "both" else (job.settings.direction,)
    lost = (job.planned.lost,) if job.planned.lost else ()
    shown.begin("collecting co-occurring words")
    how = classed(job.settings, job.planned, job.data, job.weights)
    leaning = leaners(job.planned, how, job.data, job.weights)
    if is_far(job.engine) and whole_because(job) is None:
        return Apart({name: _in_ranges(job, name, how, leaning) for name in names})
    rows = meeting(data, job.engine, keep=True)
    for name in names:
        (items, entries), found = _seen_by(name, job), rows
        if name == "reverse":
            found = _turned(rows, data)
        before = job.before.direction(name, items) if job.before else None
        said[name] = known(job.settings, items, found, entries, before)
        alone, leant = job.planned.alone, leaning and leaning.of(said[name].rows, name == "reverse")
        with shown.then(_behind(name, job, len(found.values)), 1.0):
            directions[name] = train(
                job.settings, items, said[name], alone, entries, job.engine, job.seed, *job.watch(name), job.weights,
                leant,
            )  # fmt: skip
        trace = directions[name].trace
        trace.remarks = lost + trace.remarks + note_of(job) + remarks(job.planned, how, job.data)
    if not job.planned.symmetric:
        return Apart(directions)
    both = {f"{name}.translation": leaning.of(said[name].rows, name == "reverse") for name in names} if leaning else {}
    return Apart(side_by_side(job, directions, said, both))


def _behind(name: str, job: Job, entries: int) -> float:
    """What all that follows a direction costs: the other one, and a last stage of both."""
    size = Size(job.data.lengths.token_pairs, entries)
    other = of_stages(job.planned.alone.stages, size) if name == "forward" and job.settings.direction == "both" else 0.0
    return other + (2.0 * of_stages(job.planned.stages[-1:], size) if job.planned.symmetric else 0.0)


def side_by_side(
    job: Job, directions: Mapping[str, Direction], said: Mapping[str, Known], leant: Computed
) -> dict[str, Direction]:
    """Both directions after a last stage in which they learn to link alike."""
    stage, items = job.planned.stages[-1], (job.data, job.data.reverse())
    sides = [
        model_of(
            job.settings, job.planned, stage.model, said[name].rows, len(text.target.vocabulary), text.lengths.pairs
        )
        for name, text in zip(NAMES, items, strict=True)
    ]
    model = BothWays(*sides)
    start = BothWaysTables(*(_begun(side, directions[name]) for side, name in zip(sides, NAMES, strict=True)))
    step, slot = job.watch("both")
    number = len(job.planned.stages)
    found = fitted(
        model, weighted(job.data, job.weights), job.data, stage, start, job.engine,
        {f"{name}.translation": said[name].limits.must for name in NAMES},
        Settings(
            {f"{name}.translation": job.settings.pseudo + said[name].more for name in NAMES},
            {f"{name}.translation": said[name].alpha for name in NAMES}, sparse=sparse_rows(job.settings.sparse),
        ),
        job.seed + number - 1, step, slot(f"{number} {stage.text}"), job.settings.tolerance, leant,
    )  # fmt: skip
    counts = EStep(model, weighted(job.data, job.weights), job.engine)(found.log_weights).counts
    learned = {}
    for k, name in enumerate(NAMES):
        trace = directions[name].trace
        trace += found.trace
        trace.stopped = found.trace.stopped
        posterior = None if found.posterior is None else found.posterior[k]
        tables = found.parameters[k], found.log_weights[k], posterior, counts[k]
        learned[name] = finished(sides[k], *tables, said[name], trace, items[k])
    return learned


def _begun(model: JumpHMM, before: Direction) -> Any:
    """From the stage before: its translations, and its jumps where it has any."""
    start = model.start()._replace(translation=before.parameters.translation)
    return start._replace(alignment=before.parameters.alignment) if isinstance(before.model, JumpHMM) else start


def _seen_by(name: str, job: Job) -> tuple[Any, list[Any]]:
    """The text and the dictionary as a direction sees them."""
    if name == "forward":
        return job.data, list(job.dictionary)
    return job.data.reverse(), [(f, e, kind) for e, f, kind in job.dictionary]


def _in_ranges(job: Job, name: str, how: Any, leaning: Leaners | None) -> Direction:
    items, entries = _seen_by(name, job)
    run = cast(Keeping, job.engine), job.seed, *job.watch(name)
    before = job.before.direction(name, items) if job.before else None
    leant = leaning and leaning.turned(name == "reverse")
    found = ranged_direction.train(job.settings, items, job.planned, entries, *run, before, job.weights, leant)
    lost = (job.planned.lost,) if job.planned.lost else ()
    found.trace.remarks = lost + found.trace.remarks + remarks(job.planned, how, job.data)
    return found


def _turned(rows: Ragged, data: Bitext) -> Ragged:
    """The other direction's rows: the same pairs of words, so nothing is counted again."""
    present = np.flatnonzero(data.source.frequencies).astype(np.int32)
    return with_null(transpose(without_null(rows), len(data.target.vocabulary)), present)
