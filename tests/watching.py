"""What the process does while something is watched: processes, modules, files and connections, by audit hooks.

PEP 578 says which events there are. A hook stays for ever, so there is one, which reports to whoever watches at the
time. What is opened below Python (a memory map of Arrow's), or only asked about, has no event: such functions report
themselves.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa

NEVER = (  # what no saved file may lead to
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile",
    "pty.spawn", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request",
    "ctypes.dlopen", "pickle.find_class", "webbrowser.open",
)  # fmt: skip
LOOKED_AT = ("open", "os.listdir", "os.scandir", "stat")
INSTALLED = [path for path in sys.path if path and path != os.getcwd()]
OURS = [sys.prefix, sys.base_prefix, str(Path(__file__).parents[1]), *INSTALLED, "/dev/null", "/proc/", "/sys/"]

_events: list[tuple[str, str]] | None = None


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _events is None or not (event in NEVER or event in LOOKED_AT or event == "import"):
        return
    first = arguments[0] if arguments else ""
    _events.append((event, os.fsdecode(first) if isinstance(first, str | bytes | os.PathLike) else ""))


sys.addaudithook(_hear)


@contextmanager
def watched() -> Iterator[list[tuple[str, str]]]:
    """(event, what of) for all that happens within."""
    global _events
    found: list[tuple[str, str]] = []
    stat, memory_map = os.stat, pa.memory_map

    def asked(path: Any, *args: Any, **more: Any) -> Any:
        if not isinstance(path, int):
            found.append(("stat", os.fsdecode(path)))
        return stat(path, *args, **more)

    def mapped(path: Any, *args: Any) -> Any:
        found.append(("open", os.fsdecode(path)))
        return memory_map(path, *args)

    with mock.patch("os.stat", asked), mock.patch("pyarrow.memory_map", mapped):
        _events = found
        try:
            yield found
        finally:
            _events = None


def amiss(events: list[tuple[str, str]], outside: Path) -> list[tuple[str, str]]:
    """What should not have happened: `outside` is a folder that nobody has business in."""
    folders = [*OURS, os.getcwd(), os.environ.get("NUMBA_CACHE_DIR", ""), tempfile.gettempdir()]
    return [one for one in events if not _is_usual(*one, str(outside), [folder for folder in folders if folder])]


def _is_usual(event: str, what: str, outside: str, folders: list[str]) -> bool:
    if event in NEVER:
        return False
    if event == "import":
        first = what.partition(".")[0]
        return first == "softcount" or first in sys.stdlib_module_names or first in sys.modules
    if outside in what or event != "open":
        return outside not in what
    return not os.path.isabs(what) or any(what.startswith(folder) for folder in folders)
