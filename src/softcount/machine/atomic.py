"""Files, and folders of files, that appear whole or not at all.

What is being written stands beside its place under a name that nobody else would choose, .NAME.xxxxxxxx.softcount-part,
and is locked: so the next writer can tell what a killed one left from what a living one writes.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from softcount.errors import InputError
from softcount.machine.lock import LONGEST, is_at

try:
    import fcntl
except ImportError:  # not everywhere; then what a killed process left behind stays
    fcntl = None  # type: ignore[assignment]

PART = ".softcount-part"


def write_whole(path: Path, write: Callable[[Path], object], of: Path | None = None) -> None:
    """`write(temporary)`, then rename: a crash leaves the old file or the new one, never half of one.

    A link stays a link. A pipe or a device, which a rename would destroy, is written to as it is. What is one `of`
    several files is called, until it is whole, as that is, so that whoever writes that sweeps it away.
    """
    try:
        if is_special(path):
            write(path)
        else:
            _write_whole(Path(os.path.realpath(path)), write, of or path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path}: cannot be written ({reason}); free some space, or give another place (an "
            "existing file is unchanged)"
        ) from None


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to write files into, which then has this name; what is there must be nothing, or an empty folder."""
    path = Path(os.path.realpath(path))
    sweep(path, folders=True)
    handle, temporary = _begin_folder(path)
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        for file in temporary.iterdir():
            _remember(file)
        _remember(temporary)
        temporary.replace(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        os.close(handle)
    with suppress(OSError):
        _remember(path.parent)


@contextmanager
def new_folders(*folders: Path, files: Iterable[Path] = ()) -> Iterator[None]:
    """Makes folders to write into, where they are not there. If the writing fails, those go again that it made, and
    those of the `files` that were not there before; a folder in which anything is left stays."""
    made: list[Path] = []
    new = [path for path in files if not os.path.lexists(path)]
    try:
        for folder in folders:
            _make(folder, made)
        yield
    except BaseException:
        for path in new:
            with suppress(OSError):
                path.unlink()
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise


def _make(folder: Path, made: list[Path]) -> None:
    for place in (*reversed(folder.parents), folder):
        if place.is_dir():
            continue
        try:
            place.mkdir()
        except (FileExistsError, NotADirectoryError):
            if not place.is_dir():  # somebody else may just have made it
                raise InputError(f"{place}: is a file, not a folder; give another name") from None
            continue
        except OSError as error:
            raise InputError(f"{place}: cannot be created ({error.strerror}); give another folder") from None
        made.append(place)


def _begin_folder(path: Path) -> tuple[int, Path]:
    """A new folder that is locked, as files are."""
    name = tempfile.mkdtemp(dir=path.parent, prefix=_prefix(path), suffix=PART)
    handle = os.open(name, os.O_RDONLY)
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return handle, Path(name)


def is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _write_whole(path: Path, write: Callable[[Path], object], of: Path) -> None:
    beside = path.with_name(os.path.basename(os.path.realpath(of)))
    sweep(beside)
    handle, temporary = _begin(beside)
    try:
        write(temporary)
        temporary.chmod(0o666 & ~_umask())
        os.fsync(handle)  # before the name points at it
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    with suppress(OSError):  # the file is there; not every folder can be opened
        _remember(path.parent)


def _begin(path: Path) -> tuple[int, Path]:
    """A new file that is locked. Another writer may sweep it away before it is: then the next one."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path), suffix=PART)
        if fcntl is None:
            return handle, Path(name)
        with suppress(OSError):  # some file systems have no locks; there nothing is swept either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if is_at(handle, name):
            return handle, Path(name)
        os.close(handle)


def _prefix(path: Path) -> str:
    return "." + os.fsdecode(os.fsencode(path.name)[:LONGEST]) + "."


def sweep(path: Path, folders: bool = False) -> None:
    """Removes what a process that was killed while it wrote `path` has left; what a living one writes is locked."""
    if fcntl is None:
        return
    for left in _left(path, stat.S_ISDIR if folders else stat.S_ISREG):
        with suppress(OSError):  # another writer has just finished it, or swept it away
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if is_at(handle, left):
                    shutil.rmtree(left, ignore_errors=True) if folders else left.unlink()
            finally:
                os.close(handle)


def _left(path: Path, kind: Callable[[int], bool]) -> Iterator[Path]:
    """Our own unfinished files or folders for `path`: by name, ordinary, and of this user."""
    ours = re.compile(re.escape(_prefix(path)) + "[a-z0-9_]{8}" + re.escape(PART))
    with suppress(OSError):  # a folder that may be written to but not listed
        for name in os.listdir(path.parent):
            if ours.fullmatch(name):
                left = path.parent / name
                found = left.lstat()
                if kind(found.st_mode) and found.st_uid == os.geteuid():
                    yield left


def _remember(place: Path) -> None:
    """What a file holds, or which names a folder has, must survive a power cut, too."""
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
