"""Labelled sentences of another file, for the commands that learn from tags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softcount.errors import InputError


def check_labelled(command: Any) -> None:
    if command.labelled_tags is not None and command.labelled is None:
        raise InputError(
            "--labelled-tags has no effect without --labelled; give --labelled TEXT, or use --tags for "
            "the tags of the text"
        )


def labelled_text(command: Any) -> Any:
    """The sentences of --labelled, of CoNLL-U with the column that the text's tags are in."""
    from softcount.text.labelled import read_labelled

    if command.labelled is None:
        return None
    return read_labelled(command.labelled, command.labelled_tags, column_beside(command.column), command.lowercase)


def column_beside(column: str) -> str:
    """The column with the tags of another CoNLL-U file than the text."""
    return "upos" if column == "none" else column


def column_of_tags(command: Any, data: Any) -> str | None:
    """The CoNLL-U column from which the tags were read that a model learns from, if it was one."""
    from softcount.text.reader import is_conllu
    from softcount.text.source import read_text

    if command.is_conllu and data.tagset:
        return str(command.column)
    files = (path for path in (command.labelled, command.start) if path is not None and Path(path).is_file())
    return column_beside(command.column) if any(is_conllu(read_text(path)) for path in files) else None
