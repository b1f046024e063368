"""A column of a table as text, a line a row: of CSV, TSV, Parquet and Arrow files (`text.table_file`).

    column_text(columns_of("docs.csv"), "body")        b"first text\nsecond text\n"

A line break inside a cell becomes a blank, because a row is a line. A column of lists of tokens is read as these
tokens. An empty cell of CSV is an empty text; None in Parquet or Arrow is refused, by its row. The fields of a column
of records are columns, too: ``translation.en``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from softcount.errors import InputError, list_some
from softcount.text.source import name_of, quoted
from softcount.text.table_file import is_binary_table, read_table

_BREAKS = re.compile(r"[\r\n\0]+")
TEXTS = ("string", "large_string", "string_view")


class TextTable(NamedTuple):
    table: Any
    name: str
    first_line: int
    none_is_text: bool  # CSV has no other way to write an empty text

    def where(self, row: int) -> str:
        return f"{self.name}:{row + self.first_line}" if self.none_is_text else f"{self.name}: row {row + 1}"


def columns_of(path: str | Path) -> TextTable:
    table, first_line = read_table(path)
    while any(_is_record(field) for field in table.schema):
        table = table.flatten()
    return TextTable(table, name_of(path), first_line, not is_binary_table(path))


def column_text(found: TextTable, column: str) -> bytes:
    texts = column_texts(found, column)
    return "".join(f"{text}\n" for text in texts).encode("utf-8")


def column_texts(found: TextTable, column: str) -> list[str]:
    """A text for each row, without line breaks."""
    values = _values(found, column)
    texts = []
    for row, value in enumerate(values):
        if value is None and not found.none_is_text:
            raise InputError(
                f"{found.where(row)}: {quoted(column)} has None instead of a text; fill it with '' or remove the row"
            )
        texts.append(_BREAKS.sub(" ", _joined(value, found.where(row))))
    if not texts:
        raise InputError(f"{found.name}: no rows; give at least one")
    return texts


def names_of_rows(found: TextTable, column: str) -> tuple[str, ...]:
    """What each row is called; numbers too may be names."""
    values = _column(found, column, "--id-column").to_pylist()
    empty = next((row for row, value in enumerate(values) if value is None or value == ""), None)
    if empty is not None:
        raise InputError(f"{found.where(empty)}: {quoted(column)} is empty; name every row, or omit --id-column")
    return tuple(str(value) for value in values)


def only_text_column(found: TextTable) -> str:
    """The one that can be meant, where nobody names it."""
    names = [field.name for field in found.table.schema if _is_text(field.type)]
    if len(names) != 1:
        listed = list_some(names) or "none"
        raise InputError(f"{found.name}: several text columns: {listed}; choose one with --text-column")
    return str(names[0])


def two_text_columns(found: TextTable, names: tuple[str | None, str | None]) -> tuple[str, str]:
    """The sides of a table of pairs: as they are named, alone or as the field of a record, else the only two."""
    texts = [field.name for field in found.table.schema if _is_text(field.type)]
    chosen = [None if name is None else _called(found, name, texts) for name in names]
    rest = [name for name in texts if name not in chosen]
    missing = chosen.count(None)
    if missing and len(rest) != missing:
        listed = list_some(texts) or "none"
        raise InputError(
            f"{found.name}: several text columns: {listed}; choose two with --source-language and --target-language"
        )
    source, target = (rest.pop(0) if name is None else name for name in chosen)
    if source == target:
        raise InputError(f"{found.name}: source and target are both {quoted(source)}; choose two columns")
    return source, target


def _called(found: TextTable, name: str, texts: list[str]) -> str:
    fields = [text for text in texts if text == name] or [text for text in texts if text.endswith(f".{name}")]
    if not fields:
        listed = list_some(texts) or "none"
        raise InputError(f"{found.name}: no text column {quoted(name)}; the text columns are {listed}")
    return fields[0]


def _column(found: TextTable, column: str, option: str) -> Any:
    names = found.table.column_names
    if column not in names:
        raise InputError(f"{found.name}: no column {quoted(column)} for {option}; the columns are {list_some(names)}")
    if names.count(column) > 1:
        raise InputError(f"{found.name}: two columns have the name {quoted(column)}; rename one")
    return found.table.column(names.index(column))


def _values(found: TextTable, column: str) -> list[Any]:
    values = _column(found, column, "--text-column")
    if not _is_text(values.type):
        raise InputError(f"{found.name}: column {quoted(column)} has type {values.type}, not text; choose another")
    return list(values.to_pylist())


def _joined(value: Any, where: str) -> str:
    if not isinstance(value, list):
        return value or ""
    odd = next((token for token in value if not token or token.split() != [token]), None)
    if odd is not None or None in value:
        raise InputError(
            f"{where}: the token {quoted(str(odd))} is empty or contains a space; write one word per token"
        )
    return " ".join(value)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return str(kind.value_type) in TEXTS
    return str(kind) in TEXTS


def _is_record(field: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_struct(field.type))
