"""Probabilistic latent semantic analysis: each word of a document is drawn from one of the document's topics.

    P(w | d) = Σ_h topic[d, h] · word[h, w]            log P = Σ_{d, w} count(d, w) · log P(w | d)

T. Hofmann, "Unsupervised learning by probabilistic latent semantic analysis", Machine Learning 42, 2001.
A document's row of `topic` belongs to the shard that holds the document: it is read there and counted there, and
the shards' rows are joined, never added. Read as a count table, rows are the values of an observed input and columns
those of an observed output, and the topic is what lies between them. A node is a word of a document, all its tokens
together; potentials are log-weights that a document gives to the topics of each of its words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.models.mixture import shard_cost
from softcount.models.plsa_kernel import fold, sweep
from softcount.numbers.attribute import SAMPLE, SUM
from softcount.numbers.lanes import widened, zeros
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Expectation, Log, Parts

FAINT = -30.0  # log-weights above are safe in single precision, even squared
FOLDED, SETTLED = 200, 1e-5  # how many steps a document is folded in by, and how little a topic's share then moves


class PLSATables(NamedTuple):
    topic: Any  # [D, H]
    word: Any  # [H, V], in memory word-major


class PLSAWeights(NamedTuple):
    """exp(log-weights), in whole lanes; a document's, or a word's, scaled by the best topic's where that is faint."""

    topic: Array  # [D, H and zeros]
    word: Array  # [V, H and zeros]
    topic_scale: Array  # [D], in logs; [0]: not scaled
    word_scale: Array  # [V]; [0]


class PLSAShard(NamedTuple):
    rows: Array  # int64 [R], which documents these are
    offsets: Array  # int64 [R + 1]
    words: Array  # int32
    counts: Array  # float64, none of them zero
    potentials: Array  # [nonzeros, H and zeros], their exponentials, each divided by its largest; [0, 0]: none
    offset: float  # Σ count · log of what they were divided by


