"""Ctrl-C and SIGTERM during training: the step is finished first, so that nothing is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Stopped(KeyboardInterrupt):
    """Training stopped because a signal asked for it; ``str()`` says how to go on."""

    def __init__(self, message: str, signum: int) -> None:
        super().__init__(message)
        self.exit_code = 128 + signum  # as shells have it: 130, 143


asked: list[Stopped] = []  # what signals have asked for; the command line fills and empties it


def obey() -> None:
    """Raise what a signal asked for, where it was raised before and got lost: callbacks within C swallow everything."""
    if asked:
        raise asked[0]


class Wish:
    """Which signal, if any, has asked us to stop."""

    signum: int | None = None


@contextmanager
def postponed() -> Iterator[Wish]:
    """Within, a signal that would end the program becomes a wish; the second one is obeyed at once."""
    wish = Wish()

    def note(signum: int, frame: Any) -> None:
        if wish.signum is not None:
            raise Stopped("stopped within an iteration; the last checkpoint is kept", signum)
        wish.signum = signum

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # Python allows handlers to no other
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, note) or signal.SIG_DFL
    try:
        yield wish
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
