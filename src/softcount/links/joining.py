"""Links from the two directions' posteriors.

forward[j] is the source word that target word j chose, reverse[i] the target word that source word i chose.
Intersection, union and the three growing heuristics are those of F. J. Och, H. Ney, Computational Linguistics 29(1),
2003, and P. Koehn et al., IWSLT 2005; `product` links where √(p_forward · p_reverse) reaches a threshold (P. Liang,
B. Taskar, D. Klein, NAACL 2006, use the product), `mean` where (p_forward + p_reverse) / 2 exceeds one.

What grows depends on the order in which links and their neighbours are visited. It is that of Moses' `symal`: target
word by target word, source word by source word; of each link the four straight neighbours before the diagonal ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of

FORWARD, REVERSE, INTERSECTION, UNION, GROW_DIAG, GROW_DIAG_FINAL, GROW_DIAG_FINAL_AND, PRODUCT, MEAN = range(9)
RULES = {
    "forward": FORWARD,
    "reverse": REVERSE,
    "intersection": INTERSECTION,
    "union": UNION,
    "grow-diag": GROW_DIAG,
    "grow-diag-final": GROW_DIAG_FINAL,
    "grow-diag-final-and": GROW_DIAG_FINAL_AND,
    "product": PRODUCT,
    "mean": MEAN,
}
SYMMETRIZATIONS = tuple(RULES)[2:]
THRESHOLDS = {"product": 0.35, "mean": 0.5}  # of the rules that have one, where none is given

# (target step, source step) to a link's neighbours, in the order in which they are asked
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


BEST = ("viterbi", "mre")  # decodings that are an arg max over alignments


class Rule(NamedTuple):
    """How links are made: of what two directions say, and of what is asked of each."""

    name: str
    threshold: float
    decode: str = "posterior"


ANY = Rule("mean", 0.5)
AGAIN = Rule("mean", 0.5, "mre")


class Links(NamedTuple):
    """Link k joins source word source[k] and target word target[k]; pair r has offsets[r] … offsets[r + 1] − 1."""

    offsets: Array
    source: Array
    target: Array
    probability: Array


def link(
    rule: str, source_lengths: Array, target_lengths: Array, forward: Ragged | None, reverse: Ragged | None,
    threshold: float,
) -> Links:  # fmt: skip
    """`forward` has (l + 1) × m matrices, `reverse` (m + 1) × l, or None where only one direction is there."""
    if rule not in RULES:
        raise InputError(f"symmetrize={rule!r}: unknown; use {', '.join(SYMMETRIZATIONS)}")
    one = forward if forward is not None else reverse
    assert one is not None
    n_links = np.zeros(len(source_lengths), dtype=np.int64)
    most = (
        source_lengths * target_lengths
        if rule in ("union", *THRESHOLDS, *SYMMETRIZATIONS[2:5])
        else np.minimum(source_lengths * target_lengths, source_lengths + target_lengths)
    )
    room = int(np.minimum(most, 4 * (source_lengths + target_lengths)).sum()) + int(most.max(initial=0))
    none = Ragged(np.zeros(len(source_lengths) + 1, np.int64), np.zeros(1))
    source, target = np.empty(room, np.int32), np.empty(room, np.int32)
    probability = np.empty(room)
    f, r = forward or none, reverse or none
    while True:
        filled = _link(
            RULES[rule], source_lengths, target_lengths, f.offsets, f.values, r.offsets, r.values,
            forward is not None, reverse is not None, threshold, n_links, source, target, probability,
        )  # fmt: skip
        if filled >= 0:
            break
        room *= 4
        source, target, probability = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room)
    return Links(offsets_of(n_links), source[:filled], target[:filled], probability[:filled])


@kernel
def _link(
    rule: int, source_lengths: Array, target_lengths: Array, f_offsets: Array, forward: Array, r_offsets: Array,
    reverse: Array, has_forward: bool, has_reverse: bool, threshold: float, n_links: Array, source: Array,
    target: Array, probability: Array,
) -> int:  # fmt: skip
    """The links of all pairs, ordered by source and target; −1 where the room does not suffice."""
    filled = 0
    for s in range(len(source_lengths)):
        l, m = source_lengths[s], target_lengths[s]
        n_links[s] = 0
        if l == 0 or m == 0:
            continue
        p, q = forward[f_offsets[s] :], reverse[r_offsets[s] :]
        linked = _linked(rule, l, m, p, q, threshold)
        for i in range(l):
            for j in range(m):
                if not linked[i, j]:
                    continue
                if filled == len(source):
                    return -1
                source[filled], target[filled] = i, j
                share = p[(i + 1) * m + j] if has_forward else 1.0
                if has_reverse:
                    back = q[(j + 1) * l + i]
                    share = _joint(rule, share, back) if has_forward else back
                probability[filled] = share
                filled += 1
                n_links[s] += 1
    return filled


@kernel
def _linked(rule: int, l: int, m: int, p: Array, q: Array, threshold: float) -> Array:
    linked = np.zeros((l, m), dtype=np.bool_)
    if rule in (PRODUCT, MEAN):
        for i in range(l):
            for j in range(m):
                linked[i, j] = _reaches(rule, p[(i + 1) * m + j], q[(j + 1) * l + i], threshold)
        return linked
    f, r = np.zeros((l, m), dtype=np.bool_), np.zeros((l, m), dtype=np.bool_)
    if rule != REVERSE:
        _choose(p, l, m, f, False)
    if rule != FORWARD:
        _choose(q, m, l, r, True)
    return join(rule, f, r)


@kernel
def join(rule: int, f: Array, r: Array) -> Array:
    """[l, m]: the links of both directions, which are given in the same form, by any rule that has no threshold."""
    if rule in (FORWARD, REVERSE, UNION):
        return f | r
    linked = f & r
    if rule != INTERSECTION:
        _grow(linked, f | r)
        if rule != GROW_DIAG:
            _finish(linked, f, rule == GROW_DIAG_FINAL_AND)
            _finish(linked, r, rule == GROW_DIAG_FINAL_AND)
    return linked


@kernel
def _joint(rule: int, p: float, q: float) -> float:
    """The probability of a link on which both directions have a say."""
    return 0.5 * (p + q) if rule == MEAN else np.sqrt(p * q)


@kernel
def _reaches(rule: int, p: float, q: float, threshold: float) -> bool:
    return p + q > 2.0 * threshold if rule == MEAN else p * q >= threshold * threshold


def link_shares(
    rule: str, source_lengths: Array, target_lengths: Array, starts: Array, shares: Array, threshold: float
) -> Links:
    """Links by a threshold, of both directions' posteriors side by side: [token pairs, 2], row by row of each pair."""
    n_links = np.zeros(len(source_lengths), np.int64)
    room = _count_shares(RULES[rule], starts, shares, threshold, n_links)
    source, target, probability = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room)
    _link_shares(RULES[rule], starts, target_lengths, shares, threshold, source, target, probability)
    return Links(offsets_of(n_links), source, target, probability)


