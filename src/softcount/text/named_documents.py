"""Documents that have names: the files of a folder, the rows of a table.

| form | a document | its name | its class |
|---|---|---|---|
| a flat folder | a text file | of the file | |
| a folder of folders | a text file in one of them, however deep | its path in the folder | the path's beginning |
| a table | a row; its text is in one column | in another column, if one is chosen | |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from softcount.errors import InputError
from softcount.text.documents import Documents, documents
from softcount.text.preparation import Preparation, prepared
from softcount.text.source import name_of, read_text
from softcount.text.text_column import column_texts, columns_of, names_of_rows, only_text_column

Keep = Callable[[list[str]], object]


def no_matter(texts: list[str]) -> None:
    pass


def files_of_folder(path: Path) -> list[tuple[Path, str]]:
    """Its text files and their classes, "" where they have none."""
    files: list[tuple[Path, str]] = []
    if not path.is_dir():
        raise InputError(
            f"{name_of(path)}: not a folder; give a folder with one sub-folder per class, or use another --format"
        )
    for folder in sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith(".")):
        files += [(file, folder.name) for file in _files(folder.rglob("*"))]
    if not files:  # flat: the files of the folder itself, without classes
        files = [(file, "") for file in _files(path.iterdir())]
    if not files:
        raise InputError(f"{name_of(path)}: no text files; give a folder of files, or of one folder per class")
    return files


def read_folder(path: Path, lowercase: bool, prepare: Preparation | None, keep: Keep = no_matter) -> Documents:
    """`keep` is given the texts as they are counted."""
    files = files_of_folder(path)
    texts = _prepared([read_text(file).decode().replace("\n", " ") for file, _ in files], prepare)
    labels = [label for _, label in files] if any(label for _, label in files) else None
    keep(texts)
    data = documents(texts, labels=labels, source=name_of(path), lowercase=lowercase)
    return replace(data, names=tuple(str(file.relative_to(path)) for file, _ in files))


def read_rows(
    path: str | Path, lowercase: bool, prepare: Preparation | None, text_column: str | None, id_column: str | None,
    keep: Keep = no_matter,
) -> Documents:  # fmt: skip
    """Of CSV, TSV, Parquet or Arrow; the only column of text need not be named."""
    table = columns_of(path)
    texts = column_texts(table, only_text_column(table) if text_column is None else text_column)
    names = () if id_column is None else names_of_rows(table, id_column)
    texts = _prepared(texts, prepare)
    keep(texts)
    data = documents(texts, source=name_of(path), lowercase=lowercase)
    if not data.n_words:
        raise InputError(f"{name_of(path)}: no words, only spaces; give at least one word")
    return replace(data, names=names)


def _prepared(texts: Sequence[str], prepare: Preparation | None) -> list[str]:
    return prepared("\n".join(texts).encode(), prepare).decode().split("\n")


def _files(entries: Iterable[Path]) -> list[Path]:
    return sorted(entry for entry in entries if entry.is_file() and not entry.name.startswith("."))
