"""One direction of a word aligner: its model stages one after the other, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import log_weights
from softcount.criteria.spec import Settings
from softcount.disk.checkpoint import Slot
from softcount.errors import ImpossibleItem, InputError
from softcount.estimators.align_cost import Size, of_stages, of_step
from softcount.estimators.align_encoder import encoding
from softcount.estimators.align_stage import ALIGNMENTS, CRF, ModelStage
from softcount.estimators.featured import of_pairs, shared_weights
from softcount.families.categorical import Prior
from softcount.loop.diagnostics import Chains
from softcount.loop.estep import EStep
from softcount.loop.feature_weights import Computed, Leant
from softcount.loop.trace import Step, Trace
from softcount.loop.train import fit
from softcount.loop.weighted import weighted
from softcount.machine import stage as shown
from softcount.models.ibm import IBM
from softcount.models.jump_hmm import JumpHMM
from softcount.models.link_crf import LinkCRF
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import by_row, row_sums
from softcount.text.bitext import Bitext
from softcount.text.dictionary import unmatched
from softcount.text.vocabulary import Vocabulary

PREFER = 10.0  # pseudo-counts of an encouraged entry


class Direction(NamedTuple):
    model: IBM | JumpHMM | LinkCRF
    parameters: Any  # IBMTables, or LinkCRFTables
    log_weights: Any  # what to decode with
    trace: Trace
    tokens: int  # generated words of the training text
    totals: Array | None = None  # [rows]: how many words each row was learned from; not in older files
    strengths: Array | None = None  # [rows]: Σ λ of each row, after variational Bayes
    chains: Chains | None = None  # where the last stage is several of them; in no file

    @property
    def posterior(self) -> Ragged | None:
        """λ of the translation rows: a mean is its share of Σ λ, that of words which are not stored included."""
        rows = self.parameters.translation
        return None if self.strengths is None else rows.with_values(rows.values * by_row(self.strengths, rows))

    def log_parameters(self) -> Any:
        with np.errstate(divide="ignore"):
            rows = self.parameters.translation
            return self.log_weights._replace(translation=rows.with_values(np.log(rows.values)))


class Constraints(NamedTuple):
    """What a dictionary says of the entries of a translation table."""

    must: Array
    prefer: Array
    never: Array


class Known(NamedTuple):
    """What there is to say of a direction's translations before training."""

    rows: Ragged
    limits: Constraints
    imagined: Any  # counts of another text
    more: Any  # pseudo-counts, with what a dictionary prefers
    alpha: Any  # the prior of variational Bayes and Gibbs


def known(settings: Any, items: Bitext, rows: Ragged, entries: Sequence[Any], before: Any) -> Known:
    """`settings` are the aligner's; `before` is what another text has counted (estimators/align_prior.py)."""
    rows = before.united(rows) if before else rows
    imagined = before.imagined(rows) if before else 0.0
    limits = constraints(rows, entries, items.source.vocabulary, items.target.vocabulary)
    more = PREFER * limits.prefer + imagined if limits.prefer.any() else imagined
    return Known(rows, limits, imagined, more, prior_by_entry(settings, items.target.vocabulary, rows, more))


