"""Which values a network's variables have: as declared, as a start's tables name them, or as the data has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softcount.errors import InputError, list_some
from softcount.report.network_json import NamedValues
from softcount.text.record_reader import Columns, Value, in_order, text_of
from softcount.text.source import quoted
from softcount.text.structure import Structure

MOST_VALUES = 10**7  # of a variable, where they are numbered
Values = dict[str, tuple[Value, ...]]


def given_values(structure: Structure, values: Mapping[str, Any] | None) -> Values:
    """A number n stands for the values 0 to n − 1."""
    found: Values = {}
    for name, listed in (values or {}).items():
        if name not in structure.names:
            raise InputError(f"values of {quoted(str(name))}; the variables are {list_some(structure.names)}")
        if isinstance(listed, bool | float) or (isinstance(listed, int) and listed < 1):
            raise InputError(f"values of {quoted(name)}: give a number from 1 on, or a list")
        if isinstance(listed, int) and listed > MOST_VALUES:
            raise InputError(f"values of {quoted(name)}: more than {MOST_VALUES:,}; give fewer")
        found[name] = tuple(range(listed) if isinstance(listed, int) else listed)
        texts = [text_of(value) for value in found[name]]
        if not texts or len(set(texts)) != len(texts) or "" in texts:
            raise InputError(f"values of {quoted(name)}: give at least one, none of them empty or twice")
    return found


def settle_values(
    structure: Structure, declared: Values, named: Mapping[str, NamedValues], columns: Columns | None,
    ties: Sequence[Sequence[str]],
) -> Values:  # fmt: skip
    """What is declared goes first, then what tables name, then what the data has; tied variables share theirs."""
    found: Values = {}
    for name in structure.names:
        group = next((group for group in ties if name in group), (name,))
        seen = _seen(columns, group)
        own = {text_of(value): value for value in _seen(columns, (name,))}  # as the data writes them
        listed = next((declared[n] for n in (name, *group) if n in declared), None)
        if listed is None:
            listed = _open_list(next((named[n] for n in (name, *group) if n in named), None), seen)
        if not listed:
            raise InputError(
                f"{quoted(name)} is hidden: no data says which values it has; give their number or names, "
                f"for example --values {name}=3, or values={{{name!r}: 3}} in Python"
            )
        found[name] = tuple(own.get(text_of(value), value) for value in listed)
    return found


def _open_list(named: NamedValues | None, seen: Sequence[Value]) -> tuple[Value, ...]:
    """What tables name, and, unless their rows are complete, what the data has besides."""
    if named is None:
        return in_order(seen)
    others = [] if named.closed else [value for value in seen if text_of(value) not in named.values]
    return (*named.values, *in_order(others))


def _seen(columns: Columns | None, names: Sequence[str]) -> list[Value]:
    """The values in the columns of these names, each text once."""
    found: dict[str, Value] = {}
    for name in names:
        column = columns.columns.get(name) if columns is not None else None
        for value in column.values if column is not None else ():
            found.setdefault(text_of(value), value)
    return list(found.values())
