"""Letters that follow one another as an n-gram model says, each written as a letter of another alphabet.

    P(x, z) = ∏_t language(z_t | z_{t−n+1} … z_{t−1}) · language(end | …) · ∏_t emission[z_t, x_t]

The noisy channel whose source is known: the language model is no table that is learned but a part of the model, and all
that there is to learn is how a plain letter is written. K. Knight, A. Nair, N. Rathod and K. Yamada, "Unsupervised
analysis for decipherment problems", COLING/ACL 2006. With n = 2 it is a hidden Markov model whose transitions are
fixed; with more, one whose states are the last n − 1 letters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.models.hmm import word_weights
from softcount.models.ngram_channel_kernel import best_path, sample, smooth
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Expectation

SHARD_PRODUCTS = 30_000_000  # a twentieth of a second


class ChannelTables(NamedTuple):
    emission: Any  # [K, V], in memory letter of the text by letter


class ChannelWeights(NamedTuple):
    language: Array  # [Bⁿ⁻¹, B], B = K + 1: of a history the next letters, and the end as the last column
    emission: Array  # [V + 1, K]; the last row is a letter that was never seen, which any letter may emit
    log_scale: Array  # [V + 1]
    silent: int  # the letter that emits nothing; −1: there is none


class ChannelShard(NamedTuple):
    offsets: Array  # int64 [R + 1]
    words: Array  # int32; V for one that was never seen


class NgramChannel(NamedTuple):
    language: Array  # [Bⁿ⁻¹, B]: weights, which need not sum to one
    n_words: int
    silent: int = -1

    @property
    def end(self) -> bool:
        """Whether the end of a line is part of the model."""
        return True

    @property
    def n_letters(self) -> int:
        return int(self.language.shape[1]) - 1

    @property
    def n_values(self) -> int:
        """Of a token's label: its letter, and K more where a silent letter stands before it."""
        return self.n_letters * (1 if self.silent < 0 else 2)

    @property
    def low(self) -> int:
        return len(self.language) // (self.n_letters + 1)

    @property
    def layout(self) -> ChannelTables:
        return ChannelTables(TableLayout(Categorical((self.n_letters, self.n_words), lazy=True), emits=True))

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD_PRODUCTS

    def costs(self, items: Any) -> Array:
        return items.sentences.lengths * self.language.size

    def pack(self, items: Any) -> ChannelShard:
        """Items have `sentences` (ids of the written letters, −1 unknown)."""
        words = items.sentences.values
        return ChannelShard(items.sentences.offsets, np.where(words < 0, self.n_words, words).astype(np.int32))

    def n_uniforms(self, shard: ChannelShard) -> int:
        return 2 * len(shard.words) + len(shard.offsets) - 1

    def weigh(self, log_weights: ChannelTables) -> ChannelWeights:
        emission, log_scale = word_weights(log_weights.emission, self.n_letters)
        if self.silent >= 0:
            emission[:, self.silent] = 0.0
        return ChannelWeights(self.language, emission, log_scale, self.silent)

    def expect(
        self, weights: ChannelWeights, shard: ChannelShard, mode: int = SUM, uniforms: Array | None = None,
        labels: bool = False,
    ) -> tuple[Expectation, Ragged | None]:  # fmt: skip
        emission = np.zeros((self.n_words + 1, self.n_letters))
        chosen = np.empty(len(shard.words) if labels else 0, dtype=np.int32)
        if mode == SUM:
            found = smooth(weights, shard, self.low, emission, np.empty((0, self.n_values)), chosen)
        elif mode == MAX:
            found = best_path(weights, shard, self.low, emission, chosen)
        else:
            assert uniforms is not None, "SAMPLE needs uniforms"
            found = sample(weights, shard, self.low, uniforms, emission, chosen)
        log_norm = _possible(*found)
        return Expectation(ChannelTables(emission[:-1].T), log_norm), Ragged(shard.offsets, chosen) if labels else None

    def posteriors(self, weights: ChannelWeights, shard: ChannelShard) -> Array:
        """P(label | line) of every token."""
        shares = np.empty((len(shard.words), self.n_values))
        emission = np.zeros((self.n_words + 1, self.n_letters))
        _possible(*smooth(weights, shard, self.low, emission, shares, np.empty(0, np.int32)))
        return shares

    def tied(self, parameters: ChannelTables) -> bool:
        """Never: the language model tells the letters apart."""
        return False

    def row_name(self, table: str, row: int) -> str:
        return f"letter {row}'s {table}"


def _possible(log_norm: float, impossible: int) -> float:
    if impossible >= 0:
        raise ImpossibleItem(impossible)
    return log_norm
