"""Posteriors as probabilities that a link is right: of links at .9, nine in ten are.

    P(right) = 1 / (1 + exp(−a − b · log(p / (1 − p)) − c · log n))

p is the mean of both directions' posteriors, n how often the rarer of the two words was seen in training, or one.
Models that multiply what is not independent are too sure of themselves: b below one takes that back (J. Platt, 1999);
and what was learned from a few sentences is worth less than it looks, so that one map serves large texts and small. The
order of links stays among those of words as frequent, and which of them reach a threshold on p is decided before: what
is shown is another number. a, b and c are those of six sets with gold links, each counted the same; what each set has
from the other five: docs/background/benchmarks/alignment.md.
"""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array

INTERCEPT, SLOPE, SEEN = -0.735, 0.268, 0.267  # a, b and c
CERTAIN = 1.0 - 1e-6  # single precision knows no more


def calibrated(p: Array, seen: Array) -> Array:
    clipped = np.minimum(p, CERTAIN)
    odds = np.exp(-INTERCEPT) * np.maximum(seen, 1.0) ** -SEEN
    return np.asarray(1.0 / (1.0 + odds * (1.0 / clipped - 1.0) ** SLOPE))
