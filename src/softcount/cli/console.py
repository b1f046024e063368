"""What the commands share: where messages go, and files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.atomic import is_special
from softcount.machine.atomic import write_whole as write_whole


def sparse_of(text: str | None) -> Any:
    """``1,0.05``, or ``transition=1,0.05,emission=2,0.1``: a pair, or one by table."""
    if text is None:
        return None
    pairs: dict[str, list[float]] = {}
    name, tables = "", "=" in text
    for part in text.split(","):
        given, _, number = part.rpartition("=")
        name = given.strip() or name
        try:
            pairs.setdefault(name, []).append(float(number))
        except ValueError:
            break
    if not pairs or any(len(pair) != 2 or bool(table) != tables for table, pair in pairs.items()):
        raise InputError(f"--sparse {text!r}: invalid value; write alpha,beta, such as 1,0.05, or table=alpha,beta")
    found = {table: (pair[0], pair[1]) for table, pair in pairs.items()}
    return found if tables else found[""]


def say(message: str, quiet: bool = False) -> None:
    if not quiet:
        stage.say(message)


@contextmanager
def warnings_as_lines(quiet: bool) -> Iterator[None]:
    """Warnings of this package as one line each, once, without the place in the source that Python would print."""
    said = set[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        usual = warnings.showwarning

        def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
            if not issubclass(category, UserWarning):
                usual(message, category, filename, lineno, file, line)
            elif str(message) not in said:
                said.add(str(message))
                say(f"warning: {message}", quiet)

        warnings.showwarning = show
        yield


def check_writable(*paths: Path | None, inputs: Sequence[str | Path | None] = ()) -> None:
    """Before hours of work: is there a place for each result, which no other result has, and nothing that is read?"""
    read = [Path(os.path.realpath(given)) for given in inputs if given is not None and str(given) != "-"]
    taken: list[Path] = []
    for path in paths:
        if path is None:
            continue
        real = Path(os.path.realpath(path))
        if not is_special(path):
            if real in taken:
                raise InputError(f"{path}: two results have this name; give two file names")
            if any(_is_same(real, given) or _is_document(real, given) for given in read):
                raise InputError(
                    f"{path}: is an input of this command and would be overwritten; give another output file"
                )
        taken.append(real)
        _check_writable(path)


def _is_same(path: Path, other: Path) -> bool:
    """One file, perhaps under two names: links, or capitals where the disk does not tell them apart."""
    return path == other or (path.exists() and other.exists() and path.samefile(other))


def _is_document(path: Path, folder: Path) -> bool:
    """Whether `path` is where documents are read from: in a sub-folder, or, in a folder without any, beside them."""
    if not folder.is_dir():
        return False
    flat = folder == path.parent and path.is_file() and not any(entry.is_dir() for entry in folder.iterdir())
    return flat or folder in path.parents[1:]


def _check_writable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give a file name")
    if is_special(path):
        return
    folder = path.parent
    if not folder.is_dir():
        raise InputError(f"{path}: folder {str(folder)!r} not found; create it first")
    try:  # rather than ask: only the attempt knows of read-only disks, quotas and access lists
        tempfile.TemporaryFile(dir=folder).close()
        if path.exists():
            path.open("ab").close()
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); check the permissions") from None


def say_unknown(unknown: float, total: float, where: str, what: str, then: str, quiet: bool) -> None:
    """Some words that a model does not know deserve a note; a model that knows none of them is the wrong one."""
    if unknown and unknown == total:
        raise InputError(
            f"{where}: none of its {total:,.0f} {what} is in the model's vocabulary; use a model of this language"
        )
    if unknown:
        share = f"{unknown:,.0f} of {total:,.0f} {what} ({unknown / total:.1%})"
        say(f"note: {share} are not in the model's vocabulary; {then}", quiet)


def open_model(path: Path, kinds: tuple[str, ...], command: str, **settings: Any) -> Any:
    """The model for --apply, of which every bit has been checked before anything is printed."""
    from softcount.registry import load_one_of

    stage.begin(f"opening {path}")
    return load_one_of(path, kinds, f"`softcount {command}`", **settings)


def open_parameters(path: Path, command: str) -> Any:
    """An HMM's parameters, from JSON or from a saved model."""
    from softcount.machine.magic import MARK, PLACE, is_marked
    from softcount.report.hmm_json import from_json, read_parameters

    beginning = b""
    with suppress(OSError):  # the reader of JSON says what is wrong
        if path.is_file():
            with path.open("rb") as file:
                beginning = file.read(PLACE + len(MARK))
    if is_marked(beginning):
        return from_json(open_model(path, ("hmm",), command).to_json())
    return read_parameters(path)


