"""The help of a command: what it does, examples, and options in groups, a line or two each.

    Usage: softcount align [OPTIONS] SOURCE [TARGET]
      --seed N             Seed of the random numbers; the same seed gives the same result. Default: 0.

The default ends the text of an option. There are no frames, so that the longest help, that of `align`, fits
three screens; a terminal shows names in bold. `softcount --help` and the groups `score` and `explain` list commands in
the same form, by task.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from softcount.cli.coercion import lazily_coerced
from softcount.cli.options import GROUPS
from softcount.machine.streams import columns, results_apart
from softcount.numbers.limits import check_size

WIDEST, NAMES, COMMANDS = 100, 21, 13  # columns of a line, and of an option's or a command's name
MARK = "**"  # around an example in a docstring
BARE = "--tokenize"  # an option whose value may be omitted
OTHER = "Other commands"


class HelpLast(TyperCommand):
    """A command with this help; --help itself stands in the last group."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        left = super().parse_args(ctx, _with_value(args))
        for param in self.get_params(ctx):
            check_size(param.opts[0], ctx.params.get(param.name or ""))
        return left

    def invoke(self, ctx: Any) -> Any:
        with results_apart():
            return super().invoke(ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        return lazily_coerced(super().get_params(ctx))

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)
        if option is not None:
            option.rich_help_panel = GROUPS[-1]
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        width = min(WIDEST, columns()) - 1
        formatter.write("\n".join(_lines(self, ctx, width)) + "\n")


class GroupHelp(TyperGroup):
    """A group of commands with this help: its commands by task, one line or two each."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        width = min(WIDEST, columns()) - 1
        formatter.write("\n".join(_group_lines(self, ctx, width)) + "\n")


def _group_lines(group: Any, ctx: Any, width: int) -> Iterator[str]:
    yield f"{_bold('Usage:')} {ctx.command_path} COMMAND [OPTIONS]"
    yield ""
    yield from _about(group.help or "", width)
    found: dict[str, list[Any]] = {}
    for command in map(group.commands.__getitem__, group.list_commands(ctx)):
        found.setdefault(getattr(command, "rich_help_panel", None) or OTHER, []).append(command)
    for title in (*(t for t in found if t != OTHER), *(t for t in found if t == OTHER)):
        yield ""
        yield _bold(title if len(found) > 1 else "Commands")
        for command in found[title]:
            first = " ".join((command.help or "").split("\n\n")[0].split())
            yield from _entry(command.name, first, width, COMMANDS)
    yield ""
    yield _bold("Options")
    for option in group.get_params(ctx):
        yield from _entry(_name(option), option.help or "", width)
    if group.epilog:
        yield ""
        yield from textwrap.wrap(group.epilog, width)


def _with_value(args: list[str]) -> list[str]:
    """`--tokenize` before what is no tokenizer means the rules."""
    if BARE not in args:
        return args
    from softcount.text.preparation import NONE, PIPE, TOKENIZERS

    after = [*args[1:], ""]
    known = (*TOKENIZERS, NONE)
    bare = [word == BARE and not (n in known or n.startswith(PIPE)) for word, n in zip(args, after, strict=True)]
    return [f"{BARE}=rules" if alone else word for word, alone in zip(args, bare, strict=True)]


def _lines(command: Any, ctx: Any, width: int) -> Iterator[str]:
    params = [param for param in command.get_params(ctx) if not getattr(param, "hidden", False)]
    arguments = [param for param in params if param.param_type_name == "argument"]
    usage = " ".join(_placed(argument) for argument in arguments)
    yield f"{_bold('Usage:')} {ctx.command_path} [OPTIONS] {usage}".rstrip()
    yield ""
    yield from _about(command.help or "", width)
    if arguments:
        yield ""
        for argument in arguments:
            yield from _entry(argument.name.upper(), argument.help or "", width)
    for title, options in _grouped(params).items():
        yield ""
        yield _bold(title)
        for option in options:
            yield from _entry(_name(option), _help(option), width)


def _placed(argument: Any) -> str:
    name = argument.name.upper() + ("…" if argument.nargs != 1 else "")
    return name if argument.required else f"[{name}]"


def _about(text: str, width: int) -> Iterator[str]:
    """The first paragraph, and the examples, which stand together."""
    first, *others = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    yield from textwrap.wrap(first, width)
    if others:
        yield ""
    for paragraph in others:
        yield from _example(paragraph.replace("`", ""), width)


def _example(paragraph: str, width: int) -> Iterator[str]:
    """On one line, or the command on lines of its own, so that it can be copied."""
    lead, mark, rest = paragraph.partition(MARK)
    command, _, after = rest.rpartition(MARK)
    if not mark or len(paragraph.replace(MARK, "")) <= width:
        yield from textwrap.wrap(paragraph.replace(MARK, ""), width)
        return
    yield lead.rstrip()
    indent: Any = {"initial_indent": "    ", "subsequent_indent": "        "}
    yield from textwrap.wrap(command.replace(MARK, ""), width, break_on_hyphens=False, **indent)
    yield from textwrap.wrap(after.lstrip(";,. "), width)


def _grouped(params: list[Any]) -> dict[str, list[Any]]:
    """The groups in their order; what is in none stands with the last."""
    found: dict[str, list[Any]] = {}
    for param in params:
        if param.param_type_name != "argument":
            found.setdefault(getattr(param, "rich_help_panel", None) or "Options", []).append(param)
    known = [title for title in GROUPS if title in found]
    titles = [title for title in found if title not in known] + known
    if len(found.get(GROUPS[-1], ())) == 1 and len(titles) > 1:  # --help alone
        found[titles[-2]] += found.pop(titles.pop())
    return {title: found[title] for title in titles}


def _name(option: Any) -> str:
    """--[no-]fertility; -q, --quiet; --seed N."""
    names = sorted(option.opts, key=lambda name: (len(name), name))
    if option.secondary_opts and option.secondary_opts == ["--no-" + option.opts[0][2:]]:
        names = ["--[no-]" + option.opts[0][2:]]
    else:
        names += option.secondary_opts
    number = [option.metavar] if option.metavar else []
    return " ".join([", ".join(names), *number])


def _help(option: Any) -> str:
    text, default = option.help or "", option.default
    if option.required:
        return f"{text} Required."
    if default is None or callable(default) or option.name == "help" or "Default:" in text or not str(default):
        return text
    if isinstance(default, bool):
        return f"{text} Default: {'yes' if default else 'no'}." if option.secondary_opts else text
    return f"{text} Default: {default:g}." if isinstance(default, float) else f"{text} Default: {default}."


def _entry(name: str, text: str, width: int, names: int = NAMES) -> Iterator[str]:
    """A name that is too long for its column moves the first line of its text, and no other."""
    start = "  " + name.ljust(names - 1) + " "
    indent = " " * (names + 2)
    lines = textwrap.wrap(
        text.replace("`", ""), width, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False
    ) or [start]
    yield lines[0].replace(name, _bold(name), 1)
    yield from lines[1:]


def _bold(text: str) -> str:
    return typer.style(text, bold=True)
