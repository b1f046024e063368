"""Every estimator that a file may hold: `softcount.load` finds the right one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from softcount.disk.checkpoint import KIND as CHECKPOINT
from softcount.disk.store import Stored
from softcount.errors import InputError


class Kind(NamedTuple):
    module: str  # imported when it is needed, because kernels take their time
    name: str
    title: str  # as messages say it


KINDS = {
    "hmm": Kind("softcount.estimators.hmm", "HMM", "a hidden Markov model"),
    "word aligner": Kind("softcount.estimators.aligner", "WordAligner", "a word aligner"),
    "plsa": Kind("softcount.estimators.plsa", "PLSA", "a PLSA topic model"),
    "naive bayes mixture": Kind("softcount.estimators.mixture", "NaiveBayesMixture", "a Naive Bayes mixture"),
    "k-means": Kind("softcount.estimators.kmeans", "KMeans", "k-means clusters"),
    "gaussian mixture": Kind("softcount.estimators.gaussian", "GaussianMixture", "a Gaussian mixture"),
    CHECKPOINT: Kind("", "", "a checkpoint of a run"),
}
MODELS = tuple(kind for kind in KINDS if kind != CHECKPOINT)


def title(stored: Stored) -> str:
    """What a file holds, with its article."""
    return KINDS[stored.kind].title if stored.kind in KINDS else f"something unknown ({stored.kind!r})"


def load(path: str | Path, **settings: Any) -> Any:
    """The estimator that was saved there; `settings` replace those it was saved with.

    Opening takes milliseconds whatever the size: tables are read and checked when first used.
    """
    return load_one_of(path, MODELS, "softcount.load", **settings)


def load_one_of(path: str | Path, kinds: tuple[str, ...], who: str, **settings: Any) -> Any:
    """`who` is asking, for the message."""
    stored = Stored(path)
    if stored.kind not in kinds:
        needs = "a model" if kinds == MODELS else " or ".join(KINDS[kind].title for kind in kinds)
        raise InputError(f"{path}: holds {title(stored)}; {who} needs {needs}")
    found = KINDS[stored.kind]
    return getattr(import_module(found.module), found.name)._opened(stored, settings)
