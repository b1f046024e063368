"""An HMM over source positions: every target word's place depends on the place of the word before.

    P(f, a | e) = ∏_j translation(f_j | e_{a_j}) · a(a_j | a_j′, l) · (1 − p₀)   or   translation(f_j | empty) · p₀

S. Vogel, H. Ney, C. Tillmann, COLING 1996; j′ is the last word before j that is linked, because the empty word keeps
the place (F. J. Och, H. Ney, Computational Linguistics 29(1), 2003). First and last places have tables of their own.
Translations are those of IBM Models 1 and 2, so that stages hand them over; places and jumps are one vector, the family
Positions. Exact: forward and backward over the positions of each pair, in O(m · l²).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.jumps import REACH, cell_places
from softcount.families.layout import TableLayout
from softcount.families.positions import PLACES, Positions
from softcount.models.ibm import UNKNOWN, UNSEEN, IBMTables
from softcount.models.ibm_link import exponentials, link_wishes
from softcount.models.ibm_posterior import PairPosteriors, one_hot
from softcount.models.jump_expect import JumpWeights, expect_pairs, pair_posteriors
from softcount.models.jump_kernel import desk
from softcount.models.scattered import Scattered
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Expectation, row_sums
from softcount.text.bitext import Bitext
from softcount.text.cooccurrence import without_null
from softcount.text.pair_index import pair_index

SHARD = 1_000_000  # token pairs


class JumpShard(NamedTuple):
    """A PairIndex, and what is wished of the links (ibm_link.py)."""

    source: Ragged
    target: Ragged
    starts: Array
    cells: Array
    entries: Array
    wishes: Array
    wished: Array
    longest: int


class JumpHMMWeights(NamedTuple):
    translation: Array  # of all entries but the empty word's
    null_row: Array  # [targets + 1]: the empty word's row; the last is of words not known
    table: JumpWeights
    unseen: float  # of two words that never met
    unknown: float


class JumpHMM(NamedTuple):
    entries: Ragged  # row → its target words; row 0 is the empty word's
    n_targets: int
    classes: Array  # int64 [C, 2]: the (source length, target length) pairs, sorted
    null: float = 0.2
    learn_null: bool = False
    whole_vocabulary: bool = False  # whether the prior of a row is over all target words
    elsewhere: bool = False  # whether the text may have words, or meetings of words, that training never saw
    reach: int = REACH  # jumps that are farther weigh as much as that far

    @property
    def alignment(self) -> str:
        return "jumps"

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD

    def costs(self, items: Any) -> Array:
        return items.token_pairs

    @property
    def positions(self) -> Positions:
        lengths = np.unique(self.classes[:, 0])
        return Positions(lengths[lengths > 0], self.null, self.learn_null, self.reach)

    @property
    def layout(self) -> IBMTables:
        width = self.n_targets if self.whole_vocabulary else None
        translation = Categorical(self.entries.offsets, width=width)
        return IBMTables(TableLayout(translation, emits=True), TableLayout(self.positions))

    def start(self) -> IBMTables:
        """Every target word equally likely, as in Models 1 and 2, and short steps forward."""
        flat = np.full(len(self.entries.values), 1.0 / max(self.n_targets, 1))
        return IBMTables(Ragged(self.entries.offsets, flat), self.positions.uniform())

    def among(self, entries: Ragged) -> JumpHMM:
        """The same model of these entries alone."""
        return self._replace(entries=entries)

    def on(self, log_weights: IBMTables, items: Bitext) -> tuple[JumpHMM, IBMTables]:
        """The model and its weights for the sentence lengths of other text."""
        other = self._replace(classes=items.lengths.pairs, elsewhere=True)
        vector = np.exp(log_weights.alignment)
        with np.errstate(divide="ignore"):
            return other, log_weights._replace(alignment=np.log(other.positions.spread(vector)))

    def pack(self, items: Any) -> JumpShard:
        """Items are a Bitext."""
        found = pair_index(items.source.sentences, items.target.sentences, without_null(self.entries), self.n_targets)
        return JumpShard(*found, *link_wishes(items), found.longest)

    def n_uniforms(self, shard: JumpShard) -> int:
        return len(shard.target.values) + shard.target.n_rows

    def weigh(self, log_weights: IBMTables) -> JumpHMMWeights:
        values, first = log_weights.translation.values, int(self.entries.offsets[1])
        translation = np.empty(len(values))
        exponentials(values, translation)
        unseen, unknown = (UNSEEN, UNKNOWN) if self.elsewhere else (0.0, 0.0)
        null_row = np.append(np.zeros(self.n_targets), unknown)
        null_row[self.entries.values[:first]] = translation[:first]
        positions, vector = self.positions, np.exp(log_weights.alignment)
        table = JumpWeights(vector[:PLACES], *positions.parts(vector), cell_places(positions.lengths))
        return JumpHMMWeights(translation[first:], null_row, table, unseen, unknown)

    def expect(
        self, weights: JumpHMMWeights, shard: JumpShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        """Labels are the source positions from 1 on, 0 the empty word; under SUM those with the largest posteriors."""
        found, links, _ = self.linked(weights, shard, mode, uniforms)
        if labels and mode == SUM:
            links = self.likeliest(self.posteriors(weights, shard).matrices, shard)
        return found, Ragged(shard.target.offsets, links) if labels else None

    def linked(
        self, weights: Any, shard: JumpShard, mode: int = SUM, uniforms: Array | None = None,
        shares: bool = False,
    ) -> tuple[Expectation, Array, Ragged]:  # fmt: skip
        """Expectation, the chosen links, and, where asked for, the shares of all links as (l + 1) × m matrices."""
        counts, null_counts = np.zeros(len(shard.entries)), np.zeros(self.n_targets + 1)
        moves = _nothing(weights.table)
        links = np.zeros(len(shard.target.values), np.int32)
        offsets = _cells(shard)
        matrices = np.zeros(int(offsets[-1]) if shares and mode == SUM else 0)
        log_norm, impossible = expect_pairs(
            shard, _local(weights, shard), weights.null_row, weights.table, desk(shard.longest), mode,
            np.empty(0) if uniforms is None else uniforms, counts, null_counts, moves, links, offsets, matrices,
        )  # fmt: skip
        if impossible >= 0:
            raise ImpossibleItem(impossible)
        found = Expectation(self._counted(shard, counts, null_counts, moves), log_norm)
        if shares and mode != SUM:
            return found, links, one_hot(links, shard.source.lengths, shard.target)
        return found, links, Ragged(offsets, matrices)

    def _counted(self, shard: JumpShard, counts: Array, null_counts: Array, moves: JumpWeights) -> IBMTables:
        first, met = int(self.entries.offsets[1]), shard.entries >= 0
        entries = np.concatenate([np.arange(first), first + shard.entries[met]])
        empty = null_counts[self.entries.values[:first]]
        offsets = self.entries.offsets
        scattered = Scattered(int(offsets[-1]), entries, np.concatenate([empty, counts[met]]), offsets)
        return IBMTables(scattered, np.concatenate(moves[:-1]))

    def likeliest(self, matrices: Ragged, shard: JumpShard) -> Array:
        """The link of every word that has the largest share."""
        best = []
        for flat, m in zip(matrices.rows(), shard.target.lengths.tolist(), strict=True):
            best.append(flat.reshape(-1, m).argmax(axis=0) if m else np.empty(0, np.int64))
        return np.concatenate([np.empty(0, np.int64), *best]).astype(np.int32)

    def posteriors(self, weights: Any, shard: JumpShard) -> PairPosteriors:
        """P(a_j = i) of every pair, as (l + 1) × m matrices, and log P(f | e)."""
        offsets = _cells(shard)
        flat, log_norms = np.empty(int(offsets[-1])), np.zeros(shard.source.n_rows)
        pair_posteriors(
            shard, _local(weights, shard), weights.null_row, weights.table, desk(shard.longest), offsets, flat,
            log_norms,
        )  # fmt: skip
        return PairPosteriors(Ragged(offsets, flat), log_norms)

    @property
    def bound(self) -> float:
        """Of what may be too much: words that are linked to a source word. A translation is nearly one to one."""
        return 1.0

    @property
    def constraint(self) -> str:
        return "one-to-one"

    def nodes(self, shard: JumpShard) -> tuple[tuple[int, int], None]:
        return (len(shard.source.values), 1), None

    def wished(self, weights: JumpHMMWeights, shard: JumpShard, multipliers: Array) -> tuple[Expectation, Array]:
        m = shard.target.lengths
        words = np.repeat(np.arange(len(m)), shard.source.lengths)  # the pair of every source word
        first = np.zeros(len(words) + len(m), dtype=bool)  # rows of matrices: a pair's empty word, then its words
        first[shard.source.offsets[:-1] + np.arange(len(m))] = True
        price = np.ones(len(first))
        price[~first] = np.exp(-multipliers[:, 0])
        width = np.empty(len(first), dtype=np.int64)
        width[first], width[~first] = m, m[words]
        found, _, shares = self.linked(weights, self.priced(shard, np.repeat(price, width)), shares=True)
        return found, row_sums(Ragged(offsets_of(width), shares.values))[~first][:, None]

    def priced(self, shard: JumpShard, prices: Array) -> JumpShard:
        """With these weights on all links, beside those that are wished already."""
        n, offsets = len(shard.wishes), _cells(shard)
        begins, cells = offsets[:-1], np.diff(offsets)
        for pair in np.flatnonzero(shard.wished >= 0).tolist():
            at = int(shard.wished[pair])
            prices[begins[pair] : begins[pair] + cells[pair]] *= shard.wishes[at : at + cells[pair]]
        return shard._replace(wishes=np.concatenate([shard.wishes, prices]), wished=n + begins)

    def tied(self, parameters: IBMTables) -> bool:
        return False  # source words differ by the sentences that they are in, so a uniform start is a good start

    def row_name(self, table: str, row: int) -> str:
        return f"source word {row - 1}'s translation" if table == "translation" else "places and jumps"


def _cells(shard: JumpShard) -> Array:
    """Where the (l + 1) × m matrix of each pair begins."""
    return offsets_of((shard.source.lengths + 1) * shard.target.lengths)


def _nothing(table: JumpWeights) -> JumpWeights:
    """No counts yet."""
    fields = {name: np.zeros_like(part) for name, part in zip(table._fields, table, strict=True)}
    return JumpWeights(**{**fields, "places": table.places})


def _local(weights: Any, shard: JumpShard) -> Array:
    """The weights of a shard's entries; the last is of whatever has a word not known."""
    if len(weights.translation) == 0:
        found = np.full(len(shard.entries), weights.unseen)
    else:
        found = np.where(shard.entries >= 0, weights.translation[shard.entries], weights.unseen)
    found[-1] = weights.unknown
    return found
