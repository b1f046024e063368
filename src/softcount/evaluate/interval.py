"""How far a score would move on another sample of the same kind: percentile intervals by resampling items.

    score(Σ_i n_i s_i),   (n_1 … n_N) ~ Multinomial(N, 1/N … 1/N)

for statistics s_i that add over items (sentences, pairs, documents): what `count_links` counts of each pair, or the
table of gold and found labels of each sentence. B. Efron, Annals of Statistics 7(1), 1979.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError


class Interval(NamedTuple):
    """Score with its confidence interval."""

    """Score with its confidence interval."""

    score: float
    low: float
    high: float


def check_samples(n_items: int, level: float, samples: int) -> None:
    if not n_items:
        raise InputError("no items to resample; give the statistics of at least one")
    if not 0.0 < level < 1.0 or samples < 1:
        raise InputError(f"level {level} and {samples} samples; give a level between 0 and 1, and at least one sample")


def bootstrap(
    statistics: Any, score: Callable[[Any], float], level: float = 0.95, samples: int = 1000, random_state: int = 0
) -> Interval:
    """Bootstrap confidence interval of a score of summed item statistics.

    statistics : [items, …], of which `score` is given the sum over the items
    """
    rows = np.asarray(statistics)
    check_samples(len(rows) if rows.ndim else 0, level, samples)
    rng = np.random.default_rng(random_state)
    draws = rng.multinomial(len(rows), np.full(len(rows), 1.0 / len(rows)), size=samples)
    scores = [score(np.tensordot(draw, rows, axes=1)) for draw in draws]
    low, high = np.nanquantile(scores, [0.5 - level / 2.0, 0.5 + level / 2.0])
    return Interval(float(score(rows.sum(axis=0))), float(low), float(high))
