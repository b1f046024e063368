"""The E-step under multipliers (loop/constrained_estep.py) of a model whose table is in ranges.

    shards: their own weights and multipliers  →  counts, which stay with the ranges; E_q[f], which come to the driver

So the driver has a number for every node, as it has them where a table is whole, and no table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from softcount.engines.engine import Keeping
from softcount.families.spread import itself
from softcount.loop.constrained_estep import Wished
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Expectation, Tables

Ask = Callable[[Tables, Sequence[Any]], tuple[Expectation, list[Any]]]


class RangedWished(Wished):
    def __init__(self, model: Any, engine: Keeping, packed: Sequence[Any], ask: Ask) -> None:
        super().__init__(model, engine, packed)
        self._ask = ask

    def expect(self, log_weights: Tables, multipliers: Array) -> tuple[Expectation, Array]:
        own = (multipliers[a:b] for a, b in pairwise(self.starts.tolist()))
        found, parts = self._ask(log_weights, self.engine.place(itself, list(own)))
        return found, np.concatenate(list(self.engine.map(itself, parts, self.engine.share(None))))
