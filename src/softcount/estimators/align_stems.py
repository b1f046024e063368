"""Stems of an aligner's words: learned before training, for both directions together or for each alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.estimators.agreed import How, frequencies_of, stem_classes, strengths_of
from softcount.estimators.align_plan import BACKS_OFF
from softcount.estimators.align_stage import CRF
from softcount.families.backoff import among, coarsest, levels
from softcount.loop.feature_weights import Leant
from softcount.numbers.ragged import Array, Ragged
from softcount.text.cooccurrence import without_null
from softcount.text.stems import GIVEN, check_there, few_given, learn_classes

# κ of words whose direction is trained alone, where counts are less to be trusted than those that two agree on. Of 3,
# 10, 30 and 100 the best of the HMM on es and on nl; it and cs confirm it (docs/background/benchmarks/alignment.md).
APART = 100.0
UNFIT = {
    "vb": "back-off is not available with variational Bayes",
    "gibbs": "back-off is not available with Gibbs sampling",
    "direct": "back-off is not available with gradient optimization",
}


def classed(settings: Any, planned: Any, data: Any, weights: Array | None) -> How:
    """How rows lean, with what is learned of the words of the text."""
    how, stems = planned.how, planned.stems
    words = data.source.vocabulary.words, data.target.vocabulary.words
    frequencies = frequencies_of(data.source, weights), frequencies_of(data.target, weights)
    found: How = how._replace(classes=learn_classes(stems, words, frequencies, settings.lowercase))
    return found


def remarks(planned: Any, how: How, data: Any) -> tuple[str, ...]:
    return tuple(few_given(planned.stems, how.classes, (data.source.vocabulary.words, data.target.vocabulary.words)))


class Leaners(NamedTuple):
    """What the rows of either direction lean on."""

    classes: list[tuple[Array, Array]]  # of the source's and the target's words
    frequencies: tuple[Array, Array]
    strength: float | str | None

    def turned(self, reverse: bool) -> Leaners:
        """As the direction sees them."""
        if not reverse:
            return self
        return self._replace(classes=[(two, one) for one, two in self.classes], frequencies=self.frequencies[::-1])

    def of(self, rows: Ragged, reverse: bool) -> Leant:
        """`rows` are the direction's, with the empty word's."""
        own = self.turned(reverse)
        found = levels(without_null(rows), own.frequencies, own.classes)
        return Leant(found, strengths_of(self.strength, len(found) - 1, APART))

    @property
    def groups(self) -> Array:
        """The coarsest stem of every source word, behind the empty word, which has a group of its own."""
        return np.append(0, coarsest(self.classes, len(self.frequencies[0])) + 1)

    def among(self, entries: Ragged, words: Array) -> Leant:
        """Of these source words alone, which have all words of their coarsest stems among them."""
        found = levels(entries, (self.frequencies[0][words], self.frequencies[1]), among(self.classes, words))
        return Leant(found, strengths_of(self.strength, len(found) - 1, APART))


def leaners(planned: Any, how: How, data: Any, weights: Array | None) -> Leaners | None:
    """Of directions that are trained apart, where they are to lean on anything."""
    if not planned.stems:
        return None
    words = data.source.vocabulary.words, data.target.vocabulary.words
    frequencies = frequencies_of(data.source, weights), frequencies_of(data.target, weights)
    return Leaners(stem_classes(words, how), frequencies, how.strength)


def check_stems(settings: Any, planned: Any) -> None:
    """Before training: files are there and can be read, and what is trained has rows that can lean."""
    check_there(planned.stems)
    if planned.stems.kind == GIVEN:
        learn_classes(planned.stems, ((), ()), (), settings.lowercase)  # type: ignore[arg-type]
    if planned.together or not planned.stems:
        return
    if settings.features is not None or settings.sparse is not None:
        what = "features" if settings.features is not None else "sparse"
        raise InputError(f"stems: back-off cannot be combined with {what}; omit one of them")
    if any(stage.model == CRF for stage in planned.stages):
        raise InputError("stems: back-off is not available with a CRF autoencoder; use hmm, or omit stems")
    for stage in (one for model in planned.stages for one in model.criteria):
        if stage.innermost.name not in BACKS_OFF:
            why = UNFIT.get(stage.innermost.name, "back-off needs point estimates")
            raise InputError(f"criterion {stage.text}: {why}; use em, hard, stepwise, annealed or mre, or --stems none")
