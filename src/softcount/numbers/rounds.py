"""A sum in rounds: what the second round asks depends on what the first one found.

A generator yields each Round, is sent its sum over all parts, and returns the result. So whoever owns the parts decides
where they are summed, and whoever asks need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class Round(NamedTuple):
    """Σ fn(part, shared), with a pure function at the top level of a module."""

    fn: Callable[[Any, Any], Any]
    shared: Any


def add_up(results: Iterator[Any]) -> Any:
    """The one place where results are added: in their order, into the first."""
    total = next(results)
    for result in results:
        total += result
    return total


def drive(rounds: Generator[Round, Any, Result], sum_of: Callable[[Round], Any]) -> Result:
    asked = next(rounds)
    while True:
        try:
            asked = rounds.send(sum_of(asked))
        except StopIteration as done:
            result: Result = done.value
            return result


def in_turn(rounds: Generator[Round, Any, Result], parts: Iterable[Any]) -> Result:
    """The result, summed over the parts here and now."""
    parts = list(parts)
    return drive(rounds, lambda asked: add_up(asked.fn(part, asked.shared) for part in parts))
