"""Bayesian network: every variable is drawn from a table, given the values of its parents.

    P(x_1, …, x_n) = ∏_v table_v[parents of x_v, x_v]            over time: ∏ over the rows of a sequence as well

J. Pearl, "Probabilistic reasoning in intelligent systems", 1988; EM for it: S. L. Lauritzen, "The EM algorithm for
graphical association models with missing data", Computational Statistics and Data Analysis 19, 1995. Any cell of any
row may be missing, and all completions are summed over. A parent may be a variable of the row before; a sequence's
first row, which has none, uses tables of its own. Several variables may share one table.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.models.network_kernel import complete, downward, marginals, upward
from softcount.models.network_packing import NetworkShard, Packer
from softcount.models.network_plan import Bucket, Plan, Use, plan
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Expectation, Log

FAINT = -300.0  # log-weights above: products of two of them do not vanish
SHARD_ENTRIES = 300_000  # table entries looked at, small enough to share out


class NetworkTables(tuple):
    """Tables by the names of a declared network, which need not be Python's; like a NamedTuple otherwise."""

    _fields: tuple[str, ...] = ()

    def __new__(cls, *tables: Any) -> Self:
        assert len(tables) == len(cls._fields)
        return super().__new__(cls, tables)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __reduce__(self) -> Any:
        return _tables_of, (self._fields, tuple(self))

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._fields:
            return self[type(self)._fields.index(name)]
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._asdict()})"

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **tables: Any) -> Self:
        return type(self)(*({**self._asdict(), **tables}[name] for name in self._fields))


@cache
def tables_type(names: tuple[str, ...]) -> type[NetworkTables]:
    """One type for all networks whose tables have these names, so that files and checkpoints find it again."""
    return type("NetworkTables", (NetworkTables,), {"_fields": names, "__module__": __name__})


def _tables_of(names: tuple[str, ...], tables: tuple[Any, ...]) -> NetworkTables:
    return tables_type(names)(*tables)


