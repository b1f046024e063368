"""Rows of cells as text that spreadsheets, pandas and Python's csv read back, whatever the cells contain.

| form | for | a word with a tab, a break or a quotation mark | a word that a spreadsheet would compute |
|---|---|---|---|
| TSV | programs | in quotation marks, doubled inside (RFC 4180, with tabs) | as it is: a mark would become part of it |
| CSV | spreadsheets | likewise | ``="=1+1"``, the formula whose value is that word |

A spreadsheet takes =1+1 for a formula, 3-4 for a day and 007 for seven; pandas and csv take what stands there, pandas
with ``keep_default_na=False``, or the word null is no word. CSV begins with a byte-order mark, without which Excel
takes UTF-8 for something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

SPECIAL = '"\n\r'
BYTE_ORDER_MARK = "\ufeff"


class Number(str):
    """The digits of a number, which are to stand as they are."""


def tsv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Numbers with six digits; nothing where there is none (None, NaN)."""
    return (row_line(row) for row in chain([header], (map(cell, row) for row in rows)))


def spreadsheet_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Comma-separated, so that a double click opens it and every word is the word that it was."""
    yield BYTE_ORDER_MARK
    yield from (row_line(map(_kept, row), ",", "\r\n") for row in chain([header], rows))


def row_line(cells: Iterable[str], mark: str = "\t", end: str = "\n") -> str:
    # Not csv.writer, which leaves a lone return without quotation marks, and then cannot read it.
    row = list(cells)
    line = mark.join(row)
    if line.count(mark) >= max(len(row), 1) or any(sign in line for sign in SPECIAL):
        line = mark.join(_quoted(text, mark) for text in row)
    return (line or '""') + end  # an empty line would be no row


def _quoted(text: str, mark: str) -> str:
    if mark in text or any(sign in text for sign in SPECIAL):
        return '"' + text.replace('"', '""') + '"'
    return text


def cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _kept(value: Any) -> str:
    """Words that begin with a letter are taken for words everywhere, except for those that begin like a truth."""
    text = cell(value)
    if not isinstance(value, str) or isinstance(value, Number) or not text:
        return text
    if text[0].isalpha() and not any(c.isdigit() for c in text) and text.lower() not in ("true", "false"):
        return text
    return '="' + text.replace('"', '""') + '"'
