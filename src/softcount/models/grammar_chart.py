"""A grammar's rules as the chart needs them: two symbols at most on a right side, and no cycles.

    A → X₁ X₂ X₃    becomes    [X₁ X₂] → X₁ X₂,   A → [X₁ X₂] X₃

Rules that begin alike share the symbols of their beginnings, so that a beginning is found once. Words within longer
right sides are symbols of their own. Symbols that unary rules lead back to themselves come in two kinds: at the
bottom of a chain of such rules, and at its top; from bottom to top leads one edge for each pair, whose weight is the
sum over all chains (`grammar_cycles`). What remains has no cycles, and edges are in an order in which every symbol is
finished before it is used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.numbers.ragged import Array, offsets_of
from softcount.text.cfg import Rules

NO_RULE = -1  # of steps whose weight is one


class Chart(NamedTuple):
    """Arrays alone, for kernels. A pair is two symbols that may stand side by side; a step makes a symbol of a pair."""

    n_symbols: int
    n_user: int  # symbols below are the grammar's own
    start: int
    deepest: int  # how many edges one span may have, one above the other
    left_pairs: Array  # [N + 1]: the pairs with symbol s on the left are left_pairs[s] … left_pairs[s + 1] − 1
    pair_left: Array
    pair_right: Array
    pair_steps: Array  # [pairs + 1]: into step_by_pair
    step_by_pair: Array
    parent_steps: Array  # [N + 1]: the steps to symbol s are parent_steps[s] … parent_steps[s + 1] − 1
    step_parent: Array
    step_pair: Array
    step_rule: Array  # the rule whose weight it has, or NO_RULE
    source: Array  # symbols that edges start from, in their order
    source_edges: Array  # [sources + 1]
    edge_source: Array
    edge_target: Array
    edge_rule: Array  # the rule, or −2 − c for the c-th pair of a cycle
    target_edges: Array  # [N + 1]: into edge_by_target
    edge_by_target: Array
    is_source: Array  # bool [N]
    word_entries: Array  # [words + 1]
    entry_symbol: Array
    entry_rule: Array
    bottom: Array  # [n_user]: the symbol at the bottom of chains; itself where there is no cycle
    rank: Array  # [n_user]: a symbol's place above what it may be rewritten to


class Cycle(NamedTuple):
    """Symbols that reach one another by unary rules."""

    members: Array  # symbols
    rows: Array  # of each rule within: the member it rewrites …
    columns: Array  # … and the member it is rewritten to
    rules: Array
    first: int  # the number of its first pair


def chart_of(rules: Rules) -> tuple[Chart, tuple[Cycle, ...]]:
    return _Builder(rules).built()


class _Builder:
    def __init__(self, rules: Rules) -> None:
        self.rules, self.n_user = rules, len(rules.symbols)
        self.lhs, lengths = rules.lhs(), rules.rhs.lengths
        single = rules.rhs.values[rules.rhs.offsets[:-1]]
        self.unary = np.flatnonzero((lengths == 1) & (single >= 0))
        self.lexical = np.flatnonzero((lengths == 1) & (single < 0))
        self.long = np.flatnonzero(lengths > 1)
        self.single = single
        self.extra: dict[Any, int] = {}  # symbols of our own, by what they stand for
        self.bottom = np.arange(self.n_user)
        self.edges = list[tuple[int, int, int]]()  # (source, target, rule)
        self.steps = list[tuple[int, int, int, int]]()  # (left, right, parent, rule)

    def symbol(self, key: Any) -> int:
        return self.extra.setdefault(key, self.n_user + len(self.extra))

    def built(self) -> tuple[Chart, tuple[Cycle, ...]]:
        cycles = self.find_cycles()
        inside = {int(rule) for cycle in cycles for rule in cycle.rules}
        for rule in self.unary.tolist():
            if rule not in inside:
                self.edges.append((int(self.single[rule]), int(self.bottom[self.lhs[rule]]), rule))
        self.binarise()
        return self.chart(), cycles

    def find_cycles(self) -> tuple[Cycle, ...]:
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        parent, child = self.lhs[self.unary], self.single[self.unary]
        graph = coo_matrix((np.ones(len(parent)), (parent, child)), shape=(self.n_user, self.n_user))
        component = connected_components(graph, connection="strong")[1]
        found, pairs = list[Cycle](), 0
        for c in sorted(set(component[parent[component[parent] == component[child]]].tolist())):
            members = np.flatnonzero(component == c)
            within = (component[parent] == c) & (component[child] == c)
            place = {int(s): k for k, s in enumerate(members)}
            rows, columns = ([place[int(s)] for s in side[within]] for side in (parent, child))
            found.append(Cycle(members, np.array(rows), np.array(columns), self.unary[within], pairs))
            self.bottom[members] = [self.symbol(("bottom", int(s))) for s in members]
            self.edges += [
                (int(self.bottom[b]), int(a), -2 - (pairs + i * len(members) + k))
                for i, a in enumerate(members)
                for k, b in enumerate(members)
            ]
            pairs += len(members) ** 2
        return tuple(found)

    def binarise(self) -> None:
        begun = set[tuple[int, ...]]()
        for rule in self.long.tolist():
            row = self.rules.rhs.row(rule).tolist()
            side = [v if v >= 0 else self.symbol(("word", -1 - v)) for v in row]
            left = side[0]
            for k in range(1, len(side) - 1):
                key = (left, side[k])
                whole = self.symbol(("beginning", key))
                if key not in begun:
                    begun.add(key)
                    self.steps.append((left, side[k], whole, NO_RULE))
                left = whole
            self.steps.append((left, side[-1], int(self.bottom[self.lhs[rule]]), rule))

    def chart(self) -> Chart:
        n = self.n_user + len(self.extra)
        steps = np.array(self.steps, dtype=np.int64).reshape(-1, 4)
        steps = steps[np.lexsort(steps.T[[3, 1, 0, 2]])]  # by parent, then as pairs are
        pairs, step_pair = np.unique(steps[:, :2], axis=0, return_inverse=True)
        step_pair = step_pair.ravel()
        order, depth = self.order(n)
        edges = np.array(self.edges, dtype=np.int64).reshape(-1, 3)
        edges = edges[np.lexsort((edges[:, 2], edges[:, 1], edges[:, 0], order[edges[:, 0]]))]
        sources = np.array(sorted(set(edges[:, 0].tolist()), key=lambda s: (order[s], s)), dtype=np.int64)
        entries = self.entries()
        return Chart(
            n, self.n_user, self.rules.start, depth,
            _grouped(pairs[:, 0], n), _int32(pairs[:, 0]), _int32(pairs[:, 1]),
            _grouped(step_pair, len(pairs)), _int32(np.argsort(step_pair, kind="stable")),
            _grouped(steps[:, 2], n), _int32(steps[:, 2]), _int32(step_pair), _int32(steps[:, 3]),
            _int32(sources), offsets_of([int((edges[:, 0] == s).sum()) for s in sources]),
            _int32(edges[:, 0]), _int32(edges[:, 1]), _int32(edges[:, 2]),
            _grouped(edges[:, 1], n), _int32(np.argsort(edges[:, 1], kind="stable")), np.isin(np.arange(n), sources),
            _grouped(entries[:, 0], len(self.rules.words)), _int32(entries[:, 1]), _int32(entries[:, 2]),
            _int32(self.bottom), _int32(order[: self.n_user]),
        )  # fmt: skip

    def entries(self) -> Array:
        """[entries, 3]: what a word alone is: (word, symbol, rule), by word."""
        found = [(-1 - int(self.single[r]), int(self.bottom[self.lhs[r]]), r) for r in self.lexical.tolist()]
        found += [(key[1], symbol, NO_RULE) for key, symbol in self.extra.items() if key[0] == "word"]
        return np.array(sorted(found), dtype=np.int64).reshape(-1, 3)

    def order(self, n: int) -> tuple[Array, int]:
        """(the length of the longest chain of edges below each symbol, the longest of all)."""
        above: list[list[int]] = [[] for _ in range(n)]
        waiting, height = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for source, target, _ in self.edges:
            above[source].append(target)
            waiting[target] += 1
        ready = [s for s in range(n) if waiting[s] == 0]
        while ready:
            s = ready.pop()
            for target in above[s]:
                height[target] = max(height[target], height[s] + 1)
                waiting[target] -= 1
                if waiting[target] == 0:
                    ready.append(target)
        return height, int(height.max(initial=0))


def _grouped(keys: Array, n: int) -> Array:
    """Where each of n groups begins, in what is sorted by its key."""
    return offsets_of(np.bincount(np.asarray(keys, dtype=np.int64), minlength=n))


def _int32(values: Array) -> Array:
    return np.ascontiguousarray(values, dtype=np.int32)
