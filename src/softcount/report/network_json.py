"""A network's tables as JSON that a person can write.

    {"weather": {"": {"sunny": 0.95, "rainy": 0.05}}, "late": {"normal": {"yes": 0.1, "no": 0.9}, …}, …}

By table, by the parents' values joined with commas, by value. The first row of a sequence has tables of its own:
"weather@first". Tables and rows that are not listed are left to the start. In a row that is, what is not listed is
zero; but where the listed entries sum to less than one, those that are not listed share the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError, list_some
from softcount.models.network import Network, NetworkTables
from softcount.models.network_declared import axes
from softcount.numbers.ragged import Array
from softcount.text.json_file import read_json
from softcount.text.record_reader import text_of
from softcount.text.source import name_of, quoted
from softcount.text.structure import FIRST, Structure

ROUNDED, EXACT = 0.01, 1e-6  # how far from one a row typed by hand may sum; when it counts as one

Given = Mapping[str, Any]  # by table: nested mappings, or an array


def read_tables(path: str | Path) -> Given:
    saved = "softcount net --apply MODEL --parameters T.json writes its tables"
    content = read_json(path, "tables as JSON", saved, "give what softcount net --parameters wrote")
    if not isinstance(content, dict) or not content:
        raise InputError(f'{name_of(path)}: no tables; write {{"weather": {{"": {{"sunny": 0.9, "rainy": 0.1}}}}, …}}')
    return content


class NamedValues(NamedTuple):
    values: list[str]
    closed: bool  # whether rows that sum to one say that there are no others


def named_values(structure: Structure, given: Given) -> dict[str, NamedValues]:
    """The values that tables mention of each variable: in its own tables, or else as a parent in others."""
    own, above, closed = dict[str, list[str]](), dict[str, list[str]](), dict[str, bool]()
    for table, rows in given.items():
        name = table.removesuffix(FIRST)
        if name not in structure.names or not isinstance(rows, Mapping):
            continue
        parents = [p for p, back in structure.of(name) if not (back and table.endswith(FIRST))]
        for key, row in rows.items():
            listed = row if isinstance(row, Mapping) else {}
            own.setdefault(name, []).extend(map(text_of, listed))
            closed[name] = closed.get(name, True) and _total(listed) >= 1.0 - EXACT
            for parent, word in zip(parents, _words(key, len(parents)), strict=False):
                above.setdefault(parent, []).append(word)
    return {
        name: NamedValues(list(dict.fromkeys(own.get(name) or above[name])), closed.get(name, False))
        for name in structure.names
        if own.get(name) or name in above
    }


def _total(row: Given) -> float:
    return sum(float(p) for p in row.values() if isinstance(p, int | float))


def _words(key: str, n: int) -> list[str]:
    return [word.strip() for word in str(key).split(",")] if n > 1 else [str(key)] * n


def overlay(
    model: Network, start: NetworkTables, given: Given, source: str = "start"
) -> tuple[NetworkTables, list[str]]:
    """The start with what is given in its place, and the tables of which something is not given."""
    unknown = next((table for table in given if table not in model.tables), None)
    if unknown is not None:
        raise InputError(f"{source}: unknown table {quoted(str(unknown))}; the tables are {list_some(model.tables)}")
    found, open = dict(start._asdict()), [table for table in model.tables if table not in given]
    for number, table in enumerate(model.tables):
        if table not in given:
            continue
        where = f"{source}: {quoted(table)}"
        if isinstance(given[table], Mapping):
            found[table], whole = _filled(where, given[table], axes(model, number), np.array(found[table]))
            open += [] if whole else [table]
        else:
            found[table] = _array(where, given[table], model.shapes[number])
    return type(start)(*(found[table] for table in model.tables)), open


def _array(where: str, rows: Any, shape: tuple[int, ...]) -> Array:
    try:
        table = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{where} must be rows of numbers, or a mapping") from None
    if table.shape != shape:
        raise InputError(f"{where} has shape {table.shape}; it must be {shape}")
    if not (np.isfinite(table) & (table >= 0.0)).all() or not table.any(axis=-1).all():
        raise InputError(f"{where} has negative or missing numbers, or a row of zeros; correct it")
    return normal(table)


def _filled(where: str, rows: Given, values: Sequence[Sequence[str]], table: Array) -> tuple[Array, bool]:
    above, own = values[:-1], {value: k for k, value in enumerate(values[-1])}
    places = {
        ",".join(words): place for words, place in zip(product(*above), np.ndindex(table.shape[:-1]), strict=True)
    }
    for key, row in rows.items():
        place = places.get(str(key), places.get(",".join(word.strip() for word in str(key).split(","))))
        if place is None:
            known = ", ".join(map(repr, list(places)[:6])) + (" …" if len(places) > 6 else "")
            raise InputError(f"{where} has an unknown row {quoted(str(key))}; its rows are {known}")
        if not isinstance(row, Mapping):
            raise InputError(f'{where}, row {quoted(str(key))}: give {{"value": probability, …}}')
        table[place] = _row(f"{where}, row {quoted(str(key))}", row, own, table[place])
    return table, len(rows) == len(places)


def _row(where: str, row: Given, own: Mapping[str, int], start: Array) -> Array:
    found = np.full(len(own), np.nan)
    for value, p in row.items():
        if text_of(value) not in own:
            raise InputError(f"{where}: unknown value {quoted(text_of(value))}; the values are {list_some(own)}")
        if isinstance(p, bool) or not isinstance(p, int | float) or not 0.0 <= p < np.inf:
            raise InputError(f"{where}: {quoted(text_of(value))} must be a probability, not {quoted(str(p))}")
        found[own[text_of(value)]] = p
    free, total = np.isnan(found), float(np.nansum(found))
    if free.any() and total < 1.0 - EXACT:
        found[free] = start[free] / start[free].sum() * (1.0 - total)
        return found
    if abs(total - 1.0) > ROUNDED:
        raise InputError(f"{where} sums to {total:g} instead of 1; correct it")
    return normal(np.nan_to_num(found))


def normal(rows: Array) -> Array:
    """Rows that sum to one; those that do already, to rounding, as they are, so that what is written is read again."""
    total = rows.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(np.abs(total - 1.0) < 1e-12, rows, rows / total))


def to_json(model: Network, tables: NetworkTables) -> dict[str, Any]:
    """The tables as `read_tables` reads them."""
    return {
        table: {
            ",".join(words): dict(zip(axes(model, number)[-1], row.tolist(), strict=True))
            for words, row in zip(
                product(*axes(model, number)[:-1]), tables[number].reshape(-1, model.shapes[number][-1]), strict=True
            )
        }
        for number, table in enumerate(model.tables)
    }
