"""Links of sentence pairs, old or new, from both directions that were trained together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from softcount.engines import Engine
from softcount.estimators.agreed import SAME, Agreed, Words, padded, stem_classes
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.asked import in_blocks
from softcount.families.backoff import Level, estimates
from softcount.families.empty_word import FLOOR
from softcount.families.unseen import Hierarchy, hierarchy, unseen
from softcount.links.calibration import calibrated
from softcount.links.joining import ANY, BEST, THRESHOLDS, Links, Rule, link, link_shares
from softcount.models.agreement import (
    UNKNOWN,
    Agreement,
    AgreementTables,
    AgreementWeights,
    PairShares,
    SideTables,
)
from softcount.models.agreement_places import TABLED, places_on
from softcount.models.fertility import MOST
from softcount.models.recounted import Recount, left_out, recount
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Log
from softcount.text.bitext import Bitext
from softcount.text.shard import cut
from softcount.text.spelling import alike
from softcount.text.stored import opened


@dataclass(frozen=True, eq=False)
class Beyond:
    """What is known of word pairs that are not entries; computed when the first of them is met."""

    agreed: Agreed | Lazy
    words: Words  # the model's, then those of the text that it does not know
    power: int = 1  # to which rates are raised

    @cached_property
    def known(self) -> Hierarchy:
        lexicon, how = self.agreed.model.lexicon, self.agreed.how
        counts = self.agreed.parameters.translation
        found = estimates(lexicon.levels, counts, lexicon.strengths_of(counts), lexicon.prior)
        one, two = (padded(f, len(words)) for f, words in zip(self.agreed.frequencies, self.words, strict=True))
        return hierarchy(list(lexicon.levels), found, stem_classes(self.words, how), (one, two))

    def rates(self, e: Array, f: Array) -> Array:
        known = len(self.agreed.words[0]), len(self.agreed.words[1])
        return rates_beyond(self.known, self.agreed.how, self.words, known, (e, f), e) ** self.power


def rates_beyond(
    known: Hierarchy, how: Any, words: Words, n_known: tuple[int, int], pairs: tuple[Array, Array], rows: Array
) -> Array:
    """float32 [pairs, 2] of word pairs that are not entries; `rows`: where their source words are in the hierarchy."""
    prior = spelt(how, words, *pairs) if how.spelling else np.zeros(len(rows), np.float32)
    rates = unseen(known, rows, pairs[1], prior)
    fresh = (pairs[0] >= n_known[0]) | (pairs[1] >= n_known[1])
    rates[fresh] = np.maximum(rates[fresh], np.float32(UNKNOWN))
    return rates


def spelt(how: Any, words: Words, e: Array, f: Array) -> Array:
    """Pseudo-counts of these word pairs, for how they are spelt; of all words, only these are looked at."""
    (ours, row), (theirs, column) = np.unique(e, return_inverse=True), np.unique(f, return_inverse=True)
    order, prior = np.argsort(row, kind="stable"), np.empty(len(e), np.float32)
    rows = Ragged(offsets_of(np.bincount(row, minlength=len(ours))), column[order].astype(np.int32))
    source, target = [words[0][k] for k in ours.tolist()], [words[1][k] for k in theirs.tolist()]
    prior[order] = alike(rows, source, target, SAME, how.letters)
    return prior


class Question(NamedTuple):
    """All that a block of pairs needs to be linked."""

    model: Agreement
    weights: AgreementWeights
    beyond: Beyond
    rule: Rule
    second: Any = None  # the question to another model, of the same text
    counted: Recount | None = None  # where places are asked once more

    def ask(self, fn: Callable[[Any, Question], Any], engine: Engine, items: Bitext) -> Iterator[Any]:
        """``fn(block, question)`` of every block of a text, in order."""
        return in_blocks(fn, engine, items, bounds_of(items, self.model), self)

    def changed(self, change: Callable[[Question], Question]) -> Question:
        return change(self)


def question(agreed: Agreed | Lazy, items: Bitext, rule: Rule = ANY, alone: bool = False) -> Question:
    """`items` are in the model's words, new ones behind (text/casing.py: extended). `alone`: not to the second one."""
    words = items.source.vocabulary.words, items.target.vocabulary.words
    more = len(words[0]) - len(agreed.words[0]), len(words[1]) - len(agreed.words[1])
    n_words = len(words[0]), len(words[1])
    lexicon = replace(agreed.model.lexicon, levels=_with_rows(agreed.model.lexicon.levels, more[0]))
    longest = max(items.lengths.longest, 1)
    model = agreed.model._replace(lexicon=lexicon, n_words=n_words, longest=longest, classes=items.lengths.pairs)
    logs = agreed.log_weights
    sides = (_longer(logs[1 + d], *(more if d == 0 else more[::-1])) for d in (0, 1))
    logs = AgreementTables(logs.translation, *(_placed(agreed.model, model, d, side) for d, side in enumerate(sides)))
    second = question(agreed.second, items, rule) if agreed.second and not alone else None
    weights = _emitted_twice(model, logs) if rule.decode == "mre" else model.weigh(logs)
    beyond = Beyond(agreed, words, 2 if rule.decode == "mre" else 1)
    links = agreed.links if rule.decode == "posterior" else None  # MRE's rule squares rows that were trained
    counted = None if links is None else recount(agreed.rows, links, n_words)
    return Question(model, weights, beyond, rule, second, counted)


