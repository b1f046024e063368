"""A rate of its own for every parameter, by whether its gradient keeps its sign: resilient propagation.

    same sign: rate × 1.2, up to `most`        other sign: rate × 0.5, and the parameter rests once

M. Riedmiller, H. Braun, IEEE International Conference on Neural Networks, 1993.
"""

from __future__ import annotations

import numpy as np

from softcount.numbers.ragged import Array


def adapted(gradient: Array, rates: Array, signs: Array, most: float = 1.0) -> tuple[Array, Array]:
    """(rates, signs) of the next step, which is rate · sign; `signs` are those of the last one, 0 where it rested."""
    sign = np.sign(gradient)
    agreement = sign * signs
    rate = np.where(agreement > 0, np.minimum(rates * 1.2, most), rates)
    rate = np.where(agreement < 0, rates * 0.5, rate)
    return rate, np.where(agreement < 0, 0.0, sign)
