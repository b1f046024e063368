"""Ranges of a table as one table, and back, beside plain indexing: rows together or apart, of one length or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from copying import Copying

from softcount.families.gathered import Places, places
from softcount.families.spread import Range, itself
from softcount.numbers.ragged import Ragged, from_rows, offsets_of
from softcount.numbers.tables import Log

CUTS: list[list[list[int]]] = [
    [[0, 1], [2, 3, 4]],  # one after the other
    [[0, 3], [1, 2, 4]],  # apart
    [[0, 1, 2, 3, 4]],
    [[], [3, 4], [0, 1, 2]],  # none, and in another order
    [[4], [0, 2], [1, 3]],
]
WORDS = [[3, 5], [0, 1, 2], [4], [], [1, 5]]  # the columns of each row's entries
COLUMNS = from_rows(WORDS, np.int32)


@pytest.fixture
def engine() -> Any:
    with Copying(near=False) as found:
        yield found


def cut(engine: Any, rows: list[list[int]], ragged: bool) -> Places:
    def entries(some: list[int]) -> Ragged | None:
        return from_rows([WORDS[r] for r in some], np.int32) if ragged else None

    ranges = engine.place(itself, [Range(np.array(some, np.int64), entries(some)) for some in rows])
    return places(engine, ranges, 5)


@pytest.mark.parametrize("rows", CUTS)
def test_rows_of_one_length(engine: Any, rows: list[list[int]]) -> None:
    table, found = np.arange(15.0).reshape(5, 3), cut(engine, rows, False)
    assert found.offsets is None and found.size == 5
    parts = engine.place(itself, [table[some] for some in rows])
    np.testing.assert_array_equal(found.gathered(parts), table)
    np.testing.assert_array_equal(found.gathered(parts, power=0.5), table * 0.5)
    dealt = list(engine.map(itself_again, found.dealt(table), engine.share(None)))
    for part, some in zip(dealt, rows, strict=True):
        np.testing.assert_array_equal(part, table[some].reshape(len(some), 3))


@pytest.mark.parametrize("rows", CUTS)
def test_rows_of_several_lengths(engine: Any, rows: list[list[int]]) -> None:
    table, found = Ragged(COLUMNS.offsets, np.arange(8.0)), cut(engine, rows, True)
    np.testing.assert_array_equal(found.offsets, COLUMNS.offsets)
    by_row = np.split(table.values, COLUMNS.offsets[1:-1])
    whole = [np.concatenate([by_row[r] for r in some] or [np.empty(0)]) for some in rows]
    lengths = [offsets_of(COLUMNS.lengths[some] if some else np.empty(0, np.int64)) for some in rows]
    parts = engine.place(itself, [Ragged(a, b) for a, b in zip(lengths, whole, strict=True)])
    joined = found.gathered(parts)
    np.testing.assert_array_equal(joined.values, table.values)
    np.testing.assert_array_equal(joined.offsets, table.offsets)
    columns = found.columns()
    np.testing.assert_array_equal(columns.values, COLUMNS.values)
    dealt = list(engine.map(itself_again, found.dealt(table), engine.share(None)))
    for part, offsets, values in zip(dealt, lengths, whole, strict=True):
        np.testing.assert_array_equal(part.values, values)
        np.testing.assert_array_equal(part.offsets, offsets)


def test_logarithms_stay_logarithms(engine: Any) -> None:
    found, table = cut(engine, CUTS[1], False), np.arange(1.0, 11.0).reshape(5, 2)
    joined = found.gathered(engine.place(itself, [Log(table[some]) for some in CUTS[1]]))
    assert isinstance(joined, Log)
    np.testing.assert_array_equal(joined.weights, table)


def test_a_table_of_other_rows_is_refused(engine: Any) -> None:
    ragged, flat = cut(engine, CUTS[0], True), cut(engine, CUTS[0], False)
    other = from_rows([[1], [1, 2, 3], [4], [2], [1, 5]], np.float64)  # as many entries, in other rows
    for found, table in ((ragged, other), (flat, other)):
        with pytest.raises(ValueError, match="other rows"):
            found.dealt(table)
    with pytest.raises(ValueError, match="another number of entries"):
        flat.dealt(np.zeros((4, 3)))


def itself_again(part: Any, shared: None) -> Any:
    return part