class PLSA(NamedTuple):
    n_documents: int
    n_topics: int
    n_words: int

    @property
    def layout(self) -> PLSATables:
        return PLSATables(
            topic=TableLayout(Categorical((self.n_documents, self.n_topics), lazy=True)),
            word=TableLayout(Categorical((self.n_topics, self.n_words), lazy=True), emits=True),
        )

    @property
    def shard_cost(self) -> int:
        return shard_cost(self.n_words)

    @property
    def exact(self) -> bool:
        return True

    def costs(self, items: Any) -> Array:
        return items.sizes

    def pack(self, items: Any) -> PLSAShard:
        """Items have `rows`, `offsets`, `words`, `counts`; `potentials` of documents or of their words, or None.

        A document that counts more than once has all its words so often.
        """
        if items.weights is not None:
            items = items.times_weights()
        wishes, offset = _wishes(items)
        offsets = items.offsets - items.offsets[0]
        return PLSAShard(items.rows, offsets, items.words, items.counts, wishes, offset)

    def n_uniforms(self, shard: PLSAShard) -> int:
        return int(np.ceil(shard.counts).sum())

    def weigh(self, log_weights: PLSATables) -> PLSAWeights:
        topic, topic_scale = _scaled(log_weights.topic)
        word, word_scale = _scaled(log_weights.word, transposed=True)
        return PLSAWeights(widened(topic), widened(word), topic_scale, word_scale)

    def with_rows(self, weights: PLSAWeights, topic: Array | Log) -> PLSAWeights:
        """These weights of words, and the log-weights of some documents."""
        rows, scale = _scaled(topic)
        return weights._replace(topic=widened(rows), topic_scale=scale)

    def expect(
        self,
        weights: PLSAWeights,
        shard: PLSAShard,
        mode: int = SUM,
        uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Array | None]:
        H, dtype = self.n_topics, weights.word.dtype
        topic, word = zeros(len(shard.rows), H, dtype), zeros(self.n_words, H, dtype)
        totals = np.empty(len(shard.words), dtype)
        best = np.empty(len(shard.words) if labels else 0, dtype=np.int32)
        drawn = np.empty(0) if uniforms is None else uniforms
        assert mode != SAMPLE or uniforms is not None, "SAMPLE needs one uniform per token"
        cells = *shard[:4], _begins(shard, mode), shard.potentials.astype(dtype, copy=False)
        impossible = sweep(weights.topic, weights.word, *cells, mode, drawn, topic, word, totals, best)
        if impossible >= 0:
            raise ImpossibleItem(impossible)
        log_norm = float(shard.counts @ np.log(totals, out=totals)) + shard.offset
        if len(weights.word_scale):
            log_norm += float(shard.counts @ weights.word_scale[shard.words])
        if len(weights.topic_scale):
            scale = np.repeat(weights.topic_scale[shard.rows], np.diff(shard.offsets))
            log_norm += float(shard.counts @ scale)
        topic, word = np.ascontiguousarray(topic[:, :H]), np.ascontiguousarray(word[:, :H])
        counts = PLSATables(Parts(self.n_documents, (shard.rows,), (topic,)), word.T)
        return Expectation(counts, log_norm), best if labels else None

    def posteriors(self, weights: PLSAWeights, shard: PLSAShard) -> Array:
        """Each document's expected topic counts, as shares, [documents, H]."""
        topic = self.expect(weights, shard)[0].counts.topic.arrays[0]
        return topic / np.maximum(topic.sum(axis=1, keepdims=True), np.finfo(topic.dtype).tiny)

    def fold(
        self, weights: PLSAWeights, shard: PLSAShard, start: Array, pseudo: float = 0.0, kept: float = 0.0
    ) -> Array:
        """Each document's topics, by EM for that document alone: P(h | d) ∝ its counts + pseudo · start, `word` held.

        Where `kept` is more than zero, the last topic has that share of every document, whatever the document says.
        """
        rows = zeros(len(shard.rows), self.n_topics, np.float64)
        rows[:, : self.n_topics] = start
        potentials = shard.potentials.astype(np.float64, copy=False)
        cells = (shard.offsets, shard.words, shard.counts, potentials)
        prior = widened(pseudo * start[None])[0]
        fold(weights.word, *cells, prior, self.n_topics - 1, kept, FOLDED, SETTLED, rows)
        return rows[:, : self.n_topics]

    def tied(self, parameters: PLSATables) -> bool:
        return self.n_topics > 1 and bool(np.allclose(parameters.word, parameters.word[:1], rtol=1e-6, atol=0.0))

    def row_name(self, table: str, row: int) -> str:
        return f"document {row + 1}" if table == "topic" else f"topic {row}"


def _begins(shard: PLSAShard, mode: int) -> Array:
    """Where each cell's uniforms begin, one per token; SUM has no use for them, and they are as large as the counts."""
    return np.empty(0, np.int64) if mode == SUM else offsets_of(np.ceil(shard.counts).astype(np.int64))


def _scaled(table: Array | Log, transposed: bool = False) -> tuple[Array, Array]:
    """exp, and the logs of what rows were divided by, where they had to be; none where they had not."""
    if isinstance(table, Log):  # the logarithm of probabilities that nobody changed since: no need to go there and back
        return table.weights.T if transposed else table.weights, np.empty(0)
    log_weights = table.T if transposed else table
    top = log_weights.max(axis=1, initial=-np.inf)
    if top.min(initial=0.0) > FAINT:
        return np.exp(log_weights, order="C"), np.empty(0)
    top[~np.isfinite(top)] = 0.0
    return np.exp(np.subtract(log_weights, top[:, None], order="C")), top


def _wishes(items: Any) -> tuple[Array, float]:
    """The items' potentials as a shard has them: a row for every word, one of each row's weights being one."""
    if items.potentials is None:
        return np.empty((0, 0)), 0.0
    rows = items.potentials
    rows = rows.values if isinstance(rows, Ragged) else np.repeat(rows, np.diff(items.offsets), axis=0)
    top = rows.max(axis=1, initial=-np.inf)
    top[~np.isfinite(top)] = 0.0
    return widened(np.exp(rows - top[:, None])), float(items.counts @ top)
