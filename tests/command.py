"""Commands run in this process, and a way to be an ordinary user for a while, also where the tests run as root."""

from __future__ import annotations

import ctypes
import functools
import io
import math
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import typer.main

from softcount.cli.main import main

_command = functools.cache(typer.main.get_command)  # which typer builds anew for every call, in a tenth of a second


def heeding() -> None:
    """In a process of its own, as from a terminal: shells let what they start in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def said(self) -> list[str]:
        """Lines of stderr; that kernels are compiled is no matter of the input."""
        return [line for line in self.err.splitlines() if "compiling kernels" not in line]


def run(line: str, stdin: bytes = b"") -> Ran:
    """`softcount LINE`, read as a shell reads it."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline=""), io.StringIO()
    code: Any = 0
    with (
        mock.patch("typer.main.get_command", _command),
        mock.patch("softcount.cli.progress.UNASKED", (math.inf, math.inf)),  # a busy machine is no part of an answer
        mock.patch.object(sys, "argv", ["softcount", *shlex.split(line)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        redirect_stdout(out), redirect_stderr(err),
    ):  # fmt: skip
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
    out.flush()
    return Ran(code, out.buffer.getvalue().decode(), err.getvalue())


def refused(ran: Ran, says: str) -> None:
    """One line, and nothing else; of a message that ends in a blank only the beginning is given."""
    assert ran.code == 2 and ran.out == "", ran
    assert len(ran.said) == 1, ran.err
    line = ran.said[0].removeprefix("softcount: ")
    assert line.startswith(says) if says.endswith(" ") else line == says, f"{line!r} is not {says!r}"


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """All that is there, to see that nothing has changed."""
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root reads and writes everything; without these two capabilities, what the permissions say (Linux)."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0, os.strerror(ctypes.get_errno())
    effective = sets[0]
    sets[0] = effective & ~0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())
