"""Jumps between positions, with one weight per distance, normalised over the positions that a sentence has.

    a(i | i′, l) = J(i − i′) / Z(i′, l),   Z(i′, l) = Σ_{k < l} J(k − i′)

J is a table over −D … D, and what is farther counts as D. The same holds of the first link, begin(i) over
Σ_{k < l} begin(k), and of the last place, counted from the end. Linear in its log-parameters, as everything here must
be, once every (i′, l) has its own −log Z: a *cell*, of which the counts say how often it was left. Maximising is then a
Plackett–Luce problem,

    argmax_J Σ_d c(d) log J(d) − Σ_cells n log Z_cell(J),

concave in log J, which J(d) ← c(d) / Σ_{cells that reach d} n / Z_cell climbs without a step size (D. Hunter, Annals of
Statistics 32, 2004). J ∝ c(d), as published for alignment, is the first of these steps from a flat table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softcount.families.kept import Unheld
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array, offsets_of

REACH = 50  # D
STEPS, TOLERANCE = 200, 1e-10
FIXED = 3  # cells of a length besides those of its positions: first link, last place, no link


class JumpTable(NamedTuple):
    """Weights, or counts of them; see the module."""

    begin: Array  # [D + 1]
    end: Array  # [D + 1]
    jump: Array  # [2 D + 1]
    cells: Array  # per length l: of the first link, the last place, no link, and of leaving each of the l positions


def cell_places(lengths: Array) -> Array:
    """int64 [longest + 1]: where the cells of each length begin; −1 for lengths that are not there."""
    places = np.full(int(lengths.max(initial=0)) + 1, -1, np.int64)
    places[lengths] = offsets_of(lengths + FIXED)[:-1]
    return places


def first_guess(reach: int = REACH) -> tuple[Array, Array, Array]:
    """Short steps forward, most of all of one position."""
    away = np.arange(reach + 1)
    return _falling(away), _falling(away), _falling(np.arange(-reach, reach + 1) - 1)


def _falling(distance: Array) -> Array:
    return np.asarray(np.exp(-0.3 * np.abs(distance)) + 0.01)


def jump_table(begin: Array, end: Array, jump: Array, lengths: Array) -> JumpTable:
    """With the cells, 1 / Z each, of these sentence lengths, ascending."""
    parts: list[Any] = []
    for l in lengths.tolist():
        fixed = [1 / _spans(begin, np.zeros(1), l)[0], 1 / _spans(end, np.zeros(1), l)[0], 1 / l]
        parts += [fixed, 1 / _spans(jump, len(jump) // 2 - np.arange(l), l)]
    return JumpTable(begin, end, jump, np.concatenate(parts) if parts else np.empty(0))


def _spans(table: Array, starts: Array, l: int) -> Array:
    """Σ_{k < l} table[start + k], in which places beyond the table repeat its ends."""
    low, high = int(starts.min()), int(starts.max()) + l
    values = table[np.clip(np.arange(low, high), 0, len(table) - 1)]
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first = (starts - low).astype(np.int64)
    return np.asarray(sums[first + l] - sums[first])


def maximize(
    counts: JumpTable, lengths: Array, imagined: JumpTable | None = None, before: JumpTable | None = None
) -> JumpTable:
    """The tables that maximise the expected log-probability of the counts, with the cells of these lengths.

    Imagined counts are of jumps from a place that reaches every distance once. From `before`, which are the tables so
    far, no step leads downhill, however few there are.
    """
    offsets = offsets_of(lengths + FIXED)[:-1]
    steps = np.arange(int(np.sum(lengths))) - np.repeat(offsets_of(lengths)[:-1], lengths)
    first = np.zeros(len(lengths), np.int64), lengths, counts.cells[offsets]
    last = np.zeros(len(lengths), np.int64), lengths, counts.cells[offsets + 1]
    left = counts.cells[np.repeat(offsets + FIXED, lengths) + steps]
    onward = len(counts.jump) // 2 - steps, np.repeat(lengths, lengths), left
    found = []
    for k, windows in enumerate((first, last, onward)):
        more = np.zeros(len(counts[k])) if imagined is None else imagined[k]
        found.append(_luce(counts[k], more, windows, None if before is None else before[k]))
    begin, end, jump = found
    return jump_table(begin, end, jump, lengths)


def _luce(counts: Array, imagined: Array, windows: tuple[Array, Array, Array], before: Array | None) -> Array:
    """Hunter's steps to the maximum of Σ c log J − Σ_cells mass · log Σ_{d in its window} J(d)."""
    wanted = counts + imagined
    if not counts.sum() > 0.0 and before is not None:
        return before
    if not wanted.sum() > 0.0:
        return np.full(len(counts), 1.0 / len(counts))
    reach = _windows(len(counts), *windows)
    table = wanted / wanted.sum() if before is None else before / before.sum()
    for _ in range(STEPS):
        demand = reach(table) + imagined.sum() / table.sum()
        after = np.where(wanted > 0.0, wanted / np.maximum(demand, 1e-300), 0.0)
        after /= after.sum()
        moved = np.abs(after - table).max()
        table = after
        if moved <= TOLERANCE:
            break
    return np.asarray(table)


