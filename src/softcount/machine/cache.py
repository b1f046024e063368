"""Where compiled kernels are kept: as Numba has it, else in a temporary folder of the user's own, else nowhere.

Numba tries, in this order, $NUMBA_CACHE_DIR, ``__pycache__`` beside the source, and the user's cache folder, and raises
where none of them can be written, as in a container that runs as a user without a home. What it keeps is unpickled, so
a folder that somebody else could have filled is no place for it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from numba import config
from numba.core.runtime import rtsys

WHY = "neither softcount's own folder nor the user's cache can be written; NUMBA_CACHE_DIR names a place"
often = "once per machine"  # how often kernels are compiled, for the message that says that they are


def keep(dispatcher: Any, apart: str | None = None) -> None:
    """Let this function be compiled once, wherever it can be kept; `apart`: in a folder of this name within."""
    global often
    if not hasattr(dispatcher, "enable_caching"):  # the compiler is switched off
        return
    if apart is not None:  # Numba's index does not know one build from another
        place = Path(config.CACHE_DIR) if config.CACHE_DIR else temporary()
        if place is not None:
            _kept_in(place / apart, dispatcher)
        return
    if _has_home() and _enabled(dispatcher):
        return
    often = f"with every run: {WHY}"
    place = temporary()
    if place is not None and _kept_in(place, dispatcher):
        often = f"kept in {place}: {WHY}"


def _kept_in(place: Path, dispatcher: Any) -> bool:
    configured, config.CACHE_DIR = config.CACHE_DIR, str(place)
    try:
        return _enabled(dispatcher)
    finally:
        config.CACHE_DIR = configured


def _has_home() -> bool:
    """Without one, Numba would make a folder that is called ~ where the command is run."""
    return bool(config.CACHE_DIR or os.environ.get("XDG_CACHE_HOME")) or os.path.isabs(os.path.expanduser("~"))


def _enabled(dispatcher: Any) -> bool:
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # no place
        return False
    _forget_what_cannot_be_read(dispatcher)
    _load_what_is_compiled(dispatcher)
    return True


def _load_what_is_compiled(dispatcher: Any) -> None:
    """What is kept needs no compiler, only the runtime: to make Numba's own ready takes a sixth of a second."""
    kept: Any = getattr(dispatcher, "_cache", None)
    if not hasattr(kept, "_load_overload"):
        return

    def load(signature: Any, target: Any) -> Any:
        rtsys.initialize(target)
        with kept._guard_against_spurious_io_errors():
            return kept._load_overload(signature, target)

    kept.load_overload = load


def _forget_what_cannot_be_read(dispatcher: Any) -> None:
    """What another version of softcount left there may name types that have moved since; then it is compiled again.

    Numba looks at the date of what it kept only after it has unpickled it.
    """
    kept: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if not hasattr(kept, "_load_index"):
        return
    load = kept._load_index

    def load_or_forget() -> Any:
        try:
            return load()
        except Exception:
            return {}

    kept._load_index = load_or_forget


@cache
def temporary() -> Path | None:
    """A folder of this user's alone under the system's temporary one; None where there is none to be had."""
    if not hasattr(os, "getuid"):  # where a user's own folders can always be written
        return None
    try:
        place = Path(tempfile.gettempdir(), f"softcount-{os.getuid()}")
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return place if own else None
