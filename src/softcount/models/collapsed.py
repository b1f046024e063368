"""Collapsed Gibbs sampling: one hidden value at a time, given all others, with the parameters integrated out.

    P(z_t = k | z_−t, x, α) ∝ ∏ over the entries that z_t = k uses of (c + α_entry) / (Σ_row c + Σ_row α)

where c are the counts of everything but z_t. Word by word for the HMM (S. Goldwater, T. Griffiths, ACL 2007), for
topics (T. Griffiths, M. Steyvers, PNAS 101, 2004) and for the links of Model 1 (C. Mermer, M. Saraçlar, ACL 2011);
document by document for the mixture, whose words all move together, so that each factor rises as its count does. A
hardness β raises the probabilities to a power, for annealing. Every sweep draws all hidden values anew, in order, with
a uniform each; counts follow. Where an entry's prior is zero, it is never used.
"""

from __future__ import annotations

import math

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array


@kernel
def picked(weights: Array, beta: float, u: float) -> int:
    """np.searchsorted(np.cumsum(p), u · p.sum(), side="right") of p = weights ** β, which take their place"""
    total, last = 0.0, 0
    for k in range(len(weights)):
        if beta != 1.0:
            weights[k] = weights[k] ** beta
        if weights[k] > 0.0:
            last = k
        total += weights[k]
    reached, threshold = 0.0, u * total
    for k in range(len(weights)):
        reached += weights[k]
        if reached > threshold:
            return k
    return last


@kernel
def shares(log_terms: Array) -> None:
    """log_terms[:] = exp(log_terms − max), which may be all tiny"""
    top = log_terms.max()
    for k in range(len(log_terms)):
        log_terms[k] = math.exp(log_terms[k] - top)


@kernel
def _add(
    n: float, before: int, k: int, after: int, w: int, initial: Array, transition: Array, emission: Array,
    onward: Array, emitted: Array,
) -> None:  # fmt: skip
    """What one word in state k uses, n times; `onward` and `emitted` are the tables' row sums."""
    if before < 0:
        initial[k] += n
    else:
        transition[before, k] += n
        onward[before] += n
    if after >= 0:
        transition[k, after] += n
        onward[k] += n
    if w >= 0:
        emission[w, k] += n
        emitted[k] += n


@kernel
def sweep_hmm(
    offsets: Array, words: Array, known: Array, beta: float, uniforms: Array, initial_prior: Array,
    transition_prior: Array, emission_prior: Array, states: Array, initial: Array, transition: Array, emission: Array,
) -> None:  # fmt: skip
    """States that are known (not −1) stay. `transition` has a column for the end where the model has one; `emission`
    and its prior are [words, states]; words of −1 emit nothing.
    """
    K = len(initial)
    end = transition.shape[1] > K
    onward = transition.sum(axis=1) + transition_prior.sum(axis=1)
    emitted = emission.sum(axis=0) + emission_prior.sum(axis=0)
    weights = np.empty(K)
    for s in range(len(offsets) - 1):
        for t in range(offsets[s], offsets[s + 1]):
            if known[t] >= 0:
                continue
            before = states[t - 1] if t > offsets[s] else -1
            after = states[t + 1] if t + 1 < offsets[s + 1] else (K if end else -1)
            w = words[t]
            _add(-1.0, before, states[t], after, w, initial, transition, emission, onward, emitted)
            for k in range(K):
                if before < 0:
                    p = initial[k] + initial_prior[k]
                else:
                    p = transition[before, k] + transition_prior[before, k]
                if after >= 0:  # the way in may be the same entry as the way out, or one of the same row
                    same = 1.0 if before == k else 0.0
                    more = same if k == after else 0.0
                    p *= (transition[k, after] + more + transition_prior[k, after]) / (onward[k] + same)
                if w >= 0:
                    p *= (emission[w, k] + emission_prior[w, k]) / emitted[k]
                weights[k] = p
            states[t] = picked(weights, beta, uniforms[t])
            _add(1.0, before, states[t], after, w, initial, transition, emission, onward, emitted)


