"""Inference in a network that is too large is refused before it starts; what takes long says how long.

Exact inference multiplies tables, and some networks need one whose size grows exponentially with the network. Its cost
is known beforehand (`models/network_cost.py`).
"""

from __future__ import annotations

from softcount.errors import InputError, list_some
from softcount.machine import stage
from softcount.machine.memory import available
from softcount.models.network_cost import Cost

NOTED, MOST = 1.0, 60.0  # seconds: from which the cost is said, and from which it is refused
NOTED_BYTES = 1e9
YEAR = 365 * 86400.0


def check_cost(cost: Cost, what: str, remedy: str, force: bool) -> None:
    """Refuses what exceeds the memory or a minute, unless it is forced; says what is not small."""
    room = available()
    if exceeds(cost, room) and not force:
        raise InputError(
            f"{what} needs {_needs(cost)}; this machine has {_bytes(room)} free, and the time limit "
            f"is one minute; {remedy}, or use --force (in Python force=True)"
        )
    if cost.seconds > NOTED or cost.n_bytes > NOTED_BYTES:
        stage.note(f"note: {what} needs {_needs(cost)}")


def exceeds(cost: Cost, room: float) -> bool:
    return cost.seconds > MOST or cost.n_bytes > room


def _needs(cost: Cost) -> str:
    time, memory = _duration(cost.seconds), _bytes(cost.n_bytes)
    largest = f"its largest table has {_number(cost.entries)} entries"
    over = f" over {len(cost.variables)} variables ({list_some(cost.variables)})" if cost.variables else ""
    return f"{time} and {memory} of memory; {largest}{over}"


def _number(n: float) -> str:
    return f"{n:,.0f}" if n < 1e12 else f"{n:.1e}"


def _bytes(n: float) -> str:
    if n < 1e9:
        return f"{max(n / 1e6, 1.0):,.0f} MB"
    return f"{n / 1e9:,.1f} GB" if n < 1e15 else "more than 1,000,000 GB"


def _duration(seconds: float) -> str:
    """In the unit that a person would use."""
    if seconds > 100 * YEAR:
        return "more than 100 years"
    units = (("years", YEAR), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
    name, length = next((unit for unit in units if seconds >= 2 * unit[1]), units[-1])
    n = max(1, round(seconds / length))
    return f"about {n:,} {name if n > 1 else name[:-1]}"