def note_old_ranking(model: Any, say: Callable[[str], None]) -> None:
    """Of a model of topics that an earlier version saved."""
    if not model._ranks_documents:
        say("note: this model has no table to rank words by documents, so they are ranked as in version 0.2; "
            "train it again for the ranking of today")  # fmt: skip


def note_unused(context: typer.Context, names: Iterable[str], where: str, quiet: bool) -> None:
    """Options that were given, and that nothing will read, deserve a note."""
    unused = [
        option.opts[0] for option in context.command.params if option.name in names and is_given(context, option.name)
    ]
    if unused:
        say(f"note: {', '.join(unused)} {'has' if len(unused) == 1 else 'have'} no effect {where}", quiet)


def is_given(context: typer.Context, name: str) -> bool:
    """Whether the option stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def lower_cased(model: Any, asked: bool) -> bool:
    """Whether to lower-case text for a saved model: where it is asked for, and where the training text was."""
    return asked or bool(model.lowercase)


def preparation(model: Any, tokenize: str | None, normalize: str | None, quiet: bool = False) -> Any:
    """What is done to raw text: as it is asked for, else as the model's training text was prepared."""
    from softcount.text.preparation import preparation_of

    if model is None:
        return preparation_of(tokenize, normalize)
    found = preparation_of(tokenize, normalize, model.reading_)
    note_prepared(model, found, quiet)
    return found


def note_prepared(model: Any, now: Any, quiet: bool) -> None:
    """Text that is prepared in another way than a model's training text deserves a note."""
    from softcount.text.preparation import TOKENIZERS
    from softcount.text.source import quoted

    def named(tokenizer: str | None) -> str:
        return "spaces only" if tokenizer is None else tokenizer if tokenizer in TOKENIZERS else quoted(tokenizer, 60)

    before = model.reading_.get("tokenize")
    if now.tokenize != before:
        cut = f"the text is tokenized by {named(now.tokenize)}, the model's training text by {named(before)}"
        say(f"note: {cut}; words may be split differently", quiet)
    before = model.reading_.get("normalize")
    if now.normalize != before:
        one, other = (form or "no form" for form in (now.normalize, before))
        say(f"note: the text is normalized to {one}, the model's training text to {other}", quiet)


def columns(model: Any, path: str, **asked: str | None) -> dict[str, Any]:
    """Which columns of a table are read: those asked for, else, where the file is a table, those of training."""
    from softcount.text.table_file import is_table

    before = getattr(model, "reading_", {}) if is_table(path) else {}  # nothing where there is no trained model
    found = {name: given if given is not None else before.get(name) for name, given in asked.items()}
    return {name: column for name, column in found.items() if column is not None}


def check_threads(threads: int) -> None:
    if threads == 0 or threads < -1:
        raise InputError(f"--threads is {threads}; it must be at least 1, or -1 for all cores")


def per_table(text: str, option: str) -> Any:
    """One number for all tables, or one by table."""
    try:
        if "=" not in text:
            return _finite(text)
        return {name.strip(): _finite(value) for name, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise InputError(
            f"{option} {text!r}: invalid value; write a number of at least 0, or table=number,table=number"
        ) from None


def _finite(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError
    return number
