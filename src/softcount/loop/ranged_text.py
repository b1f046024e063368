"""Pairs of sentences, cut into shards for a table in ranges: at the borders of mini-batches and of weights first.

    pairs  →  those of one mini-batch and one weight  →  shards of about equal cost

So a shard counts as one, as it does where tables are whole, and mini-batches are the same there and here. What every
pair has for itself, such as a weight of its own, would be a shard for each: MOST_PARTS are sensible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.loop.files import PIECES, file_batches
from softcount.loop.pieces import pieces, shuffled
from softcount.loop.placed_shard import Placed
from softcount.loop.weighted import Weighted, weighted
from softcount.numbers.ragged import Array
from softcount.text.shard import cut, shards
from softcount.text.stored import Stored

MOST_SHARDS = 2048  # every shard has a piece of every range, of which somebody keeps track
MOST_PARTS = MOST_SHARDS // 2  # of one mini-batch and weight each: what is left is for cutting them by their costs


class Text(NamedTuple):
    """What is cut, and what it costs."""

    items: Any  # a Bitext, or one in files
    costs: Any  # of items, each
    cost: int  # that a shard should have
    null: bool  # whether the empty word is in every source sentence
    weights: Array | None = None  # what each pair counts

    def cut(self, n_batches: int = 0, seed: Sequence[int] = ()) -> Cut:
        if isinstance(self.items, Stored):
            return self._cut_files(n_batches, seed)
        items, weights, order = self.items, None, None
        counted = weighted(items, self.weights)
        if isinstance(counted, Weighted):
            items, weights, order = counted
        if n_batches:
            items, weights, drawn = shuffled(items, weights, n_batches, seed)
            order = drawn if order is None else order[drawn]
        even = pieces(items.sizes, weights, n_batches)
        each = [1.0 if weights is None else float(weights[a]) for _, a, _ in even]
        sizes = [float(items.sizes[a:b].sum()) * weight for (_, a, b), weight in zip(even, each, strict=True)]
        shares, costs = np.bincount([one[0] for one in even], sizes), np.asarray(self.costs(items))
        runs = [[(a + start, a + stop) for start, stop in shards(costs[a:b], self.cost)] for _, a, b in even]
        found = [
            Piece(batch, *bounds, weight)
            for (batch, _, _), weight, some in zip(even, each, _fewer(runs), strict=True)
            for bounds in some
        ]
        return Cut(items, found, shares / max(shares.sum(), 1e-300), float(shares.sum()), len(items), order)

    def _cut_files(self, n_batches: int, seed: Sequence[int]) -> Cut:
        """Items in files have no weights."""
        items = self.items if self.weights is None else self.items.weighted(self.weights)
        if n_batches:
            found = [Piece(*one) for one in file_batches(items, seed, n_batches)]
        else:
            found = [Piece(0, *bounds) for bounds in _fewer([cut(items, self.costs, self.cost)])[0]]
        batches = np.bincount([one.batch for one in found]) / len(found)
        return Cut(items, found, batches, items.amount, len(items))

    def silent(self) -> Cut | None:
        """The pairs that count nothing, as shards: their words meet all the same."""
        rows = np.flatnonzero(self.weights == 0.0) if self.weights is not None else ()
        return self._replace(items=self.items.take(rows), weights=None).cut() if len(rows) else None


class Piece(NamedTuple):
    """Some pairs of one mini-batch and one weight."""

    batch: int
    start: int
    stop: int
    weight: float = 1.0


class Cut(NamedTuple):
    """Pairs in the order of their pieces."""

    items: Any
    pieces: list[Piece]
    batches: Array  # each mini-batch's share
    amount: float  # how much data that is
    n_items: int
    order: Array | None = None  # which of the pairs that were given each is; None: as they were

    @property
    def batch_of(self) -> Array:
        """The mini-batch of every shard."""
        return np.array([one.batch for one in self.pieces], np.int64)

    def placed(self) -> Iterator[Placed]:
        return (
            Placed(number, one.start, self.items.slice(one.start, one.stop), one.weight)
            for number, one in enumerate(self.pieces)
        )


def most_parts(items: Any, n_weights: int, n_batches: int) -> int:
    """How many parts of one mini-batch and one weight there are at most, before costs have a say."""
    if isinstance(items, Stored):
        return min(n_batches * PIECES if n_batches > 1 else 1, len(items))
    return min(n_weights * max(n_batches, 1), len(items))


def _fewer(runs: list[list[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """Neighbours of a run together, where there are too many shards."""
    step = -(-sum(map(len, runs)) // max(1, MOST_SHARDS - len(runs) + 1))
    return [
        [(some[0][0], some[-1][1]) for some in (run[k : k + step] for k in range(0, len(run), step))] for run in runs
    ]
