"""What a criterion is: which weights it asks about, how the sum is read, and what it makes of the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from softcount.families.layout import TableLayout, by_table, named
from softcount.families.penalty import Pseudo
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Tables

State = Any  # whatever the criterion carries from step to step; nested NamedTuples of arrays and numbers


class Expect(Protocol):
    """The E-step over all data, or over one mini-batch; hides the model, the data and the engine."""

    @property
    def batches(self) -> Array:
        """Each mini-batch's share of the data; they sum to one."""

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        """`key` selects the random numbers of SAMPLE: the same key draws the same structures."""


class Progress(NamedTuple):
    objective: float
    parts: Mapping[str, float] = {}  # where the objective has parts, or companions worth a look
    unvisited: tuple[tuple[str, int], ...] = ()  # (table, row) that kept its old values for want of counts


class Criterion(NamedTuple):
    init: Callable[[Tables, Expect], State]  # from parameters
    step: Callable[[State, Expect], tuple[State, Progress]]
    log_weights: Callable[[State], Tables]  # what to decode with
    parameters: Callable[[State], Tables]  # what to show, to save, and to hand to the next stage
    never_falls: bool = False  # the loop holds the criterion to this promise
    settles: bool = True  # whether a small change of the objective means that it has converged
    posterior: Callable[[State], Tables] | None = None  # over the parameters, where there is one; None of points


def around(
    inner: Criterion, init: Callable[[Tables, Expect], State],
    step: Callable[[State, Expect], tuple[State, Progress]], *, never_falls: bool = False, settles: bool = False,
) -> Criterion:  # fmt: skip
    """A criterion that goes around another, whose state it carries as `inner`."""
    posterior = inner.posterior
    return Criterion(
        init=init,
        step=step,
        log_weights=lambda state: inner.log_weights(state.inner),
        parameters=lambda state: inner.parameters(state.inner),
        never_falls=never_falls,
        settles=settles,
        posterior=None if posterior is None else lambda state: posterior(state.inner),
    )


def log_weights(layout: Tables, parameters: Tables) -> Tables:
    def of(spec: TableLayout, table: Any) -> Any:
        return spec.family.log_weights(table)

    return by_table(layout, of, parameters)


def maximize(layout: Tables, counts: Tables, penalties: Tables, parameters: Tables) -> Tables:
    def of(spec: TableLayout, count: Any, penalty: Pseudo, table: Any) -> Any:
        return spec.family.maximize(count, penalty, table)

    return by_table(layout, of, counts, penalties, parameters)


def unvisited(layout: Tables, counts: Tables, penalties: Tables) -> tuple[tuple[str, int], ...]:
    """The rows that no hidden value visited and that no pseudo-count fills."""
    return tuple(
        (name, int(row))
        for name, spec, count, penalty in named(layout, counts, penalties)
        if not penalty
        for row in spec.family.unvisited(count)
    )
