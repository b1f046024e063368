"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from softcount.errors import InputError


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
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        _to_disk(temporary)  # before the name points at it
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # elsewhere folders cannot be opened
        _to_disk(path.parent)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
