"""Settings of a word aligner that have no meaning are refused, each with a line that says what to give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softcount.errors import InputError
from softcount.estimators.align_decode import DECODINGS
from softcount.estimators.align_plan import plan

DIRECTIONS = ("forward", "reverse", "both")
MOST_STRENGTH = 1e9  # how often a pair of before may count: beyond, what is new has no weight left


def check_decode(decode: str, together: bool) -> None:
    if decode not in DECODINGS:
        raise InputError(f"decode={decode!r}: unknown; use {', '.join(DECODINGS)}")
    if together and decode == "viterbi":
        raise InputError(
            "decode=viterbi is not available with joint training; use posterior or mre, or "
            "agreement=False (--no-agreement)"
        )


def check_settings(settings: Any) -> None:
    """`settings` are the aligner's."""
    if settings.direction not in DIRECTIONS:
        raise InputError(f"direction={settings.direction!r}: unknown; use {', '.join(DIRECTIONS)}")
    check_decode(settings.decode, plan(settings).together)
    if settings.prior_over not in ("cooccurring", "vocabulary"):
        raise InputError(f"prior_over={settings.prior_over!r}: unknown; use cooccurring or vocabulary")
    null, tension, finite = settings.null, settings.tension, float("inf")
    if null not in ("learn", None) and not (isinstance(null, int | float) and 0 <= null < 1):
        raise InputError(f"null is {null!r}; it must be a probability below 1, or learn")
    if tension != "learn" and not (isinstance(tension, int | float) and 0 <= tension <= 60):
        raise InputError(f"tension is {tension!r}; it must be a number from 0 to 60, or learn")
    if settings.threshold is not None and not 0 < settings.threshold <= 1:
        raise InputError(f"threshold is {settings.threshold}; it must be above 0 and at most 1")
    if not 0 <= settings.tolerance < finite:
        raise InputError(f"tolerance is {settings.tolerance}; it must be at least 0")
    if settings.longest is not None and settings.longest < 1:
        raise InputError(f"longest is {settings.longest}; it must be at least 1, or None")
    if not isinstance(settings.alpha, Mapping) and not 0 < settings.alpha < finite:
        raise InputError(f"alpha is {settings.alpha}; it must be positive")
    if not 0 <= settings.pseudo < finite:
        raise InputError(f"pseudo is {settings.pseudo}; it must be at least 0")
    if not 0 < settings.prior_strength <= MOST_STRENGTH:
        wrong = f"prior_strength is {settings.prior_strength}; it must be positive"
        raise InputError(
            f"{wrong} and at most {MOST_STRENGTH:g}; 1 gives a sentence pair of the prior the weight of one pair"
        )
