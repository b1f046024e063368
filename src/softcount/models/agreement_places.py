"""Model 2 both ways and what they agree on: every word chooses a place by where it stands itself.

    P₁(a_j = i) ∝ a(i | j, l, m) · (1 − p₀) t(f_j | e_i)   or   p₀ t(f_j | empty)        and P₂ with the sides exchanged

a is the diagonal of families/diagonal.py, or a free table with a row for every (l, m, j). It has no place for the empty
word, whose share p₀ is that of the other models that agree (families/empty_word.py). Translations are counted where
both directions agree (models/agreement_kernel.py), places by each direction alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.categorical import Categorical
from softcount.families.diagonal import CELLS, LINK, TENSION, Diagonal, closeness
from softcount.families.kept import Kept
from softcount.machine.kernel import kernel, within
from softcount.models.agreement_kernel import NEGLIGIBLE, settled
from softcount.models.ibm_link import wish
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import values

TABLED = ("diagonal", "free")  # alignments that choose a place by a table


class Places(NamedTuple):
    """Where the words of one direction go; sizes are of the side that generates, then of the one that is generated."""

    free: bool
    tension: float
    width: int
    keys: Array  # int64 [classes], ascending: l · width + m
    starts: Array  # int64 [classes]: where a class's numbers begin
    table: Array  # [class][j][i] of a free table


def places_family(alignment: str, classes: Array, tension: float, learn: bool) -> Any:
    """`classes` are the (l, m) that there are, sorted."""
    if alignment == "diagonal":
        return Diagonal(classes, 0.0, tension, False, learn)
    return Categorical(free_offsets(classes)) if alignment == "free" else Kept((0,))


def free_offsets(classes: Array) -> Array:
    """Of the rows (l, m, j), each of l places."""
    l, m = classes.T
    return offsets_of(np.repeat(l, np.where(l > 0, m, 0)))


def starts_of(alignment: str, classes: Array) -> Array:
    l, m = classes.T
    sizes = np.where(l > 0, l * m if alignment == "free" else m, 0)
    return offsets_of(sizes)[:-1] + (0 if alignment == "free" else CELLS)


def weigh_places(alignment: str, classes: Array, table: Any) -> Places:
    """`table` are log-weights."""
    free = alignment == "free"
    width = int(classes[:, 1].max(initial=0)) + 1
    tension = float(values(table)[TENSION]) if alignment == "diagonal" else 0.0
    cells = np.exp(values(table)) if free else np.empty(0)
    return Places(free, tension, width, classes[:, 0] * width + classes[:, 1], starts_of(alignment, classes), cells)


def places_on(alignment: str, before: Array, table: Any, classes: Array) -> Any:
    """Log-weights of places for the sentence lengths of other text; a free table has none of lengths it never saw."""
    if alignment == "diagonal":
        family = Diagonal(classes, 0.0)
        return family.log_weights(family.table(0.0, float(table[TENSION])))
    if alignment != "free":
        return table
    offsets = free_offsets(classes)
    fresh = -np.log(np.repeat(np.diff(offsets), np.diff(offsets)).astype(float))
    known = dict(zip(map(tuple, before.tolist()), starts_of("free", before).tolist(), strict=True))
    for (l, m), start in zip(classes.tolist(), starts_of("free", classes).tolist(), strict=True):
        if (l, m) in known:
            begin = known[l, m]
            fresh[start : start + l * m] = values(table)[begin : begin + l * m]
    return Ragged(offsets, fresh)


@kernel
def agree_ibm2(
    shard: Any, weights: Array, null: tuple[Array, Array], places: tuple[Places, Places], counting: bool,
    counts: Array, null_counts: tuple[Array, Array], place_counts: tuple[Array, Array], shares: Array, log_norms: Array,
) -> None:  # fmt: skip
    """P₁ = a₁ t₁ / (its word's sum + null), P₂ likewise; counts += P₁ P₂, or, where not counting, shares = (P₁, P₂).

    Weights are times (1 − p₀). Each direction's shares are laid out word by word, a word's places side by side.
    """
    widest = 0
    for s in range(len(shard.starts) - 1):
        widest = max(widest, shard.starts[s + 1] - shard.starts[s])
    one, two = np.empty(widest), np.empty(widest)
    for s in range(len(shard.starts) - 1):
        source = shard.source.values[shard.source.offsets[s] : shard.source.offsets[s + 1]]
        target = shard.target.values[shard.target.offsets[s] : shard.target.offsets[s + 1]]
        index = shard.cells[shard.starts[s] : shard.starts[s + 1]]
        l, m = len(source), len(target)
        if l == 0 or m == 0:
            continue
        known = wish(shard.wished[0], s, 0), wish(shard.wished[1], s, 0)
        wishful = wish(shard.wished[0], s, 1) > 0
        _lay(places[0], l, m, one)
        _lay(places[1], m, l, two)
        for i in range(l):
            for j in range(m):
                one[j * l + i] *= weights[index[i * m + j], 0]
                two[i * m + j] *= weights[index[i * m + j], 1]
        for d in range(2):
            part, n, words = (one, l, target) if d == 0 else (two, m, source)
            if wishful:
                _wish(shard.wishes[d], known[d], n, len(words), part)
            log_norms[s, d] = _settle(null[d], shard.wishes[d], known[d], words, n, part, null_counts[d])
            if counting:
                _count_places(places[d], n, len(words), part, place_counts[d])
        for i in range(l):
            for j in range(m):
                a, b = one[j * l + i], two[i * m + j]
                if not counting:
                    shares[shard.starts[s] + i * m + j, 0], shares[shard.starts[s] + i * m + j, 1] = a, b
                    continue
                agreed = max(a, b) if wishful and settled(shard, known, i, j) else a * b
                if agreed > NEGLIGIBLE:
                    counts[index[i * m + j]] += agreed


@kernel
def _lay(places: Places, n: int, m: int, out: Array) -> None:
    """out[j, i] = a(i | j, n, m)"""
    if places.free:
        begin = _start(places, n, m)
        for k in range(n * m):
            out[k] = places.table[begin + k]
        return
    for j in range(m):
        total = 0.0
        for i in range(n):
            out[j * n + i] = np.exp(places.tension * closeness(i + 1, n, j + 1, m))
            total += out[j * n + i]
        for i in range(n):
            out[j * n + i] /= total


@within
def _start(places: Places, n: int, m: int) -> int:
    return places.starts[np.searchsorted(places.keys, n * places.width + m)]


@kernel
def _wish(wishes: Array, begin: int, n: int, m: int, part: Array) -> None:
    """part[j, i] *= wishes[i + 1, j]"""
    for j in range(m):
        for i in range(n):
            part[j * n + i] *= wishes[begin + (i + 1) * m + j]


@kernel
def _settle(null: Array, wishes: Array, begin: int, words: Array, n: int, part: Array, null_counts: Array) -> float:
    """Makes shares of a direction's terms, the empty word's among them; returns log Z of the pair."""
    log_norm = 0.0
    for j in range(len(words)):
        empty = null[words[j]] * wishes[begin + j]
        total = empty
        for i in range(n):
            total += part[j * n + i]
        log_norm += np.log(total) if total > 0.0 else -np.inf
        inverse = 1.0 / total if total > 0.0 else 0.0
        null_counts[words[j]] += empty * inverse
        for i in range(n):
            part[j * n + i] *= inverse
    return log_norm


@kernel
def _count_places(places: Places, n: int, m: int, part: Array, counts: Array) -> None:
    """Of a free table its entries; of the diagonal the links of every cell, and Σ h of all links."""
    begin, links, feature = _start(places, n, m), 0.0, 0.0
    for j in range(m):
        linked = 0.0
        for i in range(n):
            share = part[j * n + i]
            linked += share
            if places.free:
                counts[begin + j * n + i] += share
            else:
                feature += share * closeness(i + 1, n, j + 1, m)
        links += linked
        if not places.free:
            counts[begin + j] += linked
    if not places.free:
        counts[LINK] += links
        counts[TENSION] += feature
