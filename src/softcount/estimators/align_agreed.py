"""Both directions of a word aligner trained together: what is trained, what is kept, and how new pairs are linked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from softcount.disk.checkpoint import Slot
from softcount.engines import Engine
from softcount.estimators.align_direction import PREFER, constraints
from softcount.estimators.align_stage import ModelStage
from softcount.estimators.saved import check_table
from softcount.families.backoff import Backoff, Level, estimates, levels
from softcount.families.empty_word import FLOOR
from softcount.families.layout import by_table
from softcount.families.unseen import Hierarchy, hierarchy, unseen
from softcount.links.joining import THRESHOLDS, Links, link, link_shares
from softcount.loop.start import uniform_start
from softcount.loop.trace import Step, Trace
from softcount.loop.train import fit
from softcount.models.agreement import UNKNOWN, Agreement, AgreementTables, AgreementWeights, PairShares, SideTables
from softcount.models.fertility import MOST
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import row_sums
from softcount.text.bitext import Bitext
from softcount.text.cooccurrence import cooccurring, transpose, with_null, without_null
from softcount.text.dictionary import unmatched
from softcount.text.occurrence import occurrences
from softcount.text.shard import shards
from softcount.text.spelling import alike, nested
from softcount.text.vocabulary import Vocabulary

# κ of the words, then of their stems. Chosen with the start's trust in spelling on six sets; see docs/alignment.md.
STRENGTHS = (3.0, 1.0, 1.0, 1.0)
SAME = 0.3  # pseudo-counts of a word with itself


class How(NamedTuple):
    """What a lexicon leans on."""

    stems: tuple[int, ...] = (5, 3)  # letters, from fine to coarse
    spelling: bool = True
    fertility: bool = True
    null: float | str = "learn"
    dictionary: tuple[tuple[str, str, str], ...] = ()


class Agreed(NamedTuple):
    model: Agreement
    parameters: AgreementTables
    trace: Trace
    words: tuple[Sequence[str], Sequence[str]]
    frequencies: tuple[Array, Array]
    how: How

    @property
    def log_weights(self) -> AgreementTables:
        return by_table(self.model.layout, lambda spec, table: spec.family.log_weights(table), self.parameters)

    @property
    def rows(self) -> Ragged:
        return self.model.lexicon.levels[0].rows


def train(
    how: How, items: Bitext, stages: Sequence[ModelStage], engine: Engine, seed: int,
    on_step: Callable[[Step], None] | None, slot: Callable[[str], Slot | None], tolerance: float,
) -> Agreed:  # fmt: skip
    words = items.source.vocabulary.words, items.target.vocabulary.words
    found = occurrences(items.source.sentences, len(words[0]))
    rows = without_null(cooccurring(found, items.target.sentences, len(words[1])))
    del found
    frequencies = _frequencies(items.source), _frequencies(items.target)
    model = _model(how, rows, words, frequencies, int(items.longest.max(initial=1)))
    start, trace = [uniform_start(model.layout)], Trace()
    trace.remarks = unmatched("dictionary", how.dictionary, [items.source.vocabulary, items.target.vocabulary])
    indexed = Indexed(items, model)
    for number, stage in enumerate(stages):
        model = model._replace(positions=stage.model == "hmm")
        result = fit(
            model, indexed, stage.criteria, lambda _: start.pop(), engine,
            tolerance=tolerance, seed=seed + number, on_step=on_step, checkpoint=slot(f"{number + 1} {stage.text}"),
        )  # fmt: skip
        start.append(result.parameters)
        trace += result.trace
        trace.stopped = result.trace.stopped
        del result  # its weights are as large as all counts
    return Agreed(model, start[0], trace, words, frequencies, how)


class Indexed:
    """A bitext whose shards are packed once for all stages."""

    def __init__(self, items: Bitext, model: Agreement) -> None:
        self.items, self.model = items, model
        self.sizes, self.token_pairs = items.sizes, items.token_pairs
        self._packed: dict[tuple[int, int], Any] = {}

    def __len__(self) -> int:
        return len(self.items)

    def slice(self, start: int, stop: int) -> Any:
        if (start, stop) not in self._packed:
            self._packed[start, stop] = self.model.pack(self.items.slice(start, stop))
        return self._packed[start, stop]

    def take(self, rows: Array) -> Bitext:
        return self.items.take(rows)


def _frequencies(text: Any) -> Array:
    ids = text.sentences.values
    return np.bincount(ids[ids >= 0], minlength=len(text.vocabulary)).astype(float)


def _model(
    how: How, rows: Ragged, words: tuple[Sequence[str], Sequence[str]], frequencies: tuple[Array, Array], longest: int
) -> Agreement:
    found = levels(rows, frequencies, _classes(words, how.stems))
    prior = alike(rows, *words, SAME) if how.spelling else np.zeros(len(rows.values), np.float32)
    banned = np.empty((0, 2), bool)
    if how.dictionary:
        sides = Vocabulary(words[0]), Vocabulary(words[1])
        limits = constraints(with_null(rows, np.empty(0, np.int32)), how.dictionary, *sides)
        prior = prior + np.float32(PREFER) * limits.prefer
        banned = _banned(rows, limits)
    lexicon = Backoff(found, STRENGTHS[: len(found) - 1], prior.astype(np.float32), banned)
    learn = how.null == "learn"
    null = 0.15 if learn else float(how.null)
    return Agreement(lexicon, (len(words[0]), len(words[1])), longest, True, how.fertility, null, learn)


def _classes(words: tuple[Sequence[str], Sequence[str]], stems: Sequence[int]) -> list[tuple[Array, Array]]:
    return list(zip(nested(words[0], stems), nested(words[1], stems), strict=True))


def _banned(rows: Ragged, limits: Any) -> Array:
    """What is never a translation, and what a word may not be that must be another."""
    by_row = np.repeat(row_sums(rows.with_values(limits.must.astype(np.int64))), rows.lengths) > 0
    by_column = np.bincount(rows.values, limits.must, int(rows.values.max(initial=-1)) + 1)[rows.values] > 0
    demanded = np.stack([by_row, by_column], axis=1)
    return np.asarray(limits.never[:, None] | (demanded & ~limits.must[:, None]))


# --- linking ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Beyond:
    """What is known of word pairs that are not entries; computed when the first of them is met."""

    agreed: Agreed
    words: tuple[Sequence[str], Sequence[str]]  # the model's, then those of the text that it does not know

    @cached_property
    def known(self) -> Hierarchy:
        lexicon, how = self.agreed.model.lexicon, self.agreed.how
        found = estimates(lexicon.levels, self.agreed.parameters.translation, lexicon.strengths, lexicon.prior)
        one, two = (
            np.append(frequency, np.zeros(len(words) - len(frequency)))
            for frequency, words in zip(self.agreed.frequencies, self.words, strict=True)
        )
        return hierarchy(list(lexicon.levels), found, _classes(self.words, how.stems), (one, two))

    def rates(self, e: Array, f: Array) -> Array:
        order = np.argsort(e, kind="stable")
        rows = Ragged(offsets_of(np.bincount(e, minlength=len(self.words[0]))), f[order])
        prior = np.zeros(len(e), np.float32)
        if self.agreed.how.spelling:
            prior[order] = alike(rows, *self.words, SAME)
        rates = unseen(self.known, e, f, prior)
        fresh = (e >= len(self.agreed.words[0])) | (f >= len(self.agreed.words[1]))
        rates[fresh] = np.maximum(rates[fresh], np.float32(UNKNOWN))
        return rates


class Question(NamedTuple):
    """All that a block of pairs needs to be linked."""

    model: Agreement
    weights: AgreementWeights
    beyond: Beyond
    rule: str
    threshold: float


def question(agreed: Agreed, items: Bitext, rule: str = "mean", threshold: float = 0.5) -> Question:
    """`items` are in the model's words, new ones behind (softcount.text.casing.extended)."""
    words = items.source.vocabulary.words, items.target.vocabulary.words
    more = len(words[0]) - len(agreed.words[0]), len(words[1]) - len(agreed.words[1])
    n_words = len(words[0]), len(words[1])
    lexicon = replace(agreed.model.lexicon, levels=_with_rows(agreed.model.lexicon.levels, more[0]))
    longest = int(items.longest.max(initial=1))
    model = agreed.model._replace(lexicon=lexicon, n_words=n_words, longest=longest)
    logs = agreed.log_weights
    logs = logs._replace(forward=_longer(logs.forward, *more), reverse=_longer(logs.reverse, *more[::-1]))
    return Question(model, model.weigh(logs), Beyond(agreed, words), rule, threshold)


