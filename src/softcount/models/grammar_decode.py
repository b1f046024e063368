"""From a filled chart to trees: the best one, a drawn one, the one with the most expected brackets; how many there are.

The best tree is found again on the way down, so that a chart keeps no pointers. Ties go to the rule that the grammar
lists first, then to the widest last child, then to the widest last but one, …

J. Goodman, "Parsing algorithms and metrics", ACL 1996, for the tree with the most expected brackets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.grammar_kernel import cell_of, power
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import Array

STEP, EDGE, ENTRY = 0, 1, 2


@kernel
def lay_out(cells: Any, cell: int, dense: Array, put: bool) -> None:
    """A cell's values by symbol; `put` False takes them away again."""
    for b in range(cells.begin[cell], cells.end[cell]):
        dense[cells.symbol[b]] = cells.inside[b] if put else 0.0


@kernel
def choose(
    chart: Any, steps: Array, edges: Array, entries: Array, words: Array, cells: Any, i: int, j: int, a: int, mode: int,
    uniform: float, here: Array, left: Array, right: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """(kind, number, where it is cut) of what symbol a of the span from i to j is made of."""
    cell = cell_of(i, j)
    lay_out(cells, cell, here, True)
    kind, number, cut, rule, best = -1, -1, -1, -1, 0.0
    total, threshold = 0.0, np.inf
    for sweep in range(1 if mode == MAX else 2):  # the first sweep of SAMPLE finds the total, the second one the draw
        if sweep == 1:
            threshold, total = min(uniform, 1.0 - 1e-12) * total, 0.0  # below what the sweep will end with
        for t in range(chart.target_edges[a], chart.target_edges[a + 1]):
            e = chart.edge_by_target[t]
            term = edges[e] * here[chart.edge_source[e]]
            total += term
            if better(term, best, chart.edge_rule[e], rule, mode, total, threshold):
                kind, number, cut, rule, best = EDGE, e, -1, chart.edge_rule[e], term
                if mode != MAX:
                    threshold = np.inf
        if j == i + 1:
            for e in range(chart.word_entries[words[i]], chart.word_entries[words[i] + 1]):
                if chart.entry_symbol[e] != a:
                    continue
                term = entries[e] * power(-cells.exponent[cell])
                total += term
                if better(term, best, chart.entry_rule[e], rule, mode, total, threshold):
                    kind, number, cut, rule, best = ENTRY, e, -1, chart.entry_rule[e], term
                    if mode != MAX:
                        threshold = np.inf
        if chart.parent_steps[a] == chart.parent_steps[a + 1]:
            continue
        for k in range(i + 1, j):
            first, second = cell_of(i, k), cell_of(k, j)
            if cells.end[first] == cells.begin[first] or cells.end[second] == cells.begin[second]:
                continue
            scale = power(cells.exponent[first] + cells.exponent[second] - cells.exponent[cell])
            lay_out(cells, first, left, True)
            lay_out(cells, second, right, True)
            for s in range(chart.parent_steps[a], chart.parent_steps[a + 1]):
                p = chart.step_pair[s]
                term = steps[s] * (left[chart.pair_left[p]] * scale * right[chart.pair_right[p]])
                total += term
                if better(term, best, chart.step_rule[s], rule, mode, total, threshold):
                    kind, number, cut, rule, best = STEP, s, k, chart.step_rule[s], term
                    if mode != MAX:
                        threshold = np.inf
            lay_out(cells, first, left, False)
            lay_out(cells, second, right, False)
    lay_out(cells, cell, here, False)
    return kind, number, cut


@kernel
def better(term: float, best: float, rule: int, rival: int, mode: int, total: float, threshold: float) -> bool:
    if not term > 0.0:
        return False
    if mode == MAX:
        return term > best or (term == best and rule < rival)
    return total > threshold


@kernel
def trace(
    chart: Any, steps: Array, edges: Array, entries: Array, words: Array, cells: Any, mode: int, uniforms: Array,
    step_counts: Array, edge_counts: Array, entry_counts: Array, nodes: Array, chances: Array,
) -> int:  # fmt: skip
    """One tree from the top down; adds its counts and writes its nodes (start, end, symbol), a node before its parts.

    An edge of a cycle is a node (start, end, its negative rule), and `chances` has a random number for its chain.
    """
    n, N = len(words), chart.n_symbols
    here, left, right = np.zeros(N), np.zeros(N), np.zeros(N)
    stack = np.empty((2 * n + 2, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, chart.start
    depth, written, drawn = 1, 0, 0
    while depth > 0:
        depth -= 1
        i, j, a = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        uniform = uniforms[drawn] if mode != MAX else 0.0
        drawn += 1
        kind, number, cut = choose(
            chart, steps, edges, entries, words, cells, i, j, a, mode, uniform, here, left, right
        )  # fmt: skip
        if kind < 0:
            return -1
        label = a if a < chart.n_user else -1
        if kind == EDGE and chart.edge_rule[number] < -1:
            label = chart.edge_rule[number]
        if label != -1:
            nodes[written, 0], nodes[written, 1], nodes[written, 2] = i, j, label
            if mode != MAX:
                chances[written] = uniforms[len(uniforms) - 1 - drawn]
            written += 1
        if kind == EDGE:
            edge_counts[number] += 1.0
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = i, j, chart.edge_source[number]
            depth += 1
        elif kind == ENTRY:
            entry_counts[number] += 1.0
        else:
            step_counts[number] += 1.0
            p = chart.step_pair[number]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = cut, j, chart.pair_right[p]
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = i, cut, chart.pair_left[p]
            depth += 2
    return written


@kernel
def most_brackets(chart: Any, n: int, posteriors: Array, nodes: Array) -> int:
    """The nodes of the tree with the largest sum of posteriors, each span cut in two.

    A span has its most probable symbol, and every other that is more probable than not, in the order of the rules.
    Spans that are nothing at all in any tree are left out.
    """
    n_cells = n * (n + 1) // 2
    worth, cut = np.zeros(n_cells), np.zeros(n_cells, np.int64)
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            cell = cell_of(i, j)
            best = -1.0
            for k in range(i + 1, j):
                both = worth[cell_of(i, k)] + worth[cell_of(k, j)]
                if both > best:
                    best, cut[cell] = both, k
            worth[cell] = max(best, 0.0)
            top = np.argmax(posteriors[cell])
            for a in range(chart.n_user):
                if a == top or posteriors[cell, a] > 0.5:
                    worth[cell] += posteriors[cell, a]
    stack = np.empty((n + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    depth, written = 1, 0
    chosen = np.empty(chart.n_user, np.int64)
    while depth > 0:
        depth -= 1
        i, j = stack[depth, 0], stack[depth, 1]
        cell = cell_of(i, j)
        top, m = np.argmax(posteriors[cell]), 0
        for a in range(chart.n_user):
            if posteriors[cell, a] > 0.5 or (a == top and posteriors[cell, a] > 0.0):
                place = m
                while place > 0 and chart.rank[chosen[place - 1]] < chart.rank[a]:  # the higher one first
                    chosen[place] = chosen[place - 1]
                    place -= 1
                chosen[place] = a
                m += 1
        for t in range(m):
            nodes[written, 0], nodes[written, 1], nodes[written, 2] = i, j, chosen[t]
            written += 1
        if j > i + 1:
            stack[depth, 0], stack[depth, 1] = cut[cell], j
            stack[depth + 1, 0], stack[depth + 1, 1] = i, cut[cell]
            depth += 2
    return written


@kernel
def count_trees(chart: Any, words: Array, prime: int) -> int:
    """The number of trees modulo a prime below 2³¹, by the sums of `fill` with all weights one."""
    n, N = len(words), chart.n_symbols
    table = np.zeros((n * (n + 1) // 2, N), np.int64)
    products = np.zeros(len(chart.pair_left), np.int64)
    for j in range(1, n + 1):
        for i in range(j - 1, -1, -1):
            here = table[cell_of(i, j)]
            if i == j - 1:
                for e in range(chart.word_entries[words[i]], chart.word_entries[words[i] + 1]):
                    here[chart.entry_symbol[e]] += 1
            for k in range(i + 1, j):
                left, right = table[cell_of(i, k)], table[cell_of(k, j)]
                for p in range(len(chart.pair_left)):
                    if left[chart.pair_left[p]] != 0:
                        product = left[chart.pair_left[p]] * right[chart.pair_right[p]] % prime
                        products[p] = (products[p] + product) % prime
            for p in range(len(products)):
                if products[p] != 0:
                    for s in range(chart.pair_steps[p], chart.pair_steps[p + 1]):
                        parent = chart.step_parent[chart.step_by_pair[s]]
                        here[parent] = (here[parent] + products[p]) % prime
                    products[p] = 0
            for m in range(len(chart.source)):
                if here[chart.source[m]] != 0:
                    for e in range(chart.source_edges[m], chart.source_edges[m + 1]):
                        target = chart.edge_target[e]
                        here[target] = (here[target] + here[chart.source[m]]) % prime
    return table[cell_of(0, n), chart.start]
