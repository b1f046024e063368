"""The E-step of a model that has a row for every item, such as a document's topics: rows stay where their items are.

    rows of a shard  →  counts of those rows, which stay, and of the other tables, which are added up

So what whoever trains has in memory does not grow with the items. Rows are a table in ranges (families/spread.py), a
range for every shard; engines keep them in their workers' memory, or in files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softcount.engines.engine import Keeping
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.families.spread import Range, Spread, SpreadRows, itself, tempered
from softcount.loop.files import pack_placed, packed, packing
from softcount.loop.placed_shard import Placed, located
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Log, Tables
from softcount.text.shard import cut
from softcount.text.stored import Stored


@dataclass(frozen=True, eq=False)
class RowFamily(SpreadRows):
    bounds: Sequence[tuple[int, int]] = ()
    width: int = 0

    def random(self, rng: np.random.Generator, spread: float) -> Spread:
        """The numbers that one table would draw: each range goes on where the range before it ends."""
        parts = [_ahead(rng, a * self.width) for a, _ in self.bounds]
        _move(rng, self.bounds[-1][1] * self.width)
        return self.ask("random", Spread(self.engine.place(itself, parts)), spread)

    def of_kind(self, spread: Spread, dtype: str) -> Spread:
        return self.kept(_of_kind, spread.parts, shared=dtype)


def _ahead(rng: np.random.Generator, n: int) -> np.random.Generator:
    other = np.random.default_rng()
    other.bit_generator.state = rng.bit_generator.state
    _move(other, n)
    return other


def _move(rng: np.random.Generator, n: int) -> None:
    bits: Any = rng.bit_generator
    bits.advance(n)


class ItemRows(NamedTuple):
    """Documents that are placed, and where each shard's rows of topics are."""

    engine: Keeping
    shards: Sequence[Any]
    family: RowFamily
    n_items: int
    amount: float

    @property
    def bounds(self) -> Sequence[tuple[int, int]]:
        return self.family.bounds

    def spread(self, table: Array) -> Spread:
        """A table that is here, dealt to the shards."""
        return Spread(self.engine.place(itself, (table[a:b] for a, b in self.bounds)))


class RowModel(NamedTuple):
    """A model as training sees it; `model` is that of the other tables."""

    model: Any
    family: RowFamily

    @property
    def layout(self) -> Tables:
        return self.model.layout._replace(topic=TableLayout(self.family))

    @property
    def exact(self) -> bool:
        found: bool = self.model.exact
        return found

    def tied(self, parameters: Tables) -> bool:
        found: bool = self.model.tied(parameters)
        return found

    def row_name(self, table: str, row: int) -> str:
        found: str = self.model.row_name(table, row)
        return found


class Asked(NamedTuple):
    model: Any
    weights: Any  # without those of documents
    power: float
    mode: int


def item_rows(model: Any, items: Any, engine: Keeping) -> ItemRows:
    bounds = cut(items, model.costs, model.shard_cost)
    parts = (Placed(i, a, (model, items.slice(a, b))) for i, (a, b) in enumerate(bounds))
    stored = isinstance(items, Stored)
    shards = engine.place(packing(model, items, bounds) if stored else pack_placed, parts)
    ranges = engine.place(_range, bounds)
    families = engine.place(_family, ((b - a, model.n_topics) for a, b in bounds))
    amount = items.amount if stored else float(items.sizes.sum())
    family = RowFamily(engine, ranges, families, len(items), bounds, model.n_topics)
    return ItemRows(engine, shards, family, len(items), amount)


class ItemRowsEStep:
    """What criteria call `expect`."""

    batches: Array = np.ones(1)

    def __init__(self, model: RowModel, data: ItemRows) -> None:
        self.model, self.data, self.amount, self.n_items = model.model, data, data.amount, data.n_items

    def reseeded(self, seed: Sequence[int]) -> ItemRowsEStep:
        """Nothing is drawn."""
        return self

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        engine, topic = self.data.engine, log_weights.topic
        words = self.model.weigh(log_weights._replace(topic=Log(np.empty((0, self.model.n_topics)))))
        asked = engine.share(Asked(self.model, words, topic.power, mode))
        counts, rest = engine.keep(_expect, zip(self.data.shards, topic.parts, strict=True), asked, 2)
        found: Expectation = engine.sum(itself, rest, engine.share(None))
        return found._replace(counts=found.counts._replace(topic=Spread(counts)))


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _range(bounds: tuple[int, int]) -> Range:
    return Range(range(*bounds))


def _family(shape: tuple[int, int]) -> Categorical:
    return Categorical(shape, lazy=True)


def _of_kind(values: Sequence[Any], dtype: str) -> tuple[Array]:
    return (np.ascontiguousarray(values[2], dtype=dtype),)


def _expect(values: Sequence[Any], asked: Asked) -> tuple[Array, Expectation]:
    placed, topic = values
    shard = packed(asked.model, placed.shard)
    n = len(shard.rows)
    model = asked.model._replace(n_documents=n)
    weights = model.with_rows(asked.weights, tempered(topic, asked.power))
    with located(placed):
        found = model.expect(weights, shard._replace(rows=np.arange(n)), asked.mode)[0]
    return found.counts.topic.whole(), found._replace(counts=found.counts._replace(topic=np.zeros(0)))
