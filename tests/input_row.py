"""A row of docs/reference/messages.md: a kind of input, what is said of it, and the commands that must say so."""

from __future__ import annotations

from typing import NamedTuple

from input_commands import ODD


class Refused(NamedTuple):
    """Exit code 2, this line on stderr (`says` of all commands, or of each its own), nothing on stdout, no file."""

    name: str
    what: str
    says: str | tuple[str, ...]
    commands: tuple[str, ...]
    files: dict[str, bytes] = {}


class Works(NamedTuple):
    """Exit code 0. With `like`, the output is that of the command with the good files; else it has these lines."""

    name: str
    what: str
    then: str
    commands: tuple[str, ...] = ODD
    files: dict[str, bytes] = {}
    lines: int | None = None


def each(row: str, what: str, *cases: tuple[str, str], **files: bytes) -> Refused:
    """A row whose commands say different things."""
    return Refused(row, what, tuple(says for _, says in cases), tuple(command for command, _ in cases), files)
