"""Hidden Markov model of sentences: each word is emitted by a hidden state, each state follows from the one before.

    P(x, z) = initial[z_1] · ∏_t transition[z_{t-1}, z_t] · ∏_t emission[z_t, x_t]   ( · transition[z_n, end] )

L. R. Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77(2), 1989. The optional end of a sentence is one
more column of the transition table, so its rows still sum to one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.models.hmm_impossible import first_impossible
from softcount.models.hmm_kernel import best_paths, sample, smooth
from softcount.models.hmm_packing import HMMShard, pack, positions, unpack
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Expectation, Log, values

SHARD_TOKENS = 300_000  # small enough to share out, large enough that private counts are cheap to add
TINY = 1e-200  # a word whose largest weight is below is scaled


class HMMTables(NamedTuple):
    initial: Any  # [K]
    transition: Any  # [K, K], or [K, K + 1] with the end of the sentence as last column
    emission: Any  # [K, V], in memory word-major


class HMMWeights(NamedTuple):
    """exp(log-weights), scaled so that nothing underflows everywhere: each word's by its best state's weight, the
    other tables by their largest. The scales return in log Z, since every path through a sentence uses them equally."""

    initial: Array  # [K]
    transition: Array  # [K, K]
    end: Array  # [K]; ones where the model has no end
    emission: Array  # [V + 1, K]; the last row, all ones, is the unknown word: any state may emit it
    log_scale: Array  # [V + 1]
    log_sentence: float  # scale of the initial weights, once a sentence
    log_link: float  # scale of the transition weights, once a transition (an end is one)


class HMM(NamedTuple):
    n_states: int
    n_words: int
    end: bool = False

    @property
    def layout(self) -> HMMTables:
        K, V = self.n_states, self.n_words
        return HMMTables(
            initial=TableLayout(Categorical((K,))),
            transition=TableLayout(Categorical((K, K + self.end))),
            emission=TableLayout(Categorical((K, V), lazy=True), emits=True),
        )

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD_TOKENS

    def costs(self, items: Any) -> Array:
        return items.sizes

    def pack(self, items: Any) -> HMMShard:
        """Items have `sentences` (word ids, −1 unknown); `labels` (states, −1 unknown) and `potentials`, or None."""
        return pack(items.sentences, items.labels, self.n_words, self.n_states, items.potentials)

    def n_uniforms(self, shard: HMMShard) -> int:
        return len(shard.words)

    def weigh(self, log_weights: HMMTables) -> HMMWeights:
        K = self.n_states
        emission, log_scale = word_weights(log_weights.emission, K)
        initial, log_sentence = _scaled(log_weights.initial)
        onward, log_link = _scaled(log_weights.transition)
        return HMMWeights(
            initial=initial,
            transition=np.ascontiguousarray(onward[:, :K]),
            end=np.ascontiguousarray(onward[:, K]) if self.end else np.ones(K),
            emission=emission,
            log_scale=log_scale,
            log_sentence=float(log_sentence),
            log_link=float(log_link),
        )

    def expect(
        self, weights: HMMWeights, shard: HMMShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False, shares: Array | None = None,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        """`shares`: where SUM writes P(state | sentence) of every token of the shard."""
        K = self.n_states
        initial, transition, end = np.zeros(K), np.zeros((K, K)), np.zeros(K)
        emission = np.zeros((self.n_words + 1, K))
        states = np.empty(len(shard.words) if labels else 0, dtype=np.int32)
        out = (initial, transition, end, emission, states)
        if mode == SUM:
            shares = np.empty((0, K)) if shares is None else shares
            log_norm, impossible = smooth(weights, shard, self.end, shares, *out)
        elif mode == MAX:
            log_norm, impossible = best_paths(weights, shard, self.end, *out)
        else:
            assert uniforms is not None, "SAMPLE needs one uniform per token"
            log_norm, impossible = sample(weights, shard, self.end, uniforms, *out)
        if impossible >= 0:
            raise ImpossibleItem(first_impossible(weights, shard, impossible))
        if self.end:
            transition = np.concatenate([transition, end[:, None]], axis=1)
        n_sentences = len(shard.items)
        n_links = len(shard.words) - n_sentences * (1 - self.end)
        log_norm += n_sentences * weights.log_sentence + n_links * weights.log_link
        counts = HMMTables(initial, transition, emission[:-1].T)
        return Expectation(counts, log_norm), unpack(states, shard) if labels else None

    def posteriors(self, weights: HMMWeights, shard: HMMShard) -> Array:
        """P(state | sentence) of every token, [tokens, K], in the order of the text."""
        return self.smoothed(weights, shard)[1][positions(shard)]

    def smoothed(self, weights: HMMWeights, shard: HMMShard) -> tuple[Expectation, Array]:
        """`expect`, and P(state | sentence) of every token, [tokens, K], in the order of the shard."""
        shares = np.empty((len(shard.words), self.n_states))
        return self.expect(weights, shard, shares=shares)[0], shares

    @property
    def bound(self) -> float:
        """Of what may be too much: a token's share of a tag, which its word's budget pays for."""
        return 0.0

    @property
    def constraint(self) -> str:
        return "few-tags"

    def nodes(self, shard: HMMShard) -> tuple[tuple[int, int], Array]:
        return (len(shard.words), self.n_states), np.where(shard.words < self.n_words, shard.words, -1)

    def wished(self, weights: HMMWeights, shard: HMMShard, multipliers: Array) -> tuple[Expectation, Array]:
        wishes = np.negative(multipliers)
        np.exp(wishes, out=wishes)
        if len(shard.potentials):
            wishes *= shard.potentials
        return self.smoothed(weights, shard._replace(potentials=wishes))

    def tied(self, parameters: HMMTables) -> bool:
        initial, transition, emission = parameters
        return self.n_states > 1 and all(
            np.allclose(table, table[:1], rtol=1e-9, atol=0.0) for table in (initial, transition, emission)
        )

    def row_name(self, table: str, row: int) -> str:
        return "the initial distribution" if table == "initial" else f"state {row}'s {table}"


def counted(model: HMM, sentences: Ragged, states: Ragged) -> HMMTables:
    """c(x, z) where z is known; where a state is −1, nothing that it would take part in is counted."""
    K, words, z = model.n_states, sentences.values, states.values
    full = sentences.lengths > 0
    first, last = sentences.offsets[:-1][full], sentences.offsets[1:][full] - 1
    later = np.delete(np.arange(len(z)), first)
    emits = (z >= 0) & (words >= 0)
    transition = _tally((K, K + model.end), z[later - 1], z[later])
    if model.end:
        transition += _tally((K, K + 1), z[last], np.full(len(last), K))
    return HMMTables(_tally((K,), z[first]), transition, _tally((model.n_words, K), words[emits], z[emits]).T)


def _tally(shape: tuple[int, ...], *places: Array) -> Array:
    """How often each cell is meant; a place below zero means none."""
    meant = np.all([place >= 0 for place in places], axis=0)
    cells = np.ravel_multi_index([place[meant] for place in places], shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def generate(
    parameters: HMMTables, n_sentences: int, lengths: Array | None, rng: np.random.Generator, longest: int = 10_000
) -> tuple[Ragged, Ragged]:
    """Words and states of new sentences: of the given lengths, or until each draws its end (or is `longest` long)."""
    K = len(parameters.initial)
    ends = parameters.transition.shape[1] > K and lengths is None
    onward = parameters.transition if ends else parameters.transition[:, :K]
    onward = np.cumsum(onward / np.maximum(onward.sum(axis=1, keepdims=True), 1e-300), axis=1)
    alive = np.arange(n_sentences) if lengths is None else np.flatnonzero(np.asarray(lengths) > 0)
    state = np.searchsorted(np.cumsum(parameters.initial), rng.random(len(alive)) * parameters.initial.sum(), "right")
    who, what = [alive], [state]
    while len(alive) and len(who) < longest:
        state = (onward[state] <= rng.random((len(alive), 1))).sum(axis=1)
        keep = state < K if lengths is None else np.asarray(lengths)[alive] > len(who)
        alive, state = alive[keep], np.minimum(state[keep], K - 1)
        who.append(alive)
        what.append(state)
    sentence, states = np.concatenate(who), np.concatenate(what)
    order = np.argsort(sentence, kind="stable")  # steps came in order, so each sentence's states stay in order
    states = states[order]
    words = np.empty(len(states), dtype=np.int64)
    for k in range(K):
        mine = states == k
        ladder = np.cumsum(parameters.emission[k])
        words[mine] = np.searchsorted(ladder, rng.random(int(mine.sum())) * ladder[-1], side="right")
    offsets = offsets_of(np.bincount(sentence, minlength=n_sentences))
    return Ragged(offsets, words), Ragged(offsets, states)


def word_weights(table: Any, n_states: int) -> tuple[Array, Array]:
    """Emission weights word by word, [V + 1, K] with a last row of ones, and each word's log-scale."""
    n_words = table.shape[1]
    weights, log_scale = np.ones((n_words + 1, n_states)), np.zeros(n_words + 1)
    if isinstance(table, Log) and table.weights.max(axis=0, initial=0.0).min(initial=1.0) > TINY:
        weights[:-1] = table.weights.T  # plain probabilities of words that some state emits: nothing to scale
    else:
        weights[:-1], log_scale[:-1] = _scaled(values(table).T, axis=1)
    return weights, log_scale


def _scaled(log_weights: Array, axis: int | None = None) -> tuple[Array, Any]:
    """(exp(log-weights − scale), scale), with the largest as scale."""
    scale = log_weights.max(axis=axis, initial=-np.inf)
    scale = np.where(np.isfinite(scale), scale, 0.0)
    return np.exp(log_weights - (scale if axis is None else scale[:, None])), scale
