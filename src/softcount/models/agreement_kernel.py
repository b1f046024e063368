"""Both directions of a sentence pair at once, and the counts on which they agree.

    c(e, f) = Σ_{i,j: e_i = e, f_j = f} P₁(a_j = i) · P₂(b_i = j)

P. Liang, B. Taskar, D. Klein, NAACL 2006: P₁ from t(f | e), in which every target word chooses a source position, P₂
from t(e | f), in which every source word chooses a target position. One table of counts serves both; empty words,
jumps and the fertilities are counted by each direction alone. Of two words that are both known to be linked, to this or
that word, c is the larger of P₁ and P₂: there is nothing to agree on, and a link that is known must not die out. The
weights of a word pair in both directions lie side by side, so that one read from memory brings both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel, within
from softcount.models.ibm_link import wish
from softcount.numbers.ragged import Array, Ragged

NEGLIGIBLE = 1e-7  # a product of posteriors that is not worth a write to memory


class Direction(NamedTuple):
    """The weights of one direction besides its translations; states are the words of the side that generates."""

    null: Array  # [types of the generated side, and one for words not known]: p₀ t(word | empty)
    kinds: Array  # int32 [types of the generating side, and one]: which kind of jumps a word's are
    jump: Array  # [kind, n + d]: the weight of a jump of d, −n ≤ d ≤ n, n at least the longest sentence
    sums: Array  # float64, sums[kind, k] = Σ jump[kind, :k]
    begin: Array  # [i]: the first link is to position i
    end: Array  # [d]: the last place is d before the last position
    ratio: Array  # [types of the generating side, and one, k]: p(k + 1 words) / p(k words)


class Tally(NamedTuple):
    """What one direction counts by itself."""

    null: Array
    jump: Array  # [kind, n + d]
    begin: Array
    end: Array
    fertility: Array  # [types, k]
    moves: Array  # float32 [kind, n + d]: room for jumps that are still to be multiplied by their weights


class Shard(NamedTuple):
    """A PairIndex, and what is wished of the links of each direction (ibm_link.py)."""

    source: Ragged
    target: Ragged
    starts: Array
    cells: Array
    entries: Array
    wishes: tuple[Array, Array]  # float32
    wished: tuple[Array, Array]
    groups: Array  # int32 [groups, LANES]: pairs that an HMM computes together, of about the same shape; −1 none


@kernel
def agree_ibm1(
    shard: Any, weights: Array, null: tuple[Array, Array], counting: bool, counts: Array,
    null_counts: tuple[Array, Array], shares: Array, log_norms: Array,
) -> None:  # fmt: skip
    """Model 1 both ways: P₁ = t₁ / (its column's sum + null), P₂ = t₂ / (its row's sum + null), counts += P₁ P₂.

    Where not counting, shares = (P₁, P₂) instead. Weights are times (1 − p₀).
    """
    widest = 0
    for s in range(len(shard.starts) - 1):
        widest = max(widest, shard.starts[s + 1] - shard.starts[s])
    one, two = np.empty(widest, np.float32), np.empty(widest, np.float32)
    column = np.empty(widest, np.float32)
    for s in range(len(shard.starts) - 1):
        source = shard.source.values[shard.source.offsets[s] : shard.source.offsets[s + 1]]
        target = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        index = shard.cells[shard.starts[s] : shard.starts[s + 1]]
        l, m = len(source), len(target)
        if l == 0 or m == 0:
            continue
        known = wish(shard.wished[0], s, 0), wish(shard.wished[1], s, 0)
        wishful = wish(shard.wished[0], s, 1) > 0
        for j in range(m):  # the position's 1 / l is taken out of all terms
            column[j] = null[0][target[j]] * l * shard.wishes[0][known[0] + j]
        for i in range(l):
            empty = null[1][source[i]] * m * shard.wishes[1][known[1] + i]
            row = empty
            for j in range(m):
                k = index[i * m + j]
                a, b = weights[k, 0], weights[k, 1]
                if wishful:
                    a *= shard.wishes[0][known[0] + (i + 1) * m + j]
                    b *= shard.wishes[1][known[1] + (j + 1) * l + i]
                one[i * m + j] = a
                two[i * m + j] = b
                column[j] += a
                row += b
            log_norms[s, 1] += np.log(row / m) if row > 0.0 else -np.inf
            inverse = np.float32(1.0 / row) if row > 0.0 else np.float32(0.0)
            null_counts[1][source[i]] += empty * inverse
            for j in range(m):
                two[i * m + j] *= inverse
        for j in range(m):
            log_norms[s, 0] += np.log(column[j] / l) if column[j] > 0.0 else -np.inf
            column[j] = 1.0 / column[j] if column[j] > 0.0 else 0.0
            null_counts[0][target[j]] += null[0][target[j]] * l * shard.wishes[0][known[0] + j] * column[j]
        for i in range(l):
            for j in range(m):
                a, b = one[i * m + j] * column[j], two[i * m + j]
                if not counting:
                    shares[shard.starts[s] + i * m + j, 0], shares[shard.starts[s] + i * m + j, 1] = a, b
                    continue
                agreed = max(a, b) if wishful and settled(shard, known, i, j) else a * b
                if agreed > NEGLIGIBLE:
                    counts[index[i * m + j]] += agreed


@within
def settled(shard: Any, known: tuple[int, int], i: int, j: int) -> bool:
    """Whether both words are known to be linked: the empty word is forbidden to either."""
    return shard.wishes[0][known[0] + j] == 0.0 and shard.wishes[1][known[1] + i] == 0.0
