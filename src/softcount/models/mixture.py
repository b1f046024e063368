"""Naive Bayes mixture of documents: each document has one hidden class, each of its words is drawn from that class.

    P(x, z) = cluster[z] · ∏_w word[z, w]^count(w)

K. Nigam, A. McCallum, S. Thrun, T. Mitchell, "Text classification from labeled and unlabeled documents using EM",
Machine Learning 39, 2000. Where a document's class is known its counts are known; a document may weigh less than one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.models.linear import SparseRows, expect_rows
from softcount.numbers.attribute import SUM
from softcount.numbers.lanes import widened
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation


class MixtureTables(NamedTuple):
    cluster: Any  # [K]
    word: Any  # [K, V], in memory word-major


class Mixture(NamedTuple):
    n_clusters: int
    n_words: int

    @property
    def layout(self) -> MixtureTables:
        return MixtureTables(
            cluster=TableLayout(Categorical((self.n_clusters,))),
            word=TableLayout(Categorical((self.n_clusters, self.n_words)), emits=True),
        )

    @property
    def shard_cost(self) -> int:
        return shard_cost(self.n_words)

    @property
    def exact(self) -> bool:
        return True

    def costs(self, items: Any) -> Array:
        return items.sizes

    def pack(self, items: Any) -> SparseRows:
        """Items have `offsets`, `words`, `counts`; `labels` (−1 unknown), `weights` and `potentials`, or None."""
        return sparse_rows(items)

    def n_uniforms(self, shard: SparseRows) -> int:
        return len(shard.offsets) - 1

    def weigh(self, log_weights: MixtureTables) -> MixtureTables:
        return MixtureTables(log_weights.cluster, widened(log_weights.word.T))

    def expect(
        self,
        weights: MixtureTables,
        shard: SparseRows,
        mode: int = SUM,
        uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:
        found = expect_rows(shard, weights.word, weights.cluster, mode, uniforms, labels)
        counts = MixtureTables(found.totals, found.features.T)
        return Expectation(counts, found.log_norm), found.classes if labels else None

    def posteriors(self, weights: MixtureTables, shard: SparseRows) -> Array:
        """P(class | document), [documents, K]."""
        return expect_rows(shard, weights.word, weights.cluster, SUM, None, shares=True).shares

    def tied(self, parameters: MixtureTables) -> bool:
        return self.n_clusters > 1 and np.allclose(parameters.word, parameters.word[:1], rtol=1e-9, atol=0.0)

    def row_name(self, table: str, row: int) -> str:
        return "the class distribution" if table == "cluster" else f"class {row}"


def sparse_rows(items: Any) -> SparseRows:
    none = np.empty(0)
    return SparseRows(
        items.offsets - items.offsets[0],
        items.words,
        items.counts,
        np.empty(0, np.int32) if items.labels is None else items.labels,
        none if items.weights is None else items.weights,
        np.empty((0, 0)) if items.potentials is None else items.potentials,
    )


def shard_cost(n_words: int) -> int:
    """Non-zeros per shard: enough that private counts, zeroed and added once per shard, stay a small part."""
    return max(150_000, 32 * n_words)
