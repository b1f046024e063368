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
    at_stage,
    believed,
    by_column,
    frequencies_of,
    leaning_on,
    likely_pairs,
    limits_of,
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

Words = tuple[Sequence[str], Sequence[str]]


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


class Returned:
    """An Agreed of what a file holds; the rest of it is made when somebody asks."""

    def __init__(self, kept: Kept, made: Agreed) -> None:
        self.kept, self._made = kept, made  # `made` has a model without entries
        self._whole: Agreed | None = None

    def __getattr__(self, name: str) -> Any:
        """Of what needs no model; or of the whole."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("trace", "words", "frequencies", "how", "second") and self._whole is None:
            return getattr(self._made, name)
        return getattr(self.agreed, name)

    @property
    def agreed(self) -> Agreed:
        if self._whole is None:
            (entries, counts, bare, *_), made = self.kept, self._made
            model = agreed_model(made.how, entries, made.words, made.frequencies, bare.longest)
            model = model._replace(alignment=bare.alignment, stride=bare.stride, classes=bare.classes)
            tables = made.parameters._replace(translation=counts)
            self._whole = made._replace(model=model, parameters=tables, links=self.kept.links)
        return self._whole

    def with_links(self, links: Array, second: Any) -> Returned:
        """`links` are of the entries that a file holds, which are all that there are here."""
        return Returned(self.kept._replace(links=links.astype(np.float32)), self._made._replace(second=second))


def train(
    how: How, items: Any, stages: Sequence[ModelStage], engine: Keeping, seed: int,
    on_step: Callable[[Step], None] | None, slot: Callable[[str], Slot | None], tolerance: float, before: Any = None,
    weights: Array | None = None,
) -> Any:  # fmt: skip
    """A Returned; `before`: what another text has counted (estimators/agreed_prior.py)."""
    words = items.source.vocabulary.words, items.target.vocabulary.words
    frequencies = frequencies_of(items.source, weights), frequencies_of(items.target, weights)
    if before:
        frequencies = frequencies[0] + before.frequencies[0], frequencies[1] + before.frequencies[1]
    known = Known(how, words, frequencies, stem_classes(words, how))
    counted = Before(before.rows, before.counts) if before else None
    cost = _token_pairs, agreement.SHARD
    data = ranged(items, engine, *cost, null=False, groups=_groups(known), before=counted, weights=weights)
    if how.dictionary:
        known = known._replace(demanded=engine.sum(_demanded, data.tables, engine.share(known)))
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
    family, nothing = _family(known, data), Backoff((), (), np.empty(0, np.float32), np.empty((0, 2), bool))
    model = leaning_on(nothing, known.how, known.words, known.frequencies, max(items.lengths.longest, 1))
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
    return Returned(Kept(entries, flat, model, parameters[1:]), made)


def _family(known: Known, data: Ranges) -> SpreadBackoff:
    plain = data.family(_lexicon, known)
    return SpreadBackoff(plain.engine, plain.ranges, plain.families, plain.n_rows)


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
    return (Backoff(found, strengths, *believed(known.how, own.entries, words, known.demanded)),)


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
