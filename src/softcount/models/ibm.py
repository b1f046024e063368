"""IBM Models 1 and 2: every target word is the translation of one source word, or of the empty word.

    P(f, a | e) = ∏_j alignment(a_j | j, l, m) · translation(f_j | e_{a_j})        a_j = 0: the empty word

P. F. Brown, S. A. Della Pietra, V. J. Della Pietra, R. L. Mercer, Computational Linguistics 19(2), 1993. The alignment
table is fixed and uniform (Model 1), free (Model 2), or the diagonal of families/diagonal.py. The translation table
has the pairs of words that ever meet and no others; row 0 is the empty word, row e + 1 the source word e.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.diagonal import CELLS, LINK, NULL, TENSION, Diagonal
from softcount.families.layout import TableLayout
from softcount.machine.kernel import kernel
from softcount.models.ibm_kernel import (
    DIAGONAL,
    FREE,
    UNIFORM,
    IBMWeights,
    Pairs,
    add_counts,
    add_totals,
    exponentials,
    settle,
)
from softcount.models.ibm_race import add_chosen, race
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Expectation
from softcount.text.shard import shards

KINDS = {"uniform": UNIFORM, "diagonal": DIAGONAL, "free": FREE}
PART = 6_000_000  # token pairs: a part of the types that one thread takes; each needs private totals
MOST_PARTS = 16


class IBMTables(NamedTuple):
    translation: Any  # Ragged
    alignment: Any  # Ragged rows (l, m, j), or the vector of the diagonal


class IBMShard(NamedTuple):
    pairs: Pairs
    parts: Sequence[tuple[int, int]]  # ranges of source types
    longest: int


class Race(NamedTuple):
    """The leaders of several parts' races; adding finds the leader of all."""

    totals: Array
    best: Array
    choice: Array

    def __iadd__(self, other: Any) -> Race:  # type: ignore[misc]
        ahead = (other.best > self.best) | ((other.best == self.best) & (other.choice < self.choice))
        np.add(self.totals, other.totals, out=self.totals)
        np.copyto(self.best, other.best, where=ahead)
        np.copyto(self.choice, other.choice, where=ahead)
        return self


def in_turn(task: Callable[[Any], Any], parts: Iterable[Any]) -> Any:
    """What an engine's `sum` does, here and now."""
    results = map(task, parts)
    total = next(results)
    for result in results:
        total += result
    return total


