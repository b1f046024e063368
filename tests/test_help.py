"""The help of every command: examples, groups, and that the longest fits three screens."""

import re

import pytest
import typer
from command import run

from softcount.cli.main import app
from softcount.cli.options import GROUPS, HOW, IN, OUT, WHAT
from softcount.registry import BUILT_IN, found_at

GROUP_NAMES = ("score", "explain")


def every_command():
    """All that can be called, by their words."""
    for name, command in typer.main.get_command(app).commands.items():
        yield name
        yield from (f"{name} {inner}" for inner in getattr(command, "commands", ()))


COMMANDS = list(every_command())
SCREENS = {80: 150, 100: 120}  # lines of align's help: three screens of some fifty, or forty, lines


def shown(command, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    ran = run(f"{command} --help")
    assert ran.code == 0, ran
    return ran.out.splitlines()


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_has_two_examples(command, monkeypatch):
    lines = shown(command, 200, monkeypatch)
    after = "\n".join(line for line in lines if not line.strip(" │").startswith(("Usage", "-")))
    found = re.findall(rf"(?:: |\| |^    )softcount {command}".rstrip() + r"\b.*", after, re.MULTILINE)
    found = [example for line in found for example in line.split("softcount ") if example.strip(" :|")]
    assert len(set(found)) >= 2, "\n".join(lines)


@pytest.mark.parametrize("width", SCREENS)
def test_the_longest_help_fits_three_screens(width, monkeypatch):
    lengths = {command: len(shown(command, width, monkeypatch)) for command in COMMANDS}
    assert max(lengths.values()) <= SCREENS[width], lengths
    for command in COMMANDS:
        if command not in GROUP_NAMES:
            assert max(map(len, shown(command, width, monkeypatch))) <= width


@pytest.mark.parametrize("place", sorted({one.command for one in BUILT_IN if one.command}))
def test_options_stand_in_their_groups(place, monkeypatch):
    lines = shown(found_at(place).name, 100, monkeypatch)
    titles = [line for line in lines if line in GROUPS]
    assert titles == [group for group in GROUPS if group in titles] and {WHAT, HOW, IN, OUT} <= set(titles)
    assert "Options" not in lines
    section = {}
    for line in lines:
        title = line if line in GROUPS else section.get("now")
        section["now"] = title
        if found := re.match(r"  (?:-., )?(--[^ ,]+)", line):
            section[found[1]] = title
    assert section["--apply"] == IN and section["--save"] == OUT and section["--seed"] == HOW


def test_defaults_and_short_names_are_shown(monkeypatch):
    text = "\n".join(shown("align", 100, monkeypatch))
    for part in (
        "--stems ",
        "--preset ",
        "--[no-]fertility ",
        "Default: yes.",
        "-q, --quiet",
        "-h, --help",
        "--seed N",
        "Default: 0.01.",
    ):
        assert part in text, part
    assert "Required." in "\n".join(shown("export", 100, monkeypatch))