def train(
    settings: Any, items: Bitext, said: Known, planned: Any, entries: Sequence[Any], engine: Any,
    seed: int, on_step: Callable[[Step], None] | None, slot: Callable[[str], Slot | None],
    weights: Array | None = None, leant: Leant | None = None,
) -> Direction:  # fmt: skip
    """`slot` gives each stage its place in the checkpoint; `leant` is what rows lean on, if anything."""
    rows, limits = said.rows, said.limits
    counted, classes = weighted(items, weights), items.lengths.pairs
    translation, trace, result, encoder = None, Trace(), None, None
    model: Any = None
    trace.remarks = unmatched("dictionary", entries, [items.source.vocabulary, items.target.vocabulary])
    featured = settings.features is not None and not planned.encodes
    told = of_pairs(rows, items, settings.features, settings.variance) if featured else None
    computed: Computed = {"translation": told.rows} if told else {"translation": leant} if leant else {}
    size = Size(items.lengths.token_pairs, len(rows.values))
    for number, stage in enumerate(planned.stages):
        if stage.model == CRF and result is not None:
            counts = EStep(model, counted, engine)(result.log_weights).counts
            encoder = encoding(settings, items, rows, counts, first_null(planned))
            model = encoder.model
        else:
            encoder, model = None, model_of(settings, planned, stage.model, rows, len(items.target.vocabulary), classes)
        start = model.start()
        start = start._replace(translation=limited(start.translation if translation is None else translation, limits))
        if settings.sparse is not None and translation is None:
            start = _summed_up(model, start, counted, engine)
        with shown.then(of_stages(planned.stages[number + 1 :], size), of_step(stage, size)):
            result = fitted(
                model, counted, items, stage, start, engine, {"translation": limits.must},
                Settings(
                    {"translation": settings.pseudo + said.more}, {"translation": said.alpha},
                    sparse=sparse_rows(settings.sparse),
                ),
                seed + number, on_step, slot(f"{number + 1} {stage.text}"), settings.tolerance, computed,
            )  # fmt: skip
        translation = result.parameters.translation
        trace += result.trace
        trace.remarks += result.trace.remarks
        trace.stopped = result.trace.stopped
    assert model is not None and result is not None
    if told is not None and result.weights:
        trace.remarks += (shared_weights(told, result.weights["translation"]),)
    counts = EStep(model, counted, engine)(result.log_weights).counts
    found = finished(model, result.parameters, result.log_weights, result.posterior, counts, said, trace, items)
    found = found._replace(chains=result.chains)
    return found if encoder is None else encoder.folded(found)


def finished(
    model: Any, parameters: Any, logs: Any, posterior: Any, counts: Any, said: Known, trace: Trace, items: Bitext
) -> Direction:
    """What training leaves of a direction; `counts` are those of its last parameters."""
    table = counts.translation
    totals = row_sums(table.with_values(table.values + said.imagined))
    learned = None if posterior is None else posterior.translation  # of rows of features there is no posterior
    strengths = None if learned is None else strengths_of(learned, parameters.translation)
    return Direction(model, parameters, logs, trace, items.target.n_tokens, totals, strengths)


def first_null(planned: Any) -> float:
    """The empty word's probability, or where it is learned from."""
    return 0.08 if planned.null == "learn" else float(planned.null)


def _summed_up(model: Any, start: Any, counted: Any, engine: Any) -> Any:
    """The start after one plain step: as rows that sum to one, which a wish for sparse rows takes for granted."""
    layout = model.layout
    counts = EStep(model, counted, engine)(log_weights(layout, start)).counts.translation
    family: Any = layout.translation.family
    return start._replace(translation=family.normalize(counts, otherwise=family.uniform()))


def sparse_rows(given: Any) -> Any:
    """A wish for all is one for words with few translations: which places are linked is another matter."""
    return given if given is None or isinstance(given, Mapping) else {"translation": given}


def strengths_of(posterior: Ragged, mean: Ragged) -> Array:
    """λ over its mean, the same in a row wherever nothing is fixed: of the row's most probable entry."""
    found = np.zeros(mean.n_rows)
    for row in np.flatnonzero(mean.lengths).tolist():
        best = int(mean.row(row).argmax())
        found[row] = posterior.row(row)[best] / max(float(mean.row(row)[best]), 1e-300)
    return found


