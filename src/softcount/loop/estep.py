"""The E-step over data: items cut into shards, packed as the model likes, placed on an engine, and summed there.

What crosses the engine are values and the functions below; nothing closes over local data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from softcount.engines.engine import Engine, Handle
from softcount.errors import ImpossibleItem
from softcount.loop.constrained_estep import Wished
from softcount.loop.files import file_ranges, pack_placed, packed, packing
from softcount.loop.model import InRounds, Model
from softcount.loop.pieces import pieces, shuffled
from softcount.loop.placed_shard import Placed, located
from softcount.loop.weighted import Weighted
from softcount.machine import stage
from softcount.machine.memory import check_room
from softcount.models.nonzero import nonzero
from softcount.numbers.attribute import SAMPLE, SUM
from softcount.numbers.ragged import Array
from softcount.numbers.rounds import Round, add_up, drive
from softcount.numbers.tables import Expectation, Tables
from softcount.text.shard import cut, shards
from softcount.text.stored import Stored


class Range(NamedTuple):
    """Items that are packed together: of one mini-batch, and of one weight."""

    batch: int
    start: int
    stop: int
    number: int  # which random numbers are theirs
    drawn: int = 0  # how many of those come before


class Asked(NamedTuple):
    """What all shards are asked in one round."""

    model: Model
    weights: Any
    mode: int
    seed: tuple[int, ...]


class EStep:
    """What criteria call `expect`. Items have `len`, `sizes`, `slice` and `take`; only the model looks inside."""

    def __init__(
        self, model: Model, items: Any, engine: Engine, seed: Sequence[int] = (0,), n_batches: int = 0
    ) -> None:
        self.model, self.engine, self.seed = model, engine, tuple(seed)
        self._by_parts = isinstance(model, InRounds) and engine.near and not isinstance(items, Stored)
        self._order: Array | None = None
        if isinstance(items, Stored):
            self._place_files(items, n_batches)
            return
        weights: Array | None = None
        if isinstance(items, Weighted):
            items, weights, self._order = items
        if n_batches:
            items, weights, order = shuffled(items, weights, n_batches, self.seed)
            self._order = order if self._order is None else self._order[order]
        stage.begin("packing", len(items), "items")
        ranges = self._cut(items, weights, n_batches)
        each = [1.0 if weights is None else float(weights[one.start]) for one in ranges]
        sizes = [items.sizes[one.start : one.stop].sum() * weight for one, weight in zip(ranges, each, strict=True)]
        self._of_batch = np.array([one.batch for one in ranges], dtype=np.int64)
        shares = np.bincount(self._of_batch, np.asarray(sizes, dtype=float))
        self.amount, self.n_items = float(shares.sum()), len(items)
        self.batches: Array = shares / max(shares.sum(), 1.0 if weights is None else 1e-300)
        parts = (
            Placed(number, a, (model, items.slice(a, b)), weight, drawn)
            for (_, a, b, number, drawn), weight in zip(_reached(ranges), each, strict=True)
        )
        self._handles = self._in_parts(parts) if self._by_parts else engine.place(pack_placed, parts)

    def _place_files(self, items: Stored, n_batches: int) -> None:
        """Where items are, not what they are, goes to the engine; pieces are about equally large."""
        stage.begin("packing", len(items), "items")
        ranges = file_ranges(self.model, items, self.seed, n_batches)
        self._of_batch = np.array([one.batch for one in ranges], dtype=np.int64)
        self.amount, self.n_items = items.amount, len(items)
        self.batches = np.bincount(self._of_batch) / len(ranges)
        parts = (Placed(i, a, (self.model, items.slice(a, b))) for i, (_, a, b) in enumerate(ranges))
        self._handles = self.engine.place(packing(self.model, items, [one[1:] for one in ranges]), parts)

    def _cut(self, items: Any, weights: Array | None, n_batches: int) -> list[Range]:
        even = pieces(items.sizes, weights, n_batches)
        rounds = isinstance(self.model, InRounds)
        if self._by_parts or (n_batches and not rounds):
            return [Range(*bounds, number) for number, bounds in enumerate(even)]
        costs, target = self.model.costs(items), self.model.shard_cost
        cut = [
            Range(batch, a + start, a + stop, number, int(items.sizes[a : a + start].sum()))
            for number, (batch, a, b) in enumerate(even)
            for start, stop in shards(costs[a:b], target)
        ]
        return cut if rounds else [Range(k, one.start, one.stop, k) for k, one in enumerate(cut)]

    def _in_parts(self, parts: Iterator[Placed]) -> list[Any]:
        """Of a model that works in rounds: every batch is several handles, and what to draw random numbers for."""
        found = []
        for part in parts:
            packed = pack_placed(part)
            placed = (packed._replace(shard=one) for one in self.model.parts(packed.shard))  # type: ignore[attr-defined]
            n = self.model.n_uniforms(packed.shard)
            found.append((part.number, n, self.engine.place(_as_it_is, placed), part.weight))
        return found

    @cached_property
    def constrained(self) -> Wished:
        """The same placed data, asked under multipliers."""
        return Wished(self.model, self.engine, self._handles)

    def reseeded(self, seed: Sequence[int]) -> EStep:
        """The same placed data with other random numbers."""
        other = EStep.__new__(EStep)
        other.__dict__.update(self.__dict__, seed=tuple(seed))
        return other

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        weights, chosen = self.model.weigh(log_weights), self._handles
        if batch is not None:
            chosen = [self._handles[k] for k in np.flatnonzero(self._of_batch == batch).tolist()]
        try:
            return self._sum(weights, mode, key, chosen).whole()
        except ImpossibleItem as impossible:
            if self._order is None:
                raise
            raise ImpossibleItem(int(self._order[impossible.item])) from None

    def _sum(self, weights: Any, mode: int, key: int, chosen: Sequence[Any]) -> Expectation:
        total: Expectation
        if self._by_parts:
            total = add_up(self._in_rounds(weights, mode, key, *one) for one in chosen)
        else:
            shared = self.engine.share(Asked(self.model, weights, mode, (*self.seed, key)))
            total = self.engine.sum(_expect, chosen, shared)
        return total

    def _in_rounds(
        self, weights: Any, mode: int, key: int, index: int, n: int, handles: Sequence[Handle], weight: float
    ) -> Expectation:
        uniforms = _uniforms((*self.seed, key, index), n) if mode == SAMPLE else None
        rounds = cast(InRounds, self.model).rounds(weights, mode, uniforms)
        found: Expectation = drive(rounds, lambda asked: self.engine.sum(_round, handles, self.engine.share(asked)))
        return found.times(weight)


class Answers:
    """What a model with given weights says of items: labels and posteriors, block by block, in the items' order."""

    def __init__(self, model: Model, items: Any, engine: Engine, cost: int | None = None) -> None:
        self.model, self.engine = model, engine
        ranges = cut(items, model.costs, cost or model.shard_cost)
        self._handles = engine.place(
            _as_it_is, (Placed(i, a, (model, items.slice(a, b))) for i, (a, b) in enumerate(ranges))
        )

    def labels(self, log_weights: Tables, mode: int) -> Iterator[tuple[float, Any]]:
        """(log-norm, labels) of each block."""
        return self._map(_labels, log_weights, mode)

    def posteriors(self, log_weights: Tables) -> Iterator[Any]:
        """What the model calls posteriors, of each block."""
        return self._map(_posteriors, log_weights)

    def log_norm(self, log_weights: Tables) -> float:
        return float(sum(self._map(_log_norm, log_weights)))

    def log_norms(self, log_weights: Tables) -> Array:
        """Of every item, of a model that can tell them apart."""
        return np.concatenate(list(self._map(_log_norms, log_weights)))

    def _map(self, fn: Any, log_weights: Tables, mode: int = SUM) -> Iterator[Any]:
        found = self.engine.map(fn, self._handles, self._asked(log_weights, mode))
        return stage.counted(found, len(self._handles))

    def _asked(self, log_weights: Tables, mode: int) -> Handle:
        return self.engine.share(Asked(self.model, self.model.weigh(log_weights), mode, ()))


