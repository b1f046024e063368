"""PLSA of documents that come and go, by EM: topics with a background, and what their words are ranked by.

As `models/plsa_folded.py`, with tables beside P(word | topic) that nothing is computed from but what is shown: counts
that stepwise EM averages like all others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.kept import Kept
from softcount.families.layout import TableLayout
from softcount.models.plsa import PLSA, PLSAShard, PLSATables
from softcount.models.plsa_background import BackgroundPLSA
from softcount.models.plsa_words import WordCounter, WordCounts, word_counter
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Log


class PieceTables(NamedTuple):
    word: Any  # [H, V], in memory word-major
    plain: Any  # as WordCounts has them
    attributed: Any
    topics: Any
    documents: Any


class PieceWeights(NamedTuple):
    folding: Any  # words, and the background as one more topic
    counter: WordCounter


class PiecePLSA(NamedTuple):
    n_topics: int
    n_words: int
    start: Array  # [H]: where every document's topics begin, and what pseudo-counts are spread by
    pseudo: float
    share: float  # of the background; 0: there is none
    background: Array  # [V]

    @property
    def _mixed(self) -> BackgroundPLSA | None:
        return BackgroundPLSA(0, self.n_topics, self.n_words, self.share, self.background) if self.share else None

    @property
    def _folding(self) -> PLSA:
        return PLSA(0, self.n_topics + bool(self.share), self.n_words)

    @property
    def layout(self) -> PieceTables:
        H, V = self.n_topics, self.n_words
        counts, documents = TableLayout(Kept((H, V))), TableLayout(Kept((V,)))
        return PieceTables(PLSA(0, H, V).layout.word, counts, counts, counts, documents)

    @property
    def shard_cost(self) -> int:
        return self._folding.shard_cost

    @property
    def exact(self) -> bool:
        return False

    def costs(self, items: Any) -> Array:
        return self._folding.costs(items)

    def pack(self, items: Any) -> tuple[PLSAShard, Any]:
        return self._folding.pack(items), items

    def n_uniforms(self, shard: tuple[PLSAShard, Any]) -> int:
        return self._folding.n_uniforms(shard[0])

    def weigh(self, log_weights: PieceTables) -> PieceWeights:
        word = log_weights.word.weights
        rows = np.vstack([word, self.background]) if self.share else word
        none = Log(np.empty((0, len(rows))))
        return PieceWeights(self._folding.weigh(PLSATables(none, Log(rows))), word_counter(word, self._mixed))

    def expect(
        self, weights: PieceWeights, shard: tuple[PLSAShard, Any], mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:  # fmt: skip
        assert mode == SUM and not labels, "what words are ranked by is for criteria that ask for sums"
        topic = self.topics(weights, shard)
        counter, n = weights.counter, len(topic)
        model: Any = counter.mixed._replace(n_documents=n)
        mine = shard[0]._replace(rows=np.arange(n))
        found = model.expect(model.with_rows(counter.mixed_weights, Log(topic)), mine)[0]
        counted: WordCounts = counter(shard[1], topic)
        return Expectation(PieceTables(found.counts.word, *counted), found.log_norm), None

    def topics(self, weights: PieceWeights, shard: tuple[PLSAShard, Any]) -> Array:
        """P(topic | document), [documents, H]."""
        start = np.append(self.start, 0.0) if self.share else self.start
        found = self._folding.fold(weights.folding, shard[0], start, self.pseudo, self.share)
        return np.asarray(found[:, : self.n_topics] / (1.0 - self.share))

    def posteriors(self, weights: PieceWeights, shard: tuple[PLSAShard, Any]) -> Array:
        return self.topics(weights, shard)

    def tied(self, parameters: PieceTables) -> bool:
        return PLSA(0, self.n_topics, self.n_words).tied(PLSATables(None, parameters.word))

    def row_name(self, table: str, row: int) -> str:
        return f"topic {row}"