@kernel
def sweep_mixture(
    offsets: Array, words: Array, counts: Array, known: Array, beta: float, uniforms: Array, cluster_prior: Array,
    word_prior: Array, classes: Array, cluster: Array, word: Array,
) -> None:  # fmt: skip
    """Classes that are known (not −1) stay; `word` and its prior are [words, classes]."""
    said = word.sum(axis=0) + word_prior.sum(axis=0)
    terms = np.empty(len(cluster))
    for d in range(len(offsets) - 1):
        if known[d] >= 0:
            continue
        cells = range(offsets[d], offsets[d + 1])
        length = 0.0
        for c in cells:
            length += counts[c]
        k = classes[d]
        cluster[k] -= 1.0
        said[k] -= length
        for c in cells:
            word[words[c], k] -= counts[c]
        for k in range(len(cluster)):
            term = math.log(cluster[k] + cluster_prior[k]) + math.lgamma(said[k]) - math.lgamma(said[k] + length)
            for c in cells:
                alone = word[words[c], k] + word_prior[words[c], k]
                term += math.lgamma(alone + counts[c]) - math.lgamma(alone)
            terms[k] = beta * term
        shares(terms)
        k = classes[d] = picked(terms, 1.0, uniforms[d])
        cluster[k] += 1.0
        said[k] += length
        for c in cells:
            word[words[c], k] += counts[c]


@kernel
def sweep_topics(
    offsets: Array, words: Array, beta: float, uniforms: Array, topic_prior: Array, word_prior: Array, topics: Array,
    topic: Array, word: Array,
) -> None:  # fmt: skip
    """`offsets` are those of documents' tokens, `words` the word of each; `word` and its prior are [words, topics]."""
    said = word.sum(axis=0) + word_prior.sum(axis=0)
    weights = np.empty(topic.shape[1])
    for d in range(len(offsets) - 1):
        for t in range(offsets[d], offsets[d + 1]):
            w, h = words[t], topics[t]
            topic[d, h] -= 1.0
            word[w, h] -= 1.0
            said[h] -= 1.0
            for h in range(len(weights)):
                weights[h] = (topic[d, h] + topic_prior[d, h]) * (word[w, h] + word_prior[w, h]) / said[h]
            h = topics[t] = picked(weights, beta, uniforms[t])
            topic[d, h] += 1.0
            word[w, h] += 1.0
            said[h] += 1.0


@kernel
def sweep_links(
    source_offsets: Array, sources: Array, target_offsets: Array, targets: Array, row_offsets: Array, columns: Array,
    beta: float, uniforms: Array, prior: Array, links: Array, counts: Array, totals: Array,
) -> None:  # fmt: skip
    """Model 1: links[t] is the source position of target word t, counted from 1; 0 is the empty word, whose row is the
    first. `counts` and `prior` are of the entries of the rows, `totals` the rows' sums of both."""
    longest = 0
    for s in range(len(source_offsets) - 1):
        longest = max(longest, source_offsets[s + 1] - source_offsets[s])
    weights, rows, places = np.empty(longest + 1), np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    for s in range(len(source_offsets) - 1):
        n = source_offsets[s + 1] - source_offsets[s] + 1
        if n == 1:  # a pair without source words says nothing
            continue
        for i in range(1, n):
            rows[i] = sources[source_offsets[s] + i - 1] + 1
        for t in range(target_offsets[s], target_offsets[s + 1]):
            for i in range(n):
                row = columns[row_offsets[rows[i]] : row_offsets[rows[i] + 1]]
                places[i] = row_offsets[rows[i]] + np.searchsorted(row, targets[t])
            counts[places[links[t]]] -= 1.0
            totals[rows[links[t]]] -= 1.0
            for i in range(n):
                weights[i] = (counts[places[i]] + prior[places[i]]) / totals[rows[i]]
            i = links[t] = picked(weights[:n], beta, uniforms[t])
            counts[places[i]] += 1.0
            totals[rows[i]] += 1.0
