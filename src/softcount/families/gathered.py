"""A table in ranges as one table, and back: a range at a time, so that nobody has more than the room that he gives.

    whole[places of range r] = part r          places: where the rows of the range are among all rows

The whole may be in a file (softcount.machine.mapped); then memory has one range of it. The rows of a range may be
anywhere in the whole, so that a range touches all of it: what lies far apart there is written, and given back, apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.machine.mapped import give_back
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Log, each

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
        engine, found, forms = self.engine, None, set[str]()
        for k, (form, part) in enumerate(engine.map(_plain, parts, engine.share(power))):
            found = room((self.size, *part.shape[1:]), part.dtype) if found is None else found
            _put(found, self._where(k), part)
            forms.add(form)
        assert found is not None
        return _formed(forms.pop(), self.offsets, found)

    def columns(self, room: Room = np.empty) -> Ragged:
        """The entries themselves."""
        engine, found = self.engine, room((self.size,), np.int32)
        for k, part in enumerate(engine.map(_columns, self.ranges, engine.share(None))):
            _put(found, self._where(k), part)
        assert self.offsets is not None
        return Ragged(self.offsets, found)

    def dealt(self, table: Any) -> list[Any]:
        """The parts of a table, where their ranges are; raises ValueError where it is of other rows."""
        form, whole = _plain(table, 1.0)
        if form == ROWS and (self.offsets is None or not np.array_equal(table.offsets, self.offsets)):
            raise ValueError("other rows")
        if len(whole) != self.size:
            raise ValueError("another number of entries")
        found: list[Any] = self.engine.place(_as_it_is, Dealt(self, form, whole))
        return found

    @property
    def size(self) -> int:
        return sum(map(len, self.rows)) if self.offsets is None else int(self.offsets[-1])

    def part(self, k: int, form: str, whole: Array) -> Any:
        lengths = None if self.offsets is None else np.diff(self.offsets)[self.rows[k]]
        found = _taken(whole, self._where(k))
        return _formed(form, None if lengths is None else offsets_of(lengths), found)

    def _where(self, k: int) -> Any:
        rows = self.rows[k]
        together = len(rows) == 0 or rows[-1] - rows[0] == len(rows) - 1
        if self.offsets is None:
            return slice(rows[0], rows[-1] + 1) if together and len(rows) else rows
        if together:
            return slice(self.offsets[rows[0]], self.offsets[rows[-1] + 1]) if len(rows) else slice(0, 0)
        lengths = np.diff(self.offsets)[rows]
        moved: Array = np.repeat(self.offsets[rows] - offsets_of(lengths)[:-1], lengths)
        return moved + np.arange(len(moved))


def _put(whole: Array, where: Any, part: Array) -> None:
    for places, some in _near(where, whole):
        whole[places] = part[some]
        give_back(whole)


def _taken(whole: Array, where: Any) -> Array:
    pieces = []
    for places, _ in _near(where, whole):
        pieces.append(np.array(whole[places]))
        give_back(whole)
    return np.concatenate(pieces) if len(pieces) > 1 else pieces[0]


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
    """The parts of a table, each made when it is asked for."""

    def __init__(self, places: Places, form: str, whole: Array) -> None:
        self._asked, self._n = (places, form, whole), len(places.rows)

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, k: Any) -> Any:
        places, form, whole = self._asked
        return places.part(k, form, whole)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(self._n))


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


def _plain(part: Any, power: float) -> tuple[str, Array]:
    """What kind of table it is, and its numbers."""
    if power != 1.0:
        part = each(lambda logs: logs * power, part)
    if isinstance(part, Log):
        return LOG, part.weights
    return (ROWS, part.values) if isinstance(part, Ragged) else (FLAT, part)


def _formed(form: str, offsets: Array | None, flat: Array) -> Any:
    if form == ROWS:
        assert offsets is not None
        return Ragged(offsets, flat)
    return Log(flat) if form == LOG else flat


def _row_lengths(own: Any, shared: None) -> tuple[Array | range, Array | None]:
    return own.rows, None if own.entries is None else own.entries.lengths


def _columns(own: Any, shared: None) -> Array:
    found: Array = own.entries.values
    return found


def _as_it_is(part: Any) -> Any:
    return part
