"""A trained word aligner as the prior of another: what it has counted, as counts imagined before the new text is seen.

    t(f | e) ∝ c(e, f) + s · c_before(e, f)          VB: λ = α + s · c_before + c

s, the strength, says how many pairs of the new text a pair of the old one counts for. Of a direction that was trained
alone the counts of before are its row times how many words it was learned from. What was learned of positions by Model
2 is not carried over. Words of before keep their numbers, and new ones come behind them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.estimators.agreed_prior import AgreedPrior, agreed_prior
from softcount.estimators.align_direction import Direction
from softcount.estimators.align_directions import NAMES
from softcount.estimators.align_plan import plan
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.casing import extended
from softcount.text.entries import lengthened, only, placed, united

NEGLIGIBLE = 1e-6  # counts below are not worth an entry


class DirectionPrior(NamedTuple):
    rows: Ragged  # entries in the words of now; row 0 is the empty word
    counts: Array

    def united(self, rows: Ragged) -> Ragged:
        return united(rows, self.rows)

    def imagined(self, rows: Ragged) -> Array:
        return placed(self.rows, self.counts, rows)


def direction_prior(found: Direction, settings: Any, n_words: tuple[int, int], strength: float) -> DirectionPrior:
    """`settings` are those of the aligner that was trained."""
    table, totals, alpha = found.parameters.translation, found.totals, _within_means(settings)
    assert totals is not None
    outcomes = found.model.n_targets if settings.prior_over == "vocabulary" else table.lengths
    counts = np.maximum(table.values * np.repeat(totals + alpha * outcomes, table.lengths) - alpha, 0.0)
    kept = counts > NEGLIGIBLE
    return DirectionPrior(lengthened(only(found.model.entries, kept), n_words[0] + 1), strength * counts[kept])


def _within_means(settings: Any) -> float:
    """The α that every entry of a posterior mean has; none in a point estimate."""
    last = plan(settings).stages[-1].criteria[-1].text
    bayesian = "vb" in last or "gibbs" in last
    return float(settings.alpha) if bayesian and not isinstance(settings.alpha, Mapping) else 0.0


class Before(NamedTuple):
    """The trained aligner that a training begins with."""

    model: Any
    strength: float

    @property
    def pairs(self) -> int:
        """Of sentences, that it counts for."""
        return round(self.strength * int(self.model.data_.get("pairs", 0)))

    def digest(self) -> str:
        return hashlib.sha256(self.model.signature_.encode(errors="surrogatepass")).hexdigest()

    def coded(self, data: Bitext) -> Bitext:
        """The text in the words of before, new ones behind."""
        sides = zip((data.source, data.target), self.model.vocabularies_, strict=True)
        return data.recoded(*(extended(text, known) for text, known in sides))

    def both(self, data: Bitext) -> AgreedPrior:
        n_words = len(data.source.vocabulary), len(data.target.vocabulary)
        return agreed_prior(self.model.agreed_, int(self.model.data_.get("pairs", 0)), self.strength, n_words)

    def direction(self, name: str, data: Bitext) -> DirectionPrior:
        """`data` as the direction sees it, turned where it is the reverse."""
        n_words = len(data.source.vocabulary), len(data.target.vocabulary)
        return direction_prior(self.model.directions_[name], self.model, n_words, self.strength)


def before(settings: Any, together: bool) -> Before | None:
    """What the setting `prior` names, if it fits what is to be trained."""
    if settings.prior is None:
        return None
    model = opened(settings.prior)
    names = NAMES if settings.direction == "both" else (settings.direction,)
    who = f"prior {settings.prior}" if isinstance(settings.prior, str | Path) else "prior"
    if together != (model.agreed_ is not None):
        how = "joint training of both directions" if model.agreed_ else "each direction trained separately"
        raise InputError(f"{who}: trained with {how}; train this model in the same way (agreement)")
    if not set(names) <= set(model.directions_):
        raise InputError(
            f"{who}: has only the direction {', '.join(model.directions_)}; train the same direction, "
            "or train the prior model again"
        )
    if model.lowercase != settings.lowercase:
        case = "in lower case" if model.lowercase else "with case"
        raise InputError(f"{who}: trained {case}; use the same setting of lowercase")
    if not together and any(model.directions_[name].totals is None for name in names):
        raise InputError(f"{who}: saved without counts by an older softcount; train it again")
    return Before(model, float(settings.prior_strength))


def opened(given: Any) -> Any:
    """A trained aligner, or the one in a file."""
    if isinstance(given, str | Path):
        from softcount.registry import load_one_of

        given = load_one_of(given, ("word aligner",), "a prior")
    if getattr(given, "kind", None) != "word aligner" or not hasattr(given, "signature_"):
        raise InputError(f"prior is {type(given).__name__}; give a trained WordAligner, or the path of a saved one")
    return given
