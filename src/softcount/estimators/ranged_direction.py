"""One direction of a word aligner whose translation table is kept in ranges by an engine's workers while it is trained.

What it learns is what `align_direction` learns, up to rounding: the order in which counts are added differs. What a
dictionary or a prior by word says of entries is said to every range of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import log_weights
from softcount.criteria.spec import Settings
from softcount.disk.checkpoint import Slot
from softcount.engines.engine import Keeping
from softcount.estimators.align_direction import (
    PREFER,
    Constraints,
    Direction,
    constraints,
    fitted,
    limited,
    model_of,
    prior_by_entry,
    sparse_rows,
    strengths_of,
)
from softcount.estimators.align_stems import Leaners
from softcount.families.categorical import Categorical
from softcount.families.leaning import Leaning
from softcount.families.spread import Range, Spread, SpreadFamily
from softcount.families.spread_leaning import SpreadLeaning
from softcount.loop.ranged_estep import RangedEStep, RangedModel
from softcount.loop.ranges import Before, Ranges, ranged, whole
from softcount.loop.trace import Step, Trace
from softcount.models.ibm import IBMTables
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import row_sums
from softcount.text.dictionary import unmatched
from softcount.text.vocabulary import Vocabulary


class Told(NamedTuple):
    """What every range is told, to make of it what it says of its own entries."""

    alpha: Any
    pseudo: float
    prior_over: str
    entries: Sequence[Any]  # of the dictionary
    vocabularies: tuple[Vocabulary, Vocabulary]


class Known(NamedTuple):
    """What there is to say of translations before training: one for all entries, or in ranges."""

    limits: Spread | None
    must: Any
    pseudo: Any
    alpha: Any


def train(
    settings: Any, items: Any, planned: Any, entries: Sequence[Any], engine: Keeping, seed: int,
    on_step: Callable[[Step], None] | None, slot: Callable[[str], Slot | None], before: Any = None,
    weights: Array | None = None, leant: Leaners | None = None,
) -> Direction:  # fmt: skip
    """`before`: what another text has counted (estimators/align_prior.py); `leant`: what rows lean on, if anything."""
    n_sources, n_targets = len(items.source.vocabulary), len(items.target.vocabulary)
    none, classes = Ragged(np.zeros(n_sources + 2, np.int64), np.empty(0, np.int32)), items.lengths.pairs
    first = model_of(settings, planned, planned.stages[0].model, none, n_targets, classes)
    counted = None if before is None else Before(*before)
    groups = None if leant is None else leant.groups
    data = ranged(items, engine, first.costs, first.shard_cost, True, groups, counted, weights)
    family = _family(data, n_targets if settings.prior_over == "vocabulary" else None, leant)
    said = _known(settings, items, entries, family, None if before is None else Spread(data.imagined))
    translation, trace = family.kept(_flat, shared=1.0 / max(n_targets, 1)), Trace()
    trace.remarks = unmatched("dictionary", entries, [items.source.vocabulary, items.target.vocabulary])
    for number, stage in enumerate(planned.stages):
        model = model_of(settings, planned, stage.model, none, n_targets, classes)
        if said.limits is not None:
            translation = family.by_range(_limited, translation, said.limits)
        start = model.start()._replace(translation=translation)
        if settings.sparse is not None and number == 0:
            start = _summed_up(RangedModel(model, family), start, data)
        result = fitted(
            RangedModel(model, family), data, items, stage, start, engine, {"translation": said.must},
            Settings(
                {"translation": said.pseudo}, {"translation": said.alpha}, sparse=sparse_rows(settings.sparse),
            ),
            seed + number, on_step, slot(f"{number + 1} {stage.text}"), settings.tolerance, {},
        )  # fmt: skip
        translation = result.parameters.translation
        trace += result.trace
        trace.stopped = result.trace.stopped
    counts = RangedEStep(RangedModel(model, family), data)(result.log_weights).counts.translation
    return _whole(model, data, family, result, counts, trace, items.target.n_tokens)


def _family(data: Ranges, width: int | None, leant: Leaners | None) -> SpreadFamily:
    if leant is None:
        return data.family(_rows, width)
    plain = data.family(_leaning, (width, leant))
    chosen = len(leant.classes) if leant.strength == "evidence" else 0
    return SpreadLeaning(plain.engine, plain.ranges, plain.families, plain.n_rows, chosen)


def _summed_up(model: RangedModel, start: Any, data: Ranges) -> Any:
    """As `align_direction._summed_up`: rows that sum to one, after one plain step."""
    family: Any = model.family
    counts = RangedEStep(model, data)(log_weights(model.layout, start)).counts.translation
    return start._replace(translation=family.normalize(counts, family.uniform()))


def _known(settings: Any, items: Any, entries: Sequence[Any], family: SpreadFamily, imagined: Spread | None) -> Known:
    plain = isinstance(settings.alpha, int | float)
    if plain and not entries and imagined is None:
        return Known(None, False, settings.pseudo, float(settings.alpha))
    told = Told(
        settings.alpha, settings.pseudo, settings.prior_over, entries,
        (items.source.vocabulary, items.target.vocabulary),
    )  # fmt: skip
    parts = () if imagined is None else (imagined.parts,)
    rows = zip(family.families, family.ranges, *parts, strict=True)
    found = family.engine.keep(_said, rows, family.engine.share((told, family.n_rows)), 4)
    limits, must, pseudo, alpha = map(Spread, found)
    prefers = imagined is not None or any(family.fetched(family.kept(_prefers, limits.parts)))
    return Known(
        limits if entries else None,
        must if entries else False,
        pseudo if prefers else settings.pseudo,
        alpha if prefers or not plain else float(settings.alpha),
    )


def _whole(
    model: Any, data: Ranges, family: SpreadFamily, result: Any, counts: Spread, trace: Trace, tokens: int
) -> Direction:
    """The tables, here, in files: they are saved and asked as others are."""
    tables = result.parameters, result.log_weights
    rows, found = whole(data, data.tables, *(one.translation for one in tables))
    totals = _by_row(data, family.fetched(family.kept(_totals, counts.parts, data.imagined)))
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


def _leaning(values: Sequence[Range], shared: tuple[int | None, Leaners]) -> tuple[Leaning]:
    (own,), (width, leant) = values, shared
    bare = int(np.searchsorted(own.rows, 1))  # the empty word's row, where it is here
    offsets, first = own.entries.offsets, int(own.entries.offsets[bare])
    lower = Ragged(offsets[bare:] - first, own.entries.values[first:])
    found = leant.among(lower, np.asarray(own.rows)[bare:] - 1)
    return (Leaning(Categorical(offsets, width=width), *found, bare=bare),)


def _flat(values: Sequence[Any], weight: float) -> tuple[Ragged]:
    entries = values[1].entries
    return (Ragged(entries.offsets, np.full(len(entries.values), weight)),)


def _said(values: Sequence[Any], shared: tuple[Told, int]) -> tuple[Constraints, Array, Any, Any]:
    """Of one range: limits, what must be, pseudo-counts and the prior of its entries."""
    (_, own, *imagined), (told, n_rows) = values, shared
    lengths = np.zeros(n_rows, np.int64)
    lengths[own.rows] = own.entries.lengths  # rows ascend, so entries stand as they do among all
    limits = constraints(Ragged(offsets_of(lengths), own.entries.values), told.entries, *told.vocabularies)
    more = imagined[0] if imagined else 0.0
    more = PREFER * limits.prefer + more if limits.prefer.any() else more
    amount = np.broadcast_to(told.pseudo + np.asarray(more), own.entries.values.shape).copy()
    return limits, limits.must, amount, prior_by_entry(told, told.vocabularies[1], own.entries, more)


def _prefers(values: Sequence[Any], shared: None) -> tuple[bool]:
    return (bool(values[2].prefer.any()),)


def _limited(family: Any, table: Ragged, limits: Constraints) -> Ragged:
    return limited(table, limits)


def _totals(values: Sequence[Any], shared: None) -> tuple[tuple[Array, Array]]:
    _, own, counts, imagined = values
    return ((own.rows, row_sums(counts.with_values(counts.values + imagined))),)


def _strengths(values: Sequence[Any], shared: None) -> tuple[tuple[Array, Array]]:
    _, own, posterior, mean = values
    return ((own.rows, strengths_of(posterior, mean)),)
