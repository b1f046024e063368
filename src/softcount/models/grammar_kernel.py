"""Inside and outside over a chart: what every span may be, and how much of all trees use it so.

    inside(A, i, j)  = Σ_{A → B C} w Σ_k inside(B, i, k) · inside(C, k, j)           J. K. Baker, 1979
    outside(B, i, k) = Σ_{A → B C} w Σ_j outside(A, i, j) · inside(C, k, j) + …       K. Lari, S. J. Young, 1990

Cells keep only the symbols that they can be. For every cell the products of left and right are first summed over
where it is cut, pair by pair, and only then multiplied with rules: O(n³ · pairs + n² · rules), of those that apply.
Cells are scaled by powers of two, so that no sentence is too long. MAX reads maxima for sums.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array

FLOOR = -(1 << 40)  # the exponent of nothing


class Cells(NamedTuple):
    """What a sentence's spans may be; cell j(j−1)/2 + i is the span from i to j."""

    begin: Array  # int64 [cells]
    end: Array
    exponent: Array  # int64 [cells]: inside values of a cell are times two to this power
    symbol: Array  # int32 [entries]
    inside: Array  # float64 [entries]
    full: bool  # whether they took more room than there is


@kernel
def cell_of(i: int, j: int) -> int:
    return j * (j - 1) // 2 + i


@kernel
def power(exponent: int) -> float:
    """2^exponent, zero far below what a number can be."""
    return math.ldexp(1.0, int(exponent)) if exponent > -1074 else 0.0


@kernel
def added(sums: Array, touched: Array, n: int, symbol: int, amount: float, mode: int) -> int:
    """sums[symbol] += amount (MAX: the larger); returns how many symbols have been touched."""
    if not amount > 0.0:
        return n
    if sums[symbol] == 0.0:
        touched[n] = symbol
        n += 1
    if mode == MAX:
        sums[symbol] = max(sums[symbol], amount)
    else:
        sums[symbol] += amount
    return n


@kernel
def join(
    chart: Any, steps: Array, cells: Any, i: int, j: int, column: Array, mode: int, products: Array, found: Array,
    sums: Array, touched: Array,
) -> tuple[int, int]:  # fmt: skip
    """sums[A] = Σ_{A → B C} w Σ_k inside(B, i, k) · inside(C, k, j); returns (how many symbols, exponent)."""
    top = FLOOR
    for k in range(i + 1, j):
        left, right = cell_of(i, k), cell_of(k, j)
        if cells.end[left] > cells.begin[left] and cells.end[right] > cells.begin[right]:
            top = max(top, cells.exponent[left] + cells.exponent[right])
    if top == FLOOR:
        return 0, 0
    n_pairs = 0
    for k in range(i + 1, j):
        left, right = cell_of(i, k), cell_of(k, j)
        if cells.end[right] == cells.begin[right]:
            continue
        scale = power(cells.exponent[left] + cells.exponent[right] - top)
        row = column[k]
        for b in range(cells.begin[left], cells.end[left]):
            symbol, amount = cells.symbol[b], cells.inside[b] * scale
            for p in range(chart.left_pairs[symbol], chart.left_pairs[symbol + 1]):
                other = row[chart.pair_right[p]]
                if other > 0.0:
                    n_pairs = added(products, found, n_pairs, p, amount * other, mode)
    n, reach = 0, 0
    for m in range(n_pairs):
        reach += chart.pair_steps[found[m] + 1] - chart.pair_steps[found[m]]
    if 2 * reach > len(steps):  # most steps apply: rather parent by parent, as they lie in memory
        for a in range(chart.n_symbols):
            n = added(sums, touched, n, a, gathered(chart, steps, products, a, mode), mode)
        for m in range(n_pairs):
            products[found[m]] = 0.0
        return n, top
    for m in range(n_pairs):
        p = found[m]
        for t in range(chart.pair_steps[p], chart.pair_steps[p + 1]):
            s = chart.step_by_pair[t]
            n = added(sums, touched, n, chart.step_parent[s], steps[s] * products[p], mode)
        products[p] = 0.0
    return n, top


@kernel
def gathered(chart: Any, steps: Array, products: Array, parent: int, mode: int) -> float:
    """Σ (MAX: the largest) of a parent's steps, each times the products of its pair."""
    total = 0.0
    begin, end = chart.parent_steps[parent], chart.parent_steps[parent + 1]
    if mode == MAX:
        for s in range(begin, end):
            total = max(total, steps[s] * products[chart.step_pair[s]])
    else:
        for s in range(begin, end):
            total += steps[s] * products[chart.step_pair[s]]
    return total


