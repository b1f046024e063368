"""Rows as a graph of small products, each made once: what a message depends on is all that tells two of them apart.

A *node* is a bucket of the plan with what is known there: where its tables begin once the known cells are put in, and
which nodes' messages it multiplies. Rows that agree in both share the node, so equal rows are one row with a weight,
rows that are equal in one corner of the network share that corner, and complete rows cost a look at each table. A
*shape* is what nodes with the same missing cells have in common: the loops and the strides.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError, list_some
from softcount.models.network_plan import PREVIOUS, Bucket, Cell, Plan
from softcount.numbers.ragged import Array, offsets_of

ADDRESSABLE = 2.0**43  # entries of a product


class NetworkShard(NamedTuple):
    shape: Array  # int64 [nodes]
    factor: Array  # int64 [nodes + 1]: where a node's factors begin, in the next two
    base: Array  # int64: where each begins in the pool of table entries and messages
    child: Array  # int64: the node whose message it is; −1: a table
    message: Array  # int64 [nodes + 1]: where in the pool a node's message is
    dim: Array  # int64 [shapes + 1]: where a shape's loops begin, in the next three
    size: Array  # int64: how often each goes round,
    variable: Array  # int64: over which variable,
    back: Array  # int64: of the row itself (0) or of the row before (1)
    out: Array  # int64 [shapes]: how many loops are summed out; these come first
    stride: Array  # int64 [shapes]: where a shape's strides begin, in the next: factor by factor, loop by loop
    strides: Array  # int64
    previous: Array  # int64 [shapes]: the factor that comes from the row before, or −1
    roots: Array  # int64 [items]
    weights: Array  # float64 [items]
    offsets: Array  # int64 [items + 1]: the rows of each
    cells: Array  # int32 [rows, variables], −1 where missing
    most: int  # entries of the largest product


class _Nodes(NamedTuple):
    """All nodes of one bucket."""

    ids: Array
    shape: Array
    bases: Array  # [nodes, tables]
    children: Array  # [nodes, messages]


class Packer:
    def __init__(
        self, plan: Plan, sizes: tuple[int, ...], shapes: tuple[tuple[int, ...], ...], names: tuple[str, ...]
    ) -> None:
        self.plan, self.sizes, self.shapes, self.names = plan, sizes, shapes, names
        self.starts = offsets_of(np.array([prod(shape) for shape in shapes], dtype=np.int64))
        self.of_first = {id(bucket) for bucket in plan.first}
        self.known: dict[tuple[int, bytes], int] = {}
        self.loops: list[tuple[list[Cell], int, list[int], int]] = []  # of each shape: dims, out, strides, previous
        self.groups: list[_Nodes] = []
        self.n_nodes = 0

    def pack(self, cells: Array, offsets: Array, weights: Array) -> NetworkShard:
        self.cells = cells
        starts = offsets[:-1]
        last = self._independent(self.plan.first, starts)
        if self.plan.later:
            last = self._chain(starts, last, len(cells))[offsets[1:] - 1]
        if self.plan.end is not None:
            last = self._new(self.plan.end, offsets[1:] - 1, [last], self._fresh(len(last)))
        return self._joined(last, weights, offsets)

    def _independent(self, buckets: tuple[Bucket, ...], rows: Array) -> Array:
        """The nodes of buckets that know of no row before; returns the last bucket's, row by row."""
        made: list[Array] = []
        for bucket in buckets:
            made.append(self._shared(bucket, rows, [made[i] for i in bucket.inputs]))
        return made[-1]

    def _chain(self, starts: Array, first: Array, n_rows: int) -> Array:
        """The nodes that hand the interface on, row by row. Nodes of one row come before those of the next."""
        handed = np.full(n_rows, -1, dtype=np.int64)
        handed[starts] = first
        rows = np.setdiff1d(np.arange(n_rows), starts)
        chained = [i for i, bucket in enumerate(self.plan.later) if bucket.chained]
        made: dict[int, Array] = {}
        for i, bucket in enumerate(self.plan.later):
            if not bucket.chained:
                made[i] = self._shared(bucket, rows, [made[k] for k in bucket.inputs])
        ids = self._fresh(len(rows) * len(chained)).reshape(len(rows), len(chained))
        handed[rows] = ids[:, -1]  # known before the nodes are made, so that the next rows find them
        made |= {i: ids[:, c] for c, i in enumerate(chained)}
        for i in chained:
            bucket = self.plan.later[i]
            inputs = [handed[rows - 1] if k == PREVIOUS else made[k] for k in bucket.inputs]
            self._new(bucket, rows, inputs, made[i])
        return handed

    def _fresh(self, n: int) -> Array:
        self.n_nodes += n
        return np.arange(self.n_nodes - n, self.n_nodes, dtype=np.int64)

    def _shared(self, bucket: Bucket, rows: Array, inputs: list[Array]) -> Array:
        """A node for all rows that need the same; returns each row's."""
        shape, bases = self._looked_up(bucket, rows)
        first, where = distinct([shape, *bases.T, *inputs], len(rows))
        ids = self._fresh(len(first))
        children = np.array([child[first] for child in inputs], dtype=np.int64).reshape(len(inputs), len(first)).T
        self.groups.append(_Nodes(ids, shape[first], bases[first], children))
        return ids[where]

    def _new(self, bucket: Bucket, rows: Array, inputs: list[Array], ids: Array) -> Array:
        shape, bases = self._looked_up(bucket, rows)
        children = np.array(inputs, dtype=np.int64).reshape(len(inputs), len(rows)).T
        self.groups.append(_Nodes(ids, shape, bases, children))
        return ids

    def _looked_up(self, bucket: Bucket, rows: Array) -> tuple[Array, Array]:
        """Each row's shape, and where its tables begin."""
        missing = [self._column(cell, rows) < 0 for cell in bucket.clique]
        first, where = distinct(missing, len(rows))
        patterns = [np.array([column[row] for column in missing], dtype=bool) for row in first]
        numbers = np.array([self._shape(bucket, pattern) for pattern in patterns], dtype=np.int64)
        bases = np.empty((len(rows), len(bucket.uses)), dtype=np.int64)
        for k, use in enumerate(bucket.uses):
            bases[:, k] = self.starts[use.table]
            for cell, stride in zip(use.scope, row_major(self.shapes[use.table]), strict=True):
                bases[:, k] += stride * np.maximum(self._column(cell, rows), 0).astype(np.int64)
        return numbers[where], bases

    def _column(self, cell: Cell, rows: Array) -> Array:
        return self.cells[rows - cell[1], cell[0]]

    def _shape(self, bucket: Bucket, missing: Array) -> int:
        key = (id(bucket), missing.tobytes())
        if key not in self.known:
            self.known[key] = len(self.loops)
            self.loops.append(self._looped(bucket, missing))
        return self.known[key]

    def _looped(self, bucket: Bucket, missing: Array) -> tuple[list[Cell], int, list[int], int]:
        dims = [cell for cell, free in zip(bucket.clique, missing, strict=True) if free]
        self._check_size(dims)
        out = sum(missing[: len(bucket.out)])
        strides: list[int] = []
        for use in bucket.uses:
            by_cell = dict(zip(use.scope, row_major(self.shapes[use.table]), strict=True))
            strides += [by_cell.get(cell, 0) for cell in dims]
        for number in bucket.inputs:
            about = [cell for cell in self._about(bucket, number) if cell in dims]
            by_cell = dict(zip(about, row_major([self.sizes[v] for v, _ in about]), strict=True))
            strides += [by_cell.get(cell, 0) for cell in dims]
        previous = len(bucket.uses) + bucket.inputs.index(PREVIOUS) if PREVIOUS in bucket.inputs else -1
        return dims, int(out), strides, -1 if bucket is self.plan.end else previous

    def _about(self, bucket: Bucket, number: int) -> tuple[Cell, ...]:
        """What an input's message is about, as this bucket calls it."""
        if bucket is self.plan.end:
            return bucket.out
        of = self.plan.first if id(bucket) in self.of_first else self.plan.later
        return tuple((v, 1) for v, _ in of[-1].rest) if number == PREVIOUS else of[number].rest

    def _check_size(self, dims: list[Cell]) -> None:
        """Whoever asks has compared it with the memory; beyond this nothing can be counted."""
        if prod(float(self.sizes[v]) for v, _ in dims) > ADDRESSABLE:
            names = list_some([self.names[v] + ("@-1" if back else "") for v, back in dims])
            raise InputError(
                f"summing out the missing values needs a table over {len(dims)} variables at once "
                f"({names}), which no computer can hold; give some of them in the data, or remove arcs"
            )

    def _joined(self, roots: Array, weights: Array, offsets: Array) -> NetworkShard:
        shape, n_factors = np.empty(self.n_nodes, np.int64), np.empty(self.n_nodes, np.int64)
        for nodes in self.groups:
            shape[nodes.ids] = nodes.shape
            n_factors[nodes.ids] = nodes.bases.shape[1] + nodes.children.shape[1]
        factor = offsets_of(n_factors)
        lengths = np.array([prod([self.sizes[v] for v, _ in dims[out:]]) for dims, out, _, _ in self.loops], np.int64)
        message = offsets_of(lengths[shape]) + self.starts[-1]
        base, child = np.empty(factor[-1], np.int64), np.full(factor[-1], -1, np.int64)
        for nodes in self.groups:
            tables = nodes.bases.shape[1]
            at = factor[nodes.ids][:, None] + np.arange(tables + nodes.children.shape[1])
            base[at[:, :tables]] = nodes.bases
            base[at[:, tables:]] = message[nodes.children]
            child[at[:, tables:]] = nodes.children
        dims = [cell for loop in self.loops for cell in loop[0]]
        return NetworkShard(
            shape, factor, base, child, message,
            dim=offsets_of(np.array([len(loop[0]) for loop in self.loops], np.int64)),
            size=np.array([self.sizes[v] for v, _ in dims], np.int64),
            variable=np.array([v for v, _ in dims], np.int64),
            back=np.array([back for _, back in dims], np.int64),
            out=np.array([loop[1] for loop in self.loops], np.int64),
            stride=offsets_of(np.array([len(loop[2]) for loop in self.loops], np.int64))[:-1],
            strides=np.array([s for loop in self.loops for s in loop[2]], np.int64),
            previous=np.array([loop[3] for loop in self.loops], np.int64),
            roots=roots, weights=weights, offsets=offsets, cells=self.cells,
            most=max((prod([self.sizes[v] for v, _ in loop[0]]) for loop in self.loops), default=1),
        )  # fmt: skip


def row_major(shape: Any) -> list[int]:
    """The strides of an array, in entries."""
    return [prod(shape[i + 1 :]) for i in range(len(shape))]


def distinct(columns: list[Array], n: int) -> tuple[Array, Array]:
    """(the first row of each kind, each row's kind) of n rows that are given column by column."""
    code, span = np.zeros(n, dtype=np.int64), 1
    for column in columns:
        if not n:
            break
        low, high = int(column.min()), int(column.max())
        if span * (high - low + 1) >= 2**62:
            code = np.unique(code, return_inverse=True)[1]
            span = int(code.max()) + 1
        code = code * (high - low + 1) + (column.astype(np.int64) - low)
        span *= high - low + 1
    _, first, where = np.unique(code, return_index=True, return_inverse=True)
    return first, where
