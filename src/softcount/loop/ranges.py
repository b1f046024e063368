"""The word pairs that meet, cut into ranges of source words that an engine's workers keep: nobody has all of them.

    entries of a shard = the word pairs that meet in it          of a range = their union over the shards, its rows
    needs[r][s]        = where the entries of shard s that are in range r stand there

Entries that another text has counted are dealt to the ranges as those of one shard more.
Where the cuts are depends on the text alone, so results do not depend on the number of workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from softcount.engines.engine import Keeping
from softcount.families.gathered import places
from softcount.families.spread import Range, Spread, SpreadRows, itself
from softcount.loop.ranged_text import Cut, Text
from softcount.machine.mapped import in_file
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import values
from softcount.text.cooccurrence import cooccurring, united, without_null
from softcount.text.shard import shards
from softcount.text.stored import opened

# Entries that shards bring to a range, which has fewer: shards have many in common. Every shard has a piece of every
# range, and pieces cost more than what is in them: of a million pairs a step takes 9 s so, and 24 s with 2,000,000.
RANGE = 16_000_000
MOST = 256  # ranges: every shard has a piece of every range


class Local(NamedTuple):
    """A shard's own entries, and how they are dealt to the ranges."""

    entries: Ragged  # all rows of the whole, most of them empty
    order: Array | None  # the entries range by range; None: as they are
    cuts: Array  # [ranges + 1]

    def parted(self, flat: Array) -> list[Array]:
        """Numbers of the entries, range by range."""
        return np.split(flat if self.order is None else flat[self.order], self.cuts[1:-1])

    def joined(self, pieces: Sequence[Array]) -> Array:
        """What is in ranges, as the entries stand."""
        flat = np.concatenate(pieces)
        if self.order is None:
            return flat
        found = np.empty_like(flat)
        found[self.order] = flat
        return found


class Dealing(NamedTuple):
    """Which range has which rows."""

    range_of: Array  # [rows]
    n: int  # ranges
    n_targets: int


class Before(NamedTuple):
    """What another text has counted."""

    rows: Ragged
    counts: Array

    def of(self, rows: Array, n_targets: int) -> Before:
        """Of these rows; entries by their keys, row · n + column."""
        keys = Ragged(self.rows.offsets, keys_of(self.rows, n_targets)).take(rows)
        return Before(keys, Ragged(self.rows.offsets, self.counts).take(rows).values)


class Ranges(NamedTuple):
    """Text that is placed, and a table of what meets in it."""

    engine: Keeping
    text: Text
    dealing: Dealing
    cut: Cut
    shards: Sequence[Any]  # handles of Placed items
    local: Sequence[Any]  # of Local
    tables: Sequence[Any]  # of Range
    needs: Sequence[Any]  # of lists, per shard
    imagined: Sequence[Any] = ()  # of every range what another text has counted of its entries

    @property
    def n_rows(self) -> int:
        return len(self.dealing.range_of)

    def family(self, build: Any, shared: Any) -> SpreadRows:
        """The families that ``build((range,), shared)`` makes of the ranges."""
        families = self.engine.keep(build, ((one,) for one in self.tables), self.engine.share(shared))[0]
        return SpreadRows(self.engine, self.tables, families, self.n_rows)


def whole(data: Ranges, tables: Sequence[Any], *spread: Spread) -> tuple[Ragged, list[Array]]:
    """All entries of these ranges, and what is in tables of such entries: in files, range by range."""
    found = places(data.engine, tables, data.n_rows)
    return found.columns(in_file), [values(found.gathered(one.parts, in_file, one.power)) for one in spread]


def ranged(
    items: Any, engine: Keeping, costs: Any, cost: int, null: bool, groups: Array | None = None,
    before: Before | None = None, weights: Array | None = None,
) -> Ranges:  # fmt: skip
    """`null`: row 0 is the empty word's. Rows of one group (numbered from 0 on) are in one range."""
    text, n_targets = Text(items, costs, cost, null, weights), len(items.target.vocabulary)
    n_rows, cut, silent = len(items.source.vocabulary) + null, text.cut(), text.silent()
    placed = engine.place(itself, chain(cut.placed(), silent.placed() if silent else ()))
    met = _meeting(engine, placed, null, n_targets)
    touched = engine.sum(_lengths, met, engine.share(None))
    before = before or Before(Ragged(np.zeros(n_rows + 1, np.int64), np.empty(0, np.int32)), np.empty(0))
    touched = touched + before.rows.lengths
    range_of = ranges_of(touched, np.arange(n_rows) if groups is None else groups)
    dealing = Dealing(range_of, int(range_of.max(initial=0)) + 1, n_targets)
    local, *keys = engine.keep(dealt, ((one,) for one in met), engine.share(dealing), dealing.n + 1)
    homes = engine.place(itself, [(k, before.of(np.flatnonzero(range_of == k), n_targets)) for k in range(dealing.n)])
    rows = ((home, *column) for home, column in zip(homes, keys, strict=True))
    tables, needs, imagined = engine.keep(_united, rows, engine.share(dealing), 3)
    n = len(cut.pieces)  # what counts nothing comes behind
    return Ranges(engine, text, dealing, cut, placed[:n], local[:n], tables, needs, imagined)


