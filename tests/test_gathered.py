"""Tables in ranges as one table: entries come to their rows and go back, however ranges lie, and little is touched."""

from __future__ import annotations

import tracemalloc
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.engines import Threads
from softcount.families import gathered
from softcount.families.gathered import places
from softcount.families.spread import Range, itself
from softcount.machine.mapped import in_file
from softcount.numbers.ragged import Ragged, offsets_of
from softcount.numbers.tables import Log

FORMS: dict[str, Any] = {"flat": lambda offsets, flat: flat, "rows": Ragged, "log": lambda offsets, flat: Log(flat)}


def dealt(owner: np.ndarray, lengths: np.ndarray) -> list[Range]:
    """The rows of each range, and columns that say which entry of the whole each is."""
    offsets, found = offsets_of(lengths), []
    for k in range(int(owner.max()) + 1):
        rows = np.flatnonzero(owner == k)
        entries = [np.arange(offsets[row], offsets[row + 1]) for row in rows]
        columns = np.concatenate([np.empty(0, np.int64), *entries]).astype(np.int32)
        found.append(Range(rows, Ragged(offsets_of(lengths[rows]), columns)))
    return found


@given(
    st.integers(0, 2**32), st.sampled_from(sorted(FORMS)), st.sampled_from([1, 16, 1 << 24]), st.booleans(),
    st.sampled_from([1, 24, 1 << 21]),
)  # fmt: skip
def test_ranges_become_one_table_and_ranges_again(seed: int, form: str, touched: int, pairs: bool, piece: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    owner, lengths = rng.integers(0, rng.integers(1, 5), n), rng.integers(0, 5, n)
    owner = np.unique(owner, return_inverse=True)[1]
    ranges = dealt(owner, lengths)
    whole = rng.random((int(lengths.sum()), 2) if pairs else int(lengths.sum()))
    parts = [FORMS[form](one.entries.offsets, whole[one.entries.values]) for one in ranges]
    with Threads(1) as engine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathered, "TOUCHED", touched)
        patch.setattr(gathered, "PIECE", piece)
        found = places(engine, engine.place(itself, ranges), n)
        table = found.gathered(engine.place(itself, parts))
        columns = found.columns()
        again = list(engine.map(itself, found.dealt(table), engine.share(None)))
    np.testing.assert_array_equal(flat_of(table), whole)
    np.testing.assert_array_equal(columns.values, np.arange(len(whole)))
    np.testing.assert_array_equal(columns.offsets, offsets_of(lengths))
    for one, part in zip(again, parts, strict=True):
        assert type(one) is type(part)
        np.testing.assert_array_equal(flat_of(one), flat_of(part))
        assert form != "rows" or np.array_equal(one.offsets, part.offsets)


def flat_of(table: Any) -> Any:
    return table.weights if isinstance(table, Log) else table.values if isinstance(table, Ragged) else table


class Watched(np.ndarray):
    """How far apart the places are that are written at once."""

    spans: ClassVar[list[int]] = []

    def __setitem__(self, places: Any, part: Any) -> None:
        self.spans.append(int(places[-1] - places[0]))
        np.ndarray.__setitem__(self, places, part)


def test_a_range_whose_rows_are_everywhere_touches_a_piece_of_the_file_at_a_time(monkeypatch: Any) -> None:
    n, touched = 1 << 20, 1 << 18  # rows of one number each; bytes
    monkeypatch.setattr(gathered, "TOUCHED", touched)
    ranges = [Range(np.arange(k, n, 2)) for k in range(2)]
    with Threads(1) as engine:
        found = places(engine, engine.place(itself, ranges), n)
        parts = engine.place(itself, [one.rows * 0.5 for one in ranges])
        table = found.gathered(parts, lambda shape, dtype: in_file(shape, dtype).view(Watched))
    np.testing.assert_array_equal(np.asarray(table), np.arange(n) * 0.5)
    assert len(Watched.spans) == 2 * n * 8 // touched and max(Watched.spans) <= touched // 8


def test_whoever_gathers_has_a_piece_of_a_range_and_not_the_range(monkeypatch: Any) -> None:
    n, each, piece = 1 << 14, 64, 1 << 16  # rows, entries of each; bytes
    monkeypatch.setattr(gathered, "PIECE", piece)
    ranges = dealt(np.arange(n) % 2, np.full(n, each))
    with Threads(1) as engine:
        found = places(engine, engine.place(itself, ranges), n)
        parts = engine.place(itself, [one.entries.values * 0.5 for one in ranges])
        tracemalloc.start()
        table, columns = found.gathered(parts, in_file), found.columns(in_file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert max(one.nbytes for _, one in gathered.Dealt(found, gathered.FLAT, table)) <= piece
    np.testing.assert_array_equal(table, np.arange(n * each) * 0.5)
    np.testing.assert_array_equal(columns.values, np.arange(n * each))
    assert peak < n * each * 8 / 4, f"{peak} bytes of a table of {n * each * 8}"
