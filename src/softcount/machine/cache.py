"""Where compiled kernels are kept, and for how long: each in a file of its own, until what it was made of changes.

    MODULE.FUNCTION-DIGEST.kernel       in $NUMBA_CACHE_DIR/softcount, the user's cache folder, softcount's own or /tmp

The digest is of all that the machine code depends on: the code that the function reaches (`machine/reach.py`), its
arguments' types, the processor, and the versions of Python, NumPy, Numba and llvmlite. So a file is never out of date,
an edit compiles again what reaches it and nothing else, and checkouts and environments share what they have in common.

All folders are looked in, and the first that can be written is written (SOFTCOUNT_CACHE=alone: none but that of
NUMBA_CACHE_DIR, as where `softcount warm` fills it). What is kept is unpickled, so a folder that
somebody else could have filled is no place for it. Of processes that need the same kernel at once, one compiles it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import secrets
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.types.containers import BaseTuple
from numba.misc.appdirs import AppDirs

from softcount.machine import reach, stage

WHY = "neither softcount's folder nor the user's cache is writable; NUMBA_CACHE_DIR sets another folder"
ENDING = ".kernel"
CHECK = 16  # bytes at the beginning of a file: the digest of all others
FORGET = 30 * 24 * 3600  # seconds after which a kernel that is not used makes room for one of the same name
PATIENCE = 300  # seconds that a process waits for another that compiles the same
PAUSE = 0.05
VERSIONS = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__)


def keep(dispatcher: Any, apart: str | None = None) -> None:
    """Let this function be compiled once, wherever it can be kept; `apart`: in a folder of this name within."""
    if not hasattr(dispatcher, "enable_caching"):  # the compiler is switched off
        return
    kept = KernelCache(dispatcher.py_func, dispatcher, apart or "")
    dispatcher._cache = kept
    dispatcher.compile = _then(dispatcher.compile, kept.release)


def _then(compile: Callable[[Any], Any], release: Callable[[], None]) -> Callable[[Any], Any]:
    def compile_and_release(signature: Any) -> Any:
        try:
            return compile(signature)
        finally:
            release()

    return compile_and_release


class KernelCache(_Cache):  # type: ignore[misc]  # Numba has no types
    """What Numba asks of a cache; its own opens two files and a temporary one per function, before any is called."""

    def __init__(self, function: Any, dispatcher: Any, apart: str) -> None:
        self.function, self.dispatcher, self.apart = function, dispatcher, apart
        self.held: list[tuple[int, int]] = []
        self.enabled = True

    @property
    def cache_path(self) -> str | None:
        place = writable(self.apart)
        return None if place is None else str(place)

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False

    def flush(self) -> None:
        """Forget all of this function."""
        for place in places(self.apart):
            for path in place.glob(f"{self.name}-*{ENDING}"):
                with suppress(OSError):
                    path.unlink()

    @cached_property
    def name(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}".replace("<", "").replace(">", "")

    @cached_property
    def reached(self) -> bytes:
        return reach.digest(self.dispatcher)

    def file_name(self, signature: Any, codegen: Any) -> str:
        arguments = signature if isinstance(signature, tuple) else signature.args
        made_of = (self.name, self.reached, [describe(each) for each in arguments], codegen.magic_tuple(), VERSIONS)
        return f"{self.name}-{hashlib.blake2b(repr(made_of).encode(), digest_size=12).hexdigest()}{ENDING}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept needs no compiler, only the runtime: to make Numba's own ready takes a sixth of a second."""
        if not self.enabled:
            return None
        rtsys.initialize(target_context)
        name = self.file_name(sig, target_context.codegen())
        found = self._load(name, target_context)
        if found is None and self._hold(name):
            found = self._load(name, target_context)  # somebody else may have compiled it meanwhile
        return found

    def _load(self, name: str, target_context: Any) -> Any:
        for place in places(self.apart):
            with suppress(Exception):  # what is damaged, or names types that have moved, is compiled again
                content = (place / name).read_bytes()
                if _check(content[CHECK:]) == content[:CHECK]:
                    found = CompileResult._rebuild(target_context, *pickle.loads(content[CHECK:]))
                    _use(place / name)
                    return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self.enabled:
            return
        if any(not lifted.can_cache for lifted in data.lifted) or data.library.has_dynamic_globals:
            warnings.warn(f"{self.name} cannot be kept: what it is compiled to holds addresses", stacklevel=2)
            return
        place = writable(self.apart)
        if place is not None:
            content = dumps(data._reduce())
            with suppress(OSError):  # no room
                place.mkdir(exist_ok=True)
                _write(place / self.file_name(sig, data.codegen), _check(content) + content)
                self._make_room(place)

    def _make_room(self, place: Path) -> None:
        long_ago = time.time() - FORGET
        for path in place.glob(f"{self.name}-*{ENDING}"):
            with suppress(OSError):
                if path.stat().st_mtime < long_ago:
                    path.unlink()

    def _hold(self, name: str) -> bool:
        """Whether it took waiting for whoever compiles this."""
        place = writable()
        locks = None if place is None else _locks(place)
        if locks is None:
            return False
        place_of_lock = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4).digest(), "big") >> 1
        began, told = time.monotonic(), False
        while not _take(locks, place_of_lock):
            if time.monotonic() - began > PATIENCE:
                return True
            if not told and time.monotonic() - began > 1:
                told = True
                stage.note("softcount: waiting for another process that compiles the same kernels")
            time.sleep(PAUSE)
        self.held.append((locks, place_of_lock))
        return True

    def release(self) -> None:
        while self.held:
            with suppress(OSError):
                _give(*self.held.pop())


