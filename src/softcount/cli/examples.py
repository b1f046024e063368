"""softcount examples: the small examples that EM is taught with, to look at or to write to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from softcount.cli.console import say, write_whole
from softcount.errors import InputError
from softcount.machine.atomic import new_folders
from softcount.machine.streams import put

SHOWN = 12  # lines of a file


def examples(
    name: Annotated[str | None, typer.Argument(help="Name of the example; without it, all are listed.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the files (without NAME, all files) to this folder.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """List the examples that come with softcount, show one, or write its files.

    Example: **softcount examples can-i-can --out can**

    Write all of them, one folder each: **softcount examples --out examples**
    """
    from softcount.examples import EXAMPLES

    if name is not None and name not in EXAMPLES:
        raise InputError(f"example {name!r} not found; choose from {', '.join(EXAMPLES)}")
    if out is not None:
        written = _write(out, [name] if name else list(EXAMPLES), one=name is not None)
        say(f"wrote {written} file{'s' * (written != 1)} to {out}", quiet)
    if name is None:
        for each, example in EXAMPLES.items():
            put(f"{each}\t{example.told}")
        return
    example = EXAMPLES[name]
    if out is None:
        put(f"{example.told}\n")
        for file, text in example.files.items():
            put(f"{file}:\n{_beginning(text)}")
    for command in example.commands:
        put(command)


def _beginning(text: str) -> str:
    lines = text.splitlines(keepends=True)
    rest = len(lines) - SHOWN
    return text if rest <= 1 else "".join(lines[:SHOWN]) + f"… {rest} more lines; --out FOLDER writes them\n"


def _write(folder: Path, names: list[str], one: bool) -> int:
    """How many files; all folders are known to be there before the first is written."""
    from softcount.examples import EXAMPLES

    places = {name: folder if one else folder / name for name in names}
    files = {place / file: text for name, place in places.items() for file, text in EXAMPLES[name].files.items()}
    for path in files:
        if path.exists():
            raise InputError(f"{path}: already exists; give another folder, or remove it")
    with new_folders(*dict.fromkeys(path.parent for path in files), files=files):
        for path, text in files.items():
            write_whole(path, lambda place, text=text: place.write_text(text, encoding="utf-8"))  # type: ignore[misc]
    return len(files)
