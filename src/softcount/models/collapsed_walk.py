"""What chains of Gibbs sampling need to know of each kind of model: how to walk through its hidden values one by one.

    counts, hidden ← a draw of all hidden values under some weights;        sweep: each anew given all others

The sweeps are those of collapsed.py. Of a model that is not listed here a chain can be drawn by blocks alone, and only
where the counts of its hidden values are those of its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.models.collapsed import sweep_hmm, sweep_links, sweep_mixture, sweep_topics
from softcount.models.hmm import HMM, HMMTables, counted
from softcount.models.ibm import IBM, IBMTables
from softcount.models.mixture import Mixture, MixtureTables
from softcount.models.plsa import PLSA, PLSATables
from softcount.numbers.attribute import SAMPLE
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Tables, row_sums

BLOCK = 100_000  # tokens whose first topics are drawn at a time


class Alpha(NamedTuple):
    """A table's Dirichlet prior."""

    entries: Any  # of every entry, in the form of the table; zero where an entry is never used
    beyond: Array | float = 0.0  # Σ α of a row's outcomes that are not stored


class Walk(NamedTuple):
    """One chain's hidden values; a sweep draws all of them anew, and the counts follow."""

    sweep: Callable[[float, np.random.Generator], None]  # with this hardness
    counts: Tables
    nodes: Callable[[], Array]  # the hidden values, one-hot, in the shape of the model's posteriors


class Kind(NamedTuple):
    walk: Callable[[Any, Any, Tables, Tables, np.random.Generator], Walk]  # model, items, log-weights, Alphas
    offsets: Callable[[Any], Array]  # where each item's nodes begin
    renamed: Callable[[Any, Array], Any] | None = None  # tables with their hidden values in another order


def kind_of(model: Any) -> Kind | None:
    return KINDS.get(type(model))


def _first(model: Any, items: Any, start: Tables, rng: np.random.Generator) -> Any:
    """All hidden values of all items, drawn at once."""
    shard = model.pack(items)
    return model.expect(model.weigh(start), shard, SAMPLE, rng.random(model.n_uniforms(shard)), labels=True)[1]


def _by_word(table: Array) -> Array:
    return np.ascontiguousarray(table.T)


# --- hidden Markov models ---------------------------------------------------------------------------------------------


def _hmm(model: HMM, items: Any, start: HMMTables, prior: HMMTables, rng: np.random.Generator) -> Walk:
    _refuse_wishes(items)
    sentences, n = items.sentences, items.n_tokens
    states = _first(model, items, start, rng).values.astype(np.int32)
    found = counted(model, sentences, Ragged(sentences.offsets, states))
    tables = (found.initial, found.transition, _by_word(found.emission))
    alphas = (prior.initial.entries, prior.transition.entries, _by_word(prior.emission.entries))
    known = np.full(n, -1, np.int32) if items.labels is None else items.labels.values.astype(np.int32)
    words = sentences.values.astype(np.int32)

    def sweep(beta: float, rng: np.random.Generator) -> None:
        sweep_hmm(sentences.offsets, words, known, beta, rng.random(n), *alphas, states, *tables)

    return Walk(sweep, HMMTables(*tables[:2], tables[2].T), lambda: np.eye(model.n_states)[states])


def _hmm_renamed(tables: HMMTables, order: Array) -> HMMTables:
    to = np.concatenate([order, np.arange(len(order), tables.transition.shape[1])])  # the end stays the end
    return HMMTables(tables.initial[order], tables.transition[order][:, to], tables.emission[order])


# --- documents --------------------------------------------------------------------------------------------------------


def _mixture(model: Mixture, items: Any, start: MixtureTables, prior: MixtureTables, rng: Any) -> Walk:
    _refuse_wishes(items)
    _refuse_weights(items)
    K, n = model.n_clusters, len(items)
    classes = np.asarray(_first(model, items, start, rng), np.int32)
    known = np.full(n, -1, np.int32) if items.labels is None else items.labels
    word, cluster = np.zeros((items.n_words, K)), np.bincount(classes, minlength=K).astype(np.float64)
    np.add.at(word, (items.words, np.repeat(classes, np.diff(items.offsets))), items.counts)
    counts, alphas = items.counts.astype(np.float64), (prior.cluster.entries, _by_word(prior.word.entries))
    cells = (items.offsets - items.offsets[0], items.words, counts, known)

    def sweep(beta: float, rng: np.random.Generator) -> None:
        sweep_mixture(*cells, beta, rng.random(n), *alphas, classes, cluster, word)

    return Walk(sweep, MixtureTables(cluster, word.T), lambda: np.eye(K)[classes])


