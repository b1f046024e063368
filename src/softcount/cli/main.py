"""softcount: the command line. One file a command; this one joins them and turns errors into one line."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Annotated, Any

import typer

from softcount.cli import (
    demo,
    eflomal,
    examples,
    explain,
    export,
    fast_align,
    generate,
    glossary,
    info,
    lm,
    report,
    score,
    shard,
    show,
    symmetrize,
    translate,
    warm,
)
from softcount.cli.coercion import lazily_coerced
from softcount.cli.help import GroupHelp, HelpLast
from softcount.cli.training import command
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.signals import Stopped, asked
from softcount.machine.streams import ReaderGone, escape_controls, put, results
from softcount.registry import BUILT_IN, Registered, found_at, from_elsewhere
from softcount.version import VERSION

UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # which typer itself does not name


class OneLine(GroupHelp):
    """A wrong command line is bad input like any other: one line, which names where help is."""

    def make_context(self, *args: Any, **settings: Any) -> Any:
        with _one_line():
            return super().make_context(*args, **settings)

    def get_params(self, ctx: Any) -> list[Any]:
        return lazily_coerced(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order of the tasks; commands of other packages last."""
        order = [name for names in TASKS.values() for name in names]
        return sorted(super().list_commands(ctx), key=lambda name: order.index(name) if name in order else len(order))

    def invoke(self, ctx: Any) -> Any:
        with _one_line():
            return super().invoke(ctx)


@contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        context = getattr(error, "ctx", None)
        if context is None:
            raise
        if "NoArgsIsHelp" in type(error).__name__:
            print(context.get_help(), file=sys.stderr)
            raise
        text = error.format_message().rstrip(".")  # type: ignore[attr-defined]
        raise InputError(f"{text}{' See' if text.endswith('?') else '; see'} {context.command_path} --help") from None


