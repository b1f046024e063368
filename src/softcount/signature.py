"""The line that stands behind every number: what computed it, how, and from which data."""

from __future__ import annotations

from softcount.version import VERSION


def signature(*parts: str, **settings: object) -> str:
    """``softcount 0.1.0 | hmm | states=45 …``: fixed parts first, then settings in the order given."""
    shown = " ".join(f"{key}={value}" for key, value in settings.items())
    return " | ".join(["softcount " + VERSION, *parts, *([shown] if shown else [])])
