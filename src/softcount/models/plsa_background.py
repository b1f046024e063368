"""PLSA with a background: a word of a document is drawn from one of its topics, or from what all documents share.

    P(w | d) = λ b(w) + (1 − λ) Σ_h topic[d, h] · word[h, w]            λ and b are given, and stay

C. Zhai, A. Velivelli, B. Yu, "A cross-collection mixture model for comparative text mining", KDD 2004. Under tempering
only topics are softer: which part of a word the topics have is decided at power 1, whatever β is. If the background
were raised to β like a topic, many topics together would have more of the common words the softer they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.kept import Kept
from softcount.families.layout import TableLayout
from softcount.models.plsa import PLSA, PLSAShard
from softcount.models.plsa_kernel import sweep_mixed
from softcount.numbers.attribute import SUM
from softcount.numbers.lanes import widened, zeros
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Log, Parts


class BackgroundTables(NamedTuple):
    topic: Any  # [D, H]
    word: Any  # [H, V], in memory word-major
    power: Any  # [1]: 1; tempering multiplies log-weights by β, and this with them, so that the model knows β


class BackgroundWeights(NamedTuple):
    """θ^β and φ^β, and θ and φ, in whole lanes."""

    topic: Array  # [D, H and zeros]
    word: Array  # [V, H and zeros]
    topic_shares: Array
    word_shares: Array
    power: float


class BackgroundPLSA(NamedTuple):
    n_documents: int
    n_topics: int
    n_words: int
    share: float  # λ
    background: Array  # [V]: b

    @property
    def _plain(self) -> PLSA:
        return PLSA(self.n_documents, self.n_topics, self.n_words)

    @property
    def layout(self) -> BackgroundTables:
        return BackgroundTables(*self._plain.layout, TableLayout(Kept((1,), learn=False)))

    @property
    def shard_cost(self) -> int:
        return self._plain.shard_cost

    @property
    def exact(self) -> bool:
        return True

    def costs(self, items: Any) -> Array:
        return self._plain.costs(items)

    def pack(self, items: Any) -> PLSAShard:
        return self._plain.pack(items)

    def n_uniforms(self, shard: PLSAShard) -> int:
        return self._plain.n_uniforms(shard)

    def weigh(self, log_weights: BackgroundTables) -> BackgroundWeights:
        power = float(log_weights.power[0])
        word, word_shares = _powers(log_weights.word, power, transposed=True)
        none = np.empty((0, word.shape[1]), word.dtype)
        return self.with_rows(BackgroundWeights(none, word, none, word_shares, power), log_weights.topic)

    def with_rows(self, weights: BackgroundWeights, topic: Array | Log) -> BackgroundWeights:
        """These weights of words, and the log-weights of some documents."""
        rows, shares = _powers(topic, weights.power)
        return weights._replace(topic=rows, topic_shares=shares)

    def expect(
        self, weights: BackgroundWeights, shard: PLSAShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:  # fmt: skip
        assert mode == SUM and not labels, "a background needs a criterion that uses expected counts"
        H, dtype = self.n_topics, weights.word.dtype
        topic, word = zeros(len(shard.rows), H, dtype), zeros(self.n_words, H, dtype)
        totals = np.empty(len(shard.words), dtype)
        odds = (self.share / (1.0 - self.share) * self.background).astype(dtype)
        sweep_mixed(*weights[:4], odds, *shard[:4], topic, word, totals)
        log_norm = float(shard.counts @ np.log(totals, out=totals) + shard.counts.sum() * np.log1p(-self.share))
        topic, word = np.ascontiguousarray(topic[:, :H]), np.ascontiguousarray(word[:, :H])
        rows = Parts(self.n_documents, (shard.rows,), (topic,))
        return Expectation(BackgroundTables(rows, word.T, np.zeros(1, dtype)), log_norm), None

    def posteriors(self, weights: BackgroundWeights, shard: PLSAShard) -> Array:
        """Each document's expected topic counts, as shares, [documents, H]."""
        topic = self.expect(weights, shard)[0].counts.topic.arrays[0]
        return np.asarray(topic / np.maximum(topic.sum(axis=1, keepdims=True), np.finfo(topic.dtype).tiny))

    def tied(self, parameters: BackgroundTables) -> bool:
        return self._plain.tied(parameters)  # type: ignore[arg-type]  # which looks at words alone

    def row_name(self, table: str, row: int) -> str:
        return self._plain.row_name(table, row)


def _powers(table: Array | Log, power: float, transposed: bool = False) -> tuple[Array, Array]:
    """Rows of log-weights as weights, and as what they are at power 1, in whole lanes."""
    if isinstance(table, Log):
        rows = widened(table.weights.T if transposed else table.weights)
        return rows, rows
    logs = table.T if transposed else table
    return widened(np.exp(logs, order="C")), widened(np.exp(logs / logs.dtype.type(power), order="C"))
