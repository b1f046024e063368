"""Labelled sentences of another file, for the commands that learn from tags."""

from __future__ import annotations

from typing import Any

from softcount.errors import InputError


def check_labelled(command: Any) -> None:
    if command.labelled_tags is not None and command.labelled is None:
        raise InputError("--labelled-tags are the tags of --labelled TEXT; give it, or the tags of the text as --tags")


def labelled_text(command: Any) -> Any:
    """The sentences of --labelled, of CoNLL-U with the column that the text's tags are in."""
    from softcount.text.labelled import read_labelled

    if command.labelled is None:
        return None
    column = "upos" if command.column == "none" else command.column
    return read_labelled(command.labelled, command.labelled_tags, column, command.lowercase)
