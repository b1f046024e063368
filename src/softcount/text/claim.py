"""Strings of a file that could make something happen: they are shown, and never run, imported, opened or fetched.

A saved model or a folder of shards may come from anybody. What it says of commands, paths and addresses (its
settings, how its text was read) is made a `Claim` as soon as it is read. A claim is a string like any other, but the
places where a command is run or a file is opened refuse it, whoever asks. What a person gives, an option or an
argument, is an ordinary string.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, SupportsIndex

from softcount.errors import InputError

LONGEST = 60  # characters of a claim in a message
# What a file says of how its text was read, and is the name of something.
NAMES = ("tokenize", "normalize", "text_column", "id_column", "column", "source_language", "target_language")


class Claim(str):
    """A string that a file contains. Its pieces are claims as well."""

    file: str  # that says it
    name: str  # what it says it of

    def __new__(cls, text: str, file: str, name: str) -> Claim:
        made = super().__new__(cls, text)
        made.file, made.name = file, name
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Claim, (str(self), self.file, self.name)

    @property
    def shown(self) -> str:
        """For a message: short, and printable."""
        return repr(str(self) if len(self) <= LONGEST else str(self)[:LONGEST] + "…")

    def strip(self, chars: str | None = None) -> Claim:
        return Claim(super().strip(chars), self.file, self.name)

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return [Claim(piece, self.file, self.name) for piece in super().split(sep, maxsplit)]


def claimed(value: Any, file: str | Path, name: str) -> Any:
    """The value of a setting as the claim of a file: a string, or a list or mapping of strings."""
    where = os.fspath(file)
    where = where if where.isprintable() else repr(where)
    if isinstance(value, str):
        return Claim(value, where, name)
    if isinstance(value, list | tuple):
        return type(value)(Claim(one, where, name) if isinstance(one, str) else one for one in value)
    if isinstance(value, Mapping):
        return {key: Claim(one, where, name) if isinstance(one, str) else one for key, one in value.items()}
    return value


def has_names(reading: Mapping[str, Any]) -> bool:
    """Whether all names in it are strings."""
    return all(reading.get(name) is None or isinstance(reading[name], str) for name in NAMES)


def check_path(path: Any) -> None:
    """Before a file is opened, or anything is asked about it."""
    if isinstance(path, Claim):
        raise InputError(
            f"{path.file}: its setting {path.name} is the path {path.shown}, and paths in a model are "
            f"not opened; give the path again ({path.name}=PATH)"
        )


def is_there(path: Any) -> bool:
    """Whether this is the path of something. Nobody looks where a claim says."""
    return not isinstance(path, Claim) and os.path.exists(path)
