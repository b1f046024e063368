"""Probabilistic latent semantic analysis: each word of a document is drawn from one of the document's topics.

    P(w | d) = Σ_h topic[d, h] · word[h, w]            log P = Σ_{d, w} count(d, w) · log P(w | d)

T. Hofmann, "Unsupervised learning by probabilistic latent semantic analysis", Machine Learning 42, 2001.
A document's row of `topic` belongs to the shard that holds the document: it is read there and counted there, and
the shards' rows are joined, never added. Read as a count table, rows are the values of an observed input and columns
those of an observed output, and the topic is what lies between them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.machine.kernel import kernel, prefetch
from softcount.models.mixture import shard_cost
from softcount.numbers.attribute import SAMPLE, SUM, attribute
from softcount.numbers.lanes import add, dot, widened, zeros
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Expectation, Log, Parts

AHEAD = 4  # how many cells ahead a row is asked for
FAINT = -30.0  # log-weights above are safe in single precision, even squared


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
    draws: Array  # int64 [nonzeros + 1]: where each cell's uniforms begin; one per token


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
        """Items have `rows`, `offsets`, `words` and `counts`."""
        draws = offsets_of(np.ceil(items.counts).astype(np.int64))
        return PLSAShard(items.rows, items.offsets - items.offsets[0], items.words, items.counts, draws)

    def n_uniforms(self, shard: PLSAShard) -> int:
        return int(shard.draws[-1])

    def weigh(self, log_weights: PLSATables) -> PLSAWeights:
        topic, topic_scale = _scaled(log_weights.topic)
        word, word_scale = _scaled(log_weights.word, transposed=True)
        return PLSAWeights(widened(topic), widened(word), topic_scale, word_scale)

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
        draws = np.empty(0) if uniforms is None else uniforms
        assert mode != SAMPLE or uniforms is not None, "SAMPLE needs one uniform per token"
        impossible = _sweep(weights.topic, weights.word, *shard, mode, draws, topic, word, totals, best)
        if impossible >= 0:
            raise ImpossibleItem(impossible)
        log_norm = float(shard.counts @ np.log(totals, out=totals))
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

    def tied(self, parameters: PLSATables) -> bool:
        return self.n_topics > 1 and bool(np.allclose(parameters.word, parameters.word[:1], rtol=1e-6, atol=0.0))

    def row_name(self, table: str, row: int) -> str:
        return f"document {row + 1}" if table == "topic" else f"topic {row}"


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


@kernel
def _sweep(
    topic_weights: Array,
    word_weights: Array,
    rows: Array,
    offsets: Array,
    words: Array,
    counts: Array,
    draws: Array,
    mode: int,
    uniforms: Array,
    topic: Array,
    word: Array,
    totals: Array,
    best: Array,
) -> int:
    """SUM: ``totals = T @ W; R = N / totals; topic = T * (R @ W.T); word = W * (T.T @ R)``, where N > 0;
    MAX and SAMPLE settle cell by cell. Returns the first impossible document, or −1.

    Gathering rows binds, so they are asked for some cells ahead. Logarithms cost as much as a row of topics one by
    one, and a tenth of that all at once, so totals are handed back.
    """
    last = len(words) - 1
    for d in range(len(rows)):
        mine, found = topic_weights[rows[d]], topic[d]
        cells = range(offsets[d], offsets[d + 1])
        if mode == SUM:
            for i in cells:
                soon = words[min(i + AHEAD, last)]
                prefetch(word_weights, soon)
                prefetch(word, soon)
                theirs = word_weights[words[i]]
                totals[i] = dot(mine, theirs)
                if not totals[i] > 0.0:
                    return d
                ratio = topic.dtype.type(counts[i]) / totals[i]
                add(found, ratio, theirs)
                add(word[words[i]], ratio, mine)
            found *= mine
        else:
            for i in cells:
                w = words[i]
                totals[i] = _settle(mine, word_weights[w], counts[i], mode, uniforms[draws[i] :], found, word[w])
                if not totals[i] > 0.0:
                    return d
        if len(best) > 0:
            for i in cells:
                best[i] = np.argmax(mine * word_weights[words[i]])
    if mode == SUM:
        word *= word_weights
    return -1


@kernel
def _settle(mine: Array, theirs: Array, count: float, mode: int, uniforms: Array, topic: Array, word: Array) -> float:
    """One cell under MAX (its count goes to the best topic) or SAMPLE (each of its tokens to a drawn one)."""
    total, draw = 0.0, 0
    while count > 0.0:
        terms = mine * theirs
        total = attribute(terms, mode, uniforms[draw] if mode == SAMPLE else 0.0)
        share = min(count, 1.0) if mode == SAMPLE else count
        pick = np.argmax(terms)
        topic[pick] += share
        word[pick] += share
        count -= share
        draw += 1
    return total


@kernel
def fold(
    offsets: Array, words: Array, counts: Array, word: Array, start: Array, pseudo: float, steps: int, tolerance: float,
    topic: Array,
) -> None:  # fmt: skip
    """Each row of `topic`: EM for one document alone, with `word` [V, H] held and pseudo-counts pseudo · start.

    A document's row depends on no other document; an empty one stays at the start. All rows are in whole lanes.
    """
    found = np.empty_like(start)
    for d in range(len(offsets) - 1):
        mine = topic[d]
        mine[:] = start
        for _ in range(steps):
            found[:] = 0.0
            for i in range(offsets[d], offsets[d + 1]):
                theirs = word[words[i]]
                total = dot(mine, theirs)
                if total > 0.0:
                    add(found, counts[i] / total, theirs)
            found *= mine
            add(found, pseudo, start)
            mass, change = found.sum(), 0.0
            if not mass > 0.0:
                break
            for h in range(len(mine)):
                change = max(change, abs(found[h] / mass - mine[h]))
                mine[h] = found[h] / mass
            if change < tolerance:
                break