@kernel
def rise(chart: Any, edges: Array, factor: Array, mode: int, sums: Array, touched: Array, n: int) -> int:
    """Unary rules, from the bottom up; `factor`, of the span, is what is known or wished of its symbols."""
    known = len(factor) > 0
    for m in range(len(chart.source)):
        s = chart.source[m]
        if sums[s] == 0.0:
            continue
        if known and s < chart.n_user:
            sums[s] *= factor[s]
        for e in range(chart.source_edges[m], chart.source_edges[m + 1]):
            n = added(sums, touched, n, chart.edge_target[e], edges[e] * sums[s], mode)
    if known:
        for m in range(n):
            s = touched[m]
            if s < chart.n_user and not chart.is_source[s]:
                sums[s] *= factor[s]
    return n


@kernel
def fill(
    chart: Any, steps: Array, edges: Array, entries: Array, words: Array, factors: Array, mode: int, most: int
) -> Cells:
    """The inside of every span; at most `most` entries."""
    n, N = len(words), chart.n_symbols
    n_cells = n * (n + 1) // 2
    room = min(most, max(64, 16 * n_cells))
    cells = Cells(
        np.zeros(n_cells, np.int64), np.zeros(n_cells, np.int64), np.zeros(n_cells, np.int64), np.empty(room, np.int32),
        np.empty(room), False,
    )  # fmt: skip
    used = 0
    column, sums, products = np.zeros((n, N)), np.zeros(N), np.zeros(len(chart.pair_left))
    touched, found = np.empty(N, np.int32), np.empty(len(products), np.int32)
    no_factor = np.empty(0)
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            cell, m, top = cell_of(i, j), 0, 0
            cells.begin[cell] = used
            cells.end[cell] = used
            if i == j - 1:
                for e in range(chart.word_entries[words[i]], chart.word_entries[words[i] + 1]):
                    m = added(sums, touched, m, chart.entry_symbol[e], entries[e], mode)
            else:
                m, top = join(chart, steps, cells, i, j, column, mode, products, found, sums, touched)
            if m > 0:
                m = rise(chart, edges, factors[cell] if len(factors) > 0 else no_factor, mode, sums, touched, m)
            largest = 0.0
            for t in range(m):
                largest = max(largest, sums[touched[t]])
            if used + m > len(cells.symbol):
                if used + m > most:
                    return Cells(cells.begin, cells.end, cells.exponent, cells.symbol, cells.inside, True)
                more = min(most, 2 * (used + m))
                symbol, inside = np.empty(more, np.int32), np.empty(more)
                symbol[:used], inside[:used] = cells.symbol[:used], cells.inside[:used]
                cells = Cells(cells.begin, cells.end, cells.exponent, symbol, inside, False)
            shift = math.frexp(largest)[1]
            cells.exponent[cell] = top + shift
            for t in range(m):
                s = touched[t]
                amount = math.ldexp(sums[s], -shift)
                sums[s] = 0.0
                if amount > 0.0:
                    cells.symbol[used], cells.inside[used] = s, amount
                    column[i, s] = amount
                    used += 1
            cells.end[cell] = used
        for i in range(j):
            for b in range(cells.begin[cell_of(i, j)], cells.end[cell_of(i, j)]):
                column[i, cells.symbol[b]] = 0.0
    return cells


@kernel
def value_of(cells: Any, cell: int, symbol: int) -> float:
    for b in range(cells.begin[cell], cells.end[cell]):
        if cells.symbol[b] == symbol:
            return cells.inside[b]
    return 0.0


