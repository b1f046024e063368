"""What is being done now, how much of it, of how much: said here by whoever does it, read by whoever shows it.

Nothing is printed from here and nobody need listen: to begin a stage and to reach a point of it are assignments, which
another thread looks at a few times a second (`cli/progress.py`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from softcount.machine.streams import escape_controls

T = TypeVar("T")


purpose, following = "", 0  # what the stages of this moment are for, where that is not the result; more of the kind
ahead, each = 0.0, 1.0  # what will cost how much behind the steps of this moment, and each of these, in the same unit


class Stage:
    """`unit` is what `done` and `total` count: bytes, steps, pairs."""

    def __init__(self, what: str, total: float | None = None, unit: str = "") -> None:
        self.purpose = f"{purpose}: " if purpose else ""
        self.what, self.total, self.unit = f"{self.purpose}{what}", total, unit
        self.following = following  # stages of this kind that are still to come
        self.ahead = ahead / each  # what comes behind them, as so many steps of this stage
        self.done, self.began = 0.0, time.monotonic()
        self.share = 0.0  # of the part that is under way
        self.step: Any = None  # the record of the last one, where there are such


now = Stage("starting")
compiling = 0  # kernels, at this moment: whatever is done waits for them
quiet = False  # whether notes are left out
clear: Callable[[], None] = lambda: None  # takes away what is shown of it, before something else is printed  # noqa: E731


def begin(what: str, total: float | None = None, unit: str = "") -> None:
    global now
    now = Stage(what, total, unit)


@contextmanager
def towards(what: str, again: int = 0) -> Iterator[None]:
    """Stages that begin in here serve something else, such as a start: k-means steps before those of topics. `again`
    is how many of the same kind will follow. What serves something that serves something else says both."""
    global purpose, following
    before, purpose, following = (purpose, following), f"{purpose}, {what}" if purpose else what, again
    try:
        yield
    finally:
        purpose, following = before


@contextmanager
def then(later: float, step: float) -> Iterator[None]:
    """Steps that begin in here cost `step` each, and what comes behind them costs `later`: in any unit, but the same
    for both, and for whoever says so around this, which adds."""
    global ahead, each
    before, ahead, each = (ahead, each), ahead + later, step or 1.0
    try:
        yield
    finally:
        ahead, each = before


def reach(done: float, step: Any = None) -> None:
    now.done, now.share = done, 0.0
    now.step = now.step if step is None else step


def counted(parts: Iterable[T], n: int) -> Iterator[T]:
    """The same parts; how many of the n there were is the share of what is under way."""
    for k, part in enumerate(parts, 1):
        yield part
        now.share = k / n


def note(message: str) -> None:
    """A line that whoever wants only results and errors does not see."""
    if not quiet:
        say(message)


def say(message: str) -> None:
    """A line to stderr, on which nothing else is shown then."""
    clear()
    if sys.stderr is not None:  # or it would be printed among the results
        with suppress(OSError, ValueError):  # nobody need listen
            print(escape_controls(message), file=sys.stderr, flush=True)
