"""Items that count more than once, or less: the E-step is Σ_i w_i E[c(x_i, z)], and log Z is Σ_i w_i log Z_i.

No model needs to know of it: items of one weight are packed together, and what comes back is multiplied. The more
different weights there are, the more shards, so that rounded ones cost less. Items that carry weights themselves
(documents, points, records) have a method `weighted`, and their models count each item as it says.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array

MOST_REPEATED = 10  # times as many items as there are, for a start


class Weighted(NamedTuple):
    """Items in the order of their weights, those that weigh nothing left out."""

    items: Any
    weights: Array
    order: Array  # which of the items that were given each is

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Ranges of one weight."""
        return runs_of(self.weights)


def runs_of(weights: Array) -> list[tuple[int, int]]:
    cuts = np.flatnonzero(np.diff(weights)) + 1
    return list(pairwise([0, *cuts.tolist(), len(weights)]))


def weighted(items: Any, weights: Array | None) -> Any:
    """The items with these weights; as they are where there are none."""
    if weights is None or (weights == 1.0).all():
        return items
    if hasattr(items, "weighted"):
        return items.weighted(weights)
    order = np.argsort(weights, kind="stable")
    order = order[weights[order] > 0.0]
    same = len(order) == len(weights) and (np.diff(order) == 1).all()
    return Weighted(items if same else items.take(order), weights[order], order)


def checked_weights(sample_weight: Any, n: int, what: str) -> Array | None:
    """`what` the items are called, for messages."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"sample_weight must be numbers, one for each of the {n:,} {what}") from None
    if weights.shape != (n,):
        raise InputError(f"sample_weight has shape {weights.shape}; give one number for each of the {n:,} {what}")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(bad):
        i = int(bad[0])
        raise InputError(f"sample_weight {weights[i]} of item {i + 1}: invalid; give finite numbers of at least 0")
    if not weights.any():
        raise InputError(f"sample_weight: all {n:,} {what} have weight zero; give some of them a positive weight")
    return weights


def digest_with(digest: str, weights: Array | None) -> str:
    """That of the data and of what its items count."""
    if weights is None:
        return digest
    return hashlib.sha256(digest.encode() + np.ascontiguousarray(weights).tobytes()).hexdigest()


def repeated(items: Any, weights: Array | None) -> Any:
    """Items as often as they count, for a start that knows no weights: whole numbers of times, or once each."""
    if weights is None:
        return items
    whole = bool((weights == np.floor(weights)).all()) and weights.sum() <= MOST_REPEATED * len(weights)
    times = weights.astype(np.int64) if whole else (weights > 0.0).astype(np.int64)
    return items if (times == 1).all() else items.take(np.repeat(np.arange(len(times)), times))