class IBM(NamedTuple):
    entries: Ragged  # row → its target words
    n_targets: int
    classes: Array  # int64 [C, 2], the (source length, target length) pairs, sorted
    alignment: str = "diagonal"
    null: float = 0.08
    tension: float = 4.0
    learn_null: bool = False
    learn_tension: bool = True
    whole_vocabulary: bool = False  # whether the prior of a row is over all target words

    sliced: bool = True  # one shard is worked on in parts, in rounds: see softcount.loop.estep

    @property
    def layout(self) -> IBMTables:
        width = self.n_targets if self.whole_vocabulary else None
        family: Any
        if self.alignment == "free":
            family = Categorical(self._free_offsets())
        elif self.alignment == "diagonal":
            family = Diagonal(self.classes, self.null, self.tension, self.learn_null, self.learn_tension)
        else:
            family = Diagonal(self.classes[:0], self.null, 0.0, learn_tension=False)
        translation = Categorical(self.entries.offsets, width=width)
        return IBMTables(TableLayout(translation, emits=True), TableLayout(family))

    def start(self) -> IBMTables:
        """Every target word equally likely: 1 / vocabulary, whether or not it is stored.

        Rows that are uniform over their stored entries alone would favour rare source words, whose rows are short.
        """
        flat = np.full(len(self.entries.values), 1.0 / max(self.n_targets, 1))
        return IBMTables(Ragged(self.entries.offsets, flat), self.layout.alignment.family.uniform())

    def _free_offsets(self) -> Array:
        l, m = self.classes.T
        return offsets_of(np.repeat(l + 1, np.where(l > 0, m, 0)))

    def _starts(self) -> Array:
        """Where each class's block of the free table begins."""
        l, m = self.classes.T
        return offsets_of(np.where(l > 0, (l + 1) * m, 0))

    def pack(self, items: Any) -> IBMShard:
        """Items are a Bitext."""
        source, target = items.source.sentences, items.target.sentences
        found = items.sides[0].occurrences
        lengths = source.lengths
        classes = _class_of(self.classes, lengths, target.lengths)
        words = target.values.view(np.uint32)
        near = target.offsets[:-1][found.sentence], target.lengths[found.sentence].astype(np.int32)
        tall = lengths[found.sentence].astype(np.int32)
        pairs = Pairs(
            found.offsets, found.sentence, found.position, lengths, target.offsets, words, classes, *near, tall
        )
        m = np.concatenate([[0], np.cumsum(near[1], dtype=np.int64)])
        parts = shards(np.diff(m[found.offsets]), max(PART, -(-int(m[-1]) // MOST_PARTS)))
        return IBMShard(pairs, parts, int(target.lengths.max(initial=0)))

    def n_uniforms(self, shard: IBMShard) -> int:
        return len(shard.pairs.targets)

    def weigh(self, log_weights: IBMTables) -> IBMWeights:
        translation = np.empty(len(log_weights.translation.values))
        exponentials(log_weights.translation.values, translation)
        null_row = np.zeros(self.n_targets)
        first = slice(0, self.entries.offsets[1])
        null_row[self.entries.values[first]] = translation[first]
        columns = self.entries.values.view(np.uint32)
        return IBMWeights(
            KINDS[self.alignment],
            self.entries.offsets,
            columns,
            translation,
            null_row,
            *self.weigh_alignment(log_weights),
        )

    def weigh_alignment(self, log_weights: IBMTables) -> tuple[Any, ...]:
        """The fields of IBMWeights from `null` on."""
        nothing, zero = np.zeros(1), np.zeros(1, np.int64)
        vector: tuple[Any, ...] = (0.0, 0.0, zero, nothing, nothing, nothing, zero)
        if self.alignment == "diagonal":
            return *_vector(log_weights.alignment, self.classes), nothing, zero
        if self.alignment == "free":
            return *vector, self._by_source(np.exp(log_weights.alignment.values)), self._starts()
        return *vector, nothing, zero

    def _by_source(self, values: Array, back: bool = False) -> Array:
        """The free table [class][j][i] as [class][i][j], or back."""
        turned = np.empty_like(values)
        _turn(self.classes, back, values, turned)
        return turned

    def expect(
        self, weights: IBMWeights, shard: IBMShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False, run: Callable[..., Any] = in_turn,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        """`run` sums a function over the shard's parts; labels are the chosen source positions, 0 the empty word."""
        pairs, longest, n = shard.pairs, shard.longest, len(shard.pairs.targets)
        u = np.empty(0) if uniforms is None else uniforms
        if mode == SUM and not labels:

            def first(part: tuple[int, int]) -> Any:
                totals = np.zeros(n)
                add_totals(weights, pairs, *part, totals)
                return totals

            found = Race(run(first, shard.parts), np.empty(0), np.empty(0, np.int32))
        else:

            def first(part: tuple[int, int]) -> Any:
                leaders = Race(np.zeros(n if mode == SAMPLE else 0), np.zeros(n), np.zeros(n, np.int32))
                race(weights, pairs, *part, longest, mode if mode == SAMPLE else MAX, u, *leaders)
                return leaders

            found = run(first, shard.parts)
        return self._second(weights, shard, mode, u, found, labels, run)

    def _second(
        self, weights: IBMWeights, shard: IBMShard, mode: int, uniforms: Array, found: Race, labels: bool, run: Any
    ) -> tuple[Expectation, Ragged | None]:
        pairs, feature_too = shard.pairs, self.alignment == "diagonal" and self.learn_tension
        reading = MAX if labels and mode == SUM else mode
        null_counts, masses = np.zeros(self.n_targets), np.zeros(len(weights.cells))
        extra = np.zeros(len(weights.table))
        log_norm, nulls, links, impossible = settle(
            weights, pairs, reading, uniforms, *found, null_counts, masses, extra
        )
        if impossible >= 0:
            raise ImpossibleItem(impossible)
        if labels and mode == SUM:
            return self.expect(weights, shard, SUM, run=run)[0], Ragged(pairs.bounds, found.choice)
        counts = np.zeros(len(weights.translation))
        null = self.entries.row(0)
        counts[: len(null)] = null_counts[null]

        def second(part: tuple[int, int]) -> Array:
            here = np.zeros(len(extra))
            if mode == SUM:
                add_counts(weights, pairs, *part, feature_too, found.totals, counts, here)
            else:
                add_chosen(weights, pairs, *part, found.choice, counts, here)
            return here

        extra = extra + run(second, shard.parts)
        tables = IBMTables(Ragged(self.entries.offsets, counts), self._alignment_counts(nulls, links, extra, masses))
        return Expectation(tables, log_norm), Ragged(pairs.bounds, found.choice) if labels else None

    def _alignment_counts(self, nulls: float, links: float, extra: Array, masses: Array) -> Any:
        if self.alignment == "free":
            return Ragged(self._free_offsets(), self._by_source(extra, back=True))
        if self.alignment == "diagonal":
            return np.concatenate([[nulls, links, extra[0]], masses])
        return np.zeros(CELLS)

    def posteriors(self, weights: IBMWeights, shard: IBMShard) -> Ragged:
        """P(a_j = i) of every pair, as (l + 1) × m matrices."""
        from softcount.models.ibm_posterior import matrices

        words = np.zeros(int(shard.pairs.lengths.sum()), np.int32)  # that they are known is all that matters
        return matrices(weights, shard, Ragged(offsets_of(shard.pairs.lengths), words))[0]

    def tied(self, parameters: IBMTables) -> bool:
        return False  # source words differ by the sentences that they are in, so a uniform start is a good start

    def row_name(self, table: str, row: int) -> str:
        return f"source word {row - 1}'s translation" if table == "translation" else f"row {row} of the alignment"


def _vector(vector: Array, classes: Array) -> tuple[Any, ...]:
    lengths = np.unique(classes)
    lengths = lengths[lengths > 0]
    ladder = np.full(int(lengths.max(initial=0)) + 1, -1, np.int64)
    starts = offsets_of(lengths)
    ladder[lengths] = starts[:-1]
    steps = np.arange(1, starts[-1] + 1) - np.repeat(starts[:-1], lengths)
    climb = vector[TENSION] * steps / np.repeat(lengths, lengths)
    cells = offsets_of(np.where(classes[:, 0] > 0, classes[:, 1], 0))
    return (
        float(np.exp(vector[NULL])), float(np.exp(vector[LINK])), ladder, np.exp(climb), np.exp(-climb),
        np.exp(vector[CELLS:]), cells,
    )  # fmt: skip


def _class_of(classes: Array, source_lengths: Array, target_lengths: Array) -> Array:
    width = int(max(classes[:, 1].max(initial=0), target_lengths.max(initial=0))) + 1
    keys = classes[:, 0] * width + classes[:, 1]
    found = np.searchsorted(keys, source_lengths * width + target_lengths)
    return found.astype(np.int32)


@kernel
def _turn(classes: Array, back: bool, values: Array, turned: Array) -> None:
    """turned = values.reshape(m, l + 1).T of every class, or back"""
    start = 0
    for c in range(len(classes)):
        n, m = classes[c, 0] + 1, classes[c, 1]
        if n == 1:
            continue
        for j in range(m):
            for i in range(n):
                if back:
                    turned[start + j * n + i] = values[start + i * m + j]
                else:
                    turned[start + i * m + j] = values[start + j * n + i]
        start += n * m
