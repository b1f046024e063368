"""What fits into this machine: refused before it is asked for, because systems promise memory that they do not have."""

from __future__ import annotations

import os

from softcount.errors import InputError


def installed() -> float:
    """Bytes of memory; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def check_room(n_bytes: float, what: str, remedy: str) -> None:
    room = installed()
    if n_bytes > room:
        raise InputError(f"{what} need {n_bytes / 1e9:,.0f} GB, but this machine has {room / 1e9:,.0f} GB; {remedy}")
