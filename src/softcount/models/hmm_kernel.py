"""The HMM's E-step: forward filtering, then backward smoothing (SUM), drawing (SAMPLE), or Viterbi (MAX).

Probabilities are scaled at each token, with exact zeros; there are no logarithms in the inner loops. Every kernel
returns log Z and the first sentence whose probability is zero, or −1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.hmm_packing import most_sentences, most_tokens
from softcount.numbers.attribute import draw
from softcount.numbers.ragged import Array


@kernel
def forward_row(shard: Any, chunk: int, step: int, column: int) -> int:
    """Where the chunk's forward array keeps a token's row.

    First the tokens that have a successor, in the order of their successors, so that all pairs (f_t, scaled_{t+1}) of
    the chunk are two contiguous blocks and their outer products one matrix product; then each sentence's last token.
    """
    first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
    if step + 1 < last and column < shard.alive[step + 1]:
        return shard.starts[step + 1] - shard.starts[first] - shard.alive[first] + column
    return shard.starts[last] - shard.starts[first] - shard.alive[first] + column


@kernel
def evidence(shard: Any, m: int, k: int) -> float:
    """What is known or wished of token m says about state k: zero where it cannot be."""
    if len(shard.known) > 0 and shard.known[m] >= 0 and shard.known[m] != k:
        return 0.0
    return shard.potentials[m, k] if len(shard.potentials) > 0 else 1.0


@kernel
def forward_filter(
    weights: Any, shard: Any, chunk: int, predicted: Array, forward: Array, scaled: Array, inverse: Array
) -> tuple[float, int]:
    """forward = P(state_t | words up to t); scaled[t] = emission of word t; inverse[t] = 1 / P(word t | words before).

    f_t = (f_{t-1} A) ∘ b_t / s_t. Returns Σ log s_t and the first column with s_t = 0, or −1.
    """
    K = len(weights.initial)
    first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
    base = shard.starts[first]
    log_norm = 0.0
    for step in range(first, last):
        n = shard.alive[step]
        here = shard.starts[step] - base
        if step == first:
            for column in range(n):
                for k in range(K):  # to assign a row takes Numba two seconds of the first run, for its error message
                    predicted[column, k] = weights.initial[k]
        else:
            before = here - shard.alive[first]
            np.dot(forward[before : before + n], weights.transition, predicted[:n])
        for column in range(n):
            m = here + column
            row = forward_row(shard, chunk, step, column)
            word = shard.words[base + m]
            for k in range(K):
                scaled[m, k] = weights.emission[word, k]
            if len(shard.potentials) > 0:  # a plain product is vectorised, seven times as fast as asking for evidence
                for k in range(K):
                    scaled[m, k] *= shard.potentials[base + m, k]
            if len(shard.known) > 0 and shard.known[base + m] >= 0:
                for k in range(K):
                    scaled[m, k] = scaled[m, k] if k == shard.known[base + m] else 0.0
            total = 0.0
            for k in range(K):
                share = predicted[column, k] * scaled[m, k]
                forward[row, k] = share
                total += share
            if not total > 0.0:
                return log_norm, column
            inverse[m] = 1.0 / total
            for k in range(K):
                forward[row, k] *= inverse[m]
            log_norm += np.log(total) + weights.log_scale[word]
    return log_norm, -1


@kernel
def smooth(
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

    b_t = A (scaled_{t+1} ∘ b_{t+1} / s_{t+1}); share_t = f_t ∘ b_t;
    transition counts = A ∘ Σ_t f_tᵀ (scaled_{t+1} ∘ b_{t+1} / s_{t+1}).
    """
    K = len(weights.initial)
    most, widest = most_tokens(shard), most_sentences(shard)
    forward, scaled, inverse = np.empty((most, K)), np.empty((most, K)), np.empty(most)
    predicted, backward = np.empty((widest, K)), np.empty((widest, K))
    reversed_transition = np.ascontiguousarray(weights.transition.T)
    links = np.zeros((K, K))
    log_norm = 0.0
    for chunk in range(len(shard.chunks) - 1):
        first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
        base = shard.starts[first]
        part, impossible = forward_filter(weights, shard, chunk, predicted, forward, scaled, inverse)
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
                row = forward_row(shard, chunk, step, column)
                word = shard.words[base + m]
                if column >= continuing:  # the sentence's last token
                    for k in range(K):
                        backward[column, k] = weights.end[k]
                    if has_end:
                        total = 0.0
                        for k in range(K):
                            total += forward[row, k] * weights.end[k]
                        if not total > 0.0:
                            return log_norm, shard.items[shard.columns[chunk] + column]
                        log_norm += np.log(total)
                        for k in range(K):
                            backward[column, k] /= total
                            end[k] += forward[row, k] * backward[column, k]
                for k in range(K):
                    emission[word, k] += forward[row, k] * backward[column, k]
                    scaled[m, k] *= backward[column, k] * inverse[m]
                if step == first:
                    for k in range(K):
                        initial[k] += forward[row, k] * backward[column, k]
                if len(states) > 0:
                    states[base + m] = np.argmax(forward[row] * backward[column])
                if len(shares) > 0:
                    for k in range(K):
                        shares[base + m, k] = forward[row, k] * backward[column, k]
            continuing = n
        tokens, begun = shard.starts[last] - base, shard.alive[first]
        if tokens > begun:
            links += np.dot(forward[: tokens - begun].T, scaled[begun:tokens])
    transition += weights.transition * links
    return log_norm, -1


