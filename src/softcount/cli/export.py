"""softcount export: every table of a model for other programs: TSV, Parquet, or CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import check_writable, say, write_whole
from softcount.cli.options import OUT, Quiet, option
from softcount.cli.watched import watched
from softcount.errors import InputError, count_nouns
from softcount.machine import stage
from softcount.machine.atomic import new_folders
from softcount.report.tsv import Number, spreadsheet_lines, tsv_lines

if TYPE_CHECKING:
    from softcount.report.tables import Column, Table

ROWS = 100_000  # written at a time
FORMATS = {"tsv": "tsv", "parquet": "parquet", "excel": "csv"}  # and how their files end


@watched
def export(
    model: Annotated[Path, typer.Argument(help="Model written by --save.")],
    to: Annotated[Path, option(OUT, "Folder for the tables; it is created if necessary.")],
    format: Annotated[str, option(OUT, "File format. Choices: tsv, parquet, excel (CSV for spreadsheets).")] = "tsv",
    quiet: Quiet = False,
) -> None:
    """Write the tables and the training log of MODEL, one file each, with words and states by name.

    Example: **softcount export en-fr.model --to tables --format parquet**

    To open in a spreadsheet: **softcount export topics.model --to tables --format excel**
    """
    if format not in FORMATS:
        raise InputError(f"--format {format!r}: unknown; use {', '.join(FORMATS)}")
    from softcount.registry import load
    from softcount.report.tables import file_names, n_rows, tables

    stage.begin(f"opening {model}")
    named = list(tables(load(model)))
    names = file_names([name for name, _ in named])
    content = [(to / f"{name}.{FORMATS[format]}", table) for name, (_, table) in zip(names, named, strict=True)]
    files = [path for path, _ in content]
    with new_folders(to, files=files):
        check_writable(*files, inputs=(model,))
        for path, table in content:
            stage.begin(f"writing {path}", n_rows(table), "rows")
            write_whole(path, lambda temporary, table=table: _write(temporary, format, table))  # type: ignore[misc]
            say(f"{path}: {count_nouns(n_rows(table), 'rows')}", quiet)


def _write(path: Path, format: str, table: Table) -> None:
    if format == "parquet":
        _write_parquet(path, table)
        return
    lines = tsv_lines if format == "tsv" else spreadsheet_lines
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.writelines(lines(list(table), _rows(table)))


def _rows(table: Table) -> Iterator[tuple[Any, ...]]:
    from softcount.report.tables import n_rows

    for start in range(0, n_rows(table), ROWS):
        columns = [_cells(column, slice(start, start + ROWS)) for column in table.values()]
        yield from zip(*columns, strict=True)
        stage.reach(start + ROWS)


def _cells(column: Column, rows: slice) -> list[Any]:
    """Numbers with all their digits; none where there is none."""
    if isinstance(column, tuple):
        return [column.names[i] for i in column.ids[rows].tolist()]
    if column.dtype.kind == "O":
        return [str(cell) for cell in column[rows].tolist()]
    return [None if cell == "nan" else Number(cell) for cell in column[rows].astype(str).tolist()]


def _write_parquet(path: Path, table: Table) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def column(values: Column) -> Any:
        if isinstance(values, tuple):
            return pa.DictionaryArray.from_arrays(pa.array(values.ids.astype("int32")), pa.array(list(values.names)))
        return pa.array(values.tolist() if values.dtype.kind == "O" else values.copy())

    with path.open("wb") as file:  # not by its name, which need not be UTF-8
        pq.write_table(pa.table({name: column(values) for name, values in table.items()}), file)