# --- what crosses the engine ----------------------------------------------------------------------------------------


def _reached(ranges: Sequence[Range]) -> Iterator[Range]:
    """The same ranges of items; where they begin is how far the packing is."""
    for one in ranges:
        stage.reach(one.start)
        yield one


def _as_it_is(part: Placed) -> Placed:
    return part


def _expect(placed: Placed, asked: Asked) -> Expectation:
    model, weights, mode, seed = asked
    shard = packed(model, placed.shard)
    uniforms = _uniforms((*seed, placed.number), model.n_uniforms(shard), placed.drawn) if mode == SAMPLE else None
    with located(placed):
        found = model.expect(weights, shard, mode, uniforms)[0].times(placed.weight)
    return found._replace(counts=nonzero(found.counts)) if isinstance(model, InRounds) else found


def _round(placed: Placed, asked: Round) -> Any:
    with located(placed):
        return asked.fn(placed.shard, asked.shared)


def _labels(placed: Placed, asked: Asked) -> tuple[float, Any]:
    with located(placed):
        found, labels = asked.model.expect(asked.weights, pack_placed(placed).shard, asked.mode, labels=True)
    return found.log_norm, labels


def _posteriors(placed: Placed, asked: Asked) -> Any:
    with located(placed):
        return asked.model.posteriors(asked.weights, pack_placed(placed).shard)


def _log_norm(placed: Placed, asked: Asked) -> float:
    with located(placed):
        return asked.model.expect(asked.weights, pack_placed(placed).shard, asked.mode)[0].log_norm


def _log_norms(placed: Placed, asked: Asked) -> Array:
    with located(placed):
        found: Array = asked.model.log_norms(asked.weights, pack_placed(placed).shard)  # type: ignore[attr-defined]
        return found


def _uniforms(seed: tuple[int, ...], n: int, after: int = 0) -> Array:
    """n numbers of this seed's, after the first so many."""
    check_room(8.0 * n, "the random numbers", "use another criterion")
    bits = np.random.PCG64(list(seed))
    return np.random.Generator(bits.advance(after)).random(n)