@cache
def _bounds(shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Where each table begins when all are laid end to end, and where the last one ends."""
    return tuple(accumulate(map(prod, shapes), initial=0))


class NetworkWeights(NamedTuple):
    entries: Array  # of all tables, one after the other
    logs: bool  # whether as logarithms, because some are too small for products


class Network(NamedTuple):
    names: tuple[str, ...]  # of the variables
    sizes: tuple[int, ...]  # how many values each has
    tables: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]  # of each table: its parents' sizes, and its own
    emits: tuple[bool, ...]  # whether a table draws what data shows
    first: tuple[Use, ...]  # of a row that has none before
    later: tuple[Use, ...] = ()  # of the others; none where rows are independent
    open: tuple[bool, ...] = ()  # the variables that some row lacks; all, where nothing is said
    values: tuple[tuple[str, ...], ...] = ()  # their names, for messages

    @property
    def layout(self) -> NetworkTables:
        specs = (TableLayout(Categorical(s, lazy=True), e) for s, e in zip(self.shapes, self.emits, strict=True))
        return tables_type(self.tables)(*specs)

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return max(SHARD_ENTRIES, 8 * _bounds(self.shapes)[-1])

    @property
    def plan(self) -> Plan:
        return plan(self.sizes, self.first, self.later, self.open or (True,) * len(self.names))

    def costs(self, items: Any) -> Array:
        """Entries of all products, item by item, as if no two shared one."""
        free = np.where(items.cells < 0, np.array(self.sizes, dtype=float), 1.0)
        before = np.concatenate([free[:1], free])[:-1]
        starts = np.zeros(len(free), dtype=bool)
        starts[items.offsets[:-1]] = True

        def entries(buckets: tuple[Bucket, ...]) -> Array:
            total = np.zeros(len(free))
            for bucket in buckets:
                product = np.ones(len(free))
                for v, back in bucket.clique:
                    product *= before[:, v] if back else free[:, v]
                total += product + len(bucket.uses)
            return total

        by_row = np.minimum(np.where(starts, entries(self.plan.first), entries(self.plan.later)), 2.0**30)
        return np.diff(np.concatenate([[0.0], np.cumsum(by_row)])[items.offsets]).astype(np.int64)

    def pack(self, items: Any) -> NetworkShard:
        """Items have `cells` [rows, variables], −1 where missing, `offsets` of each item's rows, and `weights`."""
        return Packer(self.plan, self.sizes, self.shapes, self.names).pack(
            items.cells, items.offsets, np.asarray(items.weights, dtype=np.float64)
        )

    def n_uniforms(self, shard: NetworkShard) -> int:
        missing = np.concatenate([[0], np.cumsum((shard.cells < 0).sum(axis=1))])[shard.offsets]
        return int(np.diff(missing) @ np.maximum(np.ceil(shard.weights), 1).astype(np.int64))

    def weigh(self, log_weights: NetworkTables) -> NetworkWeights:
        """Plain probabilities as they are, if none of them is tiny; logarithms otherwise."""
        if all(isinstance(table, Log) for table in log_weights):
            entries = np.concatenate([np.ravel(table.weights) for table in log_weights])
            if not np.any((entries > 0.0) & (entries < np.exp(FAINT))):
                return NetworkWeights(entries, False)
        logs = np.concatenate([np.ravel(np.asarray(table)) for table in log_weights])
        usual = np.isneginf(logs) | (np.abs(logs) < -FAINT)
        return NetworkWeights(np.exp(logs), False) if usual.all() else NetworkWeights(logs, True)

    def expect(
        self,
        weights: NetworkWeights,
        shard: NetworkShard,
        mode: int = SUM,
        uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:
        """Labels: the value of every cell, row by row, those that were never missing included."""
        pool, norms = self._upward(weights, shard, mode)
        mass = np.zeros(len(pool))
        cells = shard.cells.copy() if labels or mode == SAMPLE else shard.cells
        if mode == SAMPLE:
            assert uniforms is not None, "SAMPLE needs a uniform for every missing cell"
            complete(shard, mode, weights.logs, pool, uniforms, mass, cells)
        else:
            mass += np.bincount(shard.message[shard.roots], shard.weights, len(pool))
            downward(shard, mode, weights.logs, pool, mass)
            if labels and mode == MAX:
                complete(shard, mode, weights.logs, pool, np.empty(0), np.empty(0), cells)
            elif labels:
                cells = self._likeliest(self.posteriors(weights, shard))
        counts = self._split(mass)
        return Expectation(counts, float(shard.weights @ norms)), cells.ravel() if labels else None

    def log_norms(self, weights: NetworkWeights, shard: NetworkShard) -> Array:
        """log P of each item, whatever it weighs; −inf where it is impossible."""
        return self._upward(weights, shard, SUM, strict=False)[1]

    def posteriors(self, weights: NetworkWeights, shard: NetworkShard) -> Array:
        """P(value | all that is known of the item) of every cell, [rows, values of all variables]."""
        pool, _ = self._upward(weights, shard, SUM)
        starts = offsets_of(np.array(self.sizes, dtype=np.int64))
        found = np.zeros((len(shard.cells), int(starts[-1])))
        rows, variables = np.nonzero(shard.cells >= 0)
        found[rows, starts[variables] + shard.cells[rows, variables]] = 1.0
        marginals(shard, weights.logs, pool, starts, found)
        return found

    def _upward(
        self, weights: NetworkWeights, shard: NetworkShard, mode: int, strict: bool = True
    ) -> tuple[Array, Array]:
        """(The pool with all messages, log Z of each item)."""
        pool, norms = np.empty(int(shard.message[-1])), np.empty(len(shard.shape))
        pool[: len(weights.entries)] = weights.entries
        upward(shard, mode, weights.logs, pool, norms)
        found = norms[shard.roots]
        if strict and np.isneginf(found).any():
            raise ImpossibleItem(int(np.isneginf(found).argmax()))
        return pool, found

    def _split(self, mass: Array) -> NetworkTables:
        bounds, counts = _bounds(self.shapes), mass[: _bounds(self.shapes)[-1]].copy()
        parts = (counts[a:b].reshape(s) for (a, b), s in zip(pairwise(bounds), self.shapes, strict=True))
        return tables_type(self.tables)(*parts)

    def _likeliest(self, posteriors: Array) -> Array:
        starts = offsets_of(np.array(self.sizes, dtype=np.int64))
        columns = [posteriors[:, a:b].argmax(axis=1) for a, b in pairwise(starts)]
        return np.array(columns, dtype=np.int32).reshape(len(self.sizes), len(posteriors)).T

    def tied(self, parameters: NetworkTables) -> bool:
        """Whether a hidden variable that has children leaves no trace: its own rows and its children's are alike."""
        return any(self._alike(v, parameters) for v in range(len(self.names)) if self._unseen(v))

    def _unseen(self, v: int) -> bool:
        return self.sizes[v] > 1 and not any(
            self.emits[u.table] for u in self.first + self.later if u.scope[-1][0] == v
        )

    def _alike(self, v: int, parameters: NetworkTables) -> bool:
        own = [u for u in self.first + self.later if u.scope[-1][0] == v]
        below = [(u, a) for u in self.first + self.later for a, cell in enumerate(u.scope[:-1]) if cell[0] == v]
        rows = (parameters[u.table].reshape(-1, self.sizes[v]) for u in own)
        axes = (np.moveaxis(parameters[u.table], a, 0) for u, a in below)
        return bool(below) and all(np.allclose(t, t[:1], rtol=1e-9, atol=0.0) for t in (*rows, *axes))

    def row_name(self, table: str, row: int) -> str:
        """The table, and what is given in this row of it."""
        number = self.tables.index(table)
        shape = self.shapes[number]
        use = next(u for u in self.first + self.later if u.table == number)
        at = np.unravel_index(row, shape[:-1]) if len(shape) > 1 else ()
        given = [
            f"{self.names[v]}{'@-1' * b}={self._value(v, int(k))}" for (v, b), k in zip(use.scope, at, strict=False)
        ]
        return f"{table} given {', '.join(given)}" if given else table

    def _value(self, v: int, k: int) -> str:
        return self.values[v][k] if self.values else str(k)
