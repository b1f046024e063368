"""In which order a network's variables are summed out, found once.

    Σ_z ∏_u table_u(scope_u)     one variable at a time: multiply what mentions it, sum it out, pass the message on

Bucket elimination: R. Dechter, "Bucket elimination: a unifying framework for reasoning", Artificial Intelligence 113,
1999. The order is greedy, by fewest new neighbours or by smallest product, whichever comes out cheaper. Over time one
row is eliminated after the other: what a row hands on is a message over its *interface*, the variables that the next
row looks back at (K. P. Murphy, "Dynamic Bayesian networks", PhD thesis, Berkeley 2002, §3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import NamedTuple

Cell = tuple[int, int]  # (variable, rows back: 0 or 1)
PREVIOUS = -1  # the message of the row before, where a bucket lists its inputs


class Use(NamedTuple):
    """Where a row draws a variable from a table: its parents, in the order of the table's axes, and itself."""

    table: int
    scope: tuple[Cell, ...]


class Bucket(NamedTuple):
    out: tuple[Cell, ...]  # what is summed out here
    rest: tuple[Cell, ...]  # what its message is about
    uses: tuple[Use, ...]  # the tables that are multiplied here,
    inputs: tuple[int, ...]  # and the messages: of earlier buckets of the row, or PREVIOUS
    chained: bool  # whether it depends on the rows before

    @property
    def clique(self) -> tuple[Cell, ...]:
        return self.out + self.rest


class Plan(NamedTuple):
    first: tuple[Bucket, ...]  # of a sequence's first row; the last of them hands the interface on
    later: tuple[Bucket, ...]  # of the rows behind it; none where rows are independent
    end: Bucket | None  # sums the last row's interface out, where there is one


@cache
def plan(sizes: tuple[int, ...], first: tuple[Use, ...], later: tuple[Use, ...], open: tuple[bool, ...]) -> Plan:
    """`open`: the variables that some row lacks; whatever is always seen is no variable but a part of the tables."""
    looked_at = sorted({v for use in later for v, back in use.scope if back})
    interface = tuple((v, 0) for v in looked_at if open[v])
    begin = _row(sizes, first, open, interface, None)
    behind = _row(sizes, later, open, interface, tuple((v, 1) for v, _ in interface)) if later else ()
    end = Bucket(interface, (), (), (PREVIOUS,), True) if interface else None
    return Plan(begin, behind, end)


def _row(
    sizes: Sequence[int], uses: Sequence[Use], open: Sequence[bool], interface: tuple[Cell, ...],
    before: tuple[Cell, ...] | None,
) -> tuple[Bucket, ...]:  # fmt: skip
    """The buckets of a row, the message of the row `before` among their inputs; the last one has the interface."""
    pending = [(frozenset(cell for cell in use.scope if open[cell[0]]), use) for use in uses]
    messages = [] if before is None else [(frozenset(before), PREVIOUS)]
    buckets: list[Bucket] = []

    def bucket(out: tuple[Cell, ...], mine: Callable[[frozenset[Cell]], bool], rest: Sequence[Cell] | None) -> None:
        nonlocal pending, messages
        taken, inputs = [p for p in pending if mine(p[0])], [m for m in messages if mine(m[0])]
        pending, messages = [p for p in pending if not mine(p[0])], [m for m in messages if not mine(m[0])]
        scope = frozenset().union(*(s for s, _ in taken), *(s for s, _ in inputs)) - set(out)
        numbers = tuple(number for _, number in inputs)
        chained = any(n == PREVIOUS or buckets[n].chained for n in numbers)
        about = tuple(sorted(scope) if rest is None else rest)
        buckets.append(Bucket(out, about, tuple(use for _, use in taken), numbers, chained))
        messages.append((frozenset(about), len(buckets) - 1))

    scopes = [scope for scope, _ in pending] + [scope for scope, _ in messages]
    for cell in order(scopes, frozenset(interface), lambda cell: sizes[cell[0]]):
        bucket((cell,), lambda scope, cell=cell: cell in scope, None)  # type: ignore[misc]
    bucket((), lambda _: True, interface)
    return tuple(buckets)


def order(scopes: Iterable[frozenset[Cell]], keep: frozenset[Cell], size: Callable[[Cell], int]) -> list[Cell]:
    """The cheaper of two greedy orders of all cells but those to keep."""
    graph: dict[Cell, set[Cell]] = {}
    for scope in (*scopes, keep):
        for cell in scope:
            graph.setdefault(cell, set()).update(scope - {cell})
    found = [_greedy({c: set(n) for c, n in graph.items()}, keep, size, by_fill) for by_fill in (True, False)]
    return min(found)[1]


def _greedy(
    graph: dict[Cell, set[Cell]], keep: frozenset[Cell], size: Callable[[Cell], int], by_fill: bool
) -> tuple[int, list[Cell]]:
    """(entries of all products, the order), by fewest new neighbours or by smallest product first."""

    def score(cell: Cell) -> tuple[int, int, Cell]:
        fill = sum(b not in graph[a] for a, b in combinations(graph[cell], 2))
        entries = prod(map(size, graph[cell])) * size(cell)
        return (fill, entries, cell) if by_fill else (entries, fill, cell)

    total, found = 0, list[Cell]()
    scores = {cell: score(cell) for cell in graph if cell not in keep}
    while scores:
        cell = min(scores, key=scores.__getitem__)
        del scores[cell]
        around = graph.pop(cell)
        total += prod(map(size, around)) * size(cell)
        found.append(cell)
        for neighbour in around:
            graph[neighbour] |= around - {neighbour}
            graph[neighbour].discard(cell)
        for near in around.union(*(graph[n] for n in around)) & scores.keys():
            scores[near] = score(near)
    return total, found
