"""One direction of a word aligner whose translation table is kept in ranges by an engine's workers while it is trained.

What it learns is what `align_direction` learns, up to rounding: the order in which counts are added differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from softcount.criteria.spec import Settings, by_families
from softcount.engines.engine import Keeping
from softcount.estimators.align_direction import Direction, fitted, model_of, strengths_of
from softcount.families.categorical import Categorical
from softcount.families.spread import Range, Spread, SpreadFamily
from softcount.loop.ranged_estep import RangedEStep, RangedModel
from softcount.loop.ranges import Ranges, ranged, whole
from softcount.loop.trace import Step, Trace
from softcount.models.ibm import IBMTables
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import row_sums


def keeps_ranges(job: Any) -> bool:
    """Whether this run's tables may be in ranges: the engine keeps them, and nobody says anything of single entries."""
    settings, stages = job.settings, [stage for model in job.planned.stages for stage in model.criteria]
    plain = settings.features is None and settings.sparse is None and isinstance(settings.alpha, int | float)
    nothing = not len(job.dictionary) and job.before is None and job.weights is None and job.checkpoint is None
    far = isinstance(job.engine, Keeping) and not job.engine.near
    return far and plain and nothing and len(job.data) > 0 and all(map(by_families, stages))


def train(
    settings: Any, items: Any, planned: Any, engine: Keeping, seed: int, on_step: Callable[[Step], None] | None
) -> Direction:
    n_sources, n_targets = len(items.source.vocabulary), len(items.target.vocabulary)
    none, classes = Ragged(np.zeros(n_sources + 2, np.int64), np.empty(0, np.int32)), items.lengths.pairs
    first = model_of(settings, planned, planned.stages[0].model, none, n_targets, classes)
    data = ranged(items, engine, first.costs, first.shard_cost, null=True)
    family = data.family(_rows, n_targets if settings.prior_over == "vocabulary" else None)
    translation, trace = family.kept(_flat, shared=1.0 / max(n_targets, 1)), Trace()
    for number, stage in enumerate(planned.stages):
        model = model_of(settings, planned, stage.model, none, n_targets, classes)
        result = fitted(
            RangedModel(model, family), data, items, stage, model.start()._replace(translation=translation), engine, {},
            Settings({"translation": settings.pseudo}, {"translation": float(settings.alpha)}),
            seed + number, on_step, None, settings.tolerance, {},
        )  # fmt: skip
        translation = result.parameters.translation
        trace += result.trace
        trace.stopped = result.trace.stopped
    counts = RangedEStep(RangedModel(model, family), data)(result.log_weights).counts.translation
    return _whole(model, data, family, result, counts, trace, items.target.n_tokens)


def _whole(
    model: Any, data: Ranges, family: SpreadFamily, result: Any, counts: Spread, trace: Trace, tokens: int
) -> Direction:
    """The tables, here: they are saved and asked as others are."""
    tables = result.parameters, result.log_weights
    rows, found = whole(data, data.tables, *(one.translation for one in tables))
    totals = _by_row(data, family.fetched(family.kept(_totals, counts.parts)))
    strengths = None
    if result.posterior is not None:
        parts = result.posterior.translation.parts, result.parameters.translation.parts
        strengths = _by_row(data, family.fetched(family.kept(_strengths, *parts)))
    parameters, logs = (
        IBMTables(rows.with_values(flat), one.alignment) for flat, one in zip(found, tables, strict=True)
    )
    return Direction(model.among(rows), parameters, logs, trace, tokens, totals, strengths)


def _by_row(data: Ranges, parts: Iterator[tuple[Array, Array]]) -> Array:
    found = np.zeros(data.n_rows)
    for rows, numbers in parts:
        found[rows] = numbers
    return found


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _rows(values: Sequence[Range], width: int | None) -> tuple[Categorical]:
    return (Categorical(values[0].entries.offsets, width=width),)


def _flat(values: Sequence[Any], weight: float) -> tuple[Ragged]:
    entries = values[1].entries
    return (Ragged(entries.offsets, np.full(len(entries.values), weight)),)


def _totals(values: Sequence[Any], shared: None) -> tuple[tuple[Array, Array]]:
    _, own, counts = values
    return ((own.rows, row_sums(counts)),)


def _strengths(values: Sequence[Any], shared: None) -> tuple[tuple[Array, Array]]:
    _, own, posterior, mean = values
    return ((own.rows, strengths_of(posterior, mean)),)