def _plsa(model: PLSA, items: Any, start: PLSATables, prior: PLSATables, rng: np.random.Generator) -> Walk:
    _refuse_wishes(items)
    if items.weights is not None:
        items = items.times_weights()
    if (items.counts % 1.0).any():
        raise InputError("collapsed sampling needs integer word counts; use sampler=blocked")
    times, lengths = items.counts.astype(np.int64), items.totals().astype(np.int64)
    words, rows = np.repeat(items.words, times), np.repeat(np.arange(len(items)), lengths)
    topics = _first_topics(start, rows, words, rng)
    topic, word = np.zeros((model.n_documents, model.n_topics)), np.zeros((model.n_words, model.n_topics))
    np.add.at(topic, (rows, topics), 1.0)
    np.add.at(word, (words, topics), 1.0)
    offsets, alphas = offsets_of(lengths), (prior.topic.entries, _by_word(prior.word.entries))

    def sweep(beta: float, rng: np.random.Generator) -> None:
        sweep_topics(offsets, words, beta, rng.random(len(words)), *alphas, topics, topic, word)

    return Walk(sweep, PLSATables(topic, word.T), lambda: topic / np.maximum(lengths, 1)[:, None])


def _first_topics(start: PLSATables, rows: Array, words: Array, rng: np.random.Generator) -> Array:
    """Of every token, by its document's topics and its word's."""
    topics = np.empty(len(words), np.int32)
    topic, word = np.asarray(start.topic, np.float64), np.asarray(start.word, np.float64)
    for a in range(0, len(words), BLOCK):
        here = slice(a, a + BLOCK)
        logs = topic[rows[here]] + word.T[words[here]]
        ladder = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
        topics[here] = (ladder <= rng.random(len(logs))[:, None] * ladder[:, -1:]).sum(axis=1)
    return topics


def _refuse_wishes(items: Any) -> None:
    if items.potentials is not None:
        raise InputError("collapsed sampling does not support preferences between hidden values; use sampler=blocked")


def _refuse_weights(items: Any) -> None:
    if items.weights is not None and not (items.weights == 1.0).all():
        raise InputError("collapsed sampling does not support document weights; use sampler=blocked")


# --- Model 1 ----------------------------------------------------------------------------------------------------------


def _links(model: IBM, items: Any, start: IBMTables, prior: IBMTables, rng: np.random.Generator) -> Walk:
    _refuse_wishes(items)
    if model.alignment != "uniform":
        raise InputError("collapsed sampling of links needs IBM Model 1; use --model ibm1, or sampler=blocked")
    source, target, entries = items.source.sentences, items.target.sentences, model.entries
    places = _first(model, items, start, rng).values.astype(np.int64)
    counts, alpha = _counted_links(model, source, target, places), prior.translation.entries
    totals = row_sums(entries.with_values(counts)) + row_sums(alpha) + prior.translation.beyond
    texts = (source.offsets, source.values, target.offsets, target.values, entries.offsets, entries.values)

    def sweep(beta: float, rng: np.random.Generator) -> None:
        sweep_links(*texts, beta, rng.random(len(places)), alpha.values, places, counts, totals)

    offsets, wide = link_offsets(items), np.repeat(target.lengths, target.lengths)
    column = np.arange(len(places)) - np.repeat(target.offsets[:-1] - offsets[:-1], target.lengths)

    def nodes() -> Array:
        flat = np.zeros(int(offsets[-1]))
        flat[column + places * wide] = 1.0
        return flat

    nothing = np.zeros(model.layout.alignment.family.size())
    return Walk(sweep, IBMTables(entries.with_values(counts), nothing), nodes)


def _counted_links(model: IBM, source: Ragged, target: Ragged, places: Array) -> Array:
    """How often each entry is used; a pair without source words says nothing."""
    entries, width = model.entries, model.n_targets
    said = np.repeat(source.lengths > 0, target.lengths)
    first = np.repeat(source.offsets[:-1], target.lengths)[said]
    places, words = places[said], target.values[said]
    rows = np.where(places > 0, source.values[first + np.maximum(places - 1, 0)] + 1, 0).astype(np.int64)
    keys = np.repeat(np.arange(entries.n_rows), entries.lengths) * width + entries.values
    return np.bincount(np.searchsorted(keys, rows * width + words), minlength=len(keys)).astype(np.float64)


def link_offsets(items: Any) -> Array:
    """Where the (l + 1) × m matrix of each pair begins."""
    return offsets_of((items.source.sentences.lengths + 1) * items.target.sentences.lengths)


def _documents(items: Any) -> Array:
    return np.arange(len(items) + 1)


KINDS: dict[type, Kind] = {
    HMM: Kind(_hmm, lambda items: items.sentences.offsets, _hmm_renamed),
    Mixture: Kind(_mixture, _documents, lambda tables, order: MixtureTables(*(table[order] for table in tables))),
    PLSA: Kind(_plsa, _documents, lambda tables, order: PLSATables(tables.topic[:, order], tables.word[order])),
    IBM: Kind(_links, link_offsets),
}
