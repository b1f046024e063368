"""The examples of README.md and docs/*.md, run as a reader would run them: page by page, in order, in one folder.

A block is what stands between ```python, ```sh or ```console and ```. In `sh` every line is a command; in `console`
commands follow `$ `, and what follows them is what they must print, where … stands for anything. `cat FILE` shows, and
thereby makes, a file. A block that cannot run here says why: ```sh skip=corpus; one that is about another library
names it, ```python needs=hmmlearn, and runs by itself where that is installed.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from command import run

ROOT = Path(__file__).parent.parent
FENCED = re.compile(
    r"^(?P<indent> *)```(?P<info>(?:python|sh|console|bash|shell|pycon)\b[^\n]*)\n(?P<code>.*?)^ *```$", re.M | re.S
)
REASONS = ("corpus", "install", "make", "cluster", "long", "peer")  # why a block cannot run here


class Block(NamedTuple):
    page: str
    line: int
    kind: str
    options: tuple[str, ...]
    code: str

    @property
    def skipped(self) -> str | None:
        """Why it does not run with the page."""
        return "peer" if self.needs else self._said("skip=")

    @property
    def needs(self) -> str | None:
        """The library that it is about, where that is another than ours."""
        return self._said("needs=")

    def _said(self, what: str) -> str | None:
        return next((option.removeprefix(what) for option in self.options if option.startswith(what)), None)


def pages() -> list[Path]:
    """All but those that are made of other pages."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    return [_block(path, text, match) for match in FENCED.finditer(text)]


def _block(path: Path, text: str, match: re.Match[str]) -> Block:
    kind, *options = match["info"].split()
    code = re.sub(rf"^ {{{len(match['indent'])}}}", "", match["code"], flags=re.M)
    return Block(str(path.relative_to(ROOT)), text.count("\n", 0, match.start()) + 1, kind, tuple(options), code)


def unnamed(text: str) -> Iterator[str]:
    """Lines of code that no language is said of: indented ones, and those between bare fences or in plain text."""
    fence = None
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fence = None if fence is not None else line.strip()
        elif fence in ("```", "```text") or (fence is None and line.startswith("    ")):
            yield line.strip()


class Session:
    """A page's folder is the current one; its Python names, and what its last block printed."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = dict(names)

    def run(self, block: Block) -> str:
        """What it prints."""
        if block.kind == "python":
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(block.code, f"{block.page}:{block.line}", "exec"), self.names)
            return out.getvalue()
        if block.kind == "sh":
            return "".join(self.command(command) for command in commands(block.code))
        shown = ""
        for command, expected in prompts(block.code):
            made = re.fullmatch(r"cat (\S+)", command)
            if made:
                Path(made[1]).write_text(expected, encoding="utf-8")
                continue
            found = self.command(command)
            assert alike(found, expected), f"{block.page}:{block.line}: $ {command}\nprints\n{found}\nnot\n{expected}"
            shown += found
        return shown

    def command(self, line: str) -> str:
        """In this process, if it is ours alone; else by a shell."""
        words = shlex.split(line, comments=True)
        place = None
        if len(words) > 2 and words[-2] == ">":
            *words, _, place = words
        if words[0] != "softcount" or {"|", ">", "<", ";", "&&"} & set(words):
            shell = f'softcount() {{ {shlex.quote(sys.executable)} -m softcount "$@"; }}\n{line}'
            done = subprocess.run(["bash", "-euc", shell], capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            return done.stdout
        ran = run(shlex.join(words[1:]))
        assert ran.code == 0, f"{line}\n{ran.err}"
        if place is None:
            return ran.out
        Path(place).write_text(ran.out, encoding="utf-8")
        return ""


def commands(code: str) -> Iterator[str]:
    """Lines, joined where a backslash says so, without those that are empty or remarks."""
    for line in code.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


def prompts(code: str) -> Iterator[tuple[str, str]]:
    """(command, what it prints)"""
    assert code.startswith("$ "), f"a console begins with a prompt, not {code[:40]!r}"
    for part in re.split(r"^\$ ", code, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more
        yield command, expected


def alike(found: str, expected: str) -> bool:
    """But for blanks at the end of lines; … stands for anything, on a line of its own also for many lines."""
    lines = [re.escape(line.rstrip()).replace("…", ".*") for line in expected.rstrip().splitlines()]
    pattern = "\n".join("(?s:.*)" if line.strip() in (".*", "\\ \\ .*") else line for line in lines)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in found.rstrip().splitlines())) is not None
