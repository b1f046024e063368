"""Refuse files that are not running text: tables without a column, Toolbox and ARPA files, decimal numbers.

All of them can be read as lines of words, and a model of such lines is worthless. They are looked for where a reader
chooses the format itself; an explicit format (``plain``, ``lines``) reads them as text.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from softcount.errors import InputError, list_some
from softcount.text.source import name_of, read_chunks
from softcount.text.table_file import header_of, is_binary_table, is_table

BEGINNING = 1 << 18  # bytes that are looked at
FEWEST_NUMBERS = 10  # a file of fewer is not called a table of numbers
SHOWN = 4
_MARKER = re.compile(rb"\\(_?[A-Za-z][A-Za-z0-9]{0,9})(?=[ \t\r]|$)")
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def check_no_table(path: str | Path, instead: str) -> None:
    """Refuse a CSV or TSV file, by its name, whose rows have as many cells as its header; `instead`: what to do."""
    if is_binary_table(path) or not is_table(path):
        return
    text = _whole_lines(next(read_chunks(path), b""))
    check_no_numbers(text.partition(b"\n")[2], name_of(path))
    names = _columns(text)
    if names:
        raise InputError(f"{name_of(path)}: a table with the columns {list_some(names)}; {instead}")


def check_running_text(content: bytes, name: str, format: str) -> None:
    """Refuse Toolbox and ARPA files and tables of numbers; `format`: the one that reads them as text all the same."""
    text = _whole_lines(content)
    if re.match(rb"\s*\\data\\\s*\n", text):
        kept = f"--format {format} reads the lines as they are"
        raise InputError(f"{name}: an ARPA language model, not text; give text ({kept})")
    markers = _toolbox_markers(text)
    if markers:
        shown = ", ".join("\\" + marker for marker in markers[:SHOWN]) + ", …" * (len(markers) > SHOWN)
        taken = "\\tx" if "tx" in markers else "\\" + markers[0]
        raise InputError(
            f"{name}: a Toolbox (SFM) file with the markers {shown}; extract one, for example with "
            f"sed -n 's/^\\{taken} //p' (--format {format} reads the lines as they are)"
        )
    check_no_numbers(text, name, f" (--format {format} reads them as words)")


def check_no_numbers(text: bytes, name: str, otherwise: str = "") -> None:
    """Refuse lines of equally many numbers of which at least half have a decimal point; whole numbers may be names."""
    rows = [re.split(rb"[\s,;]+", row.strip()) for row in text.splitlines() if row.strip()]
    numbers = [cell for row in rows for cell in row]
    if len(numbers) < FEWEST_NUMBERS or len({len(row) for row in rows}) > 1:
        return
    if 2 * sum(b"." in number for number in numbers) < len(numbers) or not all(map(_NUMBER.fullmatch, numbers)):
        return
    wrong = f"{len(rows[0])} decimal number{'s' * (len(rows[0]) > 1)} per line instead of words"
    raise InputError(f"{name}: {wrong}; cluster points in Python with softcount.KMeans or GaussianMixture{otherwise}")


def _whole_lines(text: bytes) -> bytes:
    """The beginning, up to the end of a line."""
    return text if len(text) <= BEGINNING else text[:BEGINNING].rpartition(b"\n")[0]


def _columns(text: bytes) -> list[str]:
    """The names of two or more columns; none where a row has more or fewer cells, which is no table."""
    lines = text.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    try:
        names, mark = header_of(lines[0].rstrip("\r"))
        if len(names) < 2 or not all(name.strip() for name in names):
            return []
        sizes = {len(row) for row in csv.reader(lines[1:], delimiter=mark) if row}
    except csv.Error:
        return []
    return names if sizes <= {len(names)} else []


def _toolbox_markers(text: bytes) -> list[str]:
    """The markers of a text half of whose lines begin with one, most of them more than once; or of one that says so in
    its first line."""
    rows = [row for row in text.split(b"\n") if row.strip()]
    found = Counter(match[1].decode() for row in rows if (match := _MARKER.match(row)))
    if "_sh" in found and found.total() == len(rows):
        return list(found)
    if 2 * sum(found.values()) < len(rows) or found.total() < 2 * len(found) or len(found) < 2:
        return []
    return list(found)
