"""PLSA of documents that come and go: what is kept is P(word | topic); a document's topics are folded in each time.

    log P(d) = max over topic[d] of Σ_w count(d, w) · log Σ_h topic[d, h] · word[h, w]

As M. Hoffman, D. Blei, F. Bach, "Online learning for latent Dirichlet allocation", NIPS 2010, do it. At its maximum
topic[d] has no slope, so that the counts of words are the derivative of log P(d), to the precision of folding in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.layout import TableLayout
from softcount.models.plsa import PLSA, PLSAShard, PLSATables, PLSAWeights
from softcount.numbers.attribute import SUM
from softcount.numbers.lanes import widened
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Log


class TopicTables(NamedTuple):
    word: Any  # [H, V], in memory word-major


class FoldedPLSA(NamedTuple):
    n_topics: int
    n_words: int
    start: Array  # [H]: where every document's topics begin, and what pseudo-counts are spread by
    pseudo: float

    @property
    def _inner(self) -> PLSA:
        return PLSA(0, self.n_topics, self.n_words)

    @property
    def layout(self) -> TopicTables:
        word: TableLayout = self._inner.layout.word
        return TopicTables(word)

    @property
    def shard_cost(self) -> int:
        return self._inner.shard_cost

    @property
    def exact(self) -> bool:
        return False

    def costs(self, items: Any) -> Array:
        return self._inner.costs(items)

    def pack(self, items: Any) -> PLSAShard:
        return self._inner.pack(items)

    def n_uniforms(self, shard: PLSAShard) -> int:
        return self._inner.n_uniforms(shard)

    def weigh(self, log_weights: TopicTables) -> PLSAWeights:
        return self._inner.weigh(PLSATables(Log(np.empty((0, self.n_topics))), log_weights.word))

    def expect(
        self, weights: PLSAWeights, shard: PLSAShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:  # fmt: skip
        n = len(shard.offsets) - 1
        topic = widened(self.topics(weights, shard).astype(weights.word.dtype))
        mine = shard._replace(rows=np.arange(n))
        model = self._inner._replace(n_documents=n)
        found, best = model.expect(weights._replace(topic=topic), mine, mode, uniforms, labels)
        return Expectation(TopicTables(found.counts.word), found.log_norm), best

    def topics(self, weights: PLSAWeights, shard: PLSAShard) -> Array:
        """P(topic | document), [documents, H]."""
        return self._inner.fold(weights, shard, self.start, self.pseudo)

    def posteriors(self, weights: PLSAWeights, shard: PLSAShard) -> Array:
        return self.topics(weights, shard)

    def tied(self, parameters: TopicTables) -> bool:
        return self._inner.tied(PLSATables(None, parameters.word))

    def row_name(self, table: str, row: int) -> str:
        return f"topic {row}"
