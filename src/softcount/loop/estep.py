"""The E-step over data: items cut into shards, packed as the model likes, placed on an engine, and summed there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.loop.model import Model
from softcount.machine.memory import check_room
from softcount.numbers.attribute import SAMPLE, SUM
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Tables
from softcount.text.shard import shards

SHARD_COST = 300_000  # tokens: small enough to share out, large enough that private counts are cheap to add


def add_up(results: Iterator[Any]) -> Any:
    total = next(results)
    for result in results:
        total += result
    return total


class EStep:
    """What criteria call `expect`. Items have `len`, `costs`, `slice` and `take`; only the model looks inside."""

    def __init__(self, model: Model, items: Any, engine: Any, seed: Sequence[int] = (0,), n_batches: int = 0) -> None:
        self.model, self.engine, self.seed = model, engine, tuple(seed)
        # A sliced model sums over parts of one shard itself, in rounds, as its counts are too big to copy.
        self.sliced = getattr(model, "sliced", False)
        target = max(1, int(items.costs.sum())) if self.sliced else getattr(model, "shard_cost", SHARD_COST)
        if n_batches:
            # Neighbouring items are alike; a mini-batch should be a sample of all.
            items = items.take(np.random.default_rng([*seed, 1]).permutation(len(items)))
            target = max(1, -(-int(items.costs.sum()) // n_batches))
        ranges = shards(items.costs, target)
        self._starts = [start for start, _ in ranges]
        self._shards = engine.place(lambda r: model.pack(items.slice(*r)), ranges)
        costs = np.asarray([items.costs[start:stop].sum() for start, stop in ranges], dtype=float)
        self.batches: Array = costs / max(costs.sum(), 1.0)

    def reseeded(self, seed: Sequence[int]) -> EStep:
        """The same placed data with other random numbers."""
        other = EStep.__new__(EStep)
        other.__dict__.update(self.__dict__, seed=tuple(seed))
        return other

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        weights = self.model.weigh(log_weights)
        chosen = range(len(self._shards)) if batch is None else [batch]
        options = {"run": self.engine.sum} if self.sliced else {}

        def task(index: int) -> Expectation:
            shard = self._shards[index]
            uniforms = None
            if mode == SAMPLE:
                check_room(8.0 * self.model.n_uniforms(shard), "the random numbers", "use another criterion")
                uniforms = np.random.default_rng([*self.seed, key, index]).random(self.model.n_uniforms(shard))
            found: Expectation = self._locating(
                index, lambda: self.model.expect(weights, shard, mode, uniforms, **options)[0]
            )
            return found

        if self.sliced:  # the parts go to the engine, so the shards must not: a worker would wait for itself
            found: Expectation = add_up(map(task, chosen))
            return found
        total: Expectation = self.engine.sum(task, chosen)
        return total.joined()

    def labels(self, log_weights: Tables, mode: int) -> Iterator[tuple[float, Any]]:
        """(log-norm, labels) of each shard, in order."""
        weights = self.model.weigh(log_weights)

        def task(index: int) -> tuple[float, Any]:
            found, labels = self._locating(
                index, lambda: self.model.expect(weights, self._shards[index], mode, labels=True)
            )
            return found.log_norm, labels

        results: Iterator[tuple[float, Any]] = self.engine.map(task, range(len(self._shards)))
        return results

    def posteriors(self, log_weights: Tables) -> Iterator[Any]:
        """What the model calls posteriors, of each shard, in order."""
        weights = self.model.weigh(log_weights)
        results: Iterator[Any] = self.engine.map(
            lambda index: self._locating(index, lambda: self.model.posteriors(weights, self._shards[index])),
            range(len(self._shards)),
        )
        return results

    def _locating(self, index: int, task: Callable[[], Any]) -> Any:
        """Runs a shard's task; an impossible item is numbered within all items, not within the shard."""
        try:
            return task()
        except ImpossibleItem as impossible:
            raise ImpossibleItem(self._starts[index] + impossible.item) from None
