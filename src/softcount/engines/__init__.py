"""Where the sum over shards is computed. To add an engine: one file here, one line in ENGINES."""

from __future__ import annotations

from softcount.engines.threads import Threads

ENGINES = {"threads": Threads}

__all__ = ["ENGINES", "Threads"]
