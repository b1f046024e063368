"""Tables of whatever kind → columns of values → records of a network's variables.

CSV and TSV (with a header), Parquet, Arrow, data frames, Arrow tables, mappings of columns, lists of rows. An empty
cell, None and NaN are missing. A value is known by its text, so that the 1 of a file and of a data frame are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError, list_some
from softcount.numbers.ragged import Array, offsets_of
from softcount.text.records import Records, records
from softcount.text.source import name_of, quoted
from softcount.text.table_file import read_table

Value = str | int | float | bool


class Column(NamedTuple):
    codes: Array  # int64 [rows]; −1: missing
    values: tuple[Value, ...]  # as they were given, a whole float as an integer


class Columns(NamedTuple):
    columns: dict[str, Column]
    n_rows: int
    source: str = "<memory>"
    first_line: int = 1  # the line of the first row

    def line(self, row: int) -> str:
        return f"{self.source}:{row + self.first_line}"


def read_columns(data: Any) -> Columns:
    if isinstance(data, Columns):
        return data
    if isinstance(data, str | Path):
        return _file(data)
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        all_names = dict.fromkeys(name for row in data for name in row)
        return read_columns({name: [row.get(name) for row in data] for name in all_names})
    if hasattr(data, "to_pydict"):  # an Arrow table
        return _arrow(data, "<memory>", 1)
    if not isinstance(data, Mapping) and not (hasattr(data, "columns") and hasattr(data, "__getitem__")):
        raise InputError("data for a network must be a file, a data frame, or {name: values, …}")
    names: list[Any] = list(data) if isinstance(data, Mapping) else list(data.columns)
    columns = {str(name): _column(data[name]) for name in names}
    lengths = {len(column.codes) for column in columns.values()}
    if len(columns) != len(names) or len(lengths) > 1:
        raise InputError("columns have unequal length or the same name; give one value, or None, for every row")
    return _some(Columns(columns, lengths.pop() if lengths else 0))


def _some(found: Columns) -> Columns:
    if not found.n_rows:
        raise InputError(f"{found.source}: no rows; give at least one")
    return found


def _file(path: str | Path) -> Columns:
    table, first_line = read_table(path)
    return _arrow(table, name_of(path), first_line)


def _arrow(table: Any, source: str, first_line: int) -> Columns:
    columns = {str(name): _encoded(table.column(i)) for i, name in enumerate(table.column_names)}
    if len(columns) != table.num_columns:
        raise InputError(f"{source}: two columns have the same name; rename one")
    return _some(Columns(columns, table.num_rows, source, first_line))


def _column(values: Any) -> Column:
    import pyarrow as pa

    values = getattr(values, "array", values) if hasattr(values, "dtype") else values
    values = values.to_numpy() if hasattr(values, "to_numpy") and not isinstance(values, np.ndarray) else values
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    try:
        return _encoded(pa.chunked_array([pa.array(listed, from_pandas=True)]))
    except (pa.ArrowException, OverflowError):  # of several types: by their texts
        texts = [None if v is None or v != v else text_of(v) for v in listed]
        return _encoded(pa.chunked_array([pa.array(texts)]))


def _encoded(column: Any) -> Column:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        column = pa.chunked_array([pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())])
    encoded = column.dictionary_encode().unify_dictionaries()
    chunks = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    codes = np.concatenate([np.empty(0, np.int64), *chunks]).astype(np.int64)
    found = _without_zeros(encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else [])
    numbers, values = list[int](), dict[str, tuple[int, Value]]()
    for value in found:
        if value is None or value == "" or value != value:
            numbers.append(-1)
            continue
        plain = value if isinstance(value, str | bool | int) else int(value) if _whole(value) else value
        plain = plain if isinstance(plain, str | bool | int | float) else str(plain)
        numbers.append(values.setdefault(text_of(plain), (len(values), plain))[0])
    return Column(np.array([*numbers, -1], dtype=np.int64)[codes], tuple(value for _, value in values.values()))


def _without_zeros(values: list[Any]) -> list[Any]:
    """Whole numbers that a data frame wrote as 1.0 and 2.0 only because a cell of their column was missing."""
    texts = [value for value in values if isinstance(value, str) and value]
    if not texts or not all(re.fullmatch(r"-?[0-9]+\.0", text) for text in texts):
        return values
    return [value[:-2] if value else value for value in values]


def _whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < 2**53


def text_of(value: Any) -> str:
    return str(int(value)) if _whole(value) else str(value)


def in_order(values: Sequence[Value]) -> tuple[Value, ...]:
    """Numbers by size, texts by alphabet: in whatever order the rows came."""
    try:
        return tuple(sorted(values, key=lambda value: (float(value), text_of(value))))
    except ValueError:
        return tuple(sorted(values, key=text_of))


def numbers_of(columns: Columns, name: str, known: Mapping[str, int]) -> Array:
    """A column as numbers of values; a value that is not known is refused by its line."""
    column = columns.columns[name]
    found = np.array([known.get(text_of(value), -2) for value in column.values] + [-1], dtype=np.int64)[column.codes]
    if (found == -2).any():
        row = int((found == -2).argmax())
        value = text_of(column.values[column.codes[row]])
        wrong = f"{quoted(value)} is not a value of {quoted(name)}; its values are {list_some(known)}"
        raise InputError(f"{columns.line(row)}: {wrong}; correct the cell, or declare the value")
    return found


def to_records(
    columns: Columns, names: Sequence[str], known: Sequence[Mapping[str, int]], over_time: bool,
    sequence: str | None = None, weight: str | None = None,
) -> Records:  # fmt: skip
    """Of the named variables; those without a column are missing everywhere."""
    cells = np.full((columns.n_rows, len(names)), -1, dtype=np.int32)
    for v, name in enumerate(names):
        if name in columns.columns:
            cells[:, v] = numbers_of(columns, name, known[v])
    weights = None if weight is None else _weights(columns, weight)
    if not over_time:
        return records(cells, None, weights, columns.source, None, columns.first_line)
    order, offsets = _sequences(columns, sequence)
    if weights is not None:
        weights = _of_sequences(columns, weights[order], order, offsets)
    return records(cells[order], offsets, weights, columns.source, order, columns.first_line)


def _sequences(columns: Columns, sequence: str | None) -> tuple[Array, Array]:
    """(rows sequence by sequence, offsets); all rows are one sequence where no column names them."""
    if sequence is None:
        return np.arange(columns.n_rows), np.array([0, columns.n_rows], dtype=np.int64)
    codes = _named(columns, sequence).codes
    if (codes < 0).any():
        raise InputError(f"{columns.line(int((codes < 0).argmax()))}: {quoted(sequence)} is empty; name the sequence")
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))  # in the order in which they begin
    return np.argsort(rank[which], kind="stable"), offsets_of(np.bincount(rank[which]))


def _named(columns: Columns, name: str) -> Column:
    if name not in columns.columns:
        raise InputError(f"{columns.source}: no column {quoted(name)}; the columns are {list_some(columns.columns)}")
    return columns.columns[name]


def _weights(columns: Columns, weight: str) -> Array:
    column = _named(columns, weight)
    try:
        values = np.array([float(value) for value in column.values] + [np.nan])[column.codes]
    except ValueError:
        values = np.array([np.nan if not _number(value) else float(value) for value in column.values] + [np.nan])
        values = values[column.codes]
    wrong = ~(np.isfinite(values) & (values >= 0.0) & (values <= 2.0**53))
    if wrong.any():
        raise InputError(f"{columns.line(int(wrong.argmax()))}: {quoted(weight)} must be a number of at least 0")
    if not values.any():
        raise InputError(f"{columns.source}: {quoted(weight)} is zero in every row; give some rows a weight")
    return values


def _number(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except ValueError:
        return False


def _of_sequences(columns: Columns, weights: Array, order: Array, offsets: Array) -> Array:
    each = weights[offsets[:-1]]
    odd = weights != np.repeat(each, np.diff(offsets))
    if odd.any():
        row = int(order[odd.argmax()])
        raise InputError(
            f"{columns.line(row)}: the weight differs from the first row of the sequence; give all "
            "rows of a sequence the same weight"
        )
    return each
