"""A command that works in a child of its process, so that somebody is left to speak where something ends the child.

    stand_by(lost, tidy)    returns in the child, with what it calls at its own end; the parent stays in it, and leaves
                            with the child's exit code, or with one line

Ray ends a process that uses it, from within and without a word to Python, when a process of its own is gone. The child
shares terminal, streams and process group with its parent, and dies with it.
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from softcount.machine.streams import messages_apart

ENDED = 255  # in what the child says: that its exit code follows
SUBREAPER, WITH_PARENT = 36, 1  # of Linux's prctl
GRACE = 0.3  # seconds in which a signal for the whole group has reached the child as well
FORWARDED = (signal.SIGINT, signal.SIGTERM)


def can_stand_by() -> bool:
    return hasattr(os, "fork")


def stand_by(lost: str, tidy: Callable[[int], None], noise: str) -> Callable[[int], None]:
    """`tidy` is told which process it was. Lines of libraries that begin like `noise`, a pattern, are left out."""
    heard, said = os.pipe()
    out, into = os.pipe()
    os.set_blocking(said, False)
    parent, child = os.getpid(), os.fork()
    if child:
        os.close(said)
        os.close(into)
        sys.exit(_watch(child, heard, _Filter(out, noise), lost, tidy))
    os.close(heard)
    os.close(out)
    messages_apart(into)
    _prctl(WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # which has gone already
        os._exit(1)
    signal.set_wakeup_fd(said, warn_on_full_buffer=False)  # the parent hears which signals came here

    def end(code: int) -> None:
        signal.set_wakeup_fd(-1)
        os.write(said, bytes([ENDED, code & 0xFF]))

    return end


class _Filter:
    """What libraries write to the numbers of stdout and stderr, line by line, on its way to stderr."""

    def __init__(self, source: int, noise: str) -> None:
        self.source, self._noise, self._rest = source, re.compile(noise.encode()), b""
        os.set_blocking(source, False)

    def pass_on(self) -> bool:
        """Whether more may come."""
        while True:
            try:
                found = os.read(self.source, 65536)
            except BlockingIOError:
                return True
            *lines, self._rest = (self._rest + found).split(b"\n")
            for line in lines:
                self._say(line + b"\n")
            if not found:
                last, self._rest = self._rest, b""
                self._say(last)
                return False

    def _say(self, line: bytes) -> None:
        if line and not self._noise.match(line):
            sys.stderr.flush()
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()


def _watch(child: int, heard: int, noise: _Filter, lost: str, tidy: Callable[[int], None]) -> int:
    """The exit code."""
    _prctl(SUBREAPER, 1)
    came: list[int] = []
    for number in FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: came.append(number))
    said, sources = b"", [heard, noise.source]
    while heard in sources:
        ready = select.select(sources, [], [], 0.1)[0]
        if noise.source in ready and not noise.pass_on():
            sources.remove(noise.source)
        if heard in ready:
            more = os.read(heard, 4096)
            said += more
            if not more:
                sources.remove(heard)
        while came:
            said = _forward(came.pop(0), child, heard, said)
    os.waitpid(child, 0)
    _bury()
    noise.pass_on()
    if len(said) > 1 and said[-2] == ENDED:
        return said[-1]
    tidy(child)
    print(f"softcount: {lost}", file=sys.stderr)
    return 2


def _forward(number: int, child: int, heard: int, said: bytes) -> bytes:
    """To the child, if it was sent to the parent alone."""
    end = time.monotonic() + GRACE
    while number not in said and (left := end - time.monotonic()) > 0 and select.select([heard], [], [], left)[0]:
        more = os.read(heard, 4096)
        if not more:
            return said
        said += more
    if number in said:
        return said.replace(bytes([number]), b"", 1)
    os.kill(child, number)
    return said


def _bury() -> None:
    """Ends what the child has started and left behind."""
    for _ in range(100):
        orphans = _children()
        for orphan in orphans:
            with suppress(OSError):
                os.kill(orphan, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, 0 if orphans else os.WNOHANG)[0]:
                pass
        if not orphans:
            return


def _children() -> list[int]:
    """On Linux."""
    found = []
    with suppress(OSError):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError), open(f"/proc/{pid}/stat") as stat:
                if int(stat.read().rpartition(")")[2].split()[1]) == os.getpid():
                    found.append(int(pid))
    return found


def _prctl(*what: int) -> Any:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(*what, 0, 0, 0)
