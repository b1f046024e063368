"""Whether the state of a run that comes from a file can be meant: kernels trust types, shapes and signs.

A table in ranges (families/spread.py) is looked at where its ranges are, each by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from softcount.criteria.criterion import log_weights as logs_of
from softcount.disk.sound import EITHER, check, check_finite, check_rows, check_table
from softcount.families.family import ConjugateFamily, PosteriorFamily, SimplexFamily, SoundFamily
from softcount.families.layout import TableLayout, by_family, named
from softcount.families.spread import Spread, SpreadFamily
from softcount.loop.start import uniform_start
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Expectation, Log, Tables, leaves, values

ROUNDING = 1e-5  # of the logarithm of one, in single precision
LOGS, SIGNED = ("log_weights",), ("signs",)  # fields of states that hold no weights


class NoData:
    """An E-step that costs nothing: what a state looks like does not depend on the counts."""

    batches = np.ones(1)

    def __init__(self, layout: Tables, parameters: Tables) -> None:
        self.counts = by_family(layout, _nothing, logs_of(layout, parameters))

    def __call__(self, log_weights: Tables, mode: int = SUM, key: int = 0, batch: int | None = None) -> Expectation:
        return Expectation(self.counts, 0.0)


def _nothing(family: Any, table: Any) -> Any:
    """Counts are like log-weights."""
    zeros = np.zeros_like(table.weights if isinstance(table, Log) else values(table))
    return table.with_values(zeros) if isinstance(table, Ragged) else zeros


def check_like(layout: Tables, state: Any, like: Any, parameters: Tables, field: str = "") -> None:
    """The same types all the way down, and tables as they should be; what is None at first may be tables later."""
    like = parameters if like is None and state is not None else like
    if isinstance(like, type(layout)):
        _check_tables(layout, state, like, field)
    elif hasattr(like, "_fields"):
        check("the state", state, type(like))
        for name, part, other in zip(like._fields, state, like, strict=True):
            check_like(layout, part, other, parameters, name)
    elif isinstance(like, int):
        check("the state", state, int)
        check_place(state, 1 << 62)


def check_place(place: int, n: int) -> None:
    if not 0 <= place < n:
        raise ValueError(f"no {place} among {n}")


def check_fit(
    layout: Tables, parameters: Tables, log_weights: Tables, posterior: Tables | None = None,
    weights: dict[str, Array] | None = None,
) -> None:  # fmt: skip
    uniform = uniform_start(layout)
    _check_tables(layout, parameters, uniform, "parameters")
    _check_tables(layout, log_weights, logs_of(layout, uniform), "log_weights")
    for name, spec, table, logs in named(layout, parameters, log_weights):
        _ask(spec, partial(_check_sound, name), table, logs)
    if posterior is not None:
        _check_types(layout, posterior)
        for name, spec, table, like in named(layout, posterior, parameters):
            point = name in (weights or {}) or not isinstance(spec.family, _posterior_of(spec))
            if table is not None or not point:
                _ask(spec, partial(_check_posterior, name), table, like)


def _posterior_of(spec: TableLayout) -> Any:
    """What a family must be to have a posterior; ranges do not draw."""
    return PosteriorFamily if isinstance(spec.family, SpreadFamily) else ConjugateFamily


def _ask(spec: TableLayout, sound: Callable[..., None], *tables: Any) -> None:
    """sound(family, table, …), which raises where a table is not; of every range, where it is."""
    if isinstance(spec.family, SpreadFamily):
        if not all(isinstance(table, Spread) for table in tables):
            raise ValueError("a table that is not in ranges")
        spec.family.by_range(sound, *tables)
    else:
        sound(spec.family, *tables)


def _check_sound(name: str, family: Any, table: Any, logs: Any) -> None:
    if isinstance(family, SimplexFamily):
        check_rows(name, table, *family.size(), precisions=EITHER)
        if not isinstance(logs, Log) and np.max(values(logs), initial=-np.inf) > ROUNDING:
            raise ValueError(f"{name} is more probable than certain")
    if isinstance(family, SoundFamily) and not family.sound(table):
        raise ValueError(f"{name} cannot be")


def _check_posterior(name: str, family: Any, table: Any, like: Any) -> None:
    check_posterior(name, table, like, isinstance(family, SimplexFamily))


def check_posterior(name: str, table: Any, like: Any, rows: bool = True) -> None:
    """Of the form of the parameters; of rows that are distributions, pseudo-counts."""
    if isinstance(table, Ragged) != isinstance(like, Ragged):
        raise ValueError(f"the posterior of {name} has rows of another kind")
    if isinstance(table, Ragged) and not np.array_equal(table.offsets, like.offsets):
        raise ValueError(f"the posterior of {name} has other rows")
    check_finite(f"the posterior of {name}", table, *np.shape(values(like)), least=0.0 if rows else -np.inf)


def _check_tables(layout: Tables, tables: Tables, like: Tables, field: str) -> None:
    """`field` says of what state they are a part."""
    found, right = ({getattr(values(one), "dtype", None) for one in leaves(all_)} for all_ in (tables, like))
    if len(found) > max(1, len(right)):  # some models keep their tables in several precisions
        raise ValueError("tables of several precisions")
    _check_types(layout, tables)
    for _, spec, table, other in named(layout, tables, like):
        _ask(spec, partial(_check_table, field), table, other)


def _check_types(layout: Any, tables: Any) -> None:
    if not isinstance(layout, TableLayout):
        check("the tables", tables, type(layout))
        for part, table in zip(layout, tables, strict=True):
            _check_types(part, table)


def _check_table(field: str, family: Any, table: Any, like: Any) -> None:
    least = 0.0 if isinstance(family, SimplexFamily) and field not in (*LOGS, *SIGNED) else -np.inf
    _check_leaf(table, like, field, least)


def _check_leaf(table: Any, like: Any, field: str, least: float) -> None:
    """One table, or whatever a family has for parameters of its own."""
    if not isinstance(values(like), np.ndarray):
        check("a parameter", table, type(like))
        for part, other in zip(table, like, strict=True) if hasattr(like, "_fields") else ():
            _check_leaf(part, other, field, -np.inf)
        return
    shape = np.shape(values(like))
    if isinstance(table, Ragged) != isinstance(like, Ragged):
        raise ValueError("rows of another kind")
    if isinstance(table, Ragged) and not np.array_equal(table.offsets, like.offsets):
        raise ValueError("other rows")
    if isinstance(table, Log):
        check_finite("weights", table.weights, *shape, least=0.0, precisions=EITHER)
    elif field in LOGS:
        check_table("log-weights", table, *shape, precisions=EITHER)
    else:
        check_finite("weights", table, *shape, least=least, precisions=EITHER)
