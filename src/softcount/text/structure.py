"""Which variable depends on which, declared in a line.

    weather -> traffic -> late                    a chain of arcs
    rain, sprinkler -> wet; rain -> puddle        several parents, several statements
    weather@-1 -> weather -> traffic -> late      @-1: the value in the row before

Parents keep the order in which arcs are named. A name without arcs stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import MOST_LISTED, InputError
from softcount.text.source import quoted

FIRST, BEFORE = "@first", "@-1"
MOST_PARENTS = getattr(np, "MAXDIMS", 64) - 1  # a table is an array with an axis for each, and one more
_FORBIDDEN = re.compile(r"[@|=\"\t]|->|→")

Parent = tuple[str, int]  # a variable, and how many rows back


class Structure(NamedTuple):
    """Variables in the order in which they were named first, and the parents of each."""

    names: tuple[str, ...]
    parents: tuple[tuple[Parent, ...], ...]

    @property
    def over_time(self) -> bool:
        return any(back for parents in self.parents for _, back in parents)

    def of(self, name: str) -> tuple[Parent, ...]:
        return self.parents[self.names.index(name)]

    def in_order(self) -> list[str]:
        """Parents before children; within a row. Who becomes ready in one round keeps the order of the names."""
        place = {name: v for v, name in enumerate(self.names)}
        above = [{place[p] for p, back in parents if not back} for parents in self.parents]
        below: list[list[int]] = [[] for _ in self.names]
        for v, parents in enumerate(above):
            for u in parents:
                below[u].append(v)
        missing = [len(parents) for parents in above]
        ready = [v for v, n in enumerate(missing) if not n]
        placed: list[int] = []
        while ready:
            placed += ready
            done, ready = ready, []
            for v in (child for u in done for child in below[u]):
                missing[v] -= 1
                if not missing[v]:
                    ready.append(v)
            ready.sort()
        if len(placed) < len(self.names):
            raise InputError(f"the arcs form a cycle: {self._circle(missing, above)}; remove one")
        return [self.names[v] for v in placed]

    def _circle(self, missing: Sequence[int], above: Sequence[set[int]]) -> str:
        """One of the circles among the variables that wait for others, a few of its arcs where it is long."""
        at = next(v for v, n in enumerate(missing) if n)
        seen: dict[int, int] = {}
        while at not in seen:
            seen[at] = len(seen)
            at = next(u for u in sorted(above[at]) if missing[u])
        around = [self.names[v] for v in list(seen)[seen[at] :]]
        circle = [self.names[at], *reversed(around)]
        if len(circle) > MOST_LISTED:
            circle = [*circle[: MOST_LISTED - 1], "…", circle[-1]]
        return " -> ".join(circle)

    def text(self) -> str:
        """A declaration that reads as this structure."""
        parts = []
        for name, parents in zip(self.names, self.parents, strict=True):
            given = ", ".join(shown(parent) for parent in parents)
            parts.append(f"{given} -> {name}" if given else name)
        text = "; ".join(parts)
        if structure(text) == self:
            return text
        return "; ".join([", ".join(self.names), *(part for part in parts if "->" in part)])  # to keep their order


def shown(parent: Parent) -> str:
    return parent[0] + BEFORE * parent[1]


def too_many(parents: Sequence[Any]) -> str:
    return f"{len(parents)} parents, but a table can have at most {MOST_PARENTS}"


def structure(declared: Any) -> Structure:
    """Of a declaration, of edges [(parent, child), …], or of a mapping from children to their parents."""
    if isinstance(declared, Structure):
        return declared
    if isinstance(declared, str):
        return _checked(_parse(declared))
    try:
        if isinstance(declared, dict):
            listed = [([], [str(c)]) if not ps else (list(ps), [str(c)]) for c, ps in declared.items()]
            return _checked((_group(ps), _group(cs)) for ps, cs in listed)
        return _checked((_group([a]), _group([b])) for a, b in declared)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError('a network must be a line such as "a -> b -> c", or a list of pairs (parent, child)') from None


def _parse(text: str) -> Iterable[tuple[list[Parent], list[Parent]]]:
    """(Parents, children) of every arrow; a statement without arrows has no parents."""
    if not text.strip():
        raise InputError('the network is empty; write for example "weather -> traffic -> late"')
    for statement in filter(str.strip, re.split(r"[;\n]", text)):
        groups = [_group(part.split(",")) for part in re.split(r"->|→", statement)]
        if len(groups) == 1:
            yield [], groups[0]
        yield from pairwise(groups)


def _group(names: Iterable[Any]) -> list[Parent]:
    return [_name(str(name).strip()) for name in names]


def _name(text: str) -> Parent:
    name, at, back = text.partition("@")
    name = name.strip()
    if at and back.strip() != "-1":
        raise InputError(f"{quoted(text)}: only {BEFORE}, the value in the previous row, can follow a name")
    if not name or _FORBIDDEN.search(name):
        wrong = f"{quoted(text)} is not a variable name" if text else "a name is missing next to an arrow or a comma"
        raise InputError(f"{wrong}; write for example rain, sprinkler -> wet")
    return name, 1 if at else 0


def _checked(arrows: Iterable[tuple[list[Parent], list[Parent]]]) -> Structure:
    parents: dict[str, list[Parent]] = {}
    known: dict[str, set[Parent]] = {}
    for above, below in arrows:
        for name, _ in above:
            parents.setdefault(name, [])
        for child, back in below:
            if back:
                raise InputError(
                    f"{child}{BEFORE} is the value in the previous row, which cannot be a child; "
                    "write it before an arrow"
                )
            seen = known.setdefault(child, set())
            new = [parent for parent in above if parent not in seen]
            parents.setdefault(child, []).extend(new)
            seen.update(new)
    crowded = next((name for name, found in parents.items() if len(found) > MOST_PARENTS), None)
    if crowded is not None:
        raise InputError(f"{quoted(crowded)} has {too_many(parents[crowded])}; remove some")
    found = Structure(tuple(parents), tuple(tuple(p) for p in parents.values()))
    found.in_order()
    return found
