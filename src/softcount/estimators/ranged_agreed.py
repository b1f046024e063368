"""Both directions of a word aligner trained together (estimators/agreed.py), their lexicon in ranges of source words.

A range has all words of a coarsest stem, its own stems and what spelling says of its entries. What comes back at the
end are the entries of which something was counted or believed, as a file has them; others come back by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.engines.engine import Keeping
from softcount.estimators.agreed import (
    ENOUGH,
    Agreed,
    How,
    at_stage,
    believed,
    leaning_on,
    likely_pairs,
    may_learn_letters,
    stem_classes,
    strengths_of,
)
from softcount.estimators.agreed import agreement as agreed_model
from softcount.estimators.align_direction import possible
from softcount.estimators.align_stage import ModelStage, parse_models
from softcount.families.backoff import Backoff, levels
from softcount.families.spread import Range, Spread
from softcount.families.spread_backoff import SpreadBackoff
from softcount.loop.ranged_estep import RangedModel
from softcount.loop.ranges import Ranges, ranged, whole
from softcount.loop.start import uniform_start
from softcount.loop.trace import Step, Trace
from softcount.loop.train import fit
from softcount.models import agreement
from softcount.models.agreement import Agreement, AgreementTables
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import row_sums
from softcount.text.letters import Letters, corresponding

Words = tuple[Sequence[str], Sequence[str]]


class Known(NamedTuple):
    """What every range is told of all words."""

    how: How
    words: Words
    frequencies: tuple[Array, Array]
    classes: list[tuple[Array, Array]]


class Learned(NamedTuple):
    known: Known
    family: SpreadBackoff
    model: Agreement
    parameters: AgreementTables
    trace: Trace


def train(
    how: How, items: Any, stages: Sequence[ModelStage], engine: Keeping, seed: int,
    on_step: Callable[[Step], None] | None, tolerance: float,
) -> Agreed:  # fmt: skip
    words = items.source.vocabulary.words, items.target.vocabulary.words
    frequencies = np.asarray(items.source.frequencies, float), np.asarray(items.target.frequencies, float)
    known = Known(how, words, frequencies, stem_classes(words, how))
    data = ranged(items, engine, _token_pairs, agreement.SHARD, null=False, groups=_groups(known))
    agreed = _kept(_learned(known, data, items, stages, seed, on_step, tolerance), data)
    if how.second is None:
        return agreed
    other, text = how._replace(stems=how.second[0], second=None, classes=None), how.second[1]
    return agreed._replace(second=train(other, items, parse_models(text, "em"), engine, seed, on_step, tolerance))


def _learned(
    known: Known, data: Ranges, items: Any, stages: Sequence[ModelStage], seed: int, on_step: Any, tolerance: float
) -> Learned:
    family, nothing = _family(known, data), Backoff((), (), np.empty(0, np.float32), np.empty((0, 2), bool))
    model = leaning_on(nothing, known.how, known.words, known.frequencies, max(items.lengths.longest, 1))
    model = model._replace(stride=max(1, len(items) // ENOUGH), classes=items.lengths.pairs)
    start, trace = [uniform_start(RangedModel(model, family, False).layout)], Trace()
    for number, stage in enumerate(stages):
        letters = _letters(known, family, start[0].translation) if number else ()
        if letters:  # what is spelt alike is worth most at the start
            again = known._replace(how=known.how._replace(letters=letters))
            return _learned(again, data, items, stages, seed, on_step, tolerance)
        model, start[0] = at_stage(model, start[0], stage)
        asked: Any = RangedModel(model, family, False)
        with possible(items):
            result = fit(
                asked, data, stage.criteria, lambda _: start.pop(), data.engine,
                tolerance=tolerance, seed=seed + number, on_step=on_step,
            )  # fmt: skip
        start[:] = [result.parameters]
        trace += result.trace
        trace.stopped = result.trace.stopped
    return Learned(known, family, model, start[0], trace)


def _kept(learned: Learned, data: Ranges) -> Agreed:
    """The entries of which something was counted or believed, here."""
    (how, words, frequencies, _), family, model, parameters, trace = learned
    rows = zip(family.families, family.ranges, parameters.translation.parts, strict=True)
    tables, counts = data.engine.keep(_worth, rows, data.engine.share(None), 2)
    entries, (flat,) = whole(data, tables, Spread(counts), dtype=np.float32)
    found = agreed_model(how, entries, words, frequencies, model.longest)
    found = found._replace(alignment=model.alignment, stride=model.stride, classes=model.classes)
    return Agreed(found, parameters._replace(translation=flat), trace, words, frequencies, how)


def _family(known: Known, data: Ranges) -> SpreadBackoff:
    plain = data.family(_lexicon, known)
    return SpreadBackoff(plain.engine, plain.ranges, plain.families, data.n_rows)


def _letters(known: Known, family: SpreadBackoff, counts: Spread) -> Letters:
    if not may_learn_letters(known.how, known.words):
        return ()
    found = family.fetched(family.kept(_likely, counts.parts, shared=known))
    return corresponding([pair for pairs in found for pair in pairs])


def _groups(known: Known) -> Array:
    """The coarsest stem of every source word."""
    found = np.arange(len(known.words[0]))
    for source, _ in known.classes:
        found = source[found]
    return found


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _token_pairs(pairs: Any) -> Array:
    found: Array = pairs.token_pairs
    return found


def _lexicon(values: Sequence[Range], known: Known) -> tuple[Backoff]:
    """Of one range: its rows, their stems, and what is believed of its entries."""
    (own,), classes, rows = values, [], values[0].rows
    for source, target in known.classes:
        rows, local = np.unique(source[rows], return_inverse=True)
        classes.append((local.astype(np.int32), target))
    words, (one, two) = _words(own, known), known.frequencies
    found = levels(own.entries, (one[own.rows], two), classes)
    strengths = strengths_of(known.how.strength, len(classes))
    return (Backoff(found, strengths, *believed(known.how, own.entries, words)),)


def _words(own: Range, known: Known) -> Words:
    return [known.words[0][row] for row in own.rows.tolist()], known.words[1]


def _likely(values: Sequence[Any], known: Known) -> tuple[list[tuple[str, str]]]:
    _, own, counts = values
    one, two = known.frequencies
    return (likely_pairs(own.entries, _words(own, known), counts, (one[own.rows], two)),)


def _worth(values: Sequence[Any], shared: None) -> tuple[Range, Array]:
    family, own, counts = values
    kept = (counts > 0.0) | (family.prior > 0.0)
    lengths = row_sums(own.entries.with_values(kept.astype(np.int64)))
    return Range(own.rows, Ragged(offsets_of(lengths), own.entries.values[kept])), counts[kept]
