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

from softcount.errors import InputError
from softcount.text.source import quoted

FIRST, BEFORE = "@first", "@-1"
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
        """Parents before children; within a row."""
        placed: list[str] = []
        while len(placed) < len(self.names):
            ready = [n for n in self.names if n not in placed and all(b or p in placed for p, b in self.of(n))]
            if not ready:
                raise InputError(f"the arcs go round in a circle: {' -> '.join(self._circle(placed))}; leave one away")
            placed += ready
        return placed

    def _circle(self, placed: Sequence[str]) -> list[str]:
        at = next(name for name in self.names if name not in placed)
        seen: list[str] = []
        while at not in seen:
            seen.append(at)
            at = next(p for p, back in self.of(at) if not back and p not in placed)
        return [at, *reversed(seen[seen.index(at) :])]

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
        raise InputError('a network is a line such as "a -> b -> c", or a list of pairs (parent, child)') from None


def _parse(text: str) -> Iterable[tuple[list[Parent], list[Parent]]]:
    """(Parents, children) of every arrow; a statement without arrows has no parents."""
    if not text.strip():
        raise InputError('an empty network; write for example "weather -> traffic -> late"')
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
        raise InputError(f"{quoted(text)}: only {BEFORE}, the value one row before, can follow a name")
    if not name or _FORBIDDEN.search(name):
        wrong = f"{quoted(text)} is no name of a variable" if text else "a name is missing beside an arrow or a comma"
        raise InputError(f"{wrong}; write for example rain, sprinkler -> wet")
    return name, 1 if at else 0


def _checked(arrows: Iterable[tuple[list[Parent], list[Parent]]]) -> Structure:
    parents: dict[str, list[Parent]] = {}
    for above, below in arrows:
        for name, _ in above:
            parents.setdefault(name, [])
        for child, back in below:
            if back:
                raise InputError(
                    f"{child}{BEFORE} is the row before, and nothing can act on it; write it before an arrow"
                )
            mine = parents.setdefault(child, [])
            mine += [parent for parent in above if parent not in mine]
    found = Structure(tuple(parents), tuple(tuple(p) for p in parents.values()))
    found.in_order()
    return found
