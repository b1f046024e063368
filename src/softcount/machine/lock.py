"""One writer at a time: whoever writes several files that belong together holds a lock meanwhile.

The lock is of the system, on a file of its own beside the place, .NAME.softcount-lock: the system takes it from a
process that is killed, and the file goes with the last who held it. Where a file system has no locks, the writer is
told.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK = ".softcount-lock"
LONGEST = 200  # bytes of the name that are in that of the lock: systems allow 255 in all

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
                return
            except OSError as error:  # it waits for ten seconds only
                if error.errno != errno.EDEADLOCK:
                    raise
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def alone_at(path: Path) -> Iterator[bool]:
    """Waits until nobody else who asks for this path is within; False where there are no locks, and nobody waits."""
    place = lock_path(path)
    handle = _locked(place)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            _release(handle, place)


def lock_path(path: Path) -> Path:
    return path.with_name("." + os.fsdecode(os.fsencode(path.name)[:LONGEST]) + LOCK)


def _locked(place: Path) -> int | None:
    """An open file that is locked and has its name still: who held it before has removed it."""
    while True:
        handle = -1
        try:
            handle = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
            _take(handle)
            if is_at(handle, place):
                return handle
            os.close(handle)
        except OSError:
            if handle >= 0:
                os.close(handle)
            return None
        except BaseException:  # Ctrl-C while it waits
            if handle >= 0:
                os.close(handle)
            raise


def _release(handle: int, place: Path) -> None:
    """Windows removes no open file; elsewhere its name must go before the lock does."""
    with suppress(OSError):
        place.unlink()
    os.close(handle)
    if sys.platform == "win32":
        with suppress(OSError):
            place.unlink()


def is_at(handle: int, path: str | Path) -> bool:
    """Whether the open file is the one that has this name."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    return False