def _emitted_twice(model: Agreement, logs: AgreementTables) -> AgreementWeights:
    """MRE's decision rule, P(f | a) P(a | f); of the empty word p₀ · t(f | empty)²."""
    weights = model.weigh(logs._replace(translation=Log(logs.translation.weights**2)))
    p0 = (max(float(side.empty[0]), 1e-30) for side in (logs.forward, logs.reverse))
    one, two = (
        side._replace(null=(side.null.astype(np.float64) ** 2 / p).astype(np.float32))
        for side, p in zip(weights.directions, p0, strict=True)
    )
    return weights._replace(directions=(one, two))


def _with_rows(levels: Sequence[Level], more: int) -> Sequence[Level]:
    """The finest level with rows for new words, which have no entries."""
    rows = levels[0].rows
    offsets = np.append(rows.offsets, np.full(more, rows.offsets[-1]))
    return [levels[0]._replace(rows=Ragged(offsets, rows.values)), *levels[1:]]


def _placed(before: Agreement, model: Agreement, d: int, side: SideTables) -> SideTables:
    """With the places of Model 2 for the lengths of this text's sentences."""
    if model.alignment not in TABLED:
        return side
    return side._replace(places=places_on(model.alignment, before.classes_of(d), side.places, model.classes_of(d)))


def _longer(side: SideTables, states: int, words: int) -> SideTables:
    """With words that training never saw: nothing is known of them."""
    empty = np.concatenate([side.empty, np.full(words, FLOOR)])
    return side._replace(empty=empty, fertility=np.concatenate([side.fertility, np.zeros((states, MOST + 1))]))


def bounds_of(items: Bitext, model: Agreement) -> list[tuple[int, int]]:
    """Where the text is cut."""
    return cut(items, model.costs, model.shard_cost)


def posteriors(items: Bitext, asked: Question) -> tuple[Ragged, Ragged]:
    """(l + 1) × m and (m + 1) × l matrices of every pair; row 0 is the empty word."""
    return _matrices(items, _shares(items, asked))


def linked(part: Any, asked: Question) -> Links:
    part = opened(part)
    found = _shares(part, asked)
    lengths = part.source.sentences.lengths, part.target.sentences.lengths
    name, threshold, _ = asked.rule
    if name in THRESHOLDS:
        links = link_shares(name, *lengths, found.starts, found.shares, threshold)
        return _calibrated(links, part, asked) if name == "mean" and asked.rule.decode == "posterior" else links
    return link(name, *lengths, *_matrices(part, found), threshold)


