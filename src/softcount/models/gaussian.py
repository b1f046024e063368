"""Mixture of Gaussians: each point has one hidden component, and is drawn from that component's Gaussian.

    P(x, z) = cluster[z] · N(x; μ_z, Σ_z)            c(x, z) = (1, x, x²) in row z, so η are the natural parameters

Read with MAX, with unit variance and fixed equal weights, EM is k-means: S. P. Lloyd, "Least squares quantization in
PCM", IEEE Trans. Information Theory 28(2), 1982. Of directions (points and means of length one) c(x, z) = (1, x), and
that is spherical k-means. Points are dense or sparse; sparse ones stay so, but for full covariances they must be dense.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from softcount.families.categorical import Categorical
from softcount.families.direction import Direction
from softcount.families.full_gaussian import FullGaussian, n_pairs
from softcount.families.gaussian import Gaussian
from softcount.families.layout import TableLayout
from softcount.models.linear import DenseRows, Found, SparseRows, expect_rows
from softcount.models.mixture import shard_cost
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.lanes import widened
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Addable, Expectation


class GaussianTables(NamedTuple):
    cluster: Any  # [K]
    component: Any  # [K, 1 + F + S]: see softcount.families.gaussian, full_gaussian and direction


def n_second(kind: str, n_features: int) -> int:
    """S, how many numbers of second order a component has."""
    return {"direction": 0, "diagonal": n_features, "full": n_pairs(n_features)}.get(kind, 1)


@dataclass(frozen=True, eq=False)
class Points:
    """Items: the rows of a dense array or of a CSR matrix."""

    values: Any
    labels: Array | None = None
    potentials: Array | None = None  # [points, K]: log-weights that a point itself gives to the components
    weights: Array | None = None  # what each point counts

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def sizes(self) -> Array:
        """How much of the data each point is: all are alike."""
        return np.ones(len(self), dtype=np.int64)

    def weighted(self, weights: Array) -> Points:
        return replace(self, weights=weights)

    def slice(self, start: int, stop: int) -> Points:
        return self.take(slice(start, stop))

    def take(self, rows: Any) -> Points:
        columns = {"labels": self.labels, "potentials": self.potentials, "weights": self.weights}
        kept = {name: None if column is None else column[rows] for name, column in columns.items()}
        return replace(self, values=self.values[rows], **kept)


@dataclass(frozen=True)
class Refilled(Addable):
    """Counts in which a component that won no point takes the farthest one from its owner, as k-means users expect.

    Which components are empty is known when all shards are added; a shard offers as many points as it may have to.
    """

    counts: Array  # [K, 1 + F + S]
    scores: Array  # [n], the log-weight of a far point in its component: the less, the farther
    owners: Array  # [n]
    points: Array  # [n, 1 + F + S]

    def __add__(self, other: Refilled) -> Refilled:
        offers = (np.concatenate(pair) for pair in zip(self.offers, other.offers, strict=True))
        return Refilled(self.counts + other.counts, *offers)

    @property
    def offers(self) -> tuple[Array, ...]:
        return self.scores, self.owners, self.points

    def times(self, weight: float) -> Refilled:
        return Refilled(self.counts * weight, self.scores, self.owners, self.points * weight)

    def whole(self) -> Array:
        counts = self.counts.copy()
        empty = np.flatnonzero(counts[:, 0] == 0.0)
        for k, point in zip(empty, np.argsort(self.scores, kind="stable"), strict=False):
            counts[self.owners[point]] -= self.points[point]
            counts[k] = self.points[point]
        return counts


class GaussianMixture(NamedTuple):
    n_clusters: int
    n_features: int
    kind: str  # unit, spherical, diagonal, full, or direction
    centre: Array
    spread: Array
    refills: bool = False  # whether MAX moves empty components to far points; of unit variance and equal weights only

    @property
    def layout(self) -> GaussianTables:
        return GaussianTables(
            cluster=TableLayout(Categorical((self.n_clusters,))), component=TableLayout(self.family, emits=True)
        )

    @property
    def family(self) -> Any:
        if self.kind == "direction":
            return Direction(self.n_clusters, self.n_features, self.centre)
        kind = FullGaussian if self.kind == "full" else Gaussian
        return kind(self.n_clusters, self.n_features, self.kind, self.centre, self.spread)

    @property
    def shard_cost(self) -> int:
        return shard_cost(self.n_features)

    @property
    def exact(self) -> bool:
        return True

    def costs(self, items: Points) -> Array:
        if sparse.issparse(items.values):
            return np.diff(items.values.indptr) + 1
        return np.full(len(items), self.n_features + 1 + (n_pairs(self.n_features) if self.kind == "full" else 0))

    def pack(self, items: Points) -> SparseRows | DenseRows:
        """Features (x, x²); (x, |x|²) where one variance serves all; (x, xxᵀ) of full covariances; x of directions."""
        known = np.empty(0, np.int32) if items.labels is None else items.labels
        potentials = np.empty((0, 0)) if items.potentials is None else items.potentials
        weights = np.empty(0) if items.weights is None else items.weights
        X = items.values
        if not sparse.issparse(X):
            rows = np.ascontiguousarray(np.concatenate([X, self._second(X)], axis=1))
            return DenseRows(rows, known, weights, potentials)
        assert self.kind != "full", "there is no sparse way to the pairs of all features"
        both = X.tocsr().copy()
        if self.kind != "direction":
            second = X.multiply(X).tocsr()
            second = second if self.kind == "diagonal" else sparse.csr_matrix(second.sum(axis=1))
            both = sparse.hstack([X, second], format="csr")
        both.eliminate_zeros()
        offsets, columns = both.indptr.astype(np.int64), both.indices.astype(np.int32)
        return SparseRows(offsets, columns, both.data, known, weights, potentials)

    def _second(self, X: Array) -> Array:
        if self.kind == "direction":
            return X[:, :0]
        if self.kind == "full":
            i, j = np.triu_indices(self.n_features)
            return X[:, i] * X[:, j]
        return X**2 if self.kind == "diagonal" else (X**2).sum(axis=1, keepdims=True)

    def n_uniforms(self, shard: SparseRows | DenseRows) -> int:
        return len(shard.offsets) - 1 if isinstance(shard, SparseRows) else len(shard.values)

    def weigh(self, log_weights: GaussianTables) -> tuple[Array, Array]:
        cluster, component = log_weights
        return widened(component[:, 1:].T), cluster + component[:, 0]

    def expect(
        self,
        weights: tuple[Array, Array],
        shard: SparseRows | DenseRows,
        mode: int = SUM,
        uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:
        refills = self.refills and mode == MAX
        found: Found = expect_rows(shard, *weights, mode, uniforms, labels or refills)
        component: Any = np.column_stack([found.totals, found.features.T])
        if refills:
            component = _refillable(component, shard, found.classes, found.norms)
        counts = GaussianTables(found.totals, component)
        return Expectation(counts, found.log_norm), found.classes if labels else None

    def posteriors(self, weights: tuple[Array, Array], shard: SparseRows | DenseRows) -> Array:
        """P(component | point), [points, K]."""
        return expect_rows(shard, *weights, SUM, None, shares=True).shares

    def tied(self, parameters: GaussianTables) -> bool:
        component = parameters.component
        return self.n_clusters > 1 and np.allclose(component, component[:1], rtol=1e-9, atol=0.0)

    def row_name(self, table: str, row: int) -> str:
        return "the cluster distribution" if table == "cluster" else f"cluster {row}"


def _refillable(counts: Array, shard: SparseRows | DenseRows, owners: Array, scores: Array) -> Refilled:
    n = int((counts[:, 0] == 0.0).sum())
    if not n:
        return Refilled(counts, np.empty(0), np.empty(0, owners.dtype), np.empty((0, counts.shape[1])))
    X: Any = shard.values
    if isinstance(shard, SparseRows):
        X = sparse.csr_matrix((shard.values, shard.columns, shard.offsets), shape=(len(owners), counts.shape[1] - 1))
    far = _least(scores, min(n, len(scores)))
    features = X[far].toarray() if isinstance(shard, SparseRows) else X[far]
    points = np.column_stack([np.ones(len(far)), features])
    if len(shard.weights):
        points *= shard.weights[far][:, None]
    return Refilled(counts, scores[far], owners[far], points)


def _least(scores: Array, n: int) -> Array:
    """``argsort(scores, kind="stable")[:n]``, without sorting the others."""
    near = np.flatnonzero(scores <= np.partition(scores, n - 1)[n - 1])
    return near[np.argsort(scores[near], kind="stable")[:n]]