def _windows(n: int, starts: Array, widths: Array, masses: Array) -> Callable[[Array], Array]:
    """Σ over the windows that hold d of mass / (the window's sum): a function of the table."""
    used = masses > 0.0
    starts, stops, masses = starts[used], (starts + widths)[used], masses[used]
    low, high = int(starts.min(initial=0)), int(stops.max(initial=n))
    clipped = np.clip(np.arange(low, high), 0, n - 1)

    def demand(table: Array) -> Array:
        sums = np.concatenate([[0.0], np.cumsum(table[clipped])])
        rates = masses / np.maximum(sums[stops - low] - sums[starts - low], 1e-300)
        ends = np.bincount(starts - low, rates, high - low + 1) - np.bincount(stops - low, rates, high - low + 1)
        return np.asarray(np.bincount(clipped, np.maximum(np.cumsum(ends)[:-1], 0.0), n))

    return demand


@dataclass(frozen=True, eq=False)
class JumpCounts(Unheld):
    """The tables by counting, as published: (begin, end, jumps of each kind) in one vector.

        begin, end ∝ c + ½        J(d) ∝ Σ_kinds c_kind(d) + ½        J_kind(d) = [c_kind(d) + s · J(d)] / (c_kind + s)

    Which kind of jump it is the word says from which it goes: X. He, "Using word-dependent transition models in HMM
    based word alignment", WMT 2007. Not the maximum, which would ask how often a distance could have been jumped. For
    models that are not exact anyway: measured on Hansards, counting links better (5.2 of 100 wrong) than maximising
    (5.4); elsewhere they do not differ.
    """

    reach: int = REACH
    pseudo: float = 0.5
    kinds: int = 1
    strength: float = 30.0  # s; 10 to 100 differ little

    def size(self) -> tuple[int, ...]:
        return (2 * (self.reach + 1) + self.kinds * (2 * self.reach + 1),)

    def uniform(self) -> Array:
        begin, end, jump = first_guess(self.reach)
        return np.concatenate([begin, end, np.tile(jump, self.kinds)])

    def parts(self, vector: Array) -> tuple[Array, Array, Array]:
        """The jumps as [kind, D + d]."""
        begin, end, jump = np.split(vector, [self.reach + 1, 2 * self.reach + 2])
        return begin, end, jump.reshape(self.kinds, -1)

    def maximize(self, counts: Any, penalty: Pseudo, parameters: Array) -> Array:
        """With what was imagined entry by entry; as before where nothing was counted."""
        found = counts + penalty.entries
        if not found.any():
            return parameters
        begin, end, jump = self.parts(found)
        shared = self._shares(jump.sum(axis=0))
        own = (jump + self.strength * shared) / (jump.sum(axis=1, keepdims=True) + self.strength)
        return np.concatenate([self._shares(begin), self._shares(end), own.ravel()])

    def _shares(self, counts: Array) -> Array:
        return np.asarray((counts + self.pseudo) / (counts + self.pseudo).sum())


def kinds_of_words(frequencies: Array, most: int = 300, least: float = 5.0) -> Array:
    """int32: 1, 2, … for the words that are often enough there to have jumps of their own, 0 for all others."""
    kinds = np.zeros(len(frequencies), np.int32)
    order = np.argsort(-frequencies, kind="stable")[:most]
    order = order[frequencies[order] >= least]
    kinds[order] = np.arange(1, len(order) + 1)
    return kinds
