"""Posteriors as probabilities that a link is right: of links at .9, nine in ten are.

    P(right) = 1 / (1 + exp(−a − b · log(p / (1 − p))))          p: the mean of both directions' posteriors

Models that multiply what is not independent are too sure of themselves: b below one takes that back (J. Platt, 1999).
The order of links stays, so which of them reach a threshold on p does too; what is shown is another number. a and b are
those of six sets with gold links, each counted the same; what each set has from the other five: docs/alignment.md.
"""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array

INTERCEPT, SLOPE = 0.59, 0.22  # a and b
CERTAIN = 1.0 - 1e-6  # single precision knows no more


def calibrated(p: Array) -> Array:
    clipped = np.minimum(p, CERTAIN)
    return np.asarray(1.0 / (1.0 + np.exp(-INTERCEPT) * (1.0 / clipped - 1.0) ** SLOPE))