@kernel
def sample(
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
    most = most_tokens(shard)
    forward, scaled, inverse = np.empty((most, K)), np.empty((most, K)), np.empty(most)
    predicted, terms = np.empty((most_sentences(shard), K)), np.empty(K)
    log_norm = 0.0
    for chunk in range(len(shard.chunks) - 1):
        first, last = shard.chunks[chunk], shard.chunks[chunk + 1]
        part, impossible = forward_filter(weights, shard, chunk, predicted, forward, scaled, inverse)
        if impossible >= 0:
            return log_norm, shard.items[shard.columns[chunk] + impossible]
        log_norm += part
        for column in range(shard.alive[first]):
            after = -1
            for step in range(last - 1, first - 1, -1):
                if column >= shard.alive[step]:
                    continue
                m = shard.starts[step] + column
                row = forward_row(shard, chunk, step, column)
                total = 0.0
                for k in range(K):
                    terms[k] = forward[row, k] * (weights.end[k] if after < 0 else weights.transition[k, after])
                    total += terms[k]
                if not total > 0.0:
                    return log_norm, shard.items[shard.columns[chunk] + column]
                if after < 0:
                    log_norm += np.log(total) if has_end else 0.0
                state = draw(terms, uniforms[m] * total)
                if after >= 0:
                    transition[state, after] += 1.0
                elif has_end:
                    end[state] += 1.0
                emission[shard.words[m], state] += 1.0
                if len(states) > 0:
                    states[m] = state
                after = state
            initial[after] += 1.0
    return log_norm, -1


@kernel
def best_paths(
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
    best = np.empty((length, K))
    log_norm = 0.0
    for chunk in range(len(shard.chunks) - 1):
        first = shard.chunks[chunk]
        for column in range(shard.alive[first]):
            sentence = shard.items[shard.columns[chunk] + column]
            n_steps = shard.offsets[sentence + 1] - shard.offsets[sentence]
            for t in range(n_steps):
                m = shard.starts[first + t] + column
                here = best[t]
                if t == 0:
                    for k in range(K):
                        here[k] = weights.initial[k]
                else:
                    here[:] = 0.0
                    for i in range(K):
                        arrived = best[t - 1, i]
                        for j in range(K):  # a bare maximum is vectorised; who reached it is asked on the way back
                            through = arrived * weights.transition[i, j]
                            here[j] = through if through > here[j] else here[j]
                top = 0.0
                for k in range(K):
                    here[k] *= weights.emission[shard.words[m], k] * evidence(shard, m, k)
                    top = max(top, here[k])
                if not top > 0.0:
                    return log_norm, sentence
                for k in range(K):
                    here[k] /= top
                log_norm += np.log(top) + weights.log_scale[shard.words[m]]
            state = int(np.argmax(best[n_steps - 1] * weights.end))
            if not best[n_steps - 1, state] * weights.end[state] > 0.0:
                return log_norm, sentence
            log_norm += np.log(best[n_steps - 1, state] * weights.end[state])
            if has_end:
                end[state] += 1.0
            for t in range(n_steps - 1, -1, -1):
                m = shard.starts[first + t] + column
                emission[shard.words[m], state] += 1.0
                if len(states) > 0:
                    states[m] = state
                if t > 0:
                    source = 0
                    for i in range(1, K):
                        if best[t - 1, i] * weights.transition[i, state] > (
                            best[t - 1, source] * weights.transition[source, state]
                        ):
                            source = i
                    transition[source, state] += 1.0
                    state = source
            initial[state] += 1.0
    return log_norm, -1
