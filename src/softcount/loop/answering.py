"""A table that was learned, in ranges of rows that an engine's workers keep, and blocks of text that ask it.

    block → the word pairs that meet in it → each range answers for its own → fn(block, a table of its own entries)

So nobody has the whole. Blocks are asked some at a time: of a text of any length, workers have no more than those.
What a block counts goes back in the same way, and is added up where the range is, in the order of the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from softcount.engines.engine import Keeping
from softcount.families.gathered import Places
from softcount.families.spread import Range, itself
from softcount.loop.ranges import Local, dealt, met_in, ranges_of
from softcount.machine.mapped import in_file
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.stored import opened

AT_ONCE = 64  # blocks, or so many per worker as keep them busy
PER_WORKER = 4

Handle = Any
Function = Callable[[Sequence[Any], Any], tuple[Any, ...]]


class Answerer(Protocol):
    """What a range answers from."""

    @property
    def keys(self) -> Array:
        """Of its entries: row · n + column, ascending."""

    def answer(self, keys: Array, told: Any) -> tuple[Array, ...]:
        """Of the entries with these keys some numbers each."""


class Block(NamedTuple):
    """A part of a text."""

    items: Any
    weights: Array | None = None  # what each pair counts


class Own(NamedTuple):
    """What a block has of a table."""

    local: Local
    numbers: tuple[Array, ...]  # what was answered, by entry


class Answering(NamedTuple):
    """A table in ranges."""

    engine: Keeping
    parts: Sequence[Handle]  # an Answerer each
    range_of: Array  # of every row
    n_targets: int
    told: Handle  # what every range is told with each question
    null: bool = False  # whether row 0 is the empty word's
    turned: bool = False  # whether rows are of the target's words

    def asked(self, blocks: Sequence[Handle]) -> list[list[Handle]]:
        """Of every block the Local; of every range, its keys in each block."""
        engine, n = self.engine, len(self.parts)
        (met,) = engine.keep(_met, ((one,) for one in blocks), engine.share((self.n_targets, self.null, self.turned)))
        return engine.keep(dealt, ((one,) for one in met), engine.share((self.range_of, n, self.n_targets)), n + 1)

    def answered(self, blocks: Sequence[Handle]) -> list[Handle]:
        """Of every block its Own."""
        return self.owned(self.asked(blocks))

    def owned(self, asked: list[list[Handle]]) -> list[Handle]:
        local, *keys = asked
        rows = ((part, *some) for part, some in zip(self.parts, keys, strict=True))
        answers = self.engine.keep(_answered, rows, self.told, len(local))
        mine = ((one, *pieces) for one, pieces in zip(local, answers, strict=True))
        return self.engine.keep(_owned, mine, self.engine.share(None))[0]


def in_ranges(engine: Keeping, rows: Ragged, tables: Sequence[Array], groups: Array | None) -> tuple[Any, ...]:
    """(the range of every row, handles of Range, handles of each table's parts), made a range at a time.

    Rows of one group are in one range.
    """
    range_of = ranges_of(rows.lengths, np.arange(rows.n_rows) if groups is None else groups)
    each = _rows_of(range_of)
    homes = engine.place(itself, [_without_columns(some, rows) for some in each])
    places = Places(engine, homes, each, rows.offsets)
    (ranges,) = engine.keep(_range, zip(homes, places.dealt(rows), strict=True), engine.share(None))
    return range_of, ranges, *(places.dealt(table) for table in tables)


def _rows_of(range_of: Array) -> list[Array | range]:
    return [np.flatnonzero(range_of == k) for k in range(int(range_of.max(initial=0)) + 1)]


def _without_columns(some: Any, rows: Ragged) -> Range:
    """Which rows a range has, and how long they are."""
    return Range(some, Ragged(offsets_of(rows.lengths[some]), np.empty(0, np.int32)))


def gathered(table: Answering, parts: Sequence[Handle], rows: Ragged) -> Array:
    """Numbers of the entries, which are in ranges, as one array in a file; these rows have all entries."""
    each = _rows_of(table.range_of[: rows.n_rows])
    found: Array = Places(table.engine, (), each, rows.offsets).gathered(parts, in_file)
    return found


def ask(
    fn: Function, engine: Keeping, blocks: Iterable[Block], tables: Sequence[Answering], shared: Any
) -> Iterator[Any]:
    """``fn((block, its Own of each table …), shared)[0]`` of every block, in order."""
    told, nothing = engine.share(shared), engine.share(None)
    for some in _some(engine, blocks):
        rows = zip(some, *(table.answered(some) for table in tables), strict=True)
        yield from engine.map(itself, engine.keep(fn, rows, told)[0], nothing)


def count(fn: Function, engine: Keeping, blocks: Iterable[Block], table: Answering, shared: Any) -> list[Handle]:
    """Σ over the blocks of what ``fn((block, its Own), shared)[0]`` counts of the block's entries, range by range."""
    told, nothing, n = engine.share(shared), engine.share(None), len(table.parts)
    (totals,) = engine.keep(_zeros, ((part,) for part in table.parts), nothing)
    for some in _some(engine, blocks):
        local, *keys = asked = table.asked(some)
        (found,) = engine.keep(fn, zip(some, table.owned(asked), strict=True), told)
        counts = engine.keep(_split, zip(local, found, strict=True), nothing, n)
        rows = zip(totals, table.parts, keys, counts, strict=True)
        (totals,) = engine.keep(_added, ((total, part, *k, *c) for total, part, k, c in rows), nothing)
    return totals


def _some(engine: Keeping, blocks: Iterable[Block]) -> Iterator[Sequence[Handle]]:
    """Blocks, placed, as many as are asked at a time; which those are changes no bit."""
    blocks = iter(blocks)
    while some := list(islice(blocks, max(AT_ONCE, PER_WORKER * engine.n_workers))):
        yield engine.place(itself, some)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _met(values: Sequence[Any], shared: tuple[int, bool, bool]) -> tuple[Ragged]:
    (block,), (n_targets, null, turned) = values, shared
    pairs = opened(block.items)
    return (met_in(pairs.reverse() if turned else pairs, n_targets, null),)


def _range(values: Sequence[Any], shared: None) -> tuple[Range]:
    home, entries = values
    return (Range(home.rows, entries),)


def _answered(values: Sequence[Any], told: Any) -> tuple[tuple[Array, ...], ...]:
    part, *asked = values
    return tuple(part.answer(keys, told) for keys in asked)


def _owned(values: Sequence[Any], shared: None) -> tuple[Own]:
    local, *answers = values
    return (Own(local, tuple(local.joined(pieces) for pieces in zip(*answers, strict=True))),)


def _zeros(values: Sequence[Any], shared: None) -> tuple[Array]:
    return (np.zeros(len(values[0].keys), np.float32),)


def _split(values: Sequence[Any], shared: None) -> tuple[Array, ...]:
    local, counts = values
    return tuple(local.parted(counts))


def _added(values: Sequence[Any], shared: None) -> tuple[Array]:
    """What is counted of entries that the range does not have is lost."""
    total, part, *rest = values
    total, half = total.copy(), len(rest) // 2
    for keys, counts in zip(rest[:half], rest[half:], strict=True):
        at, there = found_at(part.keys, keys)
        total[at[there]] += counts[there]
    return (total,)


def found_at(keys: Array, asked: Array) -> tuple[Array, Array]:
    """(where each that is asked for stands among ascending keys, whether it is there)"""
    at = np.minimum(np.searchsorted(keys, asked), max(len(keys) - 1, 0))
    return at, keys[at] == asked if len(keys) else np.zeros(len(asked), bool)