def _calibrated(links: Links, part: Bitext, asked: Question) -> Links:
    """With the probability that a link is right, by that of its posteriors and how often its rarer word was seen."""
    pair = np.repeat(np.arange(len(part)), np.diff(links.offsets))
    seen = []
    for text, place, known in zip((part.source, part.target), links[1:3], asked.beyond.agreed.frequencies, strict=True):
        words = text.sentences.values[text.sentences.offsets[pair] + place]
        seen.append(np.where(words < len(known), known[np.minimum(words, len(known) - 1)], 0.0))
    return links._replace(probability=calibrated(links.probability, np.minimum(*seen)))


def log_norm_sums(part: Any, asked: Question) -> Array:
    """[2]: of the pairs with words on both sides."""
    pairs = opened(part)
    return np.asarray(log_norms(pairs, asked)[pairs.both].sum(axis=0))


def log_norms(part: Any, asked: Question) -> Array:
    """[pairs, 2]: log P(target | source), log P(source | target)."""
    model, (shard, weights) = asked.model, packed(opened(part), asked)
    return model.posteriors(weights, shard).log_norms


def _shares(part: Bitext, asked: Question) -> PairShares:
    """The mean of two models, where there are two; log Z is the first one's."""
    found = _own_shares(part, asked)
    if asked.second is None:
        return found
    return found._replace(shares=np.float32(0.5) * (found.shares + _own_shares(part, asked.second).shares))


def _own_shares(part: Bitext, asked: Question) -> PairShares:
    """Of one model; its best alignments, or posteriors, by what all other places say where links were counted again."""
    shard, weights = packed(part, asked)
    if asked.rule.decode in BEST:
        return asked.model.best(weights, shard)
    found = asked.model.posteriors(weights, shard)
    if asked.counted is None:
        return found
    apart, rates = left_out(shard, found.shares, weights.rates, asked.counted, UNKNOWN)
    return found._replace(shares=asked.model.posteriors(weights._replace(rates=rates), apart).shares)


def packed(part: Bitext, asked: Question) -> tuple[Any, AgreementWeights]:
    """Where the block has word pairs that are not entries, they become entries of the block."""
    shard = asked.model.pack(part)
    new = np.flatnonzero(shard.entries[:-1] < 0)
    if len(new) == 0:
        return shard, asked.weights
    e, f = _met(shard, new)
    rates = asked.weights.rates
    shard.entries[new] = len(rates) + np.arange(len(new))
    return shard, asked.weights._replace(rates=np.concatenate([rates, asked.beyond.rates(e, f)]))


def _met(shard: Any, entries: Array) -> tuple[Array, Array]:
    """The words of these entries of a shard."""
    first = np.zeros(len(shard.entries), np.int64)
    first[shard.cells[::-1]] = np.arange(len(shard.cells) - 1, -1, -1)
    place = first[entries]
    pair = np.searchsorted(shard.starts, place, side="right") - 1
    i, j = np.divmod(place - shard.starts[pair], shard.target.lengths[pair])
    return shard.source.values[shard.source.offsets[pair] + i], shard.target.values[shard.target.offsets[pair] + j]


def _matrices(part: Bitext, found: PairShares) -> tuple[Ragged, Ragged]:
    l, m = part.source.sentences.lengths, part.target.sentences.lengths
    forward, reverse = np.empty(int(((l + 1) * m).sum())), np.empty(int(((m + 1) * l).sum()))
    bounds = offsets_of((l + 1) * m), offsets_of((m + 1) * l)
    for s in range(len(part)):
        pair = found.shares[found.starts[s] : found.starts[s + 1]].reshape(l[s], m[s], 2).astype(float)
        for out, offsets, block in ((forward, bounds[0], pair[:, :, 0]), (reverse, bounds[1], pair[:, :, 1].T)):
            empty = np.maximum(1.0 - block.sum(axis=0), 0.0)
            out[offsets[s] : offsets[s + 1]] = np.concatenate([empty[None], block]).ravel()
    return Ragged(bounds[0], forward), Ragged(bounds[1], reverse)
