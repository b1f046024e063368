"""What a model declares of each of its tables: the family its rows belong to, and whether it emits data.

A layout has the type of the model's tables, nested as they are. `by_table` is the one door through which anything is
asked of all families, and `named` the one that knows tables by their names: ``transition``, ``forward.translation``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from softcount.errors import InputError
from softcount.families.family import PointFamily
from softcount.numbers.tables import Tables, leaves

MOST_PSEUDO = 1e30  # beyond, sums overflow in float32, and no data would have a say anyway


class TableLayout(NamedTuple):
    family: PointFamily
    emits: bool | Any = False  # or a mask of the entries that do


def by_table(layout: Any, ask: Callable[..., Any], *tables: Any) -> Tables:
    """``ask(spec, table, …)`` of every table, in the type of the layout."""
    if isinstance(layout, TableLayout):
        return ask(layout, *tables)
    return type(layout)(*(by_table(spec, ask, *rest) for spec, *rest in zip(layout, *tables, strict=True)))


def by_family(layout: Any, ask: Callable[..., Any], *tables: Any) -> Tables:
    """``ask(family, table, …)`` of every table; of one in ranges (families/spread.py) of every range, where it is.

    So `ask` is a function at the top level of a module, or a `functools.partial` of one.
    """

    def of(spec: TableLayout, *parts: Any) -> Any:
        elsewhere = getattr(spec.family, "by_range", None)
        return elsewhere(ask, *parts) if elsewhere else ask(spec.family, *parts)

    return by_table(layout, of, *tables)


def total(layout: Any, ask: Callable[..., float], *tables: Any) -> float:
    """Σ over the tables of ``ask(spec, table, …)``."""
    return float(sum(leaves(by_table(layout, ask, *tables))))


def total_by_family(layout: Any, ask: Callable[..., float], *tables: Any) -> float:
    """Σ over the tables of ``ask(family, table, …)``, as `by_family` asks it."""

    def of(spec: TableLayout, found: Any) -> float:
        fetched = getattr(spec.family, "fetched", None)
        return float(sum(fetched(found))) if fetched else float(found)

    return total(layout, of, by_family(layout, ask, *tables))


def named(layout: Any, *tables: Any, within: str = "") -> Iterator[tuple[Any, ...]]:
    """(name, spec, table, …) of every table."""
    if isinstance(layout, TableLayout):
        yield within, layout, *tables
        return
    for field, spec, *rest in zip(layout._fields, layout, *tables, strict=True):
        yield from named(spec, *rest, within=f"{within}.{field}" if within else field)


def table_types(layout: Any) -> set[type]:
    """The types of these tables and of those within them: what a file may hold of them."""
    if isinstance(layout, TableLayout):
        return set()
    return {type(layout)}.union(*(table_types(spec) for spec in layout))


def chosen(layout: Any, setting: Mapping[str, Any], default: Any) -> Tables:
    """A mapping from table names to values, as tables; the last part of a nested table's name will do."""
    known = [name for name, _ in named(layout)]
    short = [name.rsplit(".", 1)[-1] for name in known]
    unknown = sorted(set(setting) - {*known, *short})
    if unknown:
        raise InputError(f"unknown table {unknown[0]!r}; the tables are {', '.join(known)}")
    values = iter([setting.get(name, setting.get(last, default)) for name, last in zip(known, short, strict=True)])
    return by_table(layout, lambda spec: next(values))


def per_table(layout: Any, setting: float | Mapping[str, Any], default: float = 0.0) -> Tables:
    """One number for all tables, or a mapping by table name, as tables of pseudo-counts."""
    found = chosen(layout, setting, default) if isinstance(setting, Mapping) else by_table(layout, lambda _: setting)
    for _, _, number in named(layout, found):
        if isinstance(number, int | float) and not 0 <= number <= MOST_PSEUDO:
            raise InputError(f"pseudo-count {number}: out of range; give a number from 0 to {MOST_PSEUDO:g}")
    return found
