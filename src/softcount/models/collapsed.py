"""Collapsed Gibbs sampling: one hidden value at a time, given all others, with the parameters integrated out.

    P(z_t = k | z_−t, x, α) ∝ ∏ over the entries that z_t = k uses of (c + α_entry) / (Σ_row c + Σ_row α)

where c are the counts of everything but z_t. Word by word for the HMM (S. Goldwater, T. Griffiths, ACL 2007), document
by document for the mixture (whose words all move together, so each factor rises as its count does). A hardness β raises
the probabilities to a power, for annealing.
"""

from __future__ import annotations

import math

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array


@kernel
def drawn(log_terms: Array, beta: float, u: float) -> int:
    """np.searchsorted(np.cumsum(p), u · p.sum(), side="right") of p = exp(β · log_terms), which may be all tiny"""
    top = log_terms.max()
    total = 0.0
    for k in range(len(log_terms)):
        total += math.exp(beta * (log_terms[k] - top))
    reached, threshold = 0.0, u * total
    for k in range(len(log_terms)):
        reached += math.exp(beta * (log_terms[k] - top))
        if reached > threshold:
            return k
    return int(np.argmax(log_terms))


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
    offsets: Array, words: Array, known: Array, prior: Array, beta: float, uniforms: Array, states: Array,
    initial: Array, transition: Array, emission: Array,
) -> None:  # fmt: skip
    """Draws every state anew that is not known (−1), in order; counts follow. `transition` has a column for the end
    where the model has one; `emission` is [words, states]; `prior` is α of the three tables; words of −1 emit nothing.
    """
    K = len(initial)
    end = transition.shape[1] > K
    onward, emitted = transition.sum(axis=1), emission.sum(axis=0)
    width, V = transition.shape[1], emission.shape[0]
    terms = np.empty(K)
    for s in range(len(offsets) - 1):
        for t in range(offsets[s], offsets[s + 1]):
            if known[t] >= 0:
                continue
            before = states[t - 1] if t > offsets[s] else -1
            after = states[t + 1] if t + 1 < offsets[s + 1] else (K if end else -1)
            w = words[t]
            _add(-1.0, before, states[t], after, w, initial, transition, emission, onward, emitted)
            for k in range(K):
                p = initial[k] + prior[0] if before < 0 else transition[before, k] + prior[1]
                if after >= 0:  # the way in may be the same entry as the way out, or one of the same row
                    same = 1.0 if before == k else 0.0
                    more = same if k == after else 0.0
                    p *= (transition[k, after] + more + prior[1]) / (onward[k] + same + width * prior[1])
                if w >= 0:
                    p *= (emission[w, k] + prior[2]) / (emitted[k] + V * prior[2])
                terms[k] = math.log(p)
            states[t] = drawn(terms, beta, uniforms[t])
            _add(1.0, before, states[t], after, w, initial, transition, emission, onward, emitted)


@kernel
def sweep_mixture(
    offsets: Array, words: Array, counts: Array, known: Array, prior: Array, beta: float, uniforms: Array,
    classes: Array, cluster: Array, word: Array,
) -> None:  # fmt: skip
    """Draws the class of every document anew that is not known (−1), in order; `word` is [words, classes]."""
    K = len(cluster)
    said = word.sum(axis=0)
    V = word.shape[0]
    terms = np.empty(K)
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
        for k in range(K):
            term = math.log(cluster[k] + prior[0])
            term += math.lgamma(said[k] + V * prior[1]) - math.lgamma(said[k] + V * prior[1] + length)
            for c in cells:
                alone = word[words[c], k] + prior[1]
                term += math.lgamma(alone + counts[c]) - math.lgamma(alone)
            terms[k] = term
        k = classes[d] = drawn(terms, beta, uniforms[d])
        cluster[k] += 1.0
        said[k] += length
        for c in cells:
            word[words[c], k] += counts[c]
