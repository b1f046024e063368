"""The rounds of an IBM model's E-step, each a pure function of a part of the text and of what all parts share.

    1. by source types: per target token the total of its terms, or the leader of its race
    2. by pairs: the empty word joins, totals become scales, log Z is known
    3. by source types: counts, each part those of its own rows

What a round returns adds: totals by number, leaders by who is ahead, scales and rows of counts side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import ImpossibleItem
from softcount.models.ibm_kernel import add_counts, add_totals, settle
from softcount.models.ibm_link import IBMWeights
from softcount.models.ibm_race import add_chosen, race
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Array


class Question(NamedTuple):
    weights: IBMWeights
    mode: int
    uniforms: Array  # one per target token under SAMPLE, else none


class Leaders(NamedTuple):
    """Of several parts' races; adding finds the leader of all."""

    totals: Array  # under SUM and SAMPLE
    best: Array  # under MAX and SAMPLE
    choice: Array

    def __iadd__(self, other: Any) -> Leaders:  # type: ignore[misc]
        ahead = (other.best > self.best) | ((other.best == self.best) & (other.choice < self.choice))
        np.add(self.totals, other.totals, out=self.totals)
        np.copyto(self.best, other.best, where=ahead)
        np.copyto(self.choice, other.choice, where=ahead)
        return self


def find_leaders(part: Any, asked: Question) -> Leaders:
    weights, mode, uniforms = asked
    n, (first, last) = len(part.pairs.targets), part.types
    if mode == SUM:
        totals = np.zeros(n)
        add_totals(weights, part.pairs, first, last, part.longest, totals)
        return Leaders(totals, np.empty(0), np.empty(0, np.int32))
    found = Leaders(np.zeros(n if mode == SAMPLE else 0), np.zeros(n), np.zeros(n, np.int32))
    race(weights, part.pairs, first, last, part.longest, mode, uniforms, *found)
    return found


@dataclass
class Settled:
    """Of some pairs; adding puts tokens side by side."""

    log_norm: float
    nulls: float
    links: float
    null_counts: Array
    masses: Array
    extra: Array
    scales: list[Array]  # by which a_ij t_ij becomes a posterior, per target token
    choices: list[Array]

    def __iadd__(self, other: Settled) -> Settled:
        self.log_norm += other.log_norm
        self.nulls += other.nulls
        self.links += other.links
        self.null_counts += other.null_counts
        self.masses += other.masses
        self.extra += other.extra
        self.scales += other.scales
        self.choices += other.choices
        return self

    def joined(self) -> tuple[Array, Array]:
        return np.concatenate(self.scales), np.concatenate(self.choices)


def settle_pairs(part: Any, shared: tuple[Question, Leaders]) -> Settled:
    (weights, mode, uniforms), leaders = shared
    first, last = part.sentences
    here = slice(part.pairs.bounds[first], part.pairs.bounds[last])
    totals, best, choice = (column[here].copy() if len(column) else column for column in leaders)
    sums = np.zeros(len(weights.null_row)), np.zeros(len(weights.cells)), np.zeros(len(weights.table))
    log_norm, nulls, links, impossible = settle(
        weights, part.pairs, first, last, mode, uniforms, totals, best, choice, *sums
    )
    if impossible >= 0:
        raise ImpossibleItem(impossible)
    return Settled(log_norm, nulls, links, *sums, [totals], [choice])


@dataclass
class Counted:
    """Of some source types; adding puts rows side by side."""

    extra: Array
    counts: list[Array] = field(default_factory=list)

    def __iadd__(self, other: Counted) -> Counted:
        self.extra += other.extra
        self.counts += other.counts
        return self


def count_types(part: Any, shared: tuple[Question, bool, Array, Array]) -> Counted:
    (weights, mode, _), feature_too, scale, choice = shared
    first, last = part.types
    counts = np.zeros(weights.offsets[last + 1] - weights.offsets[first + 1])
    extra = np.zeros(len(weights.table))
    if mode == SUM:
        add_counts(weights, part.pairs, first, last, part.longest, feature_too, scale, counts, extra)
    else:
        assert mode in (MAX, SAMPLE)
        add_chosen(weights, part.pairs, first, last, choice, counts, extra)
    return Counted(extra, [counts])
