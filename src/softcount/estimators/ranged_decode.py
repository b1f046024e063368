"""Links from directions that were trained apart (estimators/align_decode.py), their tables in ranges of source words.

Workers keep the ranges, and answer blocks of the text with the weights of the word pairs that meet there and are
entries. A block then has a model of its own entries, and whoever asks never the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.engines import Engine
from softcount.estimators.align_decode import Decoder, bounds_of, weighed
from softcount.estimators.align_decode import decoder as one_table
from softcount.estimators.ranged import is_far
from softcount.links.joining import ANY, Rule
from softcount.loop.answering import Answering, Block, Own, ask, found_at, in_ranges
from softcount.machine import stage
from softcount.models.link_crf import LinkCRF
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.entries import only

NO_ENTRIES = Ragged(np.zeros(2, np.int64), np.empty(0, np.int32))


class Weights(NamedTuple):
    """What a range answers from."""

    keys: Array  # of its entries
    numbers: Array  # by entry: log-weights, or probabilities

    def answer(self, keys: Array, normed: bool) -> tuple[Array, ...]:
        """Which of them are entries, and their log-weights."""
        at, there = found_at(self.keys, keys)
        logs = np.zeros(len(keys))
        with np.errstate(divide="ignore"):
            logs[there] = np.log(self.numbers[at[there]]) if normed else self.numbers[at[there]]
        return there, logs


class Side(NamedTuple):
    """A direction without its entries."""

    model: Any
    logs: Any  # of its other tables

    def of_block(self, own: Own, rule: Rule) -> tuple[Any, Any]:
        """The model of the entries that a block has, and their weights."""
        there, logs = own.numbers
        entries = only(own.local.entries, there)
        model = self.model.among(entries)
        return model, weighed(model, self.logs._replace(translation=Ragged(entries.offsets, logs[there])), rule)


class RangedDecoder(NamedTuple):
    """As a Decoder, whose entries are in ranges; by direction."""

    sides: Mapping[str, Side]
    tables: Mapping[str, Answering]
    rule: Rule

    def ask(self, fn: Callable[[Any, Decoder], Any], engine: Engine, items: Bitext) -> Iterator[Any]:
        bounds = bounds_of(items, {name: side.model for name, side in self.sides.items()})
        tables, blocks = list(self.tables.values()), (Block(items.slice(*of)) for of in bounds)
        answers = ask(_asked, tables[0].engine, blocks, tables, (fn, self.sides, self.rule))
        return stage.counted(answers, len(bounds))


def decoder(
    engine: Engine, directions: Mapping[str, Any], items: Bitext, rule: Rule = ANY, normed: bool = False
) -> Decoder | RangedDecoder:
    """A RangedDecoder where workers are elsewhere; a Decoder where they are not, or where features have a say."""
    if not is_far(engine) or any(isinstance(one.model, LinkCRF) for one in directions.values()):
        return one_table(directions, items, rule, normed)
    sides, tables = {}, {}
    for name, one in directions.items():
        turned = name == "reverse"
        bare, logs = one.model.among(NO_ENTRIES), one.log_weights._replace(translation=None)
        sides[name] = Side(*bare.on(logs, items.reverse() if turned else items))
        numbers = (one.parameters if normed else one.log_weights).translation.values
        tables[name] = _in_ranges(engine, one.model, numbers, normed, turned)
    return RangedDecoder(sides, tables, rule)


def _in_ranges(engine: Any, model: Any, numbers: Array, normed: bool, turned: bool) -> Answering:
    range_of, ranges, parts = in_ranges(engine, model.entries, [numbers], None)
    (answerers,) = engine.keep(_weights, zip(ranges, parts, strict=True), engine.share(model.n_targets))
    return Answering(engine, answerers, range_of, model.n_targets, engine.share(normed), null=True, turned=turned)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _weights(values: Sequence[Any], n_targets: int) -> tuple[Weights]:
    own, numbers = values
    return (Weights(own.keys(n_targets), numbers),)


def _asked(values: Sequence[Any], shared: tuple[Any, Mapping[str, Side], Rule]) -> tuple[Any]:
    (block, *owned), (fn, sides, rule) = values, shared
    models, weights = {}, {}
    for (name, side), own in zip(sides.items(), owned, strict=True):
        models[name], weights[name] = side.of_block(own, rule)
    return (fn(block.items, Decoder(models, weights, rule)),)
