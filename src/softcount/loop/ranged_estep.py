"""The E-step of a model whose table is in ranges: each shard is given the weights of its own entries, and gives back
their counts, which are added up where the range is.

    ranges deal the weights that shards need  →  shards count  →  ranges add up their counts, in the order of the shards

What comes to the driver is log Z and the counts of the other tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.layout import TableLayout
from softcount.families.spread import Spread, SpreadFamily, itself, tempered
from softcount.loop.placed_shard import located
from softcount.loop.ranged_wished import RangedWished
from softcount.loop.ranges import Ranges
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Expectation, Log, Tables, values
from softcount.text.stored import opened


class RangedModel(NamedTuple):
    """A model as training sees it, whose translation table is in ranges; `model` itself has no entries."""

    model: Any  # has among(entries): the same model of these entries alone
    family: SpreadFamily
    ragged: bool = True  # whether its counts are rows, or one after the other

    @property
    def layout(self) -> Tables:
        return self.model.layout._replace(translation=TableLayout(self.family, emits=True))

    @property
    def exact(self) -> bool:
        found: bool = self.model.exact
        return found

    def tied(self, parameters: Tables) -> bool:
        return False

    def row_name(self, table: str, row: int) -> str:
        found: str = self.model.row_name(table, row)
        return found


class Asked(NamedTuple):
    model: Any
    log_weights: Tables  # without translations
    power: float  # of the translations'
    mode: int


class RangedEStep:
    """What criteria call `expect`."""

    def __init__(self, model: RangedModel, data: Ranges) -> None:
        self.model, self.ragged, self.data = model.model, model.ragged, data
        self.batches, self.amount, self.n_items = data.cut.batches, data.cut.amount, data.cut.n_items

    @cached_property
    def _packed(self) -> Sequence[Any]:
        """When first asked: of a training by mini-batches nobody asks of the text as it was cut before."""
        data, engine = self.data, self.data.engine
        return engine.keep(_pack, zip(data.shards, data.local, strict=True), engine.share(self.model))[0]

    def reseeded(self, seed: Sequence[int]) -> RangedEStep:
        """Nothing is drawn."""
        return self

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        batch_of = self.data.cut.batch_of
        chosen = np.arange(len(batch_of)) if batch is None else np.flatnonzero(batch_of == batch)
        try:
            return self._sum(log_weights, mode, chosen.tolist())
        except ImpossibleItem as impossible:
            if self.data.cut.order is None:
                raise
            raise ImpossibleItem(int(self.data.cut.order[impossible.item])) from None

    def _sum(self, log_weights: Tables, mode: int, chosen: list[int]) -> Expectation:
        """Over the shards of these numbers."""
        asked, n = self._asked(log_weights, mode), len(self.data.tables)
        found = self.data.engine.keep(_expect, self.dealt(log_weights.translation, chosen), asked, n + 1)
        return self._joined(found[:n], found[n], chosen)

    def _asked(self, log_weights: Tables, mode: int) -> Any:
        power = log_weights.translation.power
        return self.data.engine.share(Asked(self.model, log_weights._replace(translation=None), power, mode))

    def _joined(self, counts: Sequence[Any], rest: Sequence[Any], chosen: Sequence[int]) -> Expectation:
        """What the chosen shards found: by range their counts, and all else."""
        engine, data = self.data.engine, self.data
        rows = ((*both, *column) for *both, column in zip(data.tables, data.needs, counts, strict=True))
        total = Spread(engine.keep(_added, rows, engine.share((self.ragged, chosen)))[0])
        found: Expectation = engine.sum(itself, rest, engine.share(None))
        return found._replace(counts=found.counts._replace(translation=total))

    @cached_property
    def constrained(self) -> RangedWished:
        """The same placed data, asked under multipliers."""
        return RangedWished(self.model, self.data.engine, self._packed, self._wished)

    def _wished(self, log_weights: Tables, multipliers: Sequence[Any]) -> tuple[Expectation, list[Any]]:
        """`multipliers`: where those of every shard are; and where what they price is."""
        chosen, n = list(range(len(self.data.shards))), len(self.data.tables)
        own = zip(multipliers, self.dealt(log_weights.translation, chosen), strict=True)
        rows = ((placed, part, *others) for part, (placed, *others) in own)
        found = self.data.engine.keep(_wished, rows, self._asked(log_weights, SUM), n + 2)
        return self._joined(found[:n], found[n], chosen), found[n + 1]

    def dealt(self, spread: Spread, chosen: Sequence[int]) -> Any:
        """A row for each of these shards: itself, its entries, and its weights from every range."""
        data = self.data
        rows = zip(spread.parts, data.needs, strict=True)
        pieces = data.engine.keep(_deal, rows, data.engine.share(chosen), len(chosen))
        return ((self._packed[k], data.local[k], *some) for k, some in zip(chosen, pieces, strict=True))


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _pack(values: Sequence[Any], model: Any) -> tuple[Any]:
    placed, local = values
    return (placed._replace(shard=model.among(local.entries).pack(opened(placed.shard))),)


def _deal(values_: Sequence[Any], chosen: Sequence[int]) -> tuple[Array, ...]:
    table, needs = values_
    flat = table.weights if isinstance(table, Log) else values(table)
    return tuple(flat[needs[k]] for k in chosen)


def _expect(values_: Sequence[Any], asked: Asked) -> tuple[Any, ...]:
    placed, local, *pieces = values_
    model, weights = _weighed(local, pieces, asked)
    with located(placed):
        found = model.expect(weights, placed.shard, asked.mode)[0].times(placed.weight).whole()
    return _by_range(local, found)


def _wished(values_: Sequence[Any], asked: Asked) -> tuple[Any, ...]:
    placed, multipliers, local, *pieces = values_
    model, weights = _weighed(local, pieces, asked)
    with located(placed):
        found, expected = model.wished(weights, placed.shard, multipliers)
    return *_by_range(local, found.whole()), expected


def _weighed(local: Any, pieces: Sequence[Array], asked: Asked) -> tuple[Any, Any]:
    """The model of a shard's entries, and its weights."""
    model = asked.model.among(local.entries)
    log_weights = asked.log_weights._replace(translation=tempered(_local(local, pieces), asked.power))
    return model, model.weigh(log_weights)


def _by_range(local: Any, found: Expectation) -> tuple[Any, ...]:
    """The counts of translations for every range, and the rest."""
    rest = found._replace(counts=found.counts._replace(translation=np.zeros(0)))
    return *local.parted(values(found.counts.translation)), rest


def _local(local: Any, pieces: Sequence[Array]) -> Any:
    """The weights of a shard's entries as its model has them."""
    flat = local.joined(pieces)
    return Log(flat) if flat.ndim == 2 else Ragged(local.entries.offsets, flat)


def _added(values_: Sequence[Any], shared: tuple[bool, Sequence[int]]) -> tuple[Any]:
    """Σ over the chosen shards, in their order; a shard has an entry once."""
    (own, needs, *counts), (ragged, chosen) = values_, shared
    total = np.zeros(len(own.entries.values), counts[0].dtype)
    for k, some in zip(chosen, counts, strict=True):
        total[needs[k]] += some
    return (Ragged(own.entries.offsets, total) if ragged else total,)
