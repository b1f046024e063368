"""A chain that is encoded by features and made again from its states: the CRF autoencoder.

    P(z | x) ∝ exp(initial[z_1] + Σ_t transition[z_{t−1}, z_t] + Σ_t (here[z_t] · f(x_t) + before[z_t] · f(x_{t−1})
               + after[z_t] · f(x_{t+1})))                           the encoder: f are features of words
    P(x̂ | z) = ∏_t reconstruction[z_t, x̂_t]                          x̂_t: the word again, or its class

W. Ammar, C. Dyer, N. A. Smith, NIPS 2014. Both together are a hidden Markov model whose tokens give weights to the
states, so that its kernels do the work; what is new are the features. Beyond both ends of a sentence is a boundary
that has a feature of its own. log Z(η) is of both, and of the encoder alone where `reconstruction` has weights of one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout
from softcount.families.weights import Weights
from softcount.machine.kernel import kernel
from softcount.models.hmm import HMM, HMMTables, HMMWeights
from softcount.models.hmm_packing import HMMShard, pack, positions
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Expectation

SHARD_TOKENS = 100_000  # every token has a weight for every state


class CRFTables(NamedTuple):
    initial: Any  # [K]
    transition: Any  # [K, K]
    here: Any  # [K, F], F features
    before: Any  # [K, F], of the word before
    after: Any  # [K, F]
    reconstruction: Any  # [K, C], C words or classes of words


class CRFWeights(NamedTuple):
    chain: HMMWeights
    here: Array  # [V + 2, K]: what each word says of the states; then the boundary, and a word without features
    before: Array
    after: Array


class CRFShard(NamedTuple):
    chain: HMMShard  # whose words are what is made again
    here: Array  # int64 [M], the words, in the order of the chain
    before: Array
    after: Array


class CRF(NamedTuple):
    n_states: int
    features: Any  # csr [V + 2, F]: those of every word; of the boundary; none
    made: Array  # int64 [V + 2]: what is made again of each word; −1: nothing
    n_made: int  # C
    penalty: float = 1.0  # on the weights

    @property
    def layout(self) -> CRFTables:
        K, F = self.n_states, self.features.shape[1]
        words = TableLayout(Weights((K, F), self.penalty))
        return CRFTables(
            initial=TableLayout(Weights((K,), self.penalty)),
            transition=TableLayout(Weights((K, K), self.penalty)),
            here=words,
            before=words,
            after=words,
            reconstruction=TableLayout(Categorical((K, self.n_made), lazy=True), emits=True),
        )

    @property
    def chain(self) -> HMM:
        return HMM(self.n_states, self.n_made)

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD_TOKENS

    def costs(self, items: Any) -> Array:
        return items.sentences.lengths

    def pack(self, items: Any) -> CRFShard:
        """Items have `sentences` (word ids, −1 unknown); `labels` (states, −1 unknown) and `potentials`, or None."""
        sentences, n_words = items.sentences, len(self.made) - 2
        words = np.where(sentences.values < 0, n_words + 1, sentences.values).astype(np.int64)
        chain = pack(
            sentences.with_values(self.made[words]), items.labels, self.n_made, self.n_states, items.potentials
        )
        first, last = sentences.offsets[:-1][sentences.lengths > 0], sentences.offsets[1:][sentences.lengths > 0] - 1
        before, after = np.roll(words, 1), np.roll(words, -1)
        before[first], after[last] = n_words, n_words
        text = np.empty(len(words), dtype=np.int64)
        text[positions(chain)] = np.arange(len(words))
        return CRFShard(chain, words[text], before[text], after[text])

    def n_uniforms(self, shard: CRFShard) -> int:
        return len(shard.here)

    def weigh(self, log_weights: CRFTables) -> CRFWeights:
        initial, transition, *words, reconstruction = log_weights
        chain = self.chain.weigh(HMMTables(initial, transition, reconstruction))
        return CRFWeights(chain, *(self.features @ np.ascontiguousarray(table.T) for table in words))

    def expect(
        self, weights: CRFWeights, shard: CRFShard, mode: int = SUM, uniforms: Array | None = None, labels: bool = False
    ) -> tuple[Expectation, Ragged | None]:
        chain, log_scale = self._wished(weights, shard)
        shares = np.empty((len(shard.here), self.n_states))
        found, states = self.chain.expect(weights.chain, chain, mode, uniforms, True, shares)
        assert states is not None
        if mode != SUM:  # the one structure that was chosen
            shares[positions(chain)] = np.eye(self.n_states)[states.values]
        initial, transition, reconstruction = found.counts
        here, before, after = (self._counted(ids, shares) for ids in (shard.here, shard.before, shard.after))
        counts = CRFTables(initial, transition, here, before, after, reconstruction)
        return Expectation(counts, found.log_norm + log_scale), states if labels else None

    def posteriors(self, weights: CRFWeights, shard: CRFShard) -> Array:
        """P(state | sentence) of every token, [tokens, K], in the order of the text."""
        return self.chain.posteriors(weights.chain, self._wished(weights, shard)[0])

    def _wished(self, weights: CRFWeights, shard: CRFShard) -> tuple[HMMShard, float]:
        """The chain with the weights that its tokens give to the states, and what they were divided by, in logs."""
        said = weights.here[shard.here]
        said += weights.before[shard.before]
        said += weights.after[shard.after]
        top = said.max(axis=1, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0.0)
        said -= top[:, None]
        np.exp(said, out=said)
        if len(shard.chain.potentials):
            said *= shard.chain.potentials
        return shard.chain._replace(potentials=said), float(top.sum())

    def _counted(self, ids: Array, shares: Array) -> Array:
        """E[Σ_t f(word at t)] for every state, [K, F]."""
        by_word = np.zeros((len(self.made), self.n_states))
        _gather(ids, shares, by_word)
        return np.asarray(self.features.T @ by_word).T

    def tied(self, parameters: CRFTables) -> bool:
        return self.n_states > 1 and all(np.allclose(table, table[:1], rtol=1e-9, atol=1e-300) for table in parameters)

    def row_name(self, table: str, row: int) -> str:
        return "the initial weights" if table == "initial" else f"state {row}'s {table}"


def with_boundary(features: Any) -> Any:
    """[V, F] → [V + 2, F + 1]: the boundary of sentences has the last feature, and a word without features none."""
    boundary = sparse.csr_matrix(([1.0], ([0], [0])), shape=(2, 1))
    return sparse.block_diag([features, boundary], format="csr").astype(np.float64)


@kernel
def _gather(ids: Array, shares: Array, by_word: Array) -> None:
    """np.add.at(by_word, ids, shares)"""
    for m in range(len(ids)):
        for k in range(shares.shape[1]):
            by_word[ids[m], k] += shares[m, k]