def _with_rows(levels: Sequence[Level], more: int) -> Sequence[Level]:
    """The finest level with rows for new words, which have no entries."""
    rows = levels[0].rows
    offsets = np.append(rows.offsets, np.full(more, rows.offsets[-1]))
    return [levels[0]._replace(rows=Ragged(offsets, rows.values)), *levels[1:]]


def _longer(side: SideTables, states: int, words: int) -> SideTables:
    """With words that training never saw: nothing is known of them."""
    empty = np.concatenate([side.empty, np.full(words, FLOOR)])
    return side._replace(empty=empty, fertility=np.concatenate([side.fertility, np.zeros((states, MOST + 1))]))


def link_blocks(engine: Engine, items: Bitext, asked: Question) -> Iterator[Links]:
    return engine.map(_link, _blocks(engine, items, asked), engine.share(asked))


def log_norms(engine: Engine, items: Bitext, asked: Question) -> Array:
    found = engine.map(_log_norms, _blocks(engine, items, asked), engine.share(asked))
    return np.concatenate([np.empty((0, 2)), *found])


def posteriors(items: Bitext, asked: Question) -> tuple[Ragged, Ragged]:
    """(l + 1) × m and (m + 1) × l matrices of every pair; row 0 is the empty word."""
    return _matrices(items, _shares(items, asked))


def _blocks(engine: Engine, items: Bitext, asked: Question) -> Any:
    parts = (items.slice(*bounds) for bounds in shards(items.token_pairs, asked.model.shard_cost))
    return engine.place(_as_it_is, parts)


