"""Hidden Markov model of sentences: each word is emitted by a hidden state, each state follows from the one before.

    P(x, z) = initial[z_1] · ∏_t transition[z_{t-1}, z_t] · ∏_t emission[z_t, x_t]   ( · transition[z_n, end] )

L. R. Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77(2), 1989. The optional end of a sentence is one
more column of the transition table, so its rows still sum to one.

A shard is *packed*: sentences sorted by falling length, cut into chunks, and each chunk laid out time-major, so that
at step t the first n_t rows are the sentences still alive. No padding, and each step of all sentences of a chunk is
one matrix product. Probabilities are scaled at each token; there are no logarithms in the inner loops.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.attribute import MAX, SUM, draw
from softcount.families.categorical import Categorical
from softcount.kernel import kernel
from softcount.layout import ImpossibleItem, TableLayout
from softcount.ragged import Array, Ragged, offsets_of
from softcount.tables import Expectation

CHUNK_TOKENS = 2000  # measured best on Brown, 10 to 50 states: fits in L2 and still feeds the matrix products


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


class HMMShard(NamedTuple):
    words: Array  # int32 [M], packed; V for an unknown word
    known: Array  # int32 [M], the state where it is known, else −1; [0] where nothing is known
    alive: Array  # int64 [S], the number of sentences at each step of each chunk
    starts: Array  # int64 [S + 1], where each step begins in words
    chunks: Array  # int64 [C + 1], the first step of each chunk
    items: Array  # int64, which sentence each column of each chunk is
    columns: Array  # int64 [C + 1], the first column of each chunk in items
    offsets: Array  # int64 [R + 1], the sentences of the shard, empty ones included
    n_states: int


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
            emission=TableLayout(Categorical((K, V)), emits=True),
        )

    def pack(self, items: Any) -> HMMShard:
        """Items have `sentences` (word ids, −1 unknown) and `labels` (states, −1 unknown) or None."""
        return _pack(items.sentences, items.labels, self.n_words, self.n_states)

    def n_uniforms(self, shard: HMMShard) -> int:
        return len(shard.words)

    def weigh(self, log_weights: HMMTables) -> HMMWeights:
        K = self.n_states
        emission, log_scale = _scaled(log_weights.emission.T, axis=1)  # [V, K], contiguous
        initial, log_sentence = _scaled(log_weights.initial)
        onward, log_link = _scaled(log_weights.transition)
        return HMMWeights(
            initial=initial,
            transition=np.ascontiguousarray(onward[:, :K]),
            end=np.ascontiguousarray(onward[:, K]) if self.end else np.ones(K),
            emission=np.concatenate([emission, np.ones((1, K))]),
            log_scale=np.append(log_scale, 0.0),
            log_sentence=float(log_sentence),
            log_link=float(log_link),
        )

    def expect(
        self, weights: HMMWeights, shard: HMMShard, mode: int = SUM, uniforms: Array | None = None, labels: bool = False
    ) -> tuple[Expectation, Ragged | None]:
        K = self.n_states
        initial, transition, end = np.zeros(K), np.zeros((K, K)), np.zeros(K)
        emission = np.zeros((self.n_words + 1, K))
        states = np.empty(len(shard.words) if labels else 0, dtype=np.int32)
        out = (initial, transition, end, emission, states)
        if mode == SUM:
            log_norm, impossible = _sum(weights, shard, self.end, np.empty((0, K)), *out)
        elif mode == MAX:
            log_norm, impossible = _max(weights, shard, self.end, *out)
        else:
            assert uniforms is not None, "SAMPLE needs one uniform per token"
            log_norm, impossible = _sample(weights, shard, self.end, uniforms, *out)
        if impossible >= 0:
            raise ImpossibleItem(impossible)
        if self.end:
            transition = np.concatenate([transition, end[:, None]], axis=1)
        n_sentences = len(shard.items)
        n_links = len(shard.words) - n_sentences * (1 - self.end)
        log_norm += n_sentences * weights.log_sentence + n_links * weights.log_link
        counts = HMMTables(initial, transition, emission[:-1].T)
        return Expectation(counts, log_norm), _unpack(states, shard) if labels else None

    def posteriors(self, weights: HMMWeights, shard: HMMShard) -> Array:
        """P(state | sentence) of every token, [tokens, K], in the order of the text."""
        K = self.n_states
        shares = np.empty((len(shard.words), K))
        out = (np.zeros(K), np.zeros((K, K)), np.zeros(K), np.zeros((self.n_words + 1, K)), np.empty(0, np.int32))
        _, impossible = _sum(weights, shard, self.end, shares, *out)
        if impossible >= 0:
            raise ImpossibleItem(impossible)
        return shares[_positions(shard)]

    def tied(self, parameters: HMMTables) -> bool:
        initial, transition, emission = parameters
        return self.n_states > 1 and all(
            np.allclose(table, table[:1], rtol=1e-9, atol=0.0) for table in (initial, transition, emission)
        )

    def row_name(self, table: str, row: int) -> str:
        return "the initial distribution" if table == "initial" else f"state {row}'s {table}"


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


def _scaled(log_weights: Array, axis: int | None = None) -> tuple[Array, Any]:
    """(exp(log-weights − scale), scale), with the largest as scale."""
    scale = log_weights.max(axis=axis, initial=-np.inf)
    scale = np.where(np.isfinite(scale), scale, 0.0)
    return np.exp(log_weights - (scale if axis is None else scale[:, None])), scale


# --- packing ------------------------------------------------------------------------------------------------------


def _pack(sentences: Ragged, labels: Ragged | None, n_words: int, n_states: int) -> HMMShard:
    lengths = sentences.lengths
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    columns = _chunk_columns(lengths[order])
    alive, steps = [], [0]
    for first, last in zip(columns[:-1].tolist(), columns[1:].tolist(), strict=True):
        length = lengths[order[first:last]]
        # Sentences are sorted by falling length, so those alive at t are a prefix.
        alive.append(np.searchsorted(-length, -np.arange(length[0]), side="left"))
        steps.append(steps[-1] + int(length[0]))
    shard = HMMShard(
        words=np.empty(0, np.int32),
        known=np.empty(0, np.int32),
        alive=np.concatenate(alive) if alive else np.empty(0, np.int64),
        starts=offsets_of(np.concatenate(alive) if alive else []),
        chunks=np.asarray(steps, dtype=np.int64),
        items=order,
        columns=columns,
        offsets=sentences.offsets,
        n_states=n_states,
    )
    source = np.empty(len(sentences.values), dtype=np.int64)
    source[_positions(shard)] = np.arange(len(sentences.values))
    words = sentences.values[source]
    known = np.empty(0, np.int32)
    if labels is not None and (labels.values >= 0).any():
        known = labels.values[source].astype(np.int32)
    return shard._replace(words=np.where(words < 0, n_words, words).astype(np.int32), known=known)


def _chunk_columns(lengths: Array) -> Array:
    """Cut sentences into chunks of about CHUNK_TOKENS tokens, one sentence at least."""
    ends = np.cumsum(lengths)
    cuts = [0]
    while cuts[-1] < len(lengths):
        done = ends[cuts[-1] - 1] if cuts[-1] else 0
        cuts.append(max(cuts[-1] + 1, int(np.searchsorted(ends, done + CHUNK_TOKENS, side="right"))))
    return np.asarray(cuts, dtype=np.int64)


def _positions(shard: HMMShard) -> Array:
    """Where each token of the text, in the order of the text, stands in the packed arrays."""
    positions = np.empty(int(shard.offsets[-1]), dtype=np.int64)
    _fill_positions(shard, positions)
    return positions


def _unpack(states: Array, shard: HMMShard) -> Ragged:
    return Ragged(shard.offsets, states[_positions(shard)])


@kernel
def _fill_positions(shard: Any, positions: Array) -> None:
    """positions[offsets[sentence] + t] = starts[step t of its chunk] + column"""
    for chunk in range(len(shard.chunks) - 1):
        for step in range(shard.chunks[chunk], shard.chunks[chunk + 1]):
            t = step - shard.chunks[chunk]
            for column in range(shard.alive[step]):
                sentence = shard.items[shard.columns[chunk] + column]
                positions[shard.offsets[sentence] + t] = shard.starts[step] + column


@kernel
def _most_tokens(shard: Any) -> int:
    most = 0
    for chunk in range(len(shard.chunks) - 1):
        most = max(most, shard.starts[shard.chunks[chunk + 1]] - shard.starts[shard.chunks[chunk]])
    return most


# --- kernels ------------------------------------------------------------------------------------------------------


@kernel
def _filter(weights: Any, shard: Any, chunk: int, forward: Array, scaled: Array, before: Array) -> tuple[float, int]:
    """forward[t] = P(state_t | words up to t); scaled[t] = emission of word t over P(word t | words before).

    f_t = (f_{t-1} A) ∘ b_t / s_t. `before` keeps f_{t-1} beside scaled[t], one row per transition.
    Returns Σ log s_t and the first column with s_t = 0, or −1.
    """
    K = len(weights.initial)
    first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
    base = shard.starts[first]
    log_norm = 0.0
    for step in range(first, last):
        n = shard.alive[step]
        here = shard.starts[step] - base
        if step > first:
            previous = shard.starts[step - 1] - base
            link = here - shard.alive[first]
            before[link : link + n] = forward[previous : previous + n]
            np.dot(forward[previous : previous + n], weights.transition, forward[here : here + n])
        for column in range(n):
            m = here + column
            if step == first:
                forward[m] = weights.initial
            word = shard.words[base + m]
            total = 0.0
            for k in range(K):
                scaled[m, k] = weights.emission[word, k]
            if len(shard.known) > 0 and shard.known[base + m] >= 0:
                for k in range(K):
                    if k != shard.known[base + m]:
                        scaled[m, k] = 0.0
            for k in range(K):
                forward[m, k] *= scaled[m, k]
                total += forward[m, k]
            if not total > 0.0:
                return log_norm, column
            inverse = 1.0 / total
            for k in range(K):
                forward[m, k] *= inverse
                scaled[m, k] *= inverse
            log_norm += np.log(total) + weights.log_scale[word]
    return log_norm, -1


@kernel
def _sum(
    weights: Any,
    shard: Any,
    has_end: bool,
    shares: Array,
    initial: Array,
    transition: Array,
    end: Array,
    emission: Array,
    states: Array,
) -> tuple[float, int]:
    """Forward–backward: posteriors, their sums as counts.

    b_t = A (scaled_{t+1} ∘ b_{t+1}); share_t = f_t ∘ b_t; transition counts = A ∘ Σ_t f_tᵀ (scaled_{t+1} ∘ b_{t+1}).
    """
    K = len(weights.initial)
    most = _most_tokens(shard)
    forward, scaled, before = np.empty((most, K)), np.empty((most, K)), np.empty((most, K))
    backward = np.empty((most, K))
    reversed_transition = np.ascontiguousarray(weights.transition.T)
    links = np.zeros((K, K))
    log_norm = 0.0
    for chunk in range(len(shard.chunks) - 1):
        first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
        base = shard.starts[first]
        part, impossible = _filter(weights, shard, chunk, forward, scaled, before)
        if impossible >= 0:
            return log_norm, shard.items[shard.columns[chunk] + impossible]
        log_norm += part
        continuing = 0
        for step in range(last - 1, first - 1, -1):
            n = shard.alive[step]
            here = shard.starts[step] - base
            if continuing > 0:
                after = shard.starts[step + 1] - base
                np.dot(scaled[after : after + continuing], reversed_transition, backward[:continuing])
            for column in range(n):
                m = here + column
                word = shard.words[base + m]
                if column >= continuing:  # the sentence's last token
                    if has_end:
                        total = 0.0
                        for k in range(K):
                            total += forward[m, k] * weights.end[k]
                        if not total > 0.0:
                            return log_norm, shard.items[shard.columns[chunk] + column]
                        log_norm += np.log(total)
                        inverse = 1.0 / total
                        for k in range(K):
                            backward[column, k] = weights.end[k] * inverse
                            end[k] += forward[m, k] * backward[column, k]
                    else:
                        for k in range(K):
                            backward[column, k] = 1.0
                for k in range(K):
                    emission[word, k] += forward[m, k] * backward[column, k]
                if step == first:
                    for k in range(K):
                        initial[k] += forward[m, k] * backward[column, k]
                if len(states) > 0:
                    states[base + m] = np.argmax(forward[m] * backward[column])
                if len(shares) > 0:
                    shares[base + m] = forward[m] * backward[column]
                for k in range(K):
                    scaled[m, k] *= backward[column, k]
            continuing = n
        tokens = shard.starts[last] - base
        begun = shard.alive[first]
        if tokens > begun:
            links += np.dot(before[: tokens - begun].T, scaled[begun:tokens])
    transition += weights.transition * links
    return log_norm, -1


@kernel
def _sample(
    weights: Any,
    shard: Any,
    has_end: bool,
    uniforms: Array,
    initial: Array,
    transition: Array,
    end: Array,
    emission: Array,
    states: Array,
) -> tuple[float, int]:
    """Forward filtering, backward drawing: z_t ~ f_t ∘ A[:, z_{t+1}], one uniform per token."""
    K = len(weights.initial)
    most = _most_tokens(shard)
    forward, scaled, before = np.empty((most, K)), np.empty((most, K)), np.empty((most, K))
    terms = np.empty(K)
    log_norm = 0.0
    for chunk in range(len(shard.chunks) - 1):
        first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
        base = shard.starts[first]
        part, impossible = _filter(weights, shard, chunk, forward, scaled, before)
        if impossible >= 0:
            return log_norm, shard.items[shard.columns[chunk] + impossible]
        log_norm += part
        for column in range(shard.alive[first]):
            after = -1
            for step in range(last - 1, first - 1, -1):
                if column >= shard.alive[step]:
                    continue
                m = shard.starts[step] - base + column
                total = 0.0
                for k in range(K):
                    terms[k] = forward[m, k] * (weights.end[k] if after < 0 else weights.transition[k, after])
                    total += terms[k]
                if not total > 0.0:
                    return log_norm, shard.items[shard.columns[chunk] + column]
                if after < 0:
                    log_norm += np.log(total) if has_end else 0.0
                state = draw(terms, uniforms[base + m] * total)
                if after >= 0:
                    transition[state, after] += 1.0
                elif has_end:
                    end[state] += 1.0
                emission[shard.words[base + m], state] += 1.0
                if len(states) > 0:
                    states[base + m] = state
                after = state
            initial[after] += 1.0
    return log_norm, -1


@kernel
def _max(
    weights: Any,
    shard: Any,
    has_end: bool,
    initial: Array,
    transition: Array,
    end: Array,
    emission: Array,
    states: Array,
) -> tuple[float, int]:
    """Viterbi: the best path's counts and its log-weight; ties go to the lower state."""
    K = len(weights.initial)
    length = 0
    for chunk in range(len(shard.chunks) - 1):
        length = max(length, shard.chunks[chunk + 1] - shard.chunks[chunk])
    came_from = np.empty((length, K), dtype=np.int32)
    best, extended = np.empty(K), np.empty(K)
    log_norm = 0.0
    for chunk in range(len(shard.chunks) - 1):
        first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
        for column in range(shard.alive[first]):
            sentence = shard.items[shard.columns[chunk] + column]
            for step in range(first, last):
                if column >= shard.alive[step]:
                    break
                m = shard.starts[step] + column
                if step == first:
                    extended[:] = weights.initial
                else:
                    extended[:] = -1.0
                    sources = came_from[step - first]
                    for i in range(K):
                        for j in range(K):
                            through = best[i] * weights.transition[i, j]
                            if through > extended[j]:
                                extended[j] = through
                                sources[j] = i
                top = 0.0
                for k in range(K):
                    emitted = weights.emission[shard.words[m], k]
                    if len(shard.known) > 0 and shard.known[m] >= 0 and shard.known[m] != k:
                        emitted = 0.0
                    extended[k] *= emitted
                    top = max(top, extended[k])
                if not top > 0.0:
                    return log_norm, sentence
                for k in range(K):
                    best[k] = extended[k] / top
                log_norm += np.log(top) + weights.log_scale[shard.words[m]]
            n_steps = shard.offsets[sentence + 1] - shard.offsets[sentence]
            state = np.argmax(best * weights.end)
            if not best[state] * weights.end[state] > 0.0:
                return log_norm, sentence
            log_norm += np.log(best[state] * weights.end[state])
            if has_end:
                end[state] += 1.0
            for t in range(n_steps - 1, -1, -1):
                m = shard.starts[first + t] + column
                emission[shard.words[m], state] += 1.0
                if len(states) > 0:
                    states[m] = state
                if t > 0:
                    source = came_from[t, state]
                    transition[source, state] += 1.0
                    state = source
            initial[state] += 1.0
    return log_norm, -1