@kernel
def spread(
    chart: Any, steps: Array, edges: Array, entries: Array, words: Array, factors: Array, cells: Any,
    step_counts: Array, edge_counts: Array, entry_counts: Array, posteriors: Array,
) -> None:  # fmt: skip
    """Adds the expected counts of every step, edge and entry; posteriors[cell, A] of the grammar's symbols, if wanted.

    outside is times two to the cell's exponent and over Z, so that inside · outside is a posterior.
    """
    n, N = len(words), chart.n_symbols
    outside = np.zeros(len(cells.symbol))
    column, outer = np.zeros((n, N)), np.zeros((n, N))
    here, down = np.zeros(N), np.zeros(N)
    pull, products = np.zeros(len(chart.pair_left)), np.zeros(len(chart.pair_left))
    for j in range(n, 0, -1):
        for k in range(j):
            for b in range(cells.begin[cell_of(k, j)], cells.end[cell_of(k, j)]):
                column[k, cells.symbol[b]] = cells.inside[b]
        for i in range(j):
            cell = cell_of(i, j)
            begin, end = cells.begin[cell], cells.end[cell]
            wanted = False
            for b in range(begin, end):
                s = cells.symbol[b]
                here[s] = outside[b] + outer[i, s]
                outer[i, s] = 0.0
                if j - i == n and s == chart.start:
                    here[s] += 1.0 / cells.inside[b]
                wanted = wanted or here[s] > 0.0
                # `down` is what a symbol's rules see: its outside times what is known of it
                down[s] = here[s] if chart.is_source[s] else here[s] * known_of(chart, factors, cell, s)
            if wanted:
                for m in range(len(chart.source) - 1, -1, -1):
                    s = chart.source[m]
                    if column[i, s] == 0.0:
                        continue
                    for e in range(chart.source_edges[m], chart.source_edges[m + 1]):
                        through = edges[e] * down[chart.edge_target[e]]
                        here[s] += through
                        edge_counts[e] += through * column[i, s]
                    down[s] = here[s] * known_of(chart, factors, cell, s)
                if len(posteriors) > 0:
                    for a in range(chart.n_user):
                        bottom = chart.bottom[a]
                        posteriors[cell, a] = column[i, a] * here[a if bottom == a else bottom]
                if j == i + 1:
                    scale = power(-cells.exponent[cell])
                    for e in range(chart.word_entries[words[i]], chart.word_entries[words[i] + 1]):
                        entry_counts[e] += down[chart.entry_symbol[e]] * entries[e] * scale
                else:
                    for b in range(begin, end):
                        a = cells.symbol[b]
                        if down[a] > 0.0:
                            for s in range(chart.parent_steps[a], chart.parent_steps[a + 1]):
                                pull[chart.step_pair[s]] += steps[s] * down[a]
                    push(chart, cells, i, j, pull, column, outer, outside, products)
                    for b in range(begin, end):
                        a = cells.symbol[b]
                        if down[a] > 0.0:
                            for s in range(chart.parent_steps[a], chart.parent_steps[a + 1]):
                                step_counts[s] += steps[s] * down[a] * products[chart.step_pair[s]]
                    for b in range(begin, end):
                        a = cells.symbol[b]
                        if down[a] > 0.0:
                            for s in range(chart.parent_steps[a], chart.parent_steps[a + 1]):
                                pull[chart.step_pair[s]], products[chart.step_pair[s]] = 0.0, 0.0
            for b in range(begin, end):
                here[cells.symbol[b]], down[cells.symbol[b]] = 0.0, 0.0
        for k in range(j):
            for b in range(cells.begin[cell_of(k, j)], cells.end[cell_of(k, j)]):
                column[k, cells.symbol[b]] = 0.0


@kernel
def known_of(chart: Any, factors: Array, cell: int, symbol: int) -> float:
    return factors[cell, symbol] if len(factors) > 0 and symbol < chart.n_user else 1.0


@kernel
def push(
    chart: Any, cells: Any, i: int, j: int, pull: Array, column: Array, outer: Array, outside: Array, products: Array
) -> None:
    """What the span from i to j hands on to its two parts, wherever it is cut; products[p] = Σ_k left · right."""
    whole = cells.exponent[cell_of(i, j)]
    for k in range(i + 1, j):
        left, right = cell_of(i, k), cell_of(k, j)
        if cells.end[right] == cells.begin[right]:
            continue
        scale = power(cells.exponent[left] + cells.exponent[right] - whole)
        for b in range(cells.begin[left], cells.end[left]):
            symbol, amount, gained = cells.symbol[b], cells.inside[b] * scale, 0.0
            for p in range(chart.left_pairs[symbol], chart.left_pairs[symbol + 1]):
                if pull[p] > 0.0:
                    c = chart.pair_right[p]
                    other = column[k, c]
                    if other > 0.0:
                        gained += pull[p] * other
                        outer[k, c] += pull[p] * amount
                        products[p] += amount * other
            outside[b] += gained * scale
