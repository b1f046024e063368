"""What all mixtures share: one hidden class per item, and weights that are linear in the item's features.

    log P(x, z = k) = ⟨η_k, f(x)⟩        counts[k] = Σ_x P(z = k | x) · f(x)

Naive Bayes has f(x) = the word counts, a Gaussian f(x) = (1, x, x²). G. J. McLachlan, D. Peel, "Finite mixture
models", 2000. Sparse items go through one kernel for all three readings; dense ones through two matrix products and
the same `settle` between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.machine.kernel import kernel, prefetch
from softcount.numbers.attribute import MAX, attribute
from softcount.numbers.lanes import add, zeros
from softcount.numbers.ragged import Array

AHEAD = 4  # how many cells ahead a row of weights is asked for


class SparseRows(NamedTuple):
    offsets: Array  # int64 [R + 1]
    columns: Array  # int32
    values: Array  # float64, none of them zero
    known: Array  # int32 [R], the class where it is known, else −1; [0] where nothing is known
    weights: Array  # float64 [R], what each item counts; [0]: one each
    potentials: Array  # float64 [R, K], log-weights that an item itself gives to the classes; [0, 0]: none


class DenseRows(NamedTuple):
    values: Array  # [R, F]
    known: Array
    weights: Array
    potentials: Array


class Found(NamedTuple):
    features: Array  # [F, K], Σ share · f(x)
    totals: Array  # [K], Σ share
    log_norm: float
    classes: Array  # [R] best or drawn class, when asked
    norms: Array  # [R] its log-total, with them
    shares: Array  # [R, K], when asked


def expect_rows(
    rows: SparseRows | DenseRows,
    weights: Array,
    base: Array,
    mode: int,
    uniforms: Array | None,
    labels: bool = False,
    shares: bool = False,
) -> Found:
    """The E-step of one shard. `weights` [F, K and zeros, in whole lanes] and `base` [K] are in logs."""
    K = len(base)
    n = len(rows.offsets) - 1 if isinstance(rows, SparseRows) else len(rows.values)
    draws = np.empty(0) if uniforms is None else uniforms
    totals = np.zeros(K)
    classes, norms = np.empty(n if labels else 0, dtype=np.int32), np.empty(n if labels else 0)
    if isinstance(rows, SparseRows):
        features, kept = zeros(len(weights), K, np.float64), np.empty((n if shares else 0, K))
        out = (features, totals, classes, norms, kept)
        log_norm, impossible = _sweep(*rows, weights, base, mode, draws, *out)
        features = np.ascontiguousarray(features[:, :K])  # as it would arrive if it were sent
    else:
        kept = rows.values @ weights[:, :K]
        kept += base
        if len(rows.potentials) > 0:
            kept += rows.potentials
        log_norm, impossible = _settle_all(kept, rows.known, rows.weights, mode, draws, totals, classes, norms)
        if impossible >= 0:  # its row has no shares to multiply with
            raise ImpossibleItem(impossible)
        shared = kept if len(rows.weights) == 0 else kept * rows.weights[:, None]
        features = rows.values.T @ shared
    if impossible >= 0:
        raise ImpossibleItem(impossible)
    return Found(features, totals, log_norm, classes, norms, kept)


@kernel
def _settle(scores: Array, known: int, mode: int, uniform: float) -> float:
    """Log-weights become shares; their log-total is returned, −inf where nothing is possible."""
    K = len(scores)
    if known >= 0:
        total = scores[known]
        for k in range(K):
            scores[k] = 0.0
        scores[known] = 1.0
        return total
    top = -np.inf
    for k in range(K):
        top = max(top, scores[k])
    if top == -np.inf:
        return top
    for k in range(K):
        if mode == MAX:  # who is on top is all that matters
            scores[k] = 1.0 if scores[k] == top else 0.0
        else:
            scores[k] = np.exp(scores[k] - top)
    return top + np.log(attribute(scores, mode, uniform))


@kernel
def _settle_all(
    scores: Array, known: Array, weights: Array, mode: int, uniforms: Array, totals: Array, classes: Array, norms: Array
) -> tuple[float, int]:
    log_norm = 0.0
    for r in range(len(scores)):
        label = known[r] if len(known) > 0 else -1
        uniform = uniforms[r] if len(uniforms) > 0 else 0.0
        total = _settle(scores[r], label, mode, uniform)
        if not total > -np.inf:
            return log_norm, r
        weight = weights[r] if len(weights) > 0 else 1.0
        log_norm += weight * total
        for k in range(len(totals)):
            totals[k] += weight * scores[r, k]
        if len(classes) > 0:
            classes[r], norms[r] = np.argmax(scores[r]), total
    return log_norm, -1


@kernel
def _sweep(
    offsets: Array,
    columns: Array,
    values: Array,
    known: Array,
    weights: Array,
    potentials: Array,
    log_weights: Array,
    base: Array,
    mode: int,
    uniforms: Array,
    features: Array,
    totals: Array,
    classes: Array,
    norms: Array,
    kept: Array,
) -> tuple[float, int]:
    """``shares = softmax(base + X @ W); features += X.T @ shares``, row by row, in SUM, MAX and SAMPLE."""
    K = len(base)
    lanes, used, last = np.zeros(features.shape[1]), np.empty(K, dtype=np.int64), len(columns) - 1
    scores = lanes[:K]
    log_norm = 0.0
    for r in range(len(offsets) - 1):
        scores[:] = base
        if len(potentials) > 0:
            scores += potentials[r]
        for i in range(offsets[r], offsets[r + 1]):
            prefetch(log_weights, columns[min(i + AHEAD, last)])
            add(lanes, values[i], log_weights[columns[i]])
        label = known[r] if len(known) > 0 else -1
        uniform = uniforms[r] if len(uniforms) > 0 else 0.0
        total = _settle(scores, label, mode, uniform)
        if not total > -np.inf:
            return log_norm, r
        weight = weights[r] if len(weights) > 0 else 1.0
        log_norm += weight * total
        if len(classes) > 0:
            classes[r], norms[r] = np.argmax(scores), total
        if len(kept) > 0:
            kept[r] = scores
        n_used = 0
        for k in range(K):
            scores[k] *= weight
            totals[k] += scores[k]
            if scores[k] > 0.0:
                used[n_used] = k
                n_used += 1
        if 4 * n_used <= K:  # long documents are nearly certain of their class: touch those entries alone
            for j in range(n_used):
                k, share = used[j], scores[used[j]]
                for i in range(offsets[r], offsets[r + 1]):
                    features[columns[i], k] += share * values[i]
        else:
            for i in range(offsets[r], offsets[r + 1]):
                add(features[columns[i]], values[i], lanes)
    return log_norm, -1
