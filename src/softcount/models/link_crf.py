"""Links that are encoded by features of both sentences, and the target words made again from them: the CRF autoencoder.

    P(a | e, f) ∝ exp(Σ_{a_j = i > 0} (pair · g(e_i, f_j) + diagonal · |i/l − j/m| + jump[i − i′]) + Σ_{a_j = 0} null)
    P(f̂ | a, e) = ∏_j translation(f_j | e_{a_j})               f̂: the target sentence again, word by word

W. Ammar, C. Dyer, N. A. Smith, NIPS 2014, §4. i′ is the position that was linked last; first and last places have
weights of their own. Both together are the HMM over positions (models/jump_hmm.py) with weights that need not
normalise, so that its kernels do the work. log Z(η) is of both, and of the encoder alone where `translation` is one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # whose `sparse` is loaded when first used

from softcount.families.categorical import Categorical
from softcount.families.jumps import REACH, cell_places, first_guess
from softcount.families.layout import TableLayout
from softcount.families.positions import NULL, PLACES
from softcount.families.weights import Weights
from softcount.machine.kernel import kernel
from softcount.models.ibm import UNKNOWN, UNSEEN
from softcount.models.ibm_link import exponentials
from softcount.models.ibm_posterior import PairPosteriors
from softcount.models.jump_expect import JumpWeights
from softcount.models.jump_hmm import SHARD, JumpHMM, JumpHMMWeights, JumpShard
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Expectation
from softcount.text.bitext import Bitext

EMPTY, DIAGONAL, MOVES = 0, 1, 2  # what stands where in the vector of positions; places and jumps from there on


class LinkCRFTables(NamedTuple):
    translation: Any  # Ragged: row → its target words, made again; row 0 is the empty word's
    alignment: Any  # [2 + moves]: weights of the empty word, of the distance from the diagonal, of places and jumps
    pair: Any  # [features]: weights of what word pairs have


class LinkCRFWeights(NamedTuple):
    """Those of JumpHMMWeights, and what else there is."""

    translation: Array
    null_row: Array
    table: JumpWeights
    unseen: float
    unknown: float
    diagonal: float
    encoder: JumpHMMWeights  # alone


class LinkCRF(NamedTuple):
    entries: Ragged  # row → its target words; row 0 is the empty word's
    n_targets: int
    classes: Array  # int64 [C, 2]: the (source length, target length) pairs, sorted
    features: Any  # csr [entries, features]; the empty word's entries have none
    penalty: float = 1.0  # on the weights
    null: float = 0.2  # of the empty word, at the start
    elsewhere: bool = False  # whether the text may have words, or meetings of words, that training never saw
    reach: int = REACH

    @property
    def alignment(self) -> str:
        return "encoder"

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD

    def costs(self, items: Any) -> Array:
        return items.token_pairs

    @property
    def chain(self) -> JumpHMM:
        return JumpHMM(self.entries, self.n_targets, self.classes, elsewhere=self.elsewhere, reach=self.reach)

    @property
    def layout(self) -> LinkCRFTables:
        return LinkCRFTables(
            translation=TableLayout(Categorical(self.entries.offsets), emits=True),
            alignment=TableLayout(Weights((MOVES + 4 * self.reach + 3,), self.penalty)),
            pair=TableLayout(Weights((self.features.shape[1],), self.penalty)),
        )

    def start(self) -> LinkCRFTables:
        """An encoder that likes short steps forward and knows no words yet."""
        flat = np.full(len(self.entries.values), 1.0 / max(self.n_targets, 1))
        moves = [np.log(part / part.max()) for part in first_guess(self.reach)]
        empty = np.log(max(self.null, 1e-3) / (1.0 - self.null))
        alignment = np.concatenate([[empty, 0.0], *moves])
        return LinkCRFTables(Ragged(self.entries.offsets, flat), alignment, np.zeros(self.features.shape[1]))

    def on(self, log_weights: LinkCRFTables, items: Bitext) -> tuple[LinkCRF, LinkCRFTables]:
        """The model and its weights for other text."""
        return self._replace(classes=items.lengths.pairs, elsewhere=True), log_weights

    def pack(self, items: Any) -> JumpShard:
        """Items are a Bitext."""
        return self.chain.pack(items)

    def n_uniforms(self, shard: JumpShard) -> int:
        return self.chain.n_uniforms(shard)

    def weigh(self, log_weights: LinkCRFTables) -> LinkCRFWeights:
        translation, alignment, pair = log_weights
        said = self.features @ pair
        lengths = self.chain.positions.lengths
        begin, end, jump = np.split(np.exp(alignment[MOVES:]), [self.reach + 1, 2 * self.reach + 2])
        null = np.array([np.exp(alignment[EMPTY]), 1.0])
        cells = np.ones(int(np.sum(lengths + 3)))  # nothing normalises by itself
        table = JumpWeights(null, begin, end, jump, cells, cell_places(lengths))
        seen = (UNSEEN, UNKNOWN) if self.elsewhere else (0.0, 0.0)
        both = self._made(translation.values, said, table, *seen)
        alone = self._made(np.zeros(len(said)), said, table, *(1.0, 1.0) if self.elsewhere else (0.0, 0.0))
        return LinkCRFWeights(*both, float(alignment[DIAGONAL]), alone)

    def _made(self, logs: Array, said: Array, table: JumpWeights, unseen: float, unknown: float) -> JumpHMMWeights:
        """What is made again, and what the encoder says of every word pair."""
        first, weights = int(self.entries.offsets[1]), np.empty(len(said))
        exponentials(logs + said, weights)
        null_row = np.append(np.zeros(self.n_targets), unknown)
        null_row[self.entries.values[:first]] = weights[:first]
        return JumpHMMWeights(weights[first:], null_row, table, unseen, unknown)

    def expect(
        self, weights: LinkCRFWeights, shard: JumpShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        """Labels are the source positions from 1 on, 0 the empty word; under SUM those with the largest posteriors."""
        chain, away = self.chain, distances(shard)
        asked = chain.priced(shard, np.exp(weights.diagonal * away))
        found, links, shares = chain.linked(weights, asked, mode, uniforms, shares=True)
        translation, moved = found.counts
        moves = moved[PLACES : chain.positions.cells]
        alignment = np.concatenate([[moved[NULL], shares.values @ away], moves])
        counts = LinkCRFTables(translation, alignment, self.features.T @ translation.whole().values)
        if labels and mode == SUM:
            links = chain.likeliest(shares, shard)
        return Expectation(counts, found.log_norm), Ragged(shard.target.offsets, links) if labels else None

    def posteriors(self, weights: LinkCRFWeights, shard: JumpShard) -> PairPosteriors:
        """P(a_j = i) of every pair by encoder and reconstruction, and log Σ_a P(a | e, f) P(f̂ | a, e)."""
        asked = self.chain.priced(shard, np.exp(weights.diagonal * distances(shard)))
        both, alone = (self.chain.posteriors(each, asked) for each in (weights, weights.encoder))
        return PairPosteriors(both.matrices, both.log_norms - alone.log_norms)

    def tied(self, parameters: LinkCRFTables) -> bool:
        return False  # source words differ by the sentences that they are in

    def row_name(self, table: str, row: int) -> str:
        return f"source word {row - 1}'s translation" if table == "translation" else f"weight {row} of {table}"


def one_number(said: Array) -> Any:
    """Features that are one, of weight one: what others have come to."""
    return scipy.sparse.csr_matrix(np.reshape(said, (-1, 1)))


def distances(shard: JumpShard) -> Array:
    """|i/l − j/m| of all links, as (l + 1) × m matrices of every pair; of the empty word none."""
    l, m = shard.source.lengths, shard.target.lengths
    away = np.zeros(int(offsets_of((l + 1) * m)[-1]))
    _distances(l, m, away)
    return away


@kernel
def _distances(l: Array, m: Array, away: Array) -> None:
    """away[pair][i, j] = |i / l − j / m|, both counted from one; row 0 stays"""
    at = 0
    for s in range(len(l)):
        for i in range(1, l[s] + 1):
            for j in range(m[s]):
                away[at + i * m[s] + j] = abs(i / l[s] - (j + 1) / m[s])
        at += (l[s] + 1) * m[s]
