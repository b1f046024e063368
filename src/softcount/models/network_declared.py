"""A declared structure, its variables' values and its ties as a model: which table is used where, of which shape."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from softcount.errors import InputError, list_some
from softcount.machine.memory import check_room
from softcount.models.network import Network
from softcount.models.network_plan import Use
from softcount.text.record_reader import text_of
from softcount.text.source import quoted
from softcount.text.structure import FIRST, Structure, shown


def declared(
    structure: Structure, values: Mapping[str, Sequence[Any]], ties: Sequence[Sequence[str]] = (),
    observed: Collection[str] = (), open: Sequence[bool] = (),
) -> Network:  # fmt: skip
    """`ties`: groups of variables that share the first one's table. `observed`: the variables that data shows."""
    place = {name: v for v, name in enumerate(structure.names)}
    sizes = tuple(len(values[name]) for name in structure.names)
    leader = _leaders(structure, ties)
    shapes: dict[str, tuple[int, ...]] = {}
    emits: dict[str, bool] = {}
    number: dict[str, int] = {}
    first, later = list[Use](), list[Use]()
    for name, parents in zip(structure.names, structure.parents, strict=True):
        now = tuple(parent for parent in parents if not parent[1])
        tables = [(leader[name], parents, later)]
        tables.insert(0, (leader[name] + FIRST, now, first) if len(now) < len(parents) else (leader[name], now, first))
        for table, above, uses in tables:
            scope = (*((place[p], back) for p, back in above), (place[name], 0))
            shape = tuple(sizes[v] for v, _ in scope)
            if shapes.setdefault(table, shape) != shape:
                raise InputError(
                    f"{quoted(name)} cannot share the table of {quoted(leader[name])}: the numbers of values differ"
                )
            emits[table] = emits.get(table, False) or name in observed
            uses.append(Use(number.setdefault(table, len(number)), scope))
    _check_size(shapes)
    texts = tuple(tuple(text_of(value) for value in values[name]) for name in structure.names)
    over_time = structure.over_time
    return Network(
        structure.names, sizes, tuple(shapes), tuple(shapes.values()), tuple(emits.values()),
        tuple(first), tuple(later) if over_time else (), tuple(bool(o) for o in open), texts,
    )  # fmt: skip


def _leaders(structure: Structure, ties: Sequence[Sequence[str]]) -> dict[str, str]:
    """Whose table each variable uses."""
    leader = {name: name for name in structure.names}
    for group in ties:
        for name in group:
            if name not in leader:
                raise InputError(
                    f"cannot tie {quoted(name)}: unknown variable; the variables are {list_some(structure.names)}"
                )
            kinds = [tuple(back for _, back in structure.of(n)) for n in (group[0], name)]
            if kinds[0] != kinds[1]:
                raise InputError(
                    f"{quoted(name)} cannot share the table of {quoted(group[0])}: the numbers of parents differ"
                )
            leader[name] = leader[group[0]]
    return leader


def _check_size(shapes: Mapping[str, Sequence[int]]) -> None:
    for table, shape in shapes.items():
        entries = 1.0
        for n in shape:
            entries *= n
        check_room(40.0 * entries, f"{len(shape) - 1} parents of {table!r}: its table and its counts", "remove parents")


def givens(model: Network, table: int) -> list[str]:
    """What the parents of a table are called, in the order of its axes."""
    use = next(use for use in model.first + model.later if use.table == table)
    return [shown((model.names[v], back)) for v, back in use.scope[:-1]]


def axes(model: Network, table: int) -> list[tuple[str, ...]]:
    """The values along each axis of a table, its own last."""
    use = next(use for use in model.first + model.later if use.table == table)
    return [model.values[v] for v, _ in use.scope]
