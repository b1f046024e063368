"""Links from both directions that were trained together (estimators/agreed_links.py), their lexicon in ranges.

Workers keep ranges of source words, and answer blocks of the text for the word pairs that meet there: with the rates of
those that are entries, and of others with what stems and spelling say. A block then asks the same question that would
be asked of one table. The lexicon comes from where it is, a file or memory, a range at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.engines import Engine
from softcount.engines.engine import Keeping
from softcount.estimators.agreed import Agreed, padded
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.agreed_links import Beyond, Question, bounds_of, rates_beyond
from softcount.estimators.agreed_links import question as one_table
from softcount.estimators.ranged import is_far
from softcount.estimators.ranged_agreed import Known, classes_in, demanded, family_of, groups_of, known_of, lexicon_of
from softcount.families.spread import itself
from softcount.families.spread_backoff import estimated, tallied
from softcount.families.unseen import Hierarchy, hierarchy
from softcount.links.joining import ANY, Rule
from softcount.loop.answering import Answering, Block, Own, ask, found_at, in_ranges
from softcount.loop.trace import Trace
from softcount.machine import stage
from softcount.machine.mapped import give_back
from softcount.models.agreement import AgreementTables
from softcount.models.recounted import Recount, recount
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.entries import lengthened


class Told(NamedTuple):
    """What a range is told with every question."""

    known: Known
    n_known: tuple[int, int]  # words of the model; others are new
    power: int


class Lexicon(NamedTuple):
    """What a range answers from."""

    rows: Array  # its source words, ascending
    keys: Array  # of its entries
    rates: Array  # float32 [entries, 2]
    links: Array  # float32 [entries], counted once more; or none
    known: Hierarchy  # its source words by their places here

    def answer(self, keys: Array, told: Told) -> tuple[Array, ...]:
        """The rates, and how often each was linked."""
        at, there = found_at(self.keys, keys)
        rates, links = np.empty((len(keys), 2), np.float32), np.zeros(len(keys), np.float32)
        rates[there] = self.rates[at[there]]
        if not there.all():
            rates[~there] = self._beyond(keys[~there], told)
        if len(self.links):
            links[there] = self.links[at[there]]
        return rates if told.power == 1 else rates**told.power, links

    def _beyond(self, keys: Array, told: Told) -> Array:
        words, n_targets = told.known.words, len(told.known.words[1])
        e, f = np.divmod(keys, n_targets)
        rows = np.searchsorted(self.rows, e)
        return rates_beyond(self.known, told.known.how, words, told.n_known, (e, f), rows)


class RangedQuestion(NamedTuple):
    """As a Question, whose entries are in ranges."""

    bare: Question  # without them
    table: Answering
    second: RangedQuestion | None = None

    def ask(self, fn: Callable[[Any, Question], Any], engine: Engine, items: Bitext) -> Iterator[Any]:
        bounds, blocks = blocks_of(items, self.bare)
        both = (self, self.second) if self.second else (self,)
        shared = fn, [one.bare for one in both]
        answers = ask(_asked, self.table.engine, blocks, [one.table for one in both], shared)
        return stage.counted(answers, len(bounds))

    def changed(self, change: Callable[[Question], Question]) -> RangedQuestion:
        return self._replace(bare=change(self.bare))


def question(
    engine: Engine, agreed: Any, items: Bitext, rule: Rule = ANY, alone: bool = False, less: float = 0.0
) -> Question | RangedQuestion:
    """A RangedQuestion where workers are elsewhere, a Question where they are not.

    `agreed`: an Agreed, or a Lazy one; `less`: what is taken from every count.
    """
    if not _may_be_cut(engine, agreed):
        return one_table(_with_less(agreed, less) if less else agreed, items, rule, alone)
    return _ranged(engine, agreed, items, rule, alone, less)


def _ranged(engine: Engine, agreed: Any, items: Bitext, rule: Rule, alone: bool, less: float) -> RangedQuestion:
    bare = one_table(_bare(agreed), items, rule, alone=True)
    nothing: Any = None
    unworded = bare.beyond.agreed._replace(model=nothing, parameters=nothing, words=((), ()))  # nothing is beyond
    kept = agreed.kept
    links = kept.links if rule.decode == "posterior" and kept.links is not None else np.empty(0, np.float32)
    table, sums = _in_ranges(engine, agreed, items, links, bare.beyond.power, less)
    second = _ranged(engine, agreed.second, items, rule, True, less) if agreed.second and not alone else None
    return RangedQuestion(bare._replace(beyond=Beyond(unworded, ((), ())), counted=sums), table, second)


def blocks_of(items: Bitext, asked: Question, weights: Array | None = None) -> tuple[Any, Iterator[Block]]:
    """Where the text is cut, and its blocks, each made when it is asked for."""
    bounds = bounds_of(items, asked.model)
    each = None if weights is None else weights.astype(np.float32)
    return bounds, (Block(items.slice(a, b), None if each is None else each[a:b]) for a, b in bounds)


def of_block(bare: Question, own: Own) -> Question:
    """The question of a block: to the entries that it has."""
    rates, links = own.numbers
    counted = bare.counted and bare.counted._replace(links=links)
    weights = bare.weights._replace(rates=rates)
    return bare._replace(model=bare.model.among(own.local.entries), weights=weights, counted=counted)


def _may_be_cut(engine: Engine, agreed: Any) -> bool:
    """A table of which nothing is counted is flat over all of its words."""
    if not is_far(engine):
        return False
    counts = agreed.kept.counts
    counted = bool(counts.any())
    give_back(counts)
    return counted and (agreed.second is None or _may_be_cut(engine, agreed.second))


def _bare(agreed: Any) -> Agreed:
    """Without entries."""
    kept, words = agreed.kept, agreed.words
    none = Ragged(np.zeros(len(words[0]) + 1, np.int64), np.empty(0, np.int32))
    tables = AgreementTables(np.empty(0, np.float32), *kept.sides)
    return Agreed(kept.model.among(none), tables, Trace(), words, agreed.frequencies, agreed.how)


def _with_less(agreed: Any, less: float) -> Agreed:
    whole: Agreed = agreed.agreed if isinstance(agreed, Lazy) else agreed
    (counts,) = _less([whole.parameters.translation], less)
    return whole._replace(parameters=whole.parameters._replace(translation=counts))


def _in_ranges(
    engine: Any, agreed: Any, items: Bitext, links: Array, power: int, less: float
) -> tuple[Answering, Recount | None]:
    kept, n_known = agreed.kept, (len(agreed.words[0]), len(agreed.words[1]))
    words = items.source.vocabulary.words, items.target.vocabulary.words
    one, two = (padded(f, len(side)) for f, side in zip(agreed.frequencies, words, strict=True))
    known, rows = known_of(agreed.how, words, (one, two)), lengthened(kept.entries, len(words[0]))
    tables = [kept.counts, links] if len(links) else [kept.counts]
    range_of, ranges, *parts = in_ranges(engine, rows, tables, groups_of(known))
    known = known._replace(demanded=demanded(engine, known, ranges))
    told, fewer = engine.share(known), engine.share(less)
    (families,) = engine.keep(lexicon_of, ((one,) for one in ranges), told)
    (counts,) = engine.keep(_less, ((one,) for one in parts[0]), fewer) if less else (parts[0],)
    tallies, columns = tallied(engine, zip(families, ranges, counts, strict=True))
    chosen = family_of(engine, known, ranges, families).strengths(tallies, columns)
    with_links = zip(families, ranges, tallies, *parts[1:], strict=True)
    (answerers,) = engine.keep(_answerer, with_links, engine.share((known, columns, chosen)))
    table = Answering(engine, answerers, range_of, len(words[1]), engine.share(Told(known, n_known, power)))
    return table, _linked(engine, zip(ranges, *parts[1:], strict=True), known) if len(links) else None


def _linked(engine: Keeping, rows: Any, known: Known) -> Recount:
    """How often every word was linked; of single entries the ranges know."""
    (found,) = engine.keep(_sums, rows, engine.share(len(known.words[1])))
    by_source, by_target = np.zeros(len(known.words[0])), np.zeros(len(known.words[1]))
    for which, source, target in engine.map(itself, found, engine.share(None)):
        by_source[which] = source
        by_target += target
    return Recount(np.empty(0, np.float32), by_source, by_target)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def _less(values: Sequence[Array], less: float) -> tuple[Array]:
    return (np.maximum(values[0] - np.float32(less), np.float32(0.0)),)


def _answerer(values: Sequence[Any], shared: tuple[Known, Array, Any]) -> tuple[Lexicon]:
    (family, own, tally, *links), (known, columns, chosen) = values, shared
    found = estimated(family, tally, columns, chosen)
    rates = found[0].rates
    if len(family.banned):
        rates[family.banned] = 0.0
    heights = hierarchy(list(family.levels), found, *classes_in(own.rows, known))
    keys = own.keys(len(known.words[1]))
    return (Lexicon(own.rows, keys, rates, links[0] if links else np.empty(0, np.float32), heights),)


def _sums(values: Sequence[Any], n_targets: int) -> tuple[tuple[Array, Array, Array]]:
    own, links = values
    found = recount(own.entries, links, (len(own.rows), n_targets))
    return ((own.rows, found.by_source, found.by_target),)


def _asked(values: Sequence[Any], shared: tuple[Any, list[Question]]) -> tuple[Any]:
    (block, *owned), (fn, bare) = values, shared
    first, *second = (of_block(*both) for both in zip(bare, owned, strict=True))
    return (fn(block.items, first._replace(second=second[0] if second else None)),)
