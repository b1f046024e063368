"""Tables in files, as Arrow tables: CSV and TSV with a header, Parquet, Arrow (IPC files and streams, Feather).

    read_table("docs.csv")          every cell of CSV is text, an empty one is None

The first line of CSV says by which mark its cells are cut: a tab, else a comma, else a semicolon, as some spreadsheets
write it. Packed CSV is read as packed text is.
"""

from __future__ import annotations

import csv as csv_reader
import io
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

from softcount.errors import InputError
from softcount.machine import stage
from softcount.text.claim import check_path
from softcount.text.packing import unpacked_name
from softcount.text.source import name_of, quoted, read_text

PARQUET, ARROW, TEXT = (".parquet", ".pq"), (".arrow", ".feather", ".ipc", ".arrows"), (".csv", ".tsv")
MARKS = "\t,;"


def is_binary_table(path: str | Path) -> bool:
    """By its name, a table that is no text."""
    return os.fspath(path).lower().endswith(PARQUET + ARROW)


def is_table(path: str | Path) -> bool:
    return is_binary_table(path) or unpacked_name(os.fspath(path)).endswith(TEXT)


def read_table(path: str | Path) -> tuple[Any, int]:
    """(an Arrow table, the line of its first row)."""
    if is_binary_table(path):
        return _binary(path), 1
    return _text(path), 2


def _binary(path: str | Path) -> Any:
    import pyarrow as pa

    check_path(path)
    name = name_of(path)
    stage.begin(f"reading {name}")
    parquet = os.fspath(path).lower().endswith(PARQUET)
    try:
        with open(path, "rb") as file:  # not by its name, which need not be UTF-8
            content = pa.py_buffer(file.read())  # beyond whose end no length in the file leads
        table = _parquet(content) if parquet else _arrow(content)
        table.validate(full=True)  # lengths that lead beyond the file, and text that is no UTF-8
        return table
    except MemoryError:
        raise InputError(
            f"{name}: needs more memory than available; it is damaged, or too large (then split it)"
        ) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{name}: no such file; check the path") from None
        if isinstance(error, OSError) and error.errno:
            raise InputError(f"{name}: cannot be read ({error.strerror}); check the path") from None
        kind = "a Parquet" if parquet else "an Arrow"
        raise InputError(f"{name}: not {kind} file; check the path") from None


def _parquet(content: Any) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(content))


def _arrow(content: Any) -> Any:
    """A file, which has an index, or a stream, which has none."""
    import pyarrow as pa

    try:
        return pa.ipc.open_file(content).read_all()
    except pa.ArrowInvalid:
        return pa.ipc.open_stream(content).read_all()


def _text(path: str | Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    name, text = name_of(path), read_text(path)
    header = text.partition(b"\n")[0].decode().rstrip("\r")
    if not text:
        raise InputError(f"{name}: empty file; give at least one row below a line of column names")
    if not header.strip():
        raise InputError(f"{name}:1: no header; name the columns in the first line")
    try:
        names, mark = header_of(header)
    except csv_reader.Error as error:
        raise InputError(f"{name}:1: the header cannot be read ({error}); name the columns in one line") from None
    if len(set(names)) < len(names):
        twice = next(n for n, times in Counter(names).items() if times > 1)
        raise InputError(f"{name}:1: two columns have the name {quoted(twice)}; rename one")
    try:
        return csv.read_csv(
            io.BytesIO(text if text.endswith(b"\n") else text + b"\n"),
            parse_options=csv.ParseOptions(delimiter=mark, newlines_in_values=b'"' in text, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
            ),
            read_options=csv.ReadOptions(use_threads=False, block_size=max(1 << 20, min(len(text) + 1, 1 << 30))),
        )
    except pa.ArrowException as error:
        raise _csv_error(name, str(error)) from None


def header_of(line: str) -> tuple[list[str], str]:
    """(the names of the columns, the mark between them)."""
    mark = next((mark for mark in MARKS if mark in line), ",")
    return next(csv_reader.reader([line], delimiter=mark, strict=True), []), mark


def _csv_error(name: str, message: str) -> InputError:
    found = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message)
    if not found:
        return InputError(f"{name}: cannot be read as a table ({message.splitlines()[0][:80]}); correct the file")
    where = f":{found[1]}" if found[1] else ""
    return InputError(f"{name}{where}: {found[3]} cells, but the header names {found[2]}; give one per column")
