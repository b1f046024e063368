"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from softcount.errors import InputError

try:
    import fcntl
except ImportError:  # not everywhere; then what a killed process left behind stays
    fcntl = None  # type: ignore[assignment]

PART = ".part"


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """`write(temporary)`, then rename: a crash leaves the old file or the new one, never half of one.

    A link stays a link. A pipe or a device, which a rename would destroy, is written to as it is.
    """
    try:
        if is_special(path):
            write(path)
        else:
            _write_whole(Path(os.path.realpath(path)), write)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path}: cannot be written ({reason}); make room, or name another place; what was there before is unharmed"
        ) from None


def is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    sweep(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PART)
    temporary = Path(name)
    try:
        _lock(handle)
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        os.fsync(handle)  # before the name points at it
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    _remember_name(path.parent)


def sweep(path: Path) -> None:
    """Removes what a process that was killed while it wrote `path` has left; what a living one writes is locked."""
    if fcntl is None:
        return
    for left in path.parent.glob(f".{path.name}.*{PART}"):
        handle = os.open(left, os.O_RDONLY)
        try:
            if _lock(handle):
                left.unlink(missing_ok=True)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remember_name(folder: Path) -> None:
    """The new name must survive a power cut, too."""
    if os.name != "posix":  # elsewhere folders cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