def _as_it_is(part: Bitext) -> Bitext:
    return part


def _link(part: Bitext, asked: Question) -> Links:
    found = _shares(part, asked)
    lengths = part.source.sentences.lengths, part.target.sentences.lengths
    if asked.rule in THRESHOLDS:
        return link_shares(asked.rule, *lengths, found.starts, found.shares, asked.threshold)
    return link(asked.rule, *lengths, *_matrices(part, found), asked.threshold)


def _log_norms(part: Bitext, asked: Question) -> Array:
    return _shares(part, asked).log_norms


def _shares(part: Bitext, asked: Question) -> PairShares:
    """Where the block has word pairs that are not entries, they become entries of the block."""
    shard = asked.model.pack(part)
    new = np.flatnonzero(shard.entries[:-1] < 0)
    if len(new) == 0:
        return asked.model.posteriors(asked.weights, shard)
    e, f = _met(shard, new)
    rates = asked.weights.rates
    shard.entries[new] = len(rates) + np.arange(len(new))
    weights = asked.weights._replace(rates=np.concatenate([rates, asked.beyond.rates(e, f)]))
    return asked.model.posteriors(weights, shard)


def _met(shard: Any, entries: Array) -> tuple[Array, Array]:
    """The words of these entries of a shard."""
    first = np.zeros(len(shard.entries), np.int64)
    first[shard.index[::-1]] = np.arange(len(shard.index) - 1, -1, -1)
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


# --- each direction by itself, for reports ---------------------------------------------------------------------------


class Translation(NamedTuple):
    translation: Ragged


class Table(NamedTuple):
    entries: Ragged
    alignment: str


class AgreedSide:
    """One of the two directions as tables that can be shown: row 0 is the empty word."""

    def __init__(self, agreed: Agreed, number: int) -> None:
        self._agreed, self._number, self.trace = agreed, number, agreed.trace
        self.tokens = int(agreed.frequencies[1 - number].sum())

    @cached_property
    def _table(self) -> Ragged:
        """The rows, and the probabilities as their values beside them."""
        agreed, d = self._agreed, self._number
        empty = agreed.parameters[1 + d].empty[1:]
        rows, rates = agreed.rows, agreed.model.lexicon.rates(agreed.parameters.translation)[:, d].astype(float)
        if d == 1:
            order = np.argsort(rows.values, kind="stable")
            rows, rates = transpose(rows, len(agreed.words[1])), rates[order]
        present = np.flatnonzero(agreed.frequencies[1 - d] > 0).astype(np.int32)
        self._values = np.concatenate([empty[present], rates])
        return with_null(rows, present)

    @property
    def model(self) -> Table:
        return Table(self._table, "hmm" if self._agreed.model.positions else "uniform")

    @property
    def parameters(self) -> Translation:
        table = self._table
        return Translation(table.with_values(self._values))

    def log_likelihood(self) -> float:
        return float(self._agreed.parameters[1 + self._number].log_likelihood[0])


# --- on disk ----------------------------------------------------------------------------------------------------------


def to_body(agreed: Agreed) -> dict[str, Any]:
    """What a file keeps: entries of which nothing was counted and that nothing is believed of come back by themselves."""
    counts, rows = agreed.parameters.translation, agreed.rows
    kept = (counts > 0.0) | (agreed.model.lexicon.prior > 0.0)
    lengths = row_sums(rows.with_values(kept.astype(np.int64)))
    sides = {name: side._asdict() for name, side in zip(("forward", "reverse"), agreed.parameters[1:], strict=True)}
    return {
        "positions": agreed.model.positions,
        "entries": Ragged(offsets_of(lengths), rows.values[kept]),
        "counts": counts[kept],
        "frequencies": list(agreed.frequencies),
        "longest": agreed.model.longest,
        "how": agreed.how._asdict(),
        **sides,
    }


def from_body(body: Mapping[str, Any], trace: Trace, words: tuple[Sequence[str], Sequence[str]]) -> Agreed:
    rows, how = body["entries"], dict(body["how"])
    sizes = len(words[0]), len(words[1])
    if not isinstance(rows, Ragged) or rows.values.dtype != np.int32 or rows.n_rows != sizes[0]:
        raise ValueError("not the rows of a translation table")
    if len(rows.values) and not 0 <= rows.values.min() <= rows.values.max() < sizes[1]:
        raise ValueError("translations that are not among the words")
    check_table("counts", body["counts"], len(rows.values))
    for frequency, n in zip(body["frequencies"], sizes, strict=True):
        check_table("frequencies", frequency, n)
    how = How(**how)
    frequencies = body["frequencies"][0], body["frequencies"][1]
    model = _model(how, rows, words, frequencies, int(body["longest"]))._replace(positions=bool(body["positions"]))
    sides = [SideTables(**body[name]) for name in ("forward", "reverse")]
    for side, spec in zip(sides, model.layout[1:], strict=True):
        for name, table, layout in zip(SideTables._fields, side, spec, strict=True):
            check_table(name, table, *layout.family.size())
    return Agreed(model, AgreementTables(body["counts"], *sides), trace, words, frequencies, how)
