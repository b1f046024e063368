"""Translation rows that lean on coarser rows: of stems, of stems of stems.

    t(f | e) = [c(e, f) + κ · t(s(f) | s(e)) · p(f | s(f)) + π(e, f)] / (c(e) + κ + π(e))        c(e) = Σ_f c(e, f)

and the same for stems, which lean on coarser stems with a κ of their own, up to the coarsest, which lean on nothing.
The posterior mean of a row under a Dirichlet prior of strength κ + π(e) whose mean is what the coarser row predicts (a
hierarchical Dirichlet prior, its upper levels held at their estimates). Counts of the coarser level are sums of the
finer one's, so one table of counts gives rows in both directions: t(f | e) by row sums, t(e | f) by column sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softcount.families.kept import Unheld
from softcount.families.penalty import Pseudo
from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import Log, values

LEAST = 1e-30  # a sum below that is nothing; a float32 has numbers so small, too


class Level(NamedTuple):
    """The entries of one level, and what each of them leans on; the coarsest level has no parents."""

    rows: Ragged  # int32 columns of each row's entries
    n_columns: int
    parent: Array  # int32 [entries]: its entry one level up; empty at the top
    row_class: Array  # int32 [rows]: their rows one level up
    column_class: Array
    row_share: Array  # [rows]: p(word | its class), by frequency
    column_share: Array  # [columns]

    @property
    def row_of(self) -> Array:
        """Of every entry."""
        return np.repeat(np.arange(self.rows.n_rows), self.rows.lengths)


@dataclass(frozen=True, eq=False)
class Backoff(Unheld):
    """The rows of both directions, computed from one table of counts, which is the parameter.

    Before anything is counted a row is flat but for what the prior says: (1 + trust · π) / number of words.
    """

    levels: Sequence[Level]
    strengths: tuple[float, ...] | None  # κ, from fine to coarse; None: those that families/left_out.py finds
    prior: Array  # π: float32 pseudo-counts of the entries
    banned: Array  # bool [entries, 2]: which direction may not use an entry; or empty
    trust: float = 10.0

    def size(self) -> tuple[int, ...]:
        return (len(self.levels[0].rows.values),)

    def uniform(self) -> Array:
        return np.zeros(self.size(), np.float32)

    def maximize(self, counts: Any, penalty: Pseudo, parameters: Array) -> Array:
        found = values(counts) + penalty.entries if penalty else values(counts)
        return np.asarray(found, dtype=np.float32)

    def rates(self, parameters: Array) -> Array:
        """float32 [entries, 2]: t(f | e) and t(e | f)"""
        if parameters.any():
            result = estimates(self.levels, parameters, self.strengths_of(parameters), self.prior, keep=False)[0].rates
        else:
            result = self.flat(self.levels[0].rows.n_rows)
        if len(self.banned):
            result[self.banned] = 0.0
        return result

    def flat(self, n_rows: int) -> Array:
        """The rates before anything is counted, of so many source words."""
        words = np.array([self.levels[0].n_columns, n_rows], np.float32)
        return (1.0 + np.float32(self.trust) * self.prior)[:, None] / words

    def strengths_of(self, parameters: Array) -> tuple[float, ...]:
        if self.strengths is not None:
            return self.strengths
        from softcount.families.left_out import held_out_strengths

        return held_out_strengths(self.levels, parameters, self.prior)

    def log_weights(self, parameters: Array) -> Any:
        return Log(self.rates(parameters))


def levels(rows: Ragged, frequencies: tuple[Array, Array], classes: Sequence[tuple[Array, Array]]) -> list[Level]:
    """From fine to coarse. classes[k]: the class of each word (first) or class of level k, on both sides.

    Frequencies are of the words of both sides.
    """
    result: list[Level] = []
    for source, target in classes:
        above, parent = coarser(rows, source, target)
        shares = class_shares(frequencies[0], source), class_shares(frequencies[1], target)
        result.append(Level(rows, len(target), parent, source, target, *shares))
        rows = above
        frequencies = _summed(frequencies[0], source), _summed(frequencies[1], target)
    ones = np.ones(len(frequencies[0])), np.ones(len(frequencies[1]))
    none = np.empty(0, np.int32)
    return [*result, Level(rows, len(frequencies[1]), none, none, none, *ones)]


def coarsest(classes: Sequence[tuple[Array, Array]], n_rows: int) -> Array:
    """The coarsest class of every row."""
    found = np.arange(n_rows)
    for source, _ in classes:
        found = source[found]
    return found


def among(classes: Sequence[tuple[Array, Array]], rows: Array) -> list[tuple[Array, Array]]:
    """The classes of these rows alone, numbered anew; those of columns stay."""
    found = []
    for source, target in classes:
        rows, local = np.unique(source[rows], return_inverse=True)
        found.append((local.astype(np.int32), target))
    return found


def _summed(frequencies: Array, classes: Array) -> Array:
    return np.bincount(classes, frequencies)


def class_shares(frequencies: Array, classes: Array) -> Array:
    """p(word | its class); a word that was never seen has what the next one to be seen would."""
    total = _summed(frequencies, classes)[classes]
    return np.where(frequencies > 0.0, frequencies / np.maximum(total, 1.0), 1.0 / (total + 1.0))


def coarser(rows: Ragged, row_class: Array, column_class: Array) -> tuple[Ragged, Array]:
    """(the class pairs that these entries fall into, which of them each entry falls into), by stamps in row order."""
    n_rows, n_columns = int(row_class.max(initial=-1)) + 1, int(column_class.max(initial=-1)) + 1
    order = np.argsort(row_class, kind="stable")
    parent, columns = np.empty(len(rows.values), np.int32), np.empty(len(rows.values), np.int32)
    lengths = np.zeros(n_rows, np.int64)
    scratch = np.full(n_columns, -1, np.int32), np.empty(n_columns, np.int32)
    n = _merge(rows.offsets, rows.values, order, row_class, column_class, *scratch, parent, columns, lengths)
    return Ragged(offsets_of(lengths), columns[:n].copy()), parent


class Estimate(NamedTuple):
    """What a level has learned."""

    rates: Array  # float32 [entries, 2]: t(column | row) and t(row | column)
    by_row: Array  # sums of counts and prior
    by_column: Array
    strength: float


def estimates(
    levels: Sequence[Level], counts: Array, strengths: Sequence[float], prior: Array | None = None, keep: bool = True
) -> list[Estimate]:
    """Of every level, from fine to coarse, as the strengths are; the coarsest leans on nothing and needs none.

    Not to keep those of the coarser levels saves memory.
    """
    tables = counts_by_level(levels, counts)
    found: list[Estimate] = []
    for depth in range(len(levels) - 1, -1, -1):
        strength = strengths[depth] if depth < len(levels) - 1 else 0.0
        extra = prior if prior is not None and depth == 0 else np.empty(0, np.float32)
        above = found[0].rates if found else np.empty((0, 2), np.float32)
        found = [_estimate(levels[depth], tables.pop(), strength, above, extra), *(found if keep else [])]
    return found


def counts_by_level(levels: Sequence[Level], counts: Array) -> list[Array]:
    """Those of a coarser level are sums of the finer one's."""
    tables = [counts]
    for level in levels[:-1]:
        sums = np.zeros(int(level.parent.max(initial=-1)) + 1)
        _add_to_parents(level.parent, tables[-1], sums)
        tables.append(sums.astype(np.float32))
    return tables


