"""Which values a network's variables have: as declared, as a start's tables name them, or as the data has them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from softcount.errors import InputError, list_some, similar_name
from softcount.report.network_json import NamedValues
from softcount.text.record_reader import Columns, Value, in_order, text_of
from softcount.text.source import quoted
from softcount.text.structure import Structure

FEW_NUMBERS, MANY_NUMBERS = 10, 20  # up to the first nothing is said, beyond the second there is a warning
ROWS_PER_NUMBER = 5  # below which decimal numbers cannot be meant as categories
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
MOST_VALUES = 10**7  # of a variable, where they are numbered
Values = dict[str, tuple[Value, ...]]


def given_values(structure: Structure, values: Mapping[str, Any] | None) -> Values:
    """A number n stands for the values 0 to n − 1."""
    found: Values = {}
    for name, listed in (values or {}).items():
        if name not in structure.names:
            raise InputError(
                f"values of {quoted(str(name))}: unknown variable; the variables are {list_some(structure.names)}"
            )
        if isinstance(listed, bool | float) or (isinstance(listed, int) and listed < 1):
            raise InputError(f"values of {quoted(name)}: invalid; give a number of at least 1, or a list")
        if isinstance(listed, int) and listed > MOST_VALUES:
            raise InputError(f"values of {quoted(name)}: more than {MOST_VALUES:,}; use fewer")
        found[name] = tuple(range(listed) if isinstance(listed, int) else listed)
        texts = [text_of(value) for value in found[name]]
        if not texts or len(set(texts)) != len(texts) or "" in texts:
            raise InputError(f"values of {quoted(name)}: give at least one, without empty or repeated names")
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
            raise InputError(_no_values(name, columns))
        found[name] = tuple(own.get(text_of(value), value) for value in listed)
    return found


def _no_values(name: str, columns: Columns | None) -> str:
    remedy = f"give the number or names of its values, for example --values {name}=3 (values={{{name!r}: 3}})"
    if columns is None or name in columns.columns:
        return f"{quoted(name)} is hidden, so its values are unknown; {remedy}"
    wrong = f"{columns.source}: no column {quoted(name)}; the columns are {list_some(columns.columns)}"
    near = similar_name(name, columns.columns)
    meant = f" (did you mean {quoted(near)}?)" if near else ""
    return f"{wrong}{meant}; if {quoted(name)} is a hidden variable, {remedy}"


def note_misspelt(structure: Structure, columns: Columns, used: Collection[str | None]) -> None:
    """Warn of a hidden variable whose name resembles that of a column that is not used."""
    spare = [name for name in columns.columns if name not in structure.names and name not in used]
    for name in structure.names:
        near = None if name in columns.columns else similar_name(name, spare)
        if near:
            wrong = f"{quoted(name)} is hidden, and the column {quoted(near)} is ignored"
            warnings.warn(
                f"{columns.source}: {wrong}; correct the name if they are the same variable", UserWarning, stacklevel=4
            )


def check_categories(names: Iterable[str], columns: Columns) -> None:
    """Refuse columns of measurements, nearly every one a category of its own; warn of columns of many numbers."""
    for name in names:
        column = columns.columns.get(name)
        texts = [text_of(value) for value in column.values] if column is not None else []
        if column is None or len(texts) <= FEW_NUMBERS or not all(map(_NUMBER.fullmatch, texts)):
            continue
        what = "decimal numbers" if any("." in text for text in texts) else "numbers"
        n_rows = int((column.codes >= 0).sum())
        wrong = f"{columns.source}: {quoted(name)} has {len(texts):,} different {what} in {n_rows:,} rows"
        if what == "decimal numbers" and n_rows < ROWS_PER_NUMBER * len(texts):
            remedy = f"divide them into intervals first (in Python: pandas.cut), or declare them with --values {name}=…"
            raise InputError(f"{wrong}, and the variables of a network are categories; {remedy}")
        if len(texts) > MANY_NUMBERS:
            remedy = "each is a category of its own; divide them into intervals first if they are measurements"
            warnings.warn(f"{wrong}; {remedy}", UserWarning, stacklevel=4)


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
