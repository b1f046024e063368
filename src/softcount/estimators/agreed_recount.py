"""The links of a text, counted once more after training, for what they are worth to one another.

Two directions that were trained together agree on little and are sure of it. Once they have been, every place of the
text is asked what either says (models/recounted.py), block by block as when it is linked, and what comes to each entry
is kept beside its count. A pair is then linked by that table alone, with what the pair itself would give left out; so a
saved model links as training did, and a pair that is new as one that is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from softcount.engines import Engine
from softcount.estimators.agreed_links import Question, packed
from softcount.estimators.ranged_links import RangedQuestion, blocks_of, of_block, question
from softcount.families.spread import itself
from softcount.loop.answering import Block, count, gathered
from softcount.machine import stage
from softcount.models.recounted import LEAST, add_means
from softcount.models.scattered import Scattered
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.stored import opened


def recounted(agreed: Any, engine: Engine, items: Bitext, weights: Array | None = None, before: Any = None) -> Any:
    """The same with its links counted, and so its second model; `before`: what another text has counted."""
    stage.begin("re-estimating links")
    second = agreed.second
    if second:
        second = recounted(second, engine, items, weights, before.second if before else None)
    asked, each = question(engine, agreed, items, alone=True), np.ones(len(items)) if weights is None else weights
    if isinstance(asked, Question):
        links = _in_one_table(asked, engine, items, each)
        links = links + before.linked(agreed.rows) if before else links
        links[~agreed.worth] = 0.0  # what no file keeps
    else:
        links = _in_ranges(asked, agreed.kept.entries, items, each)
        links = links + before.linked(agreed.kept.entries) if before else links
    return agreed.with_links(links, second)


def _in_one_table(asked: Question, engine: Engine, items: Bitext, weights: Array) -> Array:
    _, parts = blocks_of(items, asked, weights)
    found = engine.sum(_scattered, engine.place(itself, parts), engine.share(asked))
    return np.asarray(found.whole())


def _in_ranges(asked: RangedQuestion, entries: Ragged, items: Bitext, weights: Array) -> Array:
    """Of these entries, into a file."""
    table, (_, blocks) = asked.table, blocks_of(items, asked.bare, weights)
    totals = count(_own, table.engine, blocks, table, asked.bare)
    return np.asarray(gathered(table, totals, entries))


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _scattered(block: Block, asked: Question) -> Scattered:
    """What a block gives to entries of the whole; those that are only the block's are lost."""
    shard, counts = _counted(block, asked)
    n = len(asked.weights.rates)
    own = (shard.entries >= 0) & (shard.entries < n)
    return Scattered(n, shard.entries[own], counts[own])


def _own(values: Sequence[Any], bare: Question) -> tuple[Array]:
    """What a block gives to its own entries."""
    block, own = values
    shard, counts = _counted(block, of_block(bare, own))
    found = np.zeros(len(own.local.entries.values), np.float32)
    found[shard.entries[:-1]] = counts[:-1]
    return (found,)


def _counted(block: Block, asked: Question) -> tuple[Any, Array]:
    """A shard, and what comes to each of its entries; the last is nobody's."""
    shard, weights = packed(opened(block.items), asked)
    shares, counts = asked.model.posteriors(weights, shard).shares, np.zeros(len(shard.entries), np.float32)
    assert block.weights is not None
    add_means(shard.starts, shard.cells, shares, block.weights, LEAST, counts)
    return shard, counts
