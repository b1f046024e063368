"""Both directions of a word aligner trained together: what is trained, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.spec import Settings
from softcount.disk.checkpoint import Slot
from softcount.engines import Engine
from softcount.estimators.align_cost import Size, of_stages, of_step
from softcount.estimators.align_direction import PREFER, Constraints, constraints, possible
from softcount.estimators.align_stage import ALIGNMENTS, ModelStage, parse_models
from softcount.estimators.meeting import meeting
from softcount.families.backoff import Backoff, levels
from softcount.families.jumps import kinds_of_words
from softcount.families.layout import by_table
from softcount.loop.start import uniform_start
from softcount.loop.trace import Step, Trace
from softcount.loop.train import fit
from softcount.loop.weighted import weighted
from softcount.machine import stage as shown
from softcount.models.agreement import Agreement, AgreementTables, SideTables
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import row_sums
from softcount.text.bitext import Bitext
from softcount.text.cooccurrence import with_null, without_null
from softcount.text.dictionary import unmatched
from softcount.text.entries import only
from softcount.text.letters import Letters, corresponding, foreign
from softcount.text.spelling import alike
from softcount.text.stems import Classes, class_numbers
from softcount.text.stored import Stored
from softcount.text.vocabulary import Vocabulary

# κ of the words, then of their stems. Chosen with the trust in spelling (docs/background/benchmarks/alignment.md).
STRENGTHS = (3.0, 1.0, 1.0, 1.0)
SAME = 0.3  # pseudo-counts of a word with itself
ENOUGH = 100_000  # sentence pairs to count jumps in; of 20,000 Hansards has AER 4.98, not 4.9
LIKELY = 0.5  # the Dice coefficient from which on two words may be spelt alike in two scripts

Words = tuple[Sequence[str], Sequence[str]]  # of both sides


class How(NamedTuple):
    """What a lexicon leans on."""

    stems: tuple[int, ...] = (5, 3)  # letters, from fine to coarse
    spelling: bool = True
    fertility: bool = True
    null: float | str = "learn"
    dictionary: tuple[tuple[str, str, str], ...] = ()
    letters: Letters = ()  # of two scripts, that stand for one another: learned on the way
    second: tuple[tuple[int, ...], str] | None = None  # stems and stages of another model that has a say in links
    strength: float | str | None = None  # κ of the words; None: as chosen; "evidence": by links that are left out
    tension: float | str = 8.0  # of Model 2's diagonal
    classes: tuple[Classes, Classes] | None = None  # in place of first letters (text/stems.py)
    recount: bool = False  # whether links are counted once more (estimators/agreed_recount.py)


class Kept(NamedTuple):
    """What a file has of the entries."""

    entries: Ragged
    counts: Array
    model: Agreement  # whose lexicon may be without them
    sides: tuple[Any, Any]  # the other tables
    links: Array | None = None  # of these entries, counted once more


class Agreed(NamedTuple):
    model: Agreement
    parameters: AgreementTables
    trace: Trace
    words: tuple[Sequence[str], Sequence[str]]
    frequencies: tuple[Array, Array]
    how: How
    second: Any = None  # another Agreed
    links: Array | None = None  # float32, by entry: counted once more, where that was wished

    @property
    def log_weights(self) -> Any:
        return by_table(self.model.layout, lambda spec, table: spec.family.log_weights(table), self.parameters)

    @property
    def kept(self) -> Kept:
        """What a file has of entries: others, of which nothing was counted or believed, come back by themselves."""
        worth, counts = self.worth, self.parameters.translation
        links = None if self.links is None else self.links[worth]
        return Kept(only(self.rows, worth), counts[worth], self.model, self.parameters[1:], links)

    @property
    def worth(self) -> Array:
        """Which entries a file has."""
        return np.asarray((self.parameters.translation > 0.0) | (self.model.lexicon.prior > 0.0))

    def with_links(self, links: Array, second: Any) -> Agreed:
        return self._replace(links=links.astype(np.float32), second=second)

    @property
    def rows(self) -> Ragged:
        return self.model.lexicon.levels[0].rows

    def side(self, d: int) -> SideTables:
        """What a direction has for itself."""
        found: SideTables = self.parameters[1 + d]
        return found


def train(
    how: How, items: Bitext, stages: Sequence[ModelStage], engine: Engine, seed: int,
    on_step: Callable[[Step], None] | None, slot: Callable[[str], Slot | None], tolerance: float, before: Any = None,
    weights: Array | None = None,
) -> Agreed:  # fmt: skip
    """`before`: what another text has counted (estimators/agreed_prior.py), in the words of these items."""
    words = items.source.vocabulary.words, items.target.vocabulary.words
    shown.begin("collecting co-occurring words")
    rows = without_null(meeting(items, engine))
    shown.begin("stems and spelling")
    frequencies = frequencies_of(items.source, weights), frequencies_of(items.target, weights)
    if before:
        rows = before.united(rows)
        frequencies = frequencies[0] + before.frequencies[0], frequencies[1] + before.frequencies[1]
    model = agreement(how, rows, words, frequencies, max(items.lengths.longest, 1))
    model = model._replace(stride=max(1, len(items) // ENOUGH), classes=items.lengths.pairs)
    imagined = before.imagined(rows, model.kinds) if before else {}
    start, trace = [uniform_start(model.layout)], Trace()
    trace.remarks = unmatched("dictionary", how.dictionary, [items.source.vocabulary, items.target.vocabulary])
    order = None if weights is None else np.argsort(weights, kind="stable")
    indexed: Any = items if order is None else items.take(order)
    if not isinstance(items, Stored):
        indexed = Indexed(indexed, model)
    size = Size(items.lengths.token_pairs, len(rows.values), True)
    second = parse_models(how.second[1], "em") if how.second else []
    for number, stage in enumerate(stages):
        letters = _letters(how, rows, words, start[0].translation, frequencies) if number else ()
        if letters:  # what is spelt alike is worth most at the start
            del model, indexed, start, rows
            again = how._replace(letters=letters)
            return train(
                again, items, stages, engine, seed, on_step, lambda text: slot(f"again {text}"), tolerance, before,
                weights,
            )  # fmt: skip
        model, start[0] = at_stage(model, start[0], stage)
        later = of_stages([*stages[number + 1 :], *second], size)
        with possible(items, order), shown.then(later, of_step(stage, size)):
            result = fit(
                model, weighted(indexed, None if weights is None or order is None else weights[order]), stage.criteria,
                lambda _: start.pop(), engine,
                settings=Settings(extra=imagined), tolerance=tolerance, seed=seed + number, on_step=on_step,
                checkpoint=slot(f"{number + 1} {stage.text}"),
            )  # fmt: skip
        start[:] = [result.parameters]  # also where a checkpoint had the result, so that nobody took the start
        trace += result.trace
        trace.stopped = result.trace.stopped
        del result  # its weights are as large as all counts
    agreed = Agreed(model, start[0], trace, words, frequencies, how)
    if how.second is None:
        return agreed
    del indexed
    other = how._replace(stems=how.second[0], second=None, classes=None)
    named = second, engine, seed, on_step, lambda text: slot(f"second {text}"), tolerance
    return agreed._replace(second=train(other, items, *named, before.second if before else None, weights))


def at_stage(model: Agreement, start: AgreementTables, stage: ModelStage) -> tuple[Agreement, AgreementTables]:
    """The model that this stage trains, and where it starts: places of Model 2 are not handed over to others."""
    alignment = ALIGNMENTS[stage.model]
    if alignment == model.alignment:
        return model, start
    model = model._replace(alignment=alignment)
    sides = (start[1 + d]._replace(places=model.layout[1 + d].places.family.uniform()) for d in (0, 1))
    return model, AgreementTables(start.translation, *sides)


class Indexed:
    """A bitext whose shards are packed once for all stages."""

    def __init__(self, items: Bitext, model: Agreement) -> None:
        self.items, self.model = items, model
        self.sizes, self.token_pairs = items.sizes, items.token_pairs
        self._packed: dict[tuple[int, int], Any] = {}

    def __len__(self) -> int:
        return len(self.items)

    def slice(self, start: int, stop: int) -> Any:
        if (start, stop) not in self._packed:
            self._packed[start, stop] = self.model.pack(self.items.slice(start, stop))
        return self._packed[start, stop]

    def take(self, rows: Array) -> Bitext:
        return self.items.take(rows)


def frequencies_of(text: Any, weights: Array | None) -> Array:
    if weights is None:
        return np.asarray(text.frequencies, float)
    ids, known = text.sentences.values, text.sentences.values >= 0
    each = np.repeat(weights, text.sentences.lengths)[known]
    return np.bincount(ids[known], each, minlength=len(text.vocabulary)).astype(float)


def agreement(
    how: How, rows: Ragged, words: tuple[Sequence[str], Sequence[str]], frequencies: tuple[Array, Array], longest: int
) -> Agreement:
    found = levels(rows, frequencies, stem_classes(words, how))
    prior, banned = believed(how, rows, words)
    lexicon = Backoff(found, strengths_of(how.strength, len(found) - 1), prior, banned)
    return leaning_on(lexicon, how, words, frequencies, longest)


def without_entries(
    how: How, words: tuple[Sequence[str], Sequence[str]], frequencies: tuple[Array, Array], longest: int
) -> Agreement:
    nothing = Backoff((), (), np.empty(0, np.float32), np.empty((0, 2), bool))
    return leaning_on(nothing, how, words, frequencies, longest)


def leaning_on(
    lexicon: Backoff, how: How, words: tuple[Sequence[str], Sequence[str]], frequencies: tuple[Array, Array],
    longest: int,
) -> Agreement:  # fmt: skip
    learn = how.null == "learn"
    null = 0.15 if learn else float(how.null)
    kinds = kinds_of_words(frequencies[0]), kinds_of_words(frequencies[1])
    sizes = len(words[0]), len(words[1])
    return Agreement(lexicon, sizes, kinds, longest, "jumps", how.fertility, null, learn, tension=how.tension)


def strengths_of(given: float | str | None, n: int, usual: float = STRENGTHS[0]) -> tuple[float, ...] | None:
    if given == "evidence" and n:
        return None
    words = usual if given is None or isinstance(given, str) else float(given)
    return (words, *STRENGTHS[1:], *[STRENGTHS[-1]] * n)[:n]  # classes of a file may have any number of levels


def believed(
    how: How, rows: Ragged, words: tuple[Sequence[str], Sequence[str]], demanded: Array | None = None
) -> tuple[Array, Array]:
    """Pseudo-counts of every entry, and what may not be: what spelling and a dictionary say.

    `demanded`: of every column how many entries must be, where other rows are elsewhere.
    """
    prior = alike(rows, *words, SAME, how.letters) if how.spelling else np.zeros(len(rows.values), np.float32)
    if not how.dictionary:
        return prior, np.empty((0, 2), bool)
    limits = limits_of(how, rows, words)
    demanded = by_column(rows, limits.must) if demanded is None else demanded
    return (prior + np.float32(PREFER) * limits.prefer).astype(np.float32), _banned(rows, limits, demanded)


def limits_of(how: How, rows: Ragged, words: tuple[Sequence[str], Sequence[str]]) -> Constraints:
    sides = Vocabulary(words[0]), Vocabulary(words[1])
    return constraints(with_null(rows, np.empty(0, np.int32)), how.dictionary, *sides)


def by_column(rows: Ragged, mask: Array, n: int = 0) -> Array:
    """How many entries of each column are in the mask."""
    return np.bincount(rows.values, mask, max(n, int(rows.values.max(initial=-1)) + 1))


def _letters(
    how: How, rows: Ragged, words: tuple[Sequence[str], Sequence[str]], counts: Array, frequencies: tuple[Array, Array]
) -> Letters:
    """Where the scripts differ, for the first time: letters that stand for one another in the words found so far."""
    if not may_learn_letters(how, words):
        return ()
    return corresponding(likely_pairs(rows, words, counts, frequencies))


def may_learn_letters(how: How, words: tuple[Sequence[str], Sequence[str]]) -> bool:
    return how.spelling and not how.letters and foreign(*words)


def likely_pairs(
    rows: Ragged, words: tuple[Sequence[str], Sequence[str]], counts: Array, frequencies: tuple[Array, Array]
) -> list[tuple[str, str]]:
    """Words that are translations of one another by what was counted."""
    e, f = np.repeat(np.arange(rows.n_rows), rows.lengths), rows.values
    likely = np.flatnonzero(counts > LIKELY * (frequencies[0][e] + frequencies[1][f]) / 2)
    return [(words[0][e[k]], words[1][f[k]]) for k in likely.tolist()]


def padded(numbers: Array, n: int) -> Array:
    """With zeros behind, for words that came later."""
    return np.append(numbers, np.zeros(n - len(numbers)))


def stem_classes(words: tuple[Sequence[str], Sequence[str]], how: How) -> list[tuple[Array, Array]]:
    one, two = (class_numbers(how.classes and how.classes[d], how.stems, words[d]) for d in (0, 1))
    return list(zip(one, two, strict=True))


def _banned(rows: Ragged, limits: Constraints, columns: Array) -> Array:
    """What is never a translation, and what a word may not be that must be another."""
    by_row = np.repeat(row_sums(rows.with_values(limits.must.astype(np.int64))), rows.lengths) > 0
    demanded = np.stack([by_row, columns[rows.values] > 0], axis=1)
    return np.asarray(limits.never[:, None] | (demanded & ~limits.must[:, None]))