HELP = (
    "Find hidden structure in text without labels: word alignments, tags, classes, topics, clusters, "
    "grammars and\nBayesian networks. Results go to stdout, messages to stderr. `softcount COMMAND "
    "--help` describes a command.\n\nExample: **softcount tag text.txt --states 45 --save tags.model > "
    "tags.txt**\n\nShow what a model has learned: **softcount show tags.model text.txt**\n"
)
TASKS = {  # the groups of the help, in its order
    "Words": ("tag", "classes", "lm"),
    "Bitext": ("align", "fast-align", "eflomal", "symmetrize", "glossary", "translate", "rank"),
    "Documents": ("topics", "cluster"),
    "Structure": ("net", "grammar", "decipher"),
    "Models on disk": ("show", "info", "report", "export"),
    "Data and evaluation": ("shard", "generate", "score"),
    "Installation": ("warm",),
    "Teaching": ("explain", "demo", "examples"),
}
app = typer.Typer(
    name="softcount",
    cls=OneLine,
    help=HELP,
    epilog="Exit codes: 0 done, 2 bad input or usage, 130 interrupted, 143 terminated, 1 a defect in softcount.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add_commands(registered: Iterable[Registered]) -> None:
    """The command of every estimator that has one; two may share it."""
    for place in dict.fromkeys(one.command for one in registered if one.command):
        kind = found_at(place)
        app.command(kind.name, cls=HelpLast, rich_help_panel=_task(kind.name))(command(kind))


def _task(name: str) -> str | None:
    return next((task for task, names in TASKS.items() if name in names), None)


_add_commands(BUILT_IN)
app.command("show", cls=HelpLast, rich_help_panel=_task("show"))(show.show)
app.command("fast-align", cls=HelpLast, rich_help_panel=_task("fast-align"))(fast_align.fast_align)
app.command("eflomal", cls=HelpLast, rich_help_panel=_task("eflomal"))(eflomal.eflomal)
app.command("glossary", cls=HelpLast, rich_help_panel=_task("glossary"))(glossary.glossary)
app.command("symmetrize", cls=HelpLast, rich_help_panel=_task("symmetrize"))(symmetrize.symmetrize)
app.command("lm", cls=HelpLast, rich_help_panel=_task("lm"))(lm.lm)
app.command("translate", cls=HelpLast, rich_help_panel=_task("translate"))(translate.translate)
app.command("rank", cls=HelpLast, rich_help_panel=_task("rank"))(translate.rank)
app.command("shard", cls=HelpLast, rich_help_panel=_task("shard"))(shard.shard)
app.command("info", cls=HelpLast, rich_help_panel=_task("info"))(info.info)
app.command("export", cls=HelpLast, rich_help_panel=_task("export"))(export.export)
app.command("report", cls=HelpLast, rich_help_panel=_task("report"))(report.report)
app.command("generate", cls=HelpLast, rich_help_panel=_task("generate"))(generate.generate)
app.command("demo", cls=HelpLast, rich_help_panel=_task("demo"))(demo.demo)
app.command("warm", cls=HelpLast, rich_help_panel=_task("warm"))(warm.warm)
app.command("examples", cls=HelpLast, rich_help_panel=_task("examples"))(examples.examples)
app.add_typer(score.app, name="score", rich_help_panel=_task("score"))
app.add_typer(explain.app, name="explain", rich_help_panel=_task("explain"))


def _version(wanted: bool) -> None:
    if wanted:
        put(f"softcount {VERSION}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def _speak_utf8() -> None:
    """Results are written as text is read, whatever the platform's habit; on a terminal what it cannot show is a ?.

    A file name that is no UTF-8 is shown with its bytes as Python and JSON escape them, ``\\udcff``.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def main() -> None:
    _speak_utf8()
    heard = asked
    heard.clear()

    def stop(signum: int, frame: Any) -> None:
        """By an exception in both cases, so that files half written are removed."""
        heard.append(Stopped("terminated" if signum == signal.SIGTERM else "interrupted", signum))
        raise heard[-1]

    heeded = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) or signal.SIG_DFL for number in heeded}
    try:
        _main()
    except Exception:
        if not heard:
            raise
        _end_of(heard[0])  # some extensions, when interrupted, report that they cannot be imported
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _add_others() -> None:
    """Commands of other packages, where help is asked for or the word is none of ours: to look for them takes time."""
    ours = {known.name for known in app.registered_commands} | {group.name for group in app.registered_groups}
    if len(sys.argv) < 2 or sys.argv[1] not in ours:
        _add_commands(from_elsewhere())


def _asked_for() -> typer.Typer:
    """With the one command that is asked for, where it is ours: to make them all takes an eighth of a second."""
    wanted = [known for known in app.registered_commands if known.name == (sys.argv[1] if len(sys.argv) > 1 else None)]
    if not wanted:
        return app
    chosen = copy(app)
    chosen.registered_commands, chosen.registered_groups = wanted, []
    return chosen


def _main() -> None:
    try:
        try:
            _add_others()
            _asked_for()()  # leaves by SystemExit, always
        finally:
            results().flush()
    except InputError as error:
        _end(str(error), 2)
    except KeyboardInterrupt as interrupt:
        _end_of(interrupt)
    except SystemExit as leaving:
        cause = _cause(leaving)
        if cause is not None:
            _end_of(cause)
        if not isinstance(leaving.__context__, BrokenPipeError):  # which typer makes an exit with 1
            raise
        _end(f"{leaving.__context__.strerror}: an output was closed", 2)
    except ReaderGone:  # that is its right
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _end(f"{where}{error.strerror or error}", 2)
    except MemoryError:
        _end(_too_large(stage.now), 2)


def _too_large(now: stage.Stage) -> str:
    """Who was reading a file must have a smaller one; who was not, must learn less of it."""
    doing, _, name = now.what.removeprefix(now.purpose).partition(" ")
    if doing in ("reading", "indexing"):
        return f"{name}: needs more memory than available; split the file, or use shards (softcount shard)"
    return "not enough memory for this input; use fewer states or topics, or a higher --min-count"


def _cause(leaving: BaseException | None) -> KeyboardInterrupt | None:
    """The interrupt of which typer made an exit."""
    while leaving is not None and not isinstance(leaving, KeyboardInterrupt):
        leaving = leaving.__cause__ or leaving.__context__
    return leaving


def _end_of(interrupt: KeyboardInterrupt) -> None:
    _end(str(interrupt) or "interrupted", getattr(interrupt, "exit_code", 130))


def _end(message: str, code: int) -> None:
    print("softcount: " + escape_controls(" ".join(message.split("\n"))), file=sys.stderr)
    sys.exit(code)
