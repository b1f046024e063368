"""How this project compiles its inner loops, and how the first run says that it compiles.

Kernels are serial and release the GIL; engines run them in threads over shards (design: private counts, no races).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

# Everything of fast-math except the assumption that there are no infinities and NaNs.
REORDER = {"nsz", "arcp", "contract", "afn", "reassoc"}


def kernel(function: F) -> F:
    """Compile once per machine: the cache lives beside the source, or in the user's cache folder."""
    compiled: F = njit(nogil=True, cache=True, fastmath=REORDER)(function)
    return compiled


class _Announce(event.Listener):
    """Says once per process that compiling takes a few seconds; a cached kernel fires no such event."""

    said = False

    def on_start(self, event: Any) -> None:
        if not _Announce.said and getattr(event.data["dispatcher"], "_cache", None) is not None:
            _Announce.said = True
            print("softcount: compiling kernels, a few seconds, once per machine", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announce())
