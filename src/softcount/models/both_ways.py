"""Two HMMs over positions, source to target and target to source, of which it may be wished that they link alike.

    P(f, a | e) · P(e, b | f)        f_ij = [a_j = i] − [b_i = j], which is zero on the average where both agree

K. Ganchev, J. Graça, J. Gillenwater, B. Taskar, JMLR 11, 2010, §4.3: symmetry. By themselves the two have nothing to do
with one another, and EM trains each as it would alone. Under `constrained` every link has a multiplier λ_ij, of either
sign: it lowers the weight of the link in one direction by exp(−λ_ij) and raises it in the other by exp(λ_ij).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.models.jump_hmm import SHARD, JumpHMM, JumpHMMWeights, JumpShard
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array, offsets_of
from softcount.numbers.tables import Expectation
from softcount.text.bitext import Bitext


class BothWaysTables(NamedTuple):
    forward: Any  # IBMTables
    reverse: Any


class BothWaysShard(NamedTuple):
    forward: JumpShard
    reverse: JumpShard
    ahead: Array  # bool: which cells of the forward matrices are links, and not the empty word's
    behind: Array
    turned: Array  # int64 [links]: where in the reverse matrices, without their empty words, each forward link is


class BothWays(NamedTuple):
    forward: JumpHMM
    reverse: JumpHMM

    @property
    def exact(self) -> bool:
        return True

    @property
    def shard_cost(self) -> int:
        return SHARD

    def costs(self, items: Any) -> Array:
        return items.token_pairs

    @property
    def layout(self) -> BothWaysTables:
        return BothWaysTables(self.forward.layout, self.reverse.layout)

    def pack(self, items: Bitext) -> BothWaysShard:
        l, m = items.source.sentences.lengths, items.target.sentences.lengths
        shards = self.forward.pack(items), self.reverse.pack(items.reverse())
        return BothWaysShard(*shards, linked_cells(l, m), linked_cells(m, l), transposed(l, m))

    def n_uniforms(self, shard: BothWaysShard) -> int:
        return self.forward.n_uniforms(shard.forward) + self.reverse.n_uniforms(shard.reverse)

    def weigh(self, log_weights: BothWaysTables) -> tuple[JumpHMMWeights, JumpHMMWeights]:
        return self.forward.weigh(log_weights.forward), self.reverse.weigh(log_weights.reverse)

    def expect(
        self, weights: tuple[JumpHMMWeights, JumpHMMWeights], shard: BothWaysShard, mode: int = SUM,
        uniforms: Array | None = None, labels: bool = False,
    ) -> tuple[Expectation, None]:  # fmt: skip
        if labels:
            raise InputError("two directions have two labels of every link; ask each of them")
        n = self.forward.n_uniforms(shard.forward)
        draws = (None, None) if uniforms is None else (uniforms[:n], uniforms[n:])
        one = self.forward.expect(weights[0], shard.forward, mode, draws[0])[0]
        two = self.reverse.expect(weights[1], shard.reverse, mode, draws[1])[0]
        return _both(one, two), None

    # --- symmetry -----------------------------------------------------------------------------------------------------

    @property
    def bound(self) -> float:
        return 0.0

    @property
    def constraint(self) -> str:
        return "symmetry"

    def nodes(self, shard: BothWaysShard) -> tuple[tuple[int, int], None]:
        """A multiplier against each direction of every link: λ is their difference."""
        return (2 * len(shard.turned), 1), None

    def wished(
        self, weights: tuple[JumpHMMWeights, JumpHMMWeights], shard: BothWaysShard, multipliers: Array
    ) -> tuple[Expectation, Array]:
        price = multipliers[0::2, 0] - multipliers[1::2, 0]
        back = np.empty_like(price)
        back[shard.turned] = price
        one, ahead = _priced(self.forward, weights[0], shard.forward, shard.ahead, -price)
        two, behind = _priced(self.reverse, weights[1], shard.reverse, shard.behind, back)
        differs = ahead - behind[shard.turned]
        return _both(one, two), np.stack([differs, -differs], axis=1).reshape(-1, 1)

    def posteriors(self, weights: tuple[JumpHMMWeights, JumpHMMWeights], shard: BothWaysShard) -> tuple[Any, Any]:
        return self.forward.posteriors(weights[0], shard.forward), self.reverse.posteriors(weights[1], shard.reverse)

    def tied(self, parameters: BothWaysTables) -> bool:
        return False

    def row_name(self, table: str, row: int) -> str:
        return f"row {row} of the {table}"


def _both(one: Expectation, two: Expectation) -> Expectation:
    return Expectation(BothWaysTables(one.counts, two.counts), one.log_norm + two.log_norm)


def _priced(model: JumpHMM, weights: Any, shard: JumpShard, links: Array, logs: Array) -> tuple[Expectation, Array]:
    """The E-step with these log-weights on all links, and the links' shares; the empty word's are left as they are."""
    prices = np.ones(len(links))
    prices[links] = np.exp(logs)
    found, _, shares = model.linked(weights, model.priced(shard, prices), shares=True)
    return found, shares.values[links]


def linked_cells(l: Array, m: Array) -> Array:
    """Of (l + 1) × m matrices, which cells are not in their first row."""
    sizes = np.stack([m, l * m], axis=1).ravel()
    return np.repeat(np.arange(len(sizes)) % 2 == 1, sizes)


def transposed(l: Array, m: Array) -> Array:
    """Of every link of l × m matrices, row by row, where it is among the links of the m × l ones."""
    sizes = zip(offsets_of(l * m)[:-1].tolist(), l.tolist(), m.tolist(), strict=True)
    found = (begin + np.arange(p * q).reshape(q, p).T.ravel() for begin, p, q in sizes)
    return np.concatenate([np.empty(0, np.int64), *found])
