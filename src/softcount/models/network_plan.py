"""In which order a network's variables are summed out, found once.

    Σ_z ∏_u table_u(scope_u)     one variable at a time: multiply what mentions it, sum it out, pass the message on

Bucket elimination: R. Dechter, "Bucket elimination: a unifying framework for reasoning", Artificial Intelligence 113,
1999. The order is greedy, by fewest new neighbours or by smallest product, whichever comes out cheaper. Over time one
row is eliminated after the other: what a row hands on is a message over its *interface*, the variables that the next
row looks back at (K. P. Murphy, "Dynamic Bayesian networks", PhD thesis, Berkeley 2002, §3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from heapq import heapify, heappop, heappush
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
    pending = _Pending(frozenset(cell for cell in use.scope if open[cell[0]]) for use in uses)
    messages = _Pending([] if before is None else [frozenset(before)])
    shift = 0 if before is None else 1  # the number of the message of bucket 0
    buckets: list[Bucket] = []

    def bucket(out: tuple[Cell, ...], taken: list[int], sent: list[int], rest: Sequence[Cell] | None) -> None:
        scopes = [pending.scopes[i] for i in taken] + [messages.scopes[i] for i in sent]
        about = tuple(sorted(frozenset().union(*scopes) - set(out)) if rest is None else rest)
        numbers = tuple(i - shift for i in sent)
        chained = any(n == PREVIOUS or buckets[n].chained for n in numbers)
        buckets.append(Bucket(out, about, tuple(uses[i] for i in taken), numbers, chained))
        messages.add(frozenset(about))

    scopes = pending.scopes + messages.scopes
    for cell in order(scopes, frozenset(interface), lambda cell: sizes[cell[0]]):
        bucket((cell,), pending.take(cell), messages.take(cell), None)
    bucket((), pending.take_all(), messages.take_all(), interface)
    return tuple(buckets)


class _Pending:
    """Factors that wait to be multiplied, found by the variables in their scopes."""

    def __init__(self, scopes: Iterable[frozenset[Cell]]) -> None:
        self.scopes: list[frozenset[Cell]] = []
        self.waiting: dict[int, None] = {}
        self.by_cell: dict[Cell, list[int]] = {}
        for scope in scopes:
            self.add(scope)

    def add(self, scope: frozenset[Cell]) -> None:
        self.waiting[len(self.scopes)] = None
        for cell in scope:
            self.by_cell.setdefault(cell, []).append(len(self.scopes))
        self.scopes.append(scope)

    def take(self, cell: Cell) -> list[int]:
        """The numbers of the factors with this variable, in the order in which they were added."""
        found = [number for number in self.by_cell.get(cell, ()) if number in self.waiting]
        for number in found:
            del self.waiting[number]
        return found

    def take_all(self) -> list[int]:
        found, self.waiting = list(self.waiting), {}
        return found


def order(scopes: Iterable[frozenset[Cell]], keep: frozenset[Cell], size: Callable[[Cell], int]) -> list[Cell]:
    """The cheaper of two greedy orders of all cells but those to keep."""
    cells: dict[Cell, int] = {}
    near: list[int] = []  # of each cell the set of its neighbors, as bits
    for scope in (*scopes, keep):
        bits = 0
        for cell in scope:
            if cell not in cells:
                cells[cell] = len(near)
                near.append(0)
            bits |= 1 << cells[cell]
        for cell in scope:
            near[cells[cell]] |= bits & ~(1 << cells[cell])
    names, sizes = list(cells), [size(cell) for cell in cells]
    kept = [cell in keep for cell in cells]
    found = [_Greedy(list(near), names, sizes, kept, by_fill).run() for by_fill in (True, False)]
    return min(found)[1]


class _Greedy:
    """An elimination order by fewest new neighbors, or by smallest product.

    What eliminating each cell would cost is kept up to date: it changes only beside a new edge or a lost neighbor.
    """

    def __init__(self, near: list[int], names: list[Cell], sizes: list[int], kept: list[bool], by_fill: bool) -> None:
        self.near, self.names, self.sizes, self.kept, self.by_fill = near, names, sizes, kept, by_fill
        self.fill = [sum((around & ~near[a]).bit_count() - 1 for a in _bits(around)) // 2 for around in near]
        self.entries = [
            prod(sizes[b] for b in _bits(around)) * own for around, own in zip(near, sizes, strict=True)
        ]  # of the product that sums the cell out
        self.changed: set[int] = set()

    def run(self) -> tuple[int, list[Cell]]:
        """(entries of all products, the order)"""
        total, found = 0, list[Cell]()
        left = {a for a, kept in enumerate(self.kept) if not kept}
        heap = [self._score(a) for a in left]
        heapify(heap)
        while heap:
            score = heappop(heap)
            cell = score[3]
            if cell not in left or score != self._score(cell):
                continue
            left.discard(cell)
            total += self.entries[cell]
            found.append(self.names[cell])
            self._eliminate(cell)
            for other in self.changed & left:
                heappush(heap, self._score(other))
            self.changed.clear()
        return total, found

    def _score(self, a: int) -> tuple[int, int, Cell, int]:
        fill, entries = self.fill[a], self.entries[a]
        return (fill, entries, self.names[a], a) if self.by_fill else (entries, fill, self.names[a], a)

    def _eliminate(self, cell: int) -> None:
        around, gone = self.near[cell], 1 << cell
        for a in _bits(around):
            for b in _bits(around & ~self.near[a] & ~((2 << a) - 1)):
                self._connect(a, b)
        for a in _bits(around):
            self.fill[a] -= (self.near[a] & ~around & ~gone).bit_count()
            self.entries[a] //= self.sizes[cell]
            self.near[a] &= ~gone
            self.changed.add(a)

    def _connect(self, a: int, b: int) -> None:
        """Adds an edge: who has both for neighbors lacks one edge less."""
        both = self.near[a] & self.near[b]
        for common in _bits(both):
            self.fill[common] -= 1
            self.changed.add(common)
        self.fill[a] += (self.near[a] & ~both).bit_count()
        self.fill[b] += (self.near[b] & ~both).bit_count()
        self.entries[a] *= self.sizes[b]
        self.entries[b] *= self.sizes[a]
        self.near[a] |= 1 << b
        self.near[b] |= 1 << a


def _bits(number: int) -> Iterator[int]:
    """The places of the ones, the lowest first."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