def model_of(settings: Any, planned: Any, name: str, rows: Ragged, n_targets: int, classes: Array) -> Any:
    null, learn = first_null(planned), planned.null == "learn"
    whole = settings.prior_over == "vocabulary"
    if ALIGNMENTS[name] == "jumps":
        return JumpHMM(rows, n_targets, classes, null, learn, whole)
    tension = 4.0 if settings.tension == "learn" else float(settings.tension)
    learned = settings.tension == "learn"
    if name == "ibm1" and planned.own_null:  # a diagonal without tension: each position has (1 − p₀) / l
        return IBM(rows, n_targets, classes, "diagonal", null, 0.0, learn, False, whole)
    return IBM(rows, n_targets, classes, ALIGNMENTS[name], null, tension, learn, learned, whole)


def fitted(
    model: Any, counted: Any, items: Bitext, stage: ModelStage, start: Any, engine: Any, fixed: Any,
    settings: Settings, seed: int, on_step: Any, checkpoint: Slot | None, tolerance: float, computed: Computed,
) -> Any:  # fmt: skip
    with possible(items):
        return fit(
            model, counted, stage.criteria, lambda _: start, engine,
            fixed=fixed, computed=computed, settings=settings, tolerance=tolerance, seed=seed, on_step=on_step,
            checkpoint=checkpoint,
        )  # fmt: skip


@contextmanager
def possible(items: Bitext, order: Array | None = None) -> Iterator[None]:
    """A pair that no alignment makes possible is named by its line; `order`: which of the items each was, if sorted."""
    try:
        yield
    except ImpossibleItem as impossible:
        line = 1 + (impossible.item if order is None else int(order[impossible.item]))
        raise InputError(
            f"{items.target.source}:{line}: the pair has probability zero under the dictionary or its "
            "gold links; allow one of its translations, or use a larger null probability (--null)"
        ) from None


def constraints(rows: Ragged, entries: Sequence[Any], sources: Vocabulary, targets: Vocabulary) -> Constraints:
    """Of every entry whether it must be, should be or may not be a translation; row 0 is the empty word."""
    masks = {kind: np.zeros(len(rows.values) if entries else 1, dtype=bool) for kind in Constraints._fields}
    if entries:
        e, f = sources.find([entry[0] for entry in entries]), targets.find([entry[1] for entry in entries])
        for row, column, (_, _, kind) in zip(e.tolist(), f.tolist(), entries, strict=True):
            if kind not in masks:
                raise InputError(f"dictionary: unknown kind {kind!r}; use must, prefer or never")
            if row >= 0 and column >= 0:
                start = rows.offsets[row + 1]
                place = start + np.searchsorted(rows.row(row + 1), column)
                if place < rows.offsets[row + 2] and rows.values[place] == column:
                    masks[kind][place] = True
    return Constraints(**masks)


def limited(table: Ragged, limits: Constraints) -> Ragged:
    """The start with `never` at zero, and `must` rows with all their mass on what they must be."""
    if not (limits.must.any() or limits.never.any()):
        return table
    demanded = np.repeat(row_sums(table.with_values(limits.must.astype(float))), table.lengths)
    must = limits.must / np.maximum(demanded, 1.0)
    return table.with_values(np.where(demanded > 0, must, np.where(limits.never, 0.0, table.values)))


def prior_by_entry(settings: Any, vocabulary: Vocabulary, rows: Ragged, more: Any) -> Any:
    """α, and what is imagined of the entries besides."""
    whole = settings.prior_over == "vocabulary"
    if not isinstance(settings.alpha, Mapping) and not np.any(more):
        return float(settings.alpha)
    if isinstance(settings.alpha, Mapping):
        other = settings.alpha.get("*", 0.01)
        words = np.array([settings.alpha.get(word, other) for word in vocabulary.words], dtype=float)
    else:
        words = np.full(len(vocabulary), float(settings.alpha))
    if not (words > 0).all():
        raise InputError(f"alpha of {vocabulary.words[int(np.argmin(words))]!r} must be positive")
    entries = words[rows.values]
    beyond = np.maximum(words.sum() - row_sums(rows.with_values(entries)), 0.0) if whole else 0.0
    return Prior(entries + more, beyond)
