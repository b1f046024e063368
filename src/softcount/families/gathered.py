"""A table in ranges as one table, and back: a piece at a time, so that nobody has more than the room that he gives.

    whole[places of range r] = part r          places: where the rows of the range are among all rows

The whole may be in a file (softcount.machine.mapped); then memory has a piece of one range, however large tables and
ranges are. The rows of a range may be anywhere in the whole, so that a range touches all of it: what lies far apart
there is written, and given back, apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.machine.mapped import give_back
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Log, each

PIECE = 1 << 21  # bytes of a range that cross at a time
TOUCHED = 1 << 24  # bytes of the whole that are in memory at a time, where it is in a file
Room = Callable[[Any, Any], Array]  # of a shape and a kind of numbers


class Places(NamedTuple):
    """Where the entries of ranges are in the whole."""

    engine: Any
    ranges: Sequence[Any]  # handles of Range
    rows: list[Array | range]  # of each range
    offsets: Array | None  # of all rows; None where rows are of one length

    def gathered(self, parts: Sequence[Any], room: Room = np.empty, power: float = 1.0) -> Any:
        """The table that these parts make; of log-weights, times `power`."""
        found, forms = None, set[str]()
        for k, start, (form, piece) in self._pieces(_plain_piece, parts, power):
            found = room((self.size, *piece.shape[1:]), piece.dtype) if found is None else found
            _put(found, self._where(k, start, start + len(piece)), piece)
            forms.add(form)
        assert found is not None
        return _formed(forms.pop(), self.offsets, found)

    def columns(self, room: Room = np.empty) -> Ragged:
        """The entries themselves."""
        found = room((self.size,), np.int32)
        for k, start, (_, piece) in self._pieces(_column_piece, self.ranges, 1.0):
            _put(found, self._where(k, start, start + len(piece)), piece)
        assert self.offsets is not None
        return Ragged(self.offsets, found)

    def _pieces(self, asked: Any, parts: Sequence[Any], power: float) -> Iterator[tuple[int, int, Any]]:
        """(range, where in it, piece): of all ranges the first pieces, then the second ones of those that have more."""
        engine, number, step, some = self.engine, 0, 0, list(range(len(parts)))
        while some:
            shared = engine.share((power, number, PIECE))
            for k, (form, piece) in zip(some, engine.map(asked, [parts[k] for k in some], shared), strict=True):
                step = _step(piece, PIECE)
                yield k, number * step, (form, piece)
            number += 1
            some = [k for k in some if self._size(k) > number * step]

    def dealt(self, table: Any) -> list[Any]:
        """The parts of a table, where their ranges are; raises ValueError where it is of other rows."""
        form, whole = _plain(table)
        if form == ROWS and (self.offsets is None or not np.array_equal(table.offsets, self.offsets)):
            raise ValueError("other rows")
        if len(whole) != self.size:
            raise ValueError("another number of entries")
        pieces = Dealt(self, form, whole)
        placed = self.engine.place(_as_it_is, pieces)
        rows = (placed[some] for some in pieces.of)
        found: list[Any] = self.engine.keep(_joined, rows, self.engine.share(form))[0]
        return found

    @property
    def size(self) -> int:
        return sum(map(len, self.rows)) if self.offsets is None else int(self.offsets[-1])

    def _size(self, k: int) -> int:
        """Of a range."""
        return len(self.rows[k]) if self.offsets is None else int(self._lengths(k).sum())

    def _lengths(self, k: int) -> Array:
        assert self.offsets is not None
        rows = self.rows[k]
        found: Array = self.offsets[1:][rows] - self.offsets[:-1][rows]
        return found

    def taken(self, whole: Array, k: int, start: int, stop: int) -> Array:
        """These entries of a range."""
        found = np.empty((stop - start, *whole.shape[1:]), whole.dtype)
        for places, some in _near(self._where(k, start, stop), whole):
            found[some] = whole[places]
            give_back(whole)
        return found

    def _where(self, k: int, start: int, stop: int) -> Any:
        """The places of entries of a range, counted in it."""
        rows = self.rows[k]
        together = len(rows) == 0 or rows[-1] - rows[0] == len(rows) - 1
        if together:
            first = 0 if len(rows) == 0 else rows[0] if self.offsets is None else self.offsets[rows[0]]
            return slice(first + start, first + stop)
        if self.offsets is None:
            return rows[start:stop]
        own = offsets_of(self._lengths(k))
        some = slice(*(np.searchsorted(own, [start, stop], "right") - [1, 0]))
        inner = np.clip(own[some.start : some.stop + 1], start, stop)
        found: Array = np.repeat(self.offsets[rows[some]] - own[:-1][some], np.diff(inner))
        found += np.arange(start, stop)
        return found


def _put(whole: Array, where: Any, part: Array) -> None:
    for places, some in _near(where, whole):
        whole[places] = part[some]
        give_back(whole)


def _near(where: Any, whole: Array) -> Iterator[tuple[Any, slice]]:
    """Ascending places, some at a time that are near one another, and which they are among all."""
    if isinstance(where, slice) or len(where) == 0:
        yield where, slice(None)
        return
    step = max(1, TOUCHED // max(1, whole[:1].nbytes))
    edges = np.searchsorted(where, np.arange(where[0], where[-1] + 1, step)).tolist()
    for some in map(slice, edges, [*edges[1:], len(where)]):
        if some.start < some.stop:
            yield where[some], some


class Dealt(Sequence[Any]):
    """The pieces of a table, range by range, each made when it is asked for; the first of a range has its offsets."""

    def __init__(self, places: Places, form: str, whole: Array) -> None:
        self._asked, self._pieces, self.of = (places, form, whole), list[tuple[int, int, int]](), list[slice]()
        step = _step(whole, PIECE)
        for k in range(len(places.rows)):
            size, before = places._size(k), len(self._pieces)
            self._pieces += [(k, start, min(start + step, size)) for start in range(0, max(1, size), step)]
            self.of.append(slice(before, len(self._pieces)))

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, number: Any) -> Any:
        (places, form, whole), (k, start, stop) = self._asked, self._pieces[number]
        offsets = offsets_of(places._lengths(k)) if form == ROWS and start == 0 else None
        return offsets, places.taken(whole, k, start, stop)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))


def places(engine: Any, ranges: Sequence[Any], n_rows: int) -> Places:
    """`n_rows`: of all ranges together."""
    found = list(engine.map(_row_lengths, ranges, engine.share(None)))
    if any(lengths is None for _, lengths in found):
        return Places(engine, ranges, [rows for rows, _ in found], None)
    all_lengths = np.zeros(n_rows, np.int64)
    for rows, lengths in found:
        all_lengths[rows] = lengths
    return Places(engine, ranges, [rows for rows, _ in found], offsets_of(all_lengths))


# --- what crosses the engine ------------------------------------------------------------------------------------------

FLAT, ROWS, LOG = "flat", "rows", "log"


def _plain(part: Any) -> tuple[str, Array]:
    """What kind of table it is, and its numbers."""
    if isinstance(part, Log):
        return LOG, part.weights
    return (ROWS, part.values) if isinstance(part, Ragged) else (FLAT, part)


def _plain_piece(part: Any, shared: tuple[float, int, int]) -> tuple[str, Array]:
    """So many bytes of it, times a power."""
    (form, flat), (power, number, size) = _plain(part), shared
    step = _step(flat, size)
    piece = flat[number * step : (number + 1) * step]
    if power == 1.0:
        return form, piece
    raised = each(lambda logs: logs * power, Log(piece) if form == LOG else piece)
    return (ROWS if form == ROWS else FLAT), raised


def _column_piece(own: Any, shared: tuple[float, int, int]) -> tuple[str, Array]:
    return _plain_piece(own.entries.values, shared)


def _joined(values: Sequence[Any], form: str) -> tuple[Any]:
    """The part of a range, of its pieces."""
    offsets, pieces = values[0][0], [piece for _, piece in values]
    return (_formed(form, offsets, np.concatenate(pieces) if len(pieces) > 1 else pieces[0]),)


def _step(flat: Array, size: int) -> int:
    """How many entries, or rows of one length, are so many bytes."""
    return max(1, size // max(1, int(math.prod(flat.shape[1:]) * flat.dtype.itemsize)))


def _formed(form: str, offsets: Array | None, flat: Array) -> Any:
    if form == ROWS:
        assert offsets is not None
        return Ragged(offsets, flat)
    return Log(flat) if form == LOG else flat


def _row_lengths(own: Any, shared: None) -> tuple[Array | range, Array | None]:
    return own.rows, None if own.entries is None else own.entries.lengths


def _as_it_is(part: Any) -> Any:
    return part
