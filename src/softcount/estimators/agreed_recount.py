"""The links of a text, counted once more after training, for what they are worth to one another.

Two directions that were trained together agree on little and are sure of it. Once they have been, every place of the
text is asked what either says (models/recounted.py), block by block as when it is linked, and what comes to each entry
is kept beside its count. A pair is then linked by that table alone, with what the pair itself would give left out; so a
saved model links as training did, and a pair that is new as one that is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.engines import Engine
from softcount.estimators.agreed_links import Question, packed, question
from softcount.machine import stage
from softcount.models.recounted import LEAST, add_means
from softcount.models.scattered import Scattered
from softcount.numbers.ragged import Array
from softcount.text.bitext import Bitext
from softcount.text.shard import cut
from softcount.text.stored import opened


def recounted(agreed: Any, engine: Engine, items: Bitext, weights: Array | None = None, before: Any = None) -> Any:
    """The same with its links counted, and so its second model; `before`: what another text has counted."""
    stage.begin("counting links once more")
    second = agreed.second
    if second:
        second = recounted(second, engine, items, weights, before.second if before else None)
    links = _counted(agreed, engine, items, weights)
    if before:
        links = links + before.linked(agreed.rows)
    links[~agreed.worth] = 0.0  # what no file keeps
    return agreed.with_links(links, second)


def _counted(agreed: Any, engine: Engine, items: Bitext, weights: Array | None) -> Array:
    asked = question(agreed, items, alone=True)
    bounds = cut(items, asked.model.costs, asked.model.shard_cost)
    each = np.ones(len(items)) if weights is None else weights
    blocks = engine.place(_as_it_is, ((items.slice(*of), each[slice(*of)].astype(np.float32)) for of in bounds))
    found = engine.sum(_count, blocks, engine.share(asked))
    return np.asarray(found.whole())


def _as_it_is(part: Any) -> Any:
    return part


def _count(part: tuple[Any, Array], asked: Question) -> Scattered:
    """What a block gives to entries of the whole; those that are only the block's are lost."""
    items, weights = part
    shard, rates = packed(opened(items), asked)
    found = asked.model.posteriors(rates, shard)
    counts = np.zeros(len(shard.entries), np.float32)
    add_means(shard.starts, shard.cells, found.shares, weights, LEAST, counts)
    n = len(asked.weights.rates)
    own = (shard.entries >= 0) & (shard.entries < n)
    return Scattered(n, shard.entries[own], counts[own])
