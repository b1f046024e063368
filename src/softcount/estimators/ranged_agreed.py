"""Both directions of a word aligner trained together (estimators/agreed.py), their lexicon in ranges of source words.

A range has all words of a coarsest stem, its own stems and what spelling and a dictionary say of its entries. What
comes back at the end are the entries of which something was counted or believed, as a file has them, and into files;
others come back by themselves, when somebody asks for more than is saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.spec import Settings
from softcount.disk.checkpoint import Slot
from softcount.engines.engine import Keeping
from softcount.estimators.agreed import (
    ENOUGH,
    Agreed,
    How,
    Kept,
    Words,
    at_stage,
    believed,
    by_column,
    frequencies_of,
    likely_pairs,
    limits_of,
    may_learn_letters,
    stem_classes,
    strengths_of,
    without_entries,
)
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.align_direction import possible
from softcount.estimators.align_stage import ModelStage, parse_models
from softcount.families.backoff import Backoff, among, coarsest, levels
from softcount.families.spread import Range, Spread
from softcount.families.spread_backoff import SpreadBackoff
from softcount.loop.ranged_estep import RangedModel
from softcount.loop.ranges import Before, Ranges, ranged, whole
from softcount.loop.start import uniform_start
from softcount.loop.trace import Step, Trace
from softcount.loop.train import fit
from softcount.models import agreement
from softcount.models.agreement import Agreement, AgreementTables
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import row_sums
from softcount.text.dictionary import unmatched
from softcount.text.letters import Letters, corresponding


class Known(NamedTuple):
    """What every range is told of all words."""

    how: How
    words: Words
    frequencies: tuple[Array, Array]
    classes: list[tuple[Array, Array]]
    demanded: Array | None = None  # of every target word, how many translations a dictionary demands


class Learned(NamedTuple):
    known: Known
    family: SpreadBackoff
    model: Agreement
    parameters: AgreementTables
    trace: Trace


def train(
    how: How, items: Any, stages: Sequence[ModelStage], engine: Keeping, seed: int,
    on_step: Callable[[Step], None] | None, slot: Callable[[str], Slot | None], tolerance: float, before: Any = None,
    weights: Array | None = None,
) -> Any:  # fmt: skip
    """A Lazy; `before`: what another text has counted (estimators/agreed_prior.py)."""
    words = items.source.vocabulary.words, items.target.vocabulary.words
    frequencies = frequencies_of(items.source, weights), frequencies_of(items.target, weights)
    if before:
        frequencies = frequencies[0] + before.frequencies[0], frequencies[1] + before.frequencies[1]
    known = known_of(how, words, frequencies)
    counted = Before(before.rows, before.counts) if before else None
    cost = _token_pairs, agreement.SHARD
    data = ranged(items, engine, *cost, null=False, groups=groups_of(known), before=counted, weights=weights)
    known = known._replace(demanded=demanded(engine, known, data.tables))
    learned = _learned(known, data, items, stages, seed, on_step, slot, tolerance, before)
    learned.trace.remarks = unmatched("dictionary", how.dictionary, [items.source.vocabulary, items.target.vocabulary])
    second, found = None, learned.known.how
    if how.second is not None:
        other, text = found._replace(stems=how.second[0], second=None, classes=None), how.second[1]
        prefix = "second" if found.letters == how.letters else "again second"
        run = engine, seed, on_step, lambda text: slot(f"{prefix} {text}"), tolerance
        second = train(other, items, parse_models(text, "em"), *run, before.second if before else None, weights)
    return _returned(learned, data, second)


def _learned(
    known: Known, data: Ranges, items: Any, stages: Sequence[ModelStage], seed: int, on_step: Any,
    slot: Callable[[str], Slot | None], tolerance: float, before: Any,
) -> Learned:  # fmt: skip
    family = family_of(data.engine, known, data.tables, data.family(lexicon_of, known).families)
    model = without_entries(known.how, known.words, known.frequencies, max(items.lengths.longest, 1))
    model = model._replace(stride=max(1, len(items) // ENOUGH), classes=items.lengths.pairs)
    imagined = before.sides_imagined(model.kinds) | {"translation": Spread(data.imagined)} if before else {}
    start, trace = [uniform_start(RangedModel(model, family, False).layout)], Trace()
    for number, stage in enumerate(stages):
        letters = _letters(known, family, start[0].translation) if number else ()
        if letters:  # what is spelt alike is worth most at the start
            again = known._replace(how=known.how._replace(letters=letters))
            slots = lambda text: slot(f"again {text}")  # noqa: E731
            return _learned(again, data, items, stages, seed, on_step, slots, tolerance, before)
        model, start[0] = at_stage(model, start[0], stage)
        asked: Any = RangedModel(model, family, False)
        with possible(items):
            result = fit(
                asked, data, stage.criteria, lambda _: start.pop(), data.engine, settings=Settings(extra=imagined),
                tolerance=tolerance, seed=seed + number, on_step=on_step, checkpoint=slot(f"{number + 1} {stage.text}"),
            )  # fmt: skip
        start[:] = [result.parameters]
        trace += result.trace
        trace.stopped = result.trace.stopped
    return Learned(known, family, model, start[0], trace)


def _returned(learned: Learned, data: Ranges, second: Any) -> Any:
    """The entries of which something was counted or believed, here, in files."""
    known, family, model, parameters, trace = learned
    rows = zip(family.families, family.ranges, parameters.translation.parts, strict=True)
    tables, counts = data.engine.keep(_worth, rows, data.engine.share(None), 2)
    entries, (flat,) = whole(data, tables, Spread(counts))
    tables_but_one = parameters._replace(translation=np.empty(0, np.float32))
    made = Agreed(model, tables_but_one, trace, known.words, known.frequencies, known.how, second)
    return Lazy(Kept(entries, flat, model, parameters[1:]), made)


def family_of(engine: Keeping, known: Known, ranges: Sequence[Any], families: Sequence[Any]) -> SpreadBackoff:
    """`families`: what `lexicon_of` makes of each range."""
    chosen = len(known.classes) if known.how.strength == "evidence" else 0
    return SpreadBackoff(engine, ranges, families, len(known.words[0]), chosen)


def _letters(known: Known, family: SpreadBackoff, counts: Spread) -> Letters:
    if not may_learn_letters(known.how, known.words):
        return ()
    found = family.fetched(family.kept(_likely, counts.parts, shared=known))
    return corresponding([pair for pairs in found for pair in pairs])


def known_of(how: How, words: Words, frequencies: tuple[Array, Array]) -> Known:
    return Known(how, words, frequencies, stem_classes(words, how))


def groups_of(known: Known) -> Array:
    """The coarsest stem of every source word."""
    return coarsest(known.classes, len(known.words[0]))


def demanded(engine: Keeping, known: Known, ranges: Sequence[Any]) -> Array | None:
    """Of every target word, how many translations a dictionary demands."""
    return engine.sum(_demanded, ranges, engine.share(known)) if known.how.dictionary else None


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _token_pairs(pairs: Any) -> Array:
    found: Array = pairs.token_pairs
    return found


def lexicon_of(values: Sequence[Range], known: Known) -> tuple[Backoff]:
    """Of one range: its rows, their stems, and what is believed of its entries."""
    (own,), (classes, frequencies) = values, classes_in(values[0].rows, known)
    words, found = _words(own, known), levels(own.entries, frequencies, classes)
    strengths = strengths_of(known.how.strength, len(classes))
    return (Backoff(found, strengths, *believed(known.how, own.entries, words, known.demanded)),)


def classes_in(rows: Any, known: Known) -> tuple[list[tuple[Array, Array]], tuple[Array, Array]]:
    """The stems of a range's source words and of all target words, level by level, and how often words occur."""
    one, two = known.frequencies
    return among(known.classes, rows), (one[rows], two)


def _demanded(own: Range, known: Known) -> Array:
    must = limits_of(known.how, own.entries, _words(own, known)).must
    return by_column(own.entries, must, len(known.words[1]))


def _words(own: Range, known: Known) -> Words:
    return [known.words[0][row] for row in np.asarray(own.rows).tolist()], known.words[1]


def _likely(values: Sequence[Any], known: Known) -> tuple[list[tuple[str, str]]]:
    _, own, counts = values
    one, two = known.frequencies
    return (likely_pairs(own.entries, _words(own, known), counts, (one[own.rows], two)),)


def _worth(values: Sequence[Any], shared: None) -> tuple[Range, Array]:
    family, own, counts = values
    kept = (counts > 0.0) | (family.prior > 0.0)
    lengths = row_sums(own.entries.with_values(kept.astype(np.int64)))
    return Range(own.rows, Ragged(offsets_of(lengths), own.entries.values[kept])), counts[kept]
