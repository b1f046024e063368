"""What inference in a network costs: known before any product is made, from tables and rows.

    seconds ≈ Σ_products [NODE + factors · (FACTOR + entries · (ENTRY + LOOP / values of the innermost variable))]
    bytes   ≈ 16 · entries of the largest product + 24 · entries of all messages

Rows share products, so that n rows cost less than n times one row. How much less is seen in a few shards, which are
packed, not computed. The constants were measured on one core of 2 GHz (2026); they are right within a factor of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from softcount.models.network_packing import ADDRESSABLE, NetworkShard
from softcount.models.network_plan import Bucket, Cell, Plan
from softcount.numbers.ragged import Array
from softcount.text.shard import shards

NODE, FACTOR = 4e-7, 3e-8  # seconds: of a product, of each table or message in it,
ENTRY, LOOP = 2e-9, 24e-9  # of each of its entries, and of each innermost loop
PACK_CELL, PACK_BUCKET = 4e-7, 1.5e-4  # of packing: of a row's product, and of a product of the plan in a shard
VISIT = 1.5e-6  # of a product that is visited for every row, whether rows share it or not
DRAW, LADDER = 1.2e-7, 2e-8  # of a cell that is drawn, and of each value that it might have
EXACT_FROM = 1.0  # seconds from which sharing is looked at
SAMPLES = 4  # shards that are packed to see it


class Task(Enum):
    """How often products that rows share are made, and each row's own; whether rows are visited, and packed first."""

    COUNTS = (2.1, 0.0, 0.0, 0.0)  # an iteration: upward and downward over what is packed
    TOTALS = (2.1, 0.0, 0.0, 1.0)
    NORMS = (1.0, 0.0, 0.0, 1.0)  # upward
    LABELS = (2.1, 0.0, 0.7, 1.0)  # and the best completion of each row
    MARGINALS = (1.0, 1.7, 1.0, 1.0)


class Cost(NamedTuple):
    """What a pass over the data takes."""

    entries: float  # of the largest product
    variables: tuple[str, ...]  # that it is over
    n_bytes: float  # that are held at once
    seconds: float


def sampling_cost(n_rows: int, sizes: Sequence[int]) -> Cost:
    """The cost of drawing rows, parents before children."""
    cells, values = float(n_rows) * len(sizes), float(n_rows) * sum(sizes)
    return Cost(cells, (), 20.0 * cells + 24.0 * n_rows * max(sizes), DRAW * cells + LADDER * values)


class Inference(Protocol):
    """What the cost of a network depends on."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def sizes(self) -> tuple[int, ...]: ...

    @property
    def plan(self) -> Plan: ...

    @property
    def shard_cost(self) -> int: ...

    def costs(self, items: Any) -> Array: ...

    def pack(self, items: Any) -> NetworkShard: ...


class _Rows(NamedTuple):
    """Of every row, as if no two shared a product."""

    seconds: Array
    messages: Array  # entries
    largest: float  # entries of a product of any row
    scope: list[Cell]


def cost(model: Inference, items: Any, task: Task, n_workers: int = 1) -> Cost:
    """The cost of a pass over these items."""
    rows = _rows(model, items)
    shared, visited, walked, packed = task.value
    whole = float(rows.seconds.sum())
    n_products = len(model.plan.first) * len(rows.seconds)
    cuts = shards(model.costs(items), model.shard_cost)
    packing = PACK_CELL * n_products + PACK_BUCKET * len(model.plan.first) * len(cuts)
    share = 1.0
    if shared * whole > EXACT_FROM and rows.largest < ADDRESSABLE:
        share = _shared(model, items, rows.seconds, cuts)
    seconds = whole * (shared * share + visited) + VISIT * walked * n_products + packed * packing
    per_item = np.diff(np.concatenate([[0.0], np.cumsum(rows.messages)])[items.offsets])
    held = max((float(per_item[a:b].sum()) for a, b in cuts), default=0.0)
    at_once = max(1, min(n_workers, len(cuts)))
    names = tuple(model.names[v] + ("@-1" if back else "") for v, back in rows.scope)
    return Cost(rows.largest, names, (16.0 * rows.largest + 24.0 * held) * at_once, seconds / at_once)


def _rows(model: Inference, items: Any) -> _Rows:
    free = np.where(items.cells < 0, np.array(model.sizes, dtype=float), 1.0)
    before = np.concatenate([free[:1], free])[:-1]
    starts = np.zeros(len(free), dtype=bool)
    starts[items.offsets[:-1]] = True
    found = _Rows(np.zeros(len(free)), np.zeros(len(free)), 0.0, [])
    with np.errstate(over="ignore"):
        for buckets, which in ((model.plan.first, starts), (model.plan.later, ~starts)):
            for bucket in buckets:
                found = _with(model, found, bucket, free, before, which)
    return found


def _with(model: Inference, found: _Rows, bucket: Bucket, free: Array, before: Array, which: Array) -> _Rows:
    """What was found, and what this bucket adds to it in these rows."""
    message, product = np.ones(len(free)), np.ones(len(free))
    for cells, entries in ((bucket.rest, message), (bucket.out, product)):
        for v, back in cells:
            entries *= before[:, v] if back else free[:, v]
    product = product * message
    seconds = node_seconds(product, len(bucket.uses) + len(bucket.inputs), _innermost(model, bucket.clique))
    largest, scope = found.largest, found.scope
    top = int(np.where(which, product, 0.0).argmax())
    if which[top] and product[top] > largest:
        largest = float(product[top])
        scope = [(v, back) for v, back in bucket.clique if (before if back else free)[top, v] > 1.0]
    return _Rows(found.seconds + which * seconds, found.messages + which * message, largest, scope)


def _innermost(model: Inference, clique: tuple[Cell, ...]) -> int:
    return model.sizes[clique[-1][0]] if clique else 1


def node_seconds(entries: Any, factors: Any, innermost: Any) -> Any:
    """What it takes to make a product once."""
    return NODE + factors * (FACTOR + entries * (ENTRY + LOOP / innermost))


def _shared(model: Inference, items: Any, seconds: Array, cuts: list[tuple[int, int]]) -> float:
    """What rows cost that share their products, as a share of what they would cost alone: of some of the shards."""
    chosen = {int(k) for k in np.linspace(0, len(cuts) - 1, SAMPLES)}
    alone = np.diff(np.concatenate([[0.0], np.cumsum(seconds)])[items.offsets])
    made = sum(packed_seconds(model.pack(items.slice(*cuts[k]))) for k in chosen)
    return float(made / max(sum(float(alone[slice(*cuts[k])].sum()) for k in chosen), 1e-300))


def packed_seconds(shard: NetworkShard) -> float:
    """What it takes to make every product of a shard once."""
    bounds = [slice(a, b) for a, b in zip(shard.dim[:-1], shard.dim[1:], strict=True)]
    loops = [shard.size[one].tolist() for one in bounds]
    entries = np.array([prod(map(float, sizes)) for sizes in loops])
    innermost = np.array([sizes[-1] if sizes else 1 for sizes in loops])
    made: Array = node_seconds(entries[shard.shape], np.diff(shard.factor), innermost[shard.shape])
    return float(made.sum())
