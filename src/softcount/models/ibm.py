"""IBM Models 1 and 2: every target word is the translation of one source word, or of the empty word.

    P(f, a | e) = ∏_j alignment(a_j | j, l, m) · translation(f_j | e_{a_j})        a_j = 0: the empty word

P. F. Brown, S. A. Della Pietra, V. J. Della Pietra, R. L. Mercer, Computational Linguistics 19(2), 1993. The alignment
table is fixed and uniform (Model 1), free (Model 2), or the diagonal of families/diagonal.py. The translation table
has the pairs of words that ever meet and no others; row 0 is the empty word, row e + 1 the source word e. In text that
training never saw, two words that never met, or that are not known, have a small weight of their own, so that where
words say nothing the positions decide.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from softcount.families.categorical import Categorical
from softcount.families.diagonal import CELLS, LINK, NULL, TENSION, Diagonal
from softcount.families.layout import TableLayout
from softcount.machine.kernel import kernel
from softcount.models.ibm_link import DIAGONAL, FREE, UNIFORM, IBMWeights, Pairs, exponentials, link_wishes
from softcount.models.ibm_posterior import PairPosteriors, on, posteriors
from softcount.models.ibm_round import Question, count_types, find_leaders, settle_pairs
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.rounds import Round, in_turn
from softcount.numbers.tables import Expectation
from softcount.text.occurrence import occurrences
from softcount.text.shard import shards

KINDS = {"uniform": UNIFORM, "diagonal": DIAGONAL, "free": FREE}
PART = 6_000_000  # token pairs: a part of the types that one thread takes; each needs private totals
MOST_PARTS = 16
UNKNOWN = 1e-7  # the weight of a word that is not known, with any word
UNSEEN = 1e-12  # of two known words that never met
BLOCK = 1_500_000  # token pairs whose posteriors stand in memory at a time, per worker


class IBMTables(NamedTuple):
    translation: Any  # Ragged
    alignment: Any  # Ragged rows (l, m, j), or the vector of the diagonal


class IBMShard(NamedTuple):
    pairs: Pairs
    longest: int


class IBMPart(NamedTuple):
    """What one worker takes of a shard: some source types in the first and last round, some pairs in between."""

    pairs: Pairs
    types: tuple[int, int]
    sentences: tuple[int, int]
    longest: int


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
    elsewhere: bool = False  # whether the text may have words, or meetings of words, that training never saw

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return BLOCK

    def costs(self, items: Any) -> Array:
        return items.token_pairs

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

    def among(self, entries: Ragged) -> IBM:
        """The same model of these entries alone."""
        return self._replace(entries=entries)

    def on(self, log_weights: IBMTables, items: Any) -> tuple[IBM, IBMTables]:
        """The model and its weights for the sentence lengths of other text."""
        found: tuple[IBM, IBMTables] = on(self, log_weights, items)
        return found

    def _free_offsets(self) -> Array:
        l, m = self.classes.T
        return offsets_of(np.repeat(l + 1, np.where(l > 0, m, 0)))

    def _starts(self) -> Array:
        """Where each class's block of the free table begins."""
        l, m = self.classes.T
        return offsets_of(np.where(l > 0, (l + 1) * m, 0))

    def pack(self, items: Any) -> IBMShard:
        """Items are a Bitext. Unknown words, −1, are one more word behind the others."""
        source, target = items.source.sentences, items.target.sentences
        lengths, words = source.lengths, target.values
        found, n_sources = items.sides[0].occurrences, self.entries.n_rows - 1
        if (source.values < 0).any():
            known = np.where(source.values < 0, n_sources, source.values)
            found = occurrences(source.with_values(known), n_sources + 1)
        if (words < 0).any():
            words = np.where(words < 0, self.n_targets, words).astype(np.int32)
        tall, wide = (side.lengths[found.sentence].astype(np.int32) for side in (source, target))
        pairs = Pairs(
            found.offsets, found.sentence, found.position, lengths, target.offsets, words.view(np.uint32),
            _class_of(self.classes, lengths, target.lengths), target.offsets[:-1][found.sentence], wide, tall,
            *link_wishes(items),
        )  # fmt: skip
        return IBMShard(pairs, int(target.lengths.max(initial=0)))

    def parts(self, shard: IBMShard) -> list[IBMPart]:
        """Ranges of source types that are in about equally many token pairs, and ranges of pairs beside them."""
        pairs = shard.pairs
        m = offsets_of(pairs.widths)
        types = shards(np.diff(m[pairs.offsets]), max(PART, -(-int(m[-1]) // MOST_PARTS)))
        cuts = np.linspace(0, len(pairs.lengths), len(types) + 1).astype(np.int64).tolist()
        return [IBMPart(pairs, *both, shard.longest) for both in zip(types, pairwise(cuts), strict=True)]

    def n_uniforms(self, shard: IBMShard) -> int:
        return len(shard.pairs.targets)

    def weigh(self, log_weights: IBMTables) -> IBMWeights:
        translation = np.empty(len(log_weights.translation.values))
        exponentials(log_weights.translation.values, translation)
        unseen, unknown = (UNSEEN, UNKNOWN) if self.elsewhere else (0.0, 0.0)
        null_row = np.zeros(self.n_targets + 1)
        null_row[-1] = unknown
        first = slice(0, self.entries.offsets[1])
        null_row[self.entries.values[first]] = translation[first]
        offsets = np.append(self.entries.offsets, self.entries.offsets[-1])
        columns = self.entries.values.view(np.uint32)
        return IBMWeights(
            KINDS[self.alignment], unseen, unknown, offsets, columns, translation, null_row,
            *self.weigh_alignment(log_weights),
        )  # fmt: skip

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
        labels: bool = False,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        """Labels are the chosen source positions, 0 the empty word; under SUM those with the largest posteriors."""
        found = in_turn(self.rounds(weights, mode, uniforms), self.parts(shard))
        return found, self._choices(weights, shard, mode, uniforms) if labels else None

    def rounds(self, weights: IBMWeights, mode: int, uniforms: Array | None) -> Generator[Round, Any, Expectation]:
        """By source types, then pair by pair for the empty word and the totals, then by source types again."""
        asked = Question(weights, mode, np.empty(0) if uniforms is None else uniforms)
        leaders = yield Round(find_leaders, asked)
        settled = yield Round(settle_pairs, (asked, leaders))
        feature_too = self.alignment == "diagonal" and self.learn_tension
        counted = yield Round(count_types, (asked, feature_too, *settled.joined()))
        null = settled.null_counts[self.entries.row(0)]
        translation = Ragged(self.entries.offsets, np.concatenate([null, *counted.counts]))
        extra = settled.extra + counted.extra
        alignment = self._alignment_counts(settled.nulls, settled.links, extra, settled.masses)
        return Expectation(IBMTables(translation, alignment), settled.log_norm)

    def _choices(self, weights: IBMWeights, shard: IBMShard, mode: int, uniforms: Array | None) -> Ragged:
        n_types, n_pairs = len(shard.pairs.offsets) - 1, len(shard.pairs.lengths)
        part = IBMPart(shard.pairs, (0, n_types), (0, n_pairs), shard.longest)
        asked = Question(weights, MAX if mode == SUM else mode, np.empty(0) if uniforms is None else uniforms)
        return Ragged(shard.pairs.bounds, settle_pairs(part, (asked, find_leaders(part, asked))).joined()[1])

    def _alignment_counts(self, nulls: float, links: float, extra: Array, masses: Array) -> Any:
        if self.alignment == "free":
            return Ragged(self._free_offsets(), self._by_source(extra, back=True))
        if self.alignment == "diagonal":
            return np.concatenate([[nulls, links, extra[0]], masses])
        return np.zeros(CELLS)

    def posteriors(self, weights: IBMWeights, shard: IBMShard) -> PairPosteriors:
        """P(a_j = i) of every pair, as (l + 1) × m matrices, and log P(f | e)."""
        return posteriors(weights, shard)

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
