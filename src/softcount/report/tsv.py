"""Rows of cells as TSV that spreadsheets, pandas and Python's csv read back, whatever the cells contain.

A cell with a tab, a line break or a quotation mark stands in quotation marks, doubled inside (RFC 4180, with tabs).
What begins with = is written as it is, because any mark before it would be read back as a part of the word: let a
spreadsheet import such columns as text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


def tsv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Numbers with six digits; nothing where there is none (None, NaN)."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter="\t", lineterminator="\n")
    for row in _all(header, rows):
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _all(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
    yield header
    for row in rows:
        yield [cell(value) for value in row]


def cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
