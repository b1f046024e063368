"""The line that stands behind every number: what computed it, how, and from which data."""

from __future__ import annotations

import re

from softcount.version import TRAINS_AS, VERSION


def signature(*parts: str, **settings: object) -> str:
    """``softcount 0.1.0 | hmm | states=45 …``: fixed parts first, then settings in the order given."""
    shown = " ".join(f"{key}={value}" for key, value in settings.items())
    return " | ".join(["softcount " + VERSION, *parts, *([shown] if shown else [])])


def of_any_version(signature: str) -> str:
    """The same whichever version wrote it, of those that train to the same bits: what it names is then the same too."""
    first = _numbers(TRAINS_AS)
    return re.sub(
        r"softcount (\d+\.\d+\.\d+)\S*",
        lambda found: f"softcount {TRAINS_AS}" if _numbers(found[1]) >= first else found[0],
        signature,
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
