"""softcount export: every table of a model for other programs, as TSV or Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import check_writable, say, write_whole
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.report.tables import Column, Table

ROWS = 100_000  # written at a time
ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def export(
    model: Annotated[Path, typer.Argument(help="A model that --save wrote.")],
    to: Annotated[Path, typer.Option(help="The folder to write into; made where it is not there.")],
    format: Annotated[str, typer.Option(help="tsv or parquet.")] = "tsv",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Write every table of MODEL, and its trace, one file each: words and states by name, sparse tables as triples.

    Example: **softcount export en-fr.model --to tables --format parquet**
    """
    if format not in ("tsv", "parquet"):
        raise InputError(f"no format {format!r}; use tsv or parquet")
    from softcount.registry import load
    from softcount.report.tables import tables

    found = load(model)
    if to.exists() and not to.is_dir():
        raise InputError(f"{to}: is a file; name a folder")
    to.mkdir(parents=True, exist_ok=True)
    content = list(tables(found))
    check_writable(*(to / f"{name}.{format}" for name, _ in content), inputs=(model,))
    for name, table in content:
        path = to / f"{name}.{format}"
        write_whole(path, lambda temporary, table=table: _write(temporary, format, table))  # type: ignore[misc]
        say(f"{path}: {_length(table):,} rows", quiet)


def _length(table: Table) -> int:
    return len(_ids(next(iter(table.values()))))


def _ids(column: Column) -> Any:
    return column.ids if isinstance(column, tuple) else column


def _write(path: Path, format: str, table: Table) -> None:
    if format == "tsv":
        _write_tsv(path, table)
    else:
        _write_parquet(path, table)


def _write_tsv(path: Path, table: Table) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\t".join(name.translate(ESCAPES) for name in table) + "\n")
        for start in range(0, _length(table), ROWS):
            columns = [_cells(column, slice(start, start + ROWS)) for column in table.values()]
            file.writelines("\t".join(row) + "\n" for row in zip(*columns, strict=True))


def _cells(column: Column, rows: slice) -> list[str]:
    """Numbers with all their digits; none where there is none."""
    part = _ids(column)[rows]
    if isinstance(column, tuple):
        return [column.names[i].translate(ESCAPES) for i in part.tolist()]
    if part.dtype.kind == "O":
        return [str(cell).translate(ESCAPES) for cell in part.tolist()]
    return ["" if cell == "nan" else cell for cell in part.astype(str).tolist()]


def _write_parquet(path: Path, table: Table) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def column(values: Column) -> Any:
        if isinstance(values, tuple):
            return pa.DictionaryArray.from_arrays(pa.array(values.ids.astype("int32")), pa.array(list(values.names)))
        return pa.array(values.tolist() if values.dtype.kind == "O" else values.copy())

    with path.open("wb") as file:  # not by its name, which need not be UTF-8
        pq.write_table(pa.table({name: column(values) for name, values in table.items()}), file)
