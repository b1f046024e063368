"""What a file of a model holds, by type: a file that holds anything else is refused."""

from __future__ import annotations

from typing import Any, TypedDict

from softcount.loop.trace import Ending, Step, Trace
from softcount.numbers.ragged import Array

# What a file may hold of settings whose annotations leave that open.
OPEN = {
    "start": str | dict[str, Any] | list[Any] | Array | None,
    "fixed": str | tuple[str, ...] | list[str] | dict[str, Any],
    "dictionary": str | dict[str, Any] | list[Any] | tuple[Any, ...] | None,
    "stems": str | dict[str, Any] | list[Any] | tuple[Any, ...] | None,
    "engine": str,
    "random_state": int | None,
}
Reading = dict[str, str | bool | float | None]


class SavedTrace(TypedDict):
    """A trace in a file."""

    steps: list[Step]
    stopped: Ending
    remarks: list[str]


class Newer(TypedDict, total=False):
    """What files that were written before do not have."""

    reading: Reading


class Body(Newer):
    """All that a model file says."""

    signature: str
    data: dict[str, str | float]
    trained: str
    seed: int
    sizes: dict[str, int]
    settings: dict[str, Any]
    traces: dict[str, SavedTrace]
    learned: dict[str, Any]


def saved_trace(trace: Trace) -> SavedTrace:
    return {"steps": list(trace), "stopped": trace.stopped, "remarks": list(trace.remarks)}


def trace_of(body: SavedTrace) -> Trace:
    trace = Trace(body["steps"])
    trace.stopped, trace.remarks = body["stopped"], tuple(body["remarks"])
    return trace
