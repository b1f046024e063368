"""The E-step under multipliers: what a model counts of its nodes costs something, and its expectations come back.

The multipliers of all shards are one array, shard after shard, so that those of one name share a budget wherever their
nodes are; every shard takes its own part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from softcount.criteria.constrained import Nodes
from softcount.engines.engine import Engine, Handle
from softcount.errors import InputError
from softcount.loop.files import packed
from softcount.loop.model import Constrainable, InRounds
from softcount.loop.placed_shard import Placed, located
from softcount.numbers.budget import alone, grouped
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Expectation, Tables


class Wished:
    """Placed shards of a model that has constraints, whose multipliers are laid end to end."""

    def __init__(self, model: Any, engine: Engine, handles: Sequence[Handle]) -> None:
        if isinstance(model, InRounds) or not isinstance(model, Constrainable):
            none = "constrained: posterior regularization is not available for this model"
            raise InputError(f"{none}; it is available for tags and for HMM alignment")
        self.model: Any = model
        self.engine, self.handles = engine, handles
        found = list(engine.map(_nodes, handles, engine.share(model)))
        if any(weight != 1.0 for _, _, weight in found):
            raise InputError(
                "constrained: posterior regularization does not support weights; repeat the sentences instead"
            )
        self.starts = offsets_of([shape[0] for shape, _, _ in found])
        self.width = found[0][0][1] if found else 1
        self.names = None if any(names is None for _, names, _ in found) else [names for _, names, _ in found]

    def nodes(self, least: int) -> Nodes:
        n = int(self.starts[-1])
        groups = alone(n) if self.names is None else grouped(np.concatenate(self.names), least)
        return Nodes(groups, (n, self.width), self.model.bound, self.model.constraint)

    def expect(self, log_weights: Tables, multipliers: Array) -> tuple[Expectation, Array]:
        parts = [multipliers[a:b] for a, b in pairwise(self.starts.tolist())]
        asked = self.engine.share((self.model, self.model.weigh(log_weights), parts))
        total, expected = None, np.empty_like(multipliers)
        answers: Iterator[tuple[Expectation, Array]] = self.engine.map(_wished, self.handles, asked)
        for (found, here), (a, b) in zip(answers, pairwise(self.starts.tolist()), strict=True):
            expected[a:b] = here
            total = found if total is None else total.__iadd__(found)
        assert total is not None
        return total.whole(), expected


# --- what crosses the engine ----------------------------------------------------------------------------------------


def _nodes(placed: Placed, model: Constrainable) -> tuple[tuple[int, int], Array | None, float]:
    return *model.nodes(packed(model, placed.shard)), placed.weight


def _wished(placed: Placed, asked: tuple[Constrainable, Any, Sequence[Array]]) -> tuple[Expectation, Array]:
    model, weights, multipliers = asked
    with located(placed):
        return model.wished(weights, packed(model, placed.shard), multipliers[placed.number])
