"""Links once more, by what the links of all other places came to.

    P̄ = (P₁ + P₂) / 2        m(e, f) = Σ P̄ over all places of the text where e meets f
    t′(f | e) = [m(e, f) − P̄ + κ t(f | e)] / [m(e) − P̄ + κ]        m(e) = Σ_f m(e, f)

t are the rows that both directions agree on, P₁ and P₂ what they say of a place. t′ is of that place alone: what it
gave to m itself is left out, so that a link is believed for its fellows' sake. κ times t takes part as counts that are
imagined, and the other direction t′(e | f) has the column's sum. With P₁ and P₂ of links that are drawn this would be a
sweep of collapsed Gibbs sampling; with expectations it needs no draws (A. Asuncion, M. Welling, P. Smyth, Y. W. Teh,
UAI 2009, of topics). A place of a text that was never counted is treated like any other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.agreement_kernel import Shard
from softcount.numbers.ragged import Array, Ragged

KAPPA = 3.0  # 1 to 10 differ little
LEAST = 1e-3  # a P̄ below is not counted, nor left out


class Recount(NamedTuple):
    """What was counted."""

    links: Array  # float32 [entries]: m(e, f)
    by_source: Array  # [source words]: m(e)
    by_target: Array  # [target words]: m(f)


def recount(rows: Ragged, links: Array, n_words: tuple[int, int]) -> Recount:
    """With the sums of so many words, of which the last may be without entries."""
    by_source, by_target = np.zeros(n_words[0]), np.zeros(n_words[1])
    _sum(rows.offsets, rows.values, links, by_source, by_target)
    return Recount(links, by_source, by_target)


def left_out(shard: Shard, shares: Array, rates: Array, counted: Recount, unknown: float) -> tuple[Shard, Array]:
    """The shard as if every place had an entry of its own, and the rates of these: t′ both ways."""
    n = len(shard.cells)
    result = np.zeros((n + 1, 2), np.float32)  # the last is nobody's
    _leave_out(shard, shares, rates, counted, LEAST, KAPPA, unknown, result)
    return shard._replace(cells=np.arange(n, dtype=np.int32), entries=np.arange(n + 1, dtype=np.int32)), result


@kernel
def _sum(offsets: Array, columns: Array, links: Array, by_source: Array, by_target: Array) -> None:
    """by_source, by_target = the sums of rows and columns, without copies of the entries"""
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            by_source[row] += links[k]
            by_target[columns[k]] += links[k]


@kernel
def add_means(starts: Array, cells: Array, shares: Array, weights: Array, least: float, counts: Array) -> None:
    """counts[cells[k]] += weights[its pair] · shares[k].mean(), where that mean exceeds `least`"""
    for s in range(len(starts) - 1):
        for k in range(starts[s], starts[s + 1]):
            mean = (shares[k, 0] + shares[k, 1]) / 2
            if mean > least:
                counts[cells[k]] += weights[s] * mean


@kernel
def _leave_out(
    shard: Any, shares: Array, rates: Array, counted: Recount, least: float, kappa: float, unknown: float, result: Array
) -> None:
    """result[k] = (m − mean + kappa · rates) / (sums − mean + kappa); rates of zero stay zero.

    Of a place with a word that is not known, `unknown`; entries behind those of `counted` were never counted.
    """
    source, target = shard.source, shard.target
    for s in range(len(shard.starts) - 1):
        m = target.offsets[s + 1] - target.offsets[s]
        for k in range(shard.starts[s], shard.starts[s + 1]):
            entry, place = shard.entries[shard.cells[k]], k - shard.starts[s]
            if entry < 0:
                result[k, 0], result[k, 1] = unknown, unknown
                continue
            e, f = source.values[source.offsets[s] + place // m], target.values[target.offsets[s] + place % m]
            mean, links = (shares[k, 0] + shares[k, 1]) / 2, 0.0
            if entry < len(counted.links):
                links = counted.links[entry]
            own = min(mean, links) if mean > least else 0.0
            if rates[entry, 0] > 0.0:
                result[k, 0] = (links - own + kappa * rates[entry, 0]) / (counted.by_source[e] - own + kappa)
            if rates[entry, 1] > 0.0:
                result[k, 1] = (links - own + kappa * rates[entry, 1]) / (counted.by_target[f] - own + kappa)