@kernel
def _count_shares(rule: int, starts: Array, shares: Array, threshold: float, n_links: Array) -> int:
    total = 0
    for s in range(len(starts) - 1):
        for k in range(starts[s], starts[s + 1]):
            n_links[s] += _reaches(rule, shares[k, 0], shares[k, 1], threshold)
        total += n_links[s]
    return total


@kernel
def _link_shares(
    rule: int, starts: Array, widths: Array, shares: Array, threshold: float, source: Array, target: Array,
    probability: Array,
) -> None:  # fmt: skip
    filled = 0
    for s in range(len(starts) - 1):
        for k in range(starts[s], starts[s + 1]):
            if _reaches(rule, shares[k, 0], shares[k, 1], threshold):
                place = k - starts[s]
                source[filled], target[filled] = place // widths[s], place % widths[s]
                probability[filled] = _joint(rule, shares[k, 0], shares[k, 1])
                filled += 1


@kernel
def _choose(p: Array, l: int, m: int, chosen: Array, turned: bool) -> None:
    """chosen[argmax_i p[i, j] − 1, j] = True unless the empty word is best; ties go to the lower i."""
    for j in range(m):
        best = 0
        for i in range(1, l + 1):
            if p[i * m + j] > p[best * m + j]:
                best = i
        if best > 0:
            if turned:
                chosen[j, best - 1] = True
            else:
                chosen[best - 1, j] = True


@kernel
def _covered(linked: Array) -> tuple[Array, Array]:
    """Which source words and which target words have a link."""
    l, m = linked.shape
    sources, targets = np.zeros(l, np.bool_), np.zeros(m, np.bool_)
    for i in range(l):
        for j in range(m):
            if linked[i, j]:
                sources[i] = targets[j] = True
    return sources, targets


@kernel
def _grow(linked: Array, union: Array) -> None:
    """Neighbours of links so far, where they join a word that has none; until nothing is added.

    A link that is added further on is visited in the same pass, one that is added further back in the next.
    """
    l, m = linked.shape
    sources, targets = _covered(linked)
    added = True
    while added:
        added = False
        for j in range(m):
            for i in range(l):
                if not linked[i, j]:
                    continue
                for across, along in NEIGHBOURS:
                    n, k = j + across, i + along
                    if 0 <= k < l and 0 <= n < m and union[k, n] and not (sources[k] and targets[n]):
                        linked[k, n] = sources[k] = targets[n] = added = True


@kernel
def _finish(linked: Array, direction: Array, both: bool) -> None:
    """A direction's links that join a word without a link (final), or two of them (final-and)."""
    l, m = linked.shape
    sources, targets = _covered(linked)
    for j in range(m):
        for i in range(l):
            if direction[i, j]:
                free = not (sources[i] or targets[j]) if both else not (sources[i] and targets[j])
                if free:
                    linked[i, j] = sources[i] = targets[j] = True