def _estimate(level: Level, counts: Array, strength: float, above: Array, prior: Array) -> Estimate:
    by_row, by_column = totals(level, counts, prior)
    return Estimate(leaning(level, counts, prior, strength, above, by_row, by_column), by_row, by_column, strength)


def totals(level: Level, counts: Array, prior: Array) -> tuple[Array, Array]:
    """Row sums and column sums."""
    by_row, by_column = np.zeros(level.rows.n_rows), np.zeros(level.n_columns)
    _totals(level.rows.offsets, level.rows.values, counts, prior, by_row, by_column)
    return by_row, by_column


def leaning(
    level: Level, counts: Array, prior: Array, strength: float, above: Array, by_row: Array, by_column: Array
) -> Array:
    """The rates, which lean on those above."""
    rates = np.empty((len(counts), 2), np.float32)
    _lean(level, counts, prior, strength, above, by_row, by_column, rates)
    return rates


@kernel
def _merge(
    offsets: Array, values: Array, order: Array, row_class: Array, column_class: Array, stamps: Array, places: Array,
    parent: Array, columns: Array, lengths: Array,
) -> int:  # fmt: skip
    """parent[k] = the number of (class of row, class of column) in order of first meeting"""
    filled = 0
    for row in order:
        group = row_class[row]
        before = filled
        for k in range(offsets[row], offsets[row + 1]):
            c = column_class[values[k]]
            if stamps[c] != group:
                stamps[c] = group
                places[c] = filled
                columns[filled] = c
                filled += 1
            parent[k] = places[c]
        lengths[group] += filled - before
    return filled


@kernel
def _add_to_parents(parent: Array, counts: Array, sums: Array) -> None:
    """sums = np.bincount(parent, counts), without copies of both"""
    for k in range(len(parent)):
        sums[parent[k]] += counts[k]


@kernel
def _totals(offsets: Array, values: Array, counts: Array, prior: Array, by_row: Array, by_column: Array) -> None:
    """Row sums and column sums of counts + prior"""
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            count = counts[k] + (prior[k] if len(prior) > 0 else 0.0)
            by_row[row] += count
            by_column[values[k]] += count


@kernel
def _lean(
    level: Level, counts: Array, prior: Array, strength: float, above: Array, by_row: Array, by_column: Array,
    result: Array,
) -> None:  # fmt: skip
    """result = (counts + prior + strength · above[parent] · share) / (sums + strength); zero if nothing was counted"""
    offsets, values = level.rows.offsets, level.rows.values
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            column = values[k]
            count = counts[k] + (prior[k] if len(prior) > 0 else 0.0)
            one, two = count, count
            if len(level.parent) > 0:
                one += strength * above[level.parent[k], 0] * level.column_share[column]
                two += strength * above[level.parent[k], 1] * level.row_share[row]
            result[k, 0] = one / max(by_row[row] + strength, LEAST)
            result[k, 1] = two / max(by_column[column] + strength, LEAST)