def batched(data: Ranges, n_batches: int, seed: Sequence[int]) -> Ranges:
    """The same table, of text that is cut anew: into mini-batches."""
    engine, dealing, cut = data.engine, data.dealing, data.text.cut(n_batches, seed)
    placed = engine.place(itself, cut.placed())
    met = _meeting(engine, placed, data.text.null, dealing.n_targets)
    local, *keys = engine.keep(dealt, ((one,) for one in met), engine.share(dealing), dealing.n + 1)
    rows = ((table, *column) for table, column in zip(data.tables, keys, strict=True))
    (needs,) = engine.keep(_needed, rows, engine.share(dealing))
    return data._replace(cut=cut, shards=placed, local=local, needs=needs)


def _meeting(engine: Keeping, placed: Sequence[Any], null: bool, n_targets: int) -> list[Any]:
    return engine.keep(_met, ((one,) for one in placed), engine.share((n_targets, null)))[0]


def ranges_of(touched: Array, groups: Array) -> Array:
    """The range of every row: groups in their order, about equally many entries each."""
    brought = np.bincount(groups, touched).astype(np.int64)
    bounds = shards(brought, max(RANGE, -(-int(brought.sum()) // MOST)))
    of_group = np.repeat(np.arange(len(bounds)), [b - a for a, b in bounds])
    return np.asarray(of_group[groups], np.int32)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _met(values: Sequence[Any], shared: tuple[int, bool]) -> tuple[Ragged]:
    (placed,), (n_targets, null) = values, shared
    return (met_in(opened(placed.shard), n_targets, null),)


def met_in(pairs: Any, n_targets: int, null: bool) -> Ragged:
    """The word pairs that meet in these pairs of sentences."""
    rows = cooccurring(pairs.sides[0].occurrences, pairs.target.sentences, n_targets)
    return rows if null else without_null(rows)


def _lengths(rows: Ragged, shared: None) -> Array:
    return rows.lengths


def dealt(values: Sequence[Any], dealing: Dealing) -> tuple[Any, ...]:
    """The shard's Local, and for every range the keys, row · n + column, of its entries, ascending."""
    (rows,), (range_of, n, n_targets) = values, dealing
    owner, keys = np.repeat(range_of, rows.lengths), keys_of(rows, n_targets)
    order = None
    if (owner[1:] < owner[:-1]).any():
        order = np.argsort(owner, kind="stable")
        owner, keys = owner[order], keys[order]
    cuts = np.searchsorted(owner, np.arange(n + 1))
    return Local(rows, order, cuts), *np.split(keys, cuts[1:-1])


def keys_of(rows: Ragged, n_targets: int) -> Array:
    found: Array = np.repeat(np.arange(rows.n_rows), rows.lengths) * np.int64(n_targets) + rows.values
    return found


def _united(values: Sequence[Any], dealing: Dealing) -> tuple[Range, list[Array], Array]:
    ((number, before), *keys), (range_of, _, n_targets) = values, dealing
    rows, found = np.flatnonzero(range_of == number), united(iter([*keys, before.rows.values]))
    lengths = np.bincount(np.searchsorted(rows, found // n_targets), minlength=len(rows))
    entries = Ragged(offsets_of(lengths), (found % n_targets).astype(np.int32))
    imagined = np.zeros(len(found), before.counts.dtype)
    imagined[np.searchsorted(found, before.rows.values)] = before.counts
    return Range(rows, entries), _places(found, keys), imagined


def _needed(values: Sequence[Any], dealing: Dealing) -> tuple[list[Array]]:
    """Where shards' entries stand in a range that has them all."""
    own, *keys = values
    found: Array = np.repeat(own.rows, own.entries.lengths) * np.int64(dealing.n_targets) + own.entries.values
    return (_places(found, keys),)


def _places(found: Array, keys: Sequence[Array]) -> list[Array]:
    return [np.searchsorted(found, one).astype(np.int32) for one in keys]
