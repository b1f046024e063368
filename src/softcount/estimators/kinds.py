"""Every estimator that a file may hold: `softcount.load` finds the right one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from softcount.checkpoint import KIND as CHECKPOINT
from softcount.errors import InputError
from softcount.store import Stored

KINDS = {
    "hmm": ("softcount.estimators.hmm", "HMM"),
    "word aligner": ("softcount.estimators.aligner", "WordAligner"),
    "plsa": ("softcount.estimators.plsa", "PLSA"),
    "naive bayes mixture": ("softcount.estimators.mixture", "NaiveBayesMixture"),
    "k-means": ("softcount.estimators.kmeans", "KMeans"),
    "gaussian mixture": ("softcount.estimators.kmeans", "GaussianMixture"),
}


def estimator(kind: str) -> Any:
    module, name = KINDS[kind]
    return getattr(import_module(module), name)


def title(stored: Stored) -> str:
    """What a file holds, with its article."""
    if stored.kind == CHECKPOINT:
        return "a checkpoint of a run"
    return str(estimator(stored.kind).title) if stored.kind in KINDS else f"something unknown ({stored.kind!r})"


def load(path: str | Path, **settings: Any) -> Any:
    """The estimator that was saved there; `settings` replace those it was saved with.

    Opening takes milliseconds whatever the size: tables are checked and mapped into memory when first used.
    """
    return load_one_of(path, tuple(KINDS), "softcount.load", "a model", **settings)


def load_one_of(path: str | Path, kinds: tuple[str, ...], who: str, needs: str, **settings: Any) -> Any:
    stored = Stored(path)
    if stored.kind not in kinds:
        raise InputError(f"{path}: holds {title(stored)}; {who} needs {needs}")
    return estimator(stored.kind)._opened(stored, settings)