def describe(kind: Any) -> Any:
    """A type of an argument, in words; of tuples with names also whose they are, and their names."""
    if isinstance(kind, BaseTuple):
        whose = getattr(kind, "instance_class", tuple)
        fields = getattr(kind, "fields", ())
        return whose.__module__, whose.__qualname__, fields, [describe(each) for each in kind.types]
    return str(kind)


def _check(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECK).digest()


def _use(path: Path) -> None:
    """Whoever makes room asks when a file was used last."""
    with suppress(OSError):
        if path.stat().st_mtime < time.time() - FORGET / 30:
            os.utime(path)


def _write(path: Path, content: bytes) -> None:
    """Under a name that nobody can guess, then under its own; it can be read by whom the umask lets read."""
    draft = path.with_name(f".{secrets.token_hex(8)}{ENDING}")
    with draft.open("xb") as out:
        out.write(content)
    try:
        draft.replace(path)
    except OSError:
        draft.unlink()
        raise


# Where.


def places(apart: str = "") -> list[Path]:
    """Where kernels may be, the first first."""
    return [place / apart for place in _places(config.CACHE_DIR)]


@cache
def _places(configured: str) -> tuple[Path, ...]:
    named = Path(configured, "softcount") if configured else None
    if named and os.environ.get("SOFTCOUNT_CACHE") == "alone":
        return (named,)
    return tuple(place for place in (named, _users(), _package(), _temporary()) if place is not None)


def writable(apart: str = "") -> Path | None:
    """The first of them that can be written."""
    place = _writable(config.CACHE_DIR)
    return None if place is None else place / apart


@cache
def _writable(configured: str) -> Path | None:
    for place in _places(configured):
        with suppress(OSError):
            own = place in (_users(), _temporary())
            place.mkdir(mode=0o700 if own else 0o777, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=place).close()
            if not own or _is_own(place):
                return place
    return None


def often() -> str:
    """How often kernels are compiled, for the message that says that they are."""
    place = writable()
    if place is None:
        return f"with every run: {WHY}"
    return f"kept in {place}: {WHY}" if place == _temporary() else "once per machine"


def _users() -> Path | None:
    """Without a home, Numba would make a folder that is called ~ where the command is run."""
    if not (os.environ.get("XDG_CACHE_HOME") or os.path.isabs(os.path.expanduser("~"))):
        return None
    place = Path(AppDirs(appname="softcount", appauthor=False).user_cache_dir, "kernels")
    return place if not os.path.lexists(place) or _is_own(place) else None


def _package() -> Path | None:
    """Beside softcount's own source: whoever can write there can change that, too."""
    place = Path(__file__).parent.parent / "__pycache__" / "kernels"
    with suppress(OSError):
        found, source = place.lstat(), Path(__file__).stat()
        known = not hasattr(os, "getuid") or found.st_uid in (os.getuid(), source.st_uid, 0)
        return place if known and not found.st_mode & 0o002 else None
    return place


def _temporary() -> Path | None:
    """A folder of this user's alone under the system's temporary one; None where there is none to be had."""
    if not hasattr(os, "getuid"):  # where a user's own folders can always be written
        return None
    place = Path(tempfile.gettempdir(), f"softcount-{os.getuid()}")
    return place if not os.path.lexists(place) or _is_own(place) else None


def _is_own(place: Path) -> bool:
    """A folder of this user's into which nobody else can write."""
    try:
        found = place.lstat()
    except OSError:
        return False
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return stat.S_ISDIR(found.st_mode) and mine and not found.st_mode & 0o022


# One process at a time: bytes of a file, which the system gives back when a process ends, however it ends.


@cache
def _locks(place: Path) -> int | None:
    try:
        return os.open(place / "locks", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError:
        return None


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int, where: int) -> bool:
        os.lseek(handle, where, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _give(handle: int, where: int) -> None:
        os.lseek(handle, where, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import errno
    import fcntl

    def _take(handle: int, where: int) -> bool:
        """Also where the file system has no locks: then nobody waits."""
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, where)
        except OSError as error:
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def _give(handle: int, where: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, where)
