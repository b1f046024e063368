"""Tables whose rows are more than their counts' shares, in the loop: computed from features, or leaning on stems.

The loop is given a start, and gives back tables, as rows of probabilities; between the two a table of features is its
weights. The first weights are the best ones for the counts that the start makes of the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from softcount.criteria.criterion import Expect, log_weights
from softcount.errors import InputError
from softcount.families.backoff import Level
from softcount.families.categorical import Categorical
from softcount.families.family import ComputedFamily
from softcount.families.layout import TableLayout, by_table, chosen, named
from softcount.families.leaning import Leaning
from softcount.families.log_linear import LogLinear
from softcount.families.penalty import NOTHING
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables


class Rows(NamedTuple):
    """What the rows of a table are computed from."""

    features: Any  # csr: of each column, or of each entry
    variance: float = 1.0  # σ² of the weights
    by_entry: bool = False


class Leant(NamedTuple):
    """What the rows of a table lean on (families/leaning.py)."""

    levels: Sequence[Level]
    strengths: tuple[float, ...] | None


Computed = Mapping[str, Rows | Leant]  # by table


def computing(layout: Tables, computed: Computed) -> Tables:
    """The layout in which these tables are their weights; what they hold, they hold."""

    def of(spec: TableLayout, rows: Rows | Leant | None) -> TableLayout:
        if rows is None:
            return spec
        if isinstance(rows, Leant):
            return spec._replace(family=Leaning(cast(Categorical, spec.family), *rows))
        if not isinstance(spec.family, Categorical):
            raise InputError("features: only free probability rows can have features; name another table")
        return spec._replace(family=LogLinear(spec.family._replace(lazy=False), *rows))

    return by_table(layout, of, chosen(layout, computed, None)) if computed else layout


def weighed(plain: Tables, layout: Tables, start: Tables, expect: Expect | None) -> Tables:
    """The start with weights in place of computed rows; without data, none that mean anything."""
    if not any(True for _ in _weights(layout, start)):
        return start
    counts = start if expect is None else expect(log_weights(plain, start)).counts

    def of(spec: TableLayout, table: Any, count: Any) -> Any:
        if not isinstance(spec.family, ComputedFamily):
            return table
        begin = spec.family.uniform()
        return begin if expect is None else spec.family.maximize(count, NOTHING, begin)

    return by_table(layout, of, start, counts)


def shown(layout: Tables, parameters: Tables) -> Tables:
    """Rows of probabilities in place of weights."""

    def of(spec: TableLayout, table: Any) -> Any:
        return spec.family.shown(table) if isinstance(spec.family, ComputedFamily) else table

    return by_table(layout, of, parameters)


def weights_of(layout: Tables, parameters: Tables) -> dict[str, Array] | None:
    """By table, where there are any."""
    return dict(_weights(layout, parameters)) or None


def _weights(layout: Tables, parameters: Tables) -> Any:
    return ((name, table) for name, spec, table in named(layout, parameters) if isinstance(spec.family, ComputedFamily))
