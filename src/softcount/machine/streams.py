"""stdin, stdout and stderr of a command: stdout has results and nothing else, and no result depends on stderr.

    own_process()       first of all in a process of ours: file descriptor 1 is stderr's, whoever writes to it, messages
                        that nobody can hear are dropped, and no file is opened in place of a stream that is closed
    results_apart()     while a command runs: `sys.stdout` is stderr, whoever prints there
    put(), results()    where commands write what they found

In other people's programs all of this does nothing: `results()` is `sys.stdout`.
"""

from __future__ import annotations

import errno
import io
import os
import re
import select
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from softcount.errors import InputError

CLOSED = "<stdout>: is closed; redirect it to a file, a pipe or /dev/null"
USUAL = 80  # columns
# What steers a terminal, or turns the order of what stands behind it.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
GONE = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)  # of a pipe that nobody reads

_own = False  # whether this process is ours alone
_results: Any = None  # where they go while a command runs


def escape_controls(message: str) -> str:
    """A message that a terminal shows as it is, whatever names and words are in it: as Python escapes them."""
    return CONTROLS.sub(lambda found: repr(found[0])[1:-1], message)


class ReaderGone(Exception):
    """Nobody reads the results any more, as behind `| head`."""


def own_process() -> None:
    """Before anything else opens a file, which would get the number of a stream that is closed."""
    global _own
    _own = True
    for number in range(3):
        with suppress(OSError):
            os.fstat(number)
            continue
        lowest = os.open(os.devnull, os.O_RDWR)  # of the numbers that are free
        os.set_inheritable(lowest, True)
    messages = _text(_Dropped(os.fdopen(2, "wb", 0, closefd=False)), sys.stderr)
    stdout = _moved(sys.stdout)
    vars(sys).update(stdout=stdout, __stdout__=messages, stderr=messages, __stderr__=messages)


def messages_apart(noise: int) -> None:
    """What is written to the numbers of stdout and stderr goes to `noise`; messages go on to where stderr was."""
    messages = _text(_Dropped(os.fdopen(os.dup(2), "wb", 0)), sys.stderr)
    for number in (1, 2):
        os.dup2(noise, number)
    vars(sys).update(__stdout__=messages, stderr=messages, __stderr__=messages)


def results() -> Any:
    """The stream that results are written to."""
    return sys.stdout if _results is None else _results


def put(*values: Any, sep: str = " ", end: str = "\n") -> None:
    """Print to where results go."""
    print(*values, sep=sep, end=end, file=results())


def put_lines(lines: Iterable[str]) -> None:
    results().writelines(lines)


def check_results() -> None:
    """Before hours of work: is there a stdout at all?"""
    if isinstance(results(), _Closed):
        raise InputError(CLOSED)


def is_screen() -> bool:
    """Whether results are shown on a terminal."""
    return bool(results().isatty())


def columns() -> int:
    """Of the terminal that shows results, or what is usual where none does."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(results().fileno()).columns or USUAL
    except (OSError, ValueError):
        return USUAL


@contextmanager
def results_apart() -> Iterator[None]:
    """Within, who prints to `sys.stdout` prints to stderr; in a process of our own, from then on."""
    before = sys.stdout
    with results_to(results()) as stream:
        sys.stdout = cast(TextIO, sys.stderr)
        try:
            yield
            stream.flush()
        finally:
            if not _own:
                sys.stdout = before


@contextmanager
def results_to(stream: Any) -> Iterator[Any]:
    """Within, results go to this stream."""
    global _results
    before, _results = _results, stream
    try:
        yield stream
    finally:
        _results = before


# --- a process of our own -------------------------------------------------------------------------------------------


class _Raw(io.RawIOBase):
    """A stream's bytes, with what is done where they cannot be written left to those who inherit from this."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def isatty(self) -> bool:
        return bool(self._raw.isatty())


class _Dropped(_Raw):
    """Messages: where they cannot be written they are dropped."""

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        with suppress(OSError):
            return self._raw.write(data) or size
        return size


class _Results(_Raw):
    """Results: that they cannot be written is told once, in a line, or by `ReaderGone`."""

    told = False

    def write(self, data: Any) -> int:
        if self.told:
            return memoryview(data).nbytes
        try:
            written = self._raw.write(data)
            while written is None:  # whoever gave us the pipe does not let us wait in it
                select.select([], [self._raw], [])
                written = self._raw.write(data)
            return int(written)
        except OSError as error:
            self.told = True
            if error.errno in GONE:
                raise ReaderGone from None
            raise InputError(
                f"<stdout>: cannot be written ({error.strerror}); free some space, or write to another place"
            ) from None


class _Closed(io.TextIOBase):
    """stdout where there is none."""

    def write(self, text: str) -> int:
        raise InputError(CLOSED)


def _moved(stream: Any) -> Any:
    """stdout at a number of its own; its number is stderr's."""
    if stream is None:
        os.dup2(2, 1)
        return _Closed()
    raw = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    return _text(_Results(raw), stream)


def _text(raw: _Raw, like: Any) -> io.TextIOWrapper:
    if like is None:  # it was closed
        return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace")
    by_line = like.line_buffering or like.write_through  # as PYTHONUNBUFFERED has it
    return io.TextIOWrapper(io.BufferedWriter(raw), like.encoding, like.errors, line_buffering=by_line)
