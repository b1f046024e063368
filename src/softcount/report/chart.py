"""A grammar by hand: the chart of a sentence with inside and outside of every symbol over every span, and its trees.

    inside(A, i, j) = Σ_{A → X₁ … X_m} rule · Σ_cuts ∏ inside(X_k)      P(sentence) = inside(start, 0, n)
    outside(A, i, j): what multiplies it in P(sentence), so that inside · outside / P(sentence) is its posterior

Plain recursion over a few words, to be read beside the kernels (`models/grammar_kernel.py`), which do the same fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.machine.streams import put
from softcount.report.ties import tied_symbols, told
from softcount.text.cfg import Rules
from softcount.text.trees import Tree

MOST_WORDS, MOST_TREES = 20, 10  # of a sentence; trees that are shown of it

Node = tuple[int, int, int]  # a symbol, or −1 − word; its first word; the word behind its last


class Term(NamedTuple):
    """One way to make a node."""

    rule: int
    below: tuple[Node, ...]


class Chart:
    """Of one sentence; `rule` are the probabilities."""

    def __init__(self, rules: Rules, rule: list[float], words: list[str]) -> None:
        self.rules, self.rule, self.words = rules, rule, words
        self.ids = [-1 - rules.words.index(word) if word in rules.words else None for word in words]
        self.sides = [row.tolist() for row in rules.rhs.rows()]
        self.root = (rules.start, 0, len(words))
        self.terms, self.inside = cache(self._terms), cache(self._inside)

    def _terms(self, node: Node) -> list[Term]:
        symbol, i, j = node
        own = range(*self.rules.rows[symbol : symbol + 2].tolist())
        made = (Term(r, below) for r in own for below in self._cuts(self.sides[r], i, j))
        return [term for term in made if self._product(term) > 0.0]

    def _cuts(self, side: list[int], i: int, j: int) -> Iterator[tuple[Node, ...]]:
        """All ways to share words i … j among the parts of a right side."""
        if len(side) == 1:
            yield ((side[0], i, j),)
            return
        for m in range(i + 1, j - len(side) + 2):
            if self.inside((side[0], i, m)) > 0.0:
                for rest in self._cuts(side[1:], m, j):
                    yield ((side[0], i, m), *rest)

    def _inside(self, node: Node) -> float:
        symbol, i, j = node
        if symbol < 0:
            return float(j == i + 1 and self.ids[i] == symbol)
        return sum(map(self._product, self.terms(node)))

    def _product(self, term: Term) -> float:
        value = self.rule[term.rule]
        for node in term.below:
            value *= self.inside(node) if value > 0.0 else 1.0
        return value

    def outside(self) -> dict[Node, float]:
        """Of every node that a tree of the sentence has; wider spans first, so that all above is there."""
        found = {self.root: 1.0} if self.inside(self.root) > 0.0 else {}
        for node in self._downward(self.root):
            for term in self.terms(node):
                for k, child in enumerate(term.below):
                    value = found[node] * self.rule[term.rule]
                    for other in term.below[:k] + term.below[k + 1 :]:
                        value *= self.inside(other)
                    found[child] = found.get(child, 0.0) + value
        return {node: value for node, value in found.items() if node[0] >= 0}

    def _downward(self, root: Node) -> list[Node]:
        """Every node before those below it."""
        order, seen = list[Node](), set[Node]()

        def visit(node: Node) -> None:
            seen.add(node)
            for child in dict.fromkeys(child for term in self.terms(node) for child in term.below):
                if child[0] >= 0 and child not in seen:
                    visit(child)
            order.append(node)

        if self.inside(root) > 0.0:
            visit(root)
        return order[::-1]

    def trees(self, node: Node | None = None) -> Iterator[tuple[float, Tree]]:
        """Every tree with its probability."""
        node = self.root if node is None else node
        for term in self.terms(node):
            for p, children in self._forests(term.below):
                yield self.rule[term.rule] * p, Tree(self.rules.symbols[node[0]], children)

    def _forests(self, nodes: tuple[Node, ...]) -> Iterator[tuple[float, tuple[Tree | str, ...]]]:
        if not nodes:
            yield 1.0, ()
            return
        first: Any = [(1.0, self.words[nodes[0][1]])] if nodes[0][0] < 0 else list(self.trees(nodes[0]))
        for p, tree in first:
            for q, rest in self._forests(nodes[1:]):
                yield p * q, (tree, *rest)


def explain_grammar(model: Any, sentences: list[str]) -> dict[str, Any]:
    """Every number of one EM step; `model` has been fitted with no steps."""
    rules, rule = model.rules_, model.parameters_.rule.values.tolist()
    numbers = model.n_parses(sentences)  # refuses unary rules that go round
    if any(not 0 < len(sentence.split()) <= MOST_WORDS for sentence in sentences):
        raise InputError(f"explain grammar shows sentences of 1 to {MOST_WORDS} words; shorten the sentence")
    charts = [Chart(rules, rule, sentence.split()) for sentence in sentences]
    for number, chart in enumerate(charts, 1):
        if not chart.inside(chart.root) > 0.0:
            raise InputError(f"sentence {number}: the grammar has no parse for {' '.join(chart.words)!r}; add rules")
    counts, updated = _stepped(model, sentences)
    named = list(zip(rules.texts(), rule, counts, updated, strict=True))
    keys = ("rule", "p", "count", "updated")
    return {
        "log_likelihood": float(model.score(sentences)),
        "sentences": [_explained(chart, n) for chart, n in zip(charts, numbers, strict=True)],
        "rules": [dict(zip(keys, row, strict=True)) for row in named],
        "tied": tied_symbols(rules, rule),
    }


def _stepped(model: Any, sentences: list[str]) -> tuple[list[float], list[float]]:
    """The library's own expected counts, and its probabilities after a step."""
    items = model._items(model._read(sentences))
    over, rule = model._model, model.parameters_.rule
    with np.errstate(divide="ignore"):
        weights = over.weigh(model.parameters_._replace(rule=rule.with_values(np.log(rule.values))))
    expectation = over.expect(weights, over.pack(items))[0]
    new = type(model)(**{**model.get_params(), "criterion": "em:1"}).fit(sentences)
    return expectation.counts.rule.values.tolist(), new.parameters_.rule.values.tolist()


def _explained(chart: Chart, n_trees: int) -> dict[str, Any]:
    total, outside = chart.inside(chart.root), chart.outside()
    cells = sorted(outside, key=lambda node: (node[2] - node[1], node[1], node[0]))
    best = sorted(chart.trees(), key=lambda tree: -tree[0])[:MOST_TREES] if n_trees <= 10_000 else []
    return {
        "sentence": chart.words,
        "probability": total,
        "n_trees": n_trees,
        "trees": [{"tree": str(tree), "p": p, "share": p / total} for p, tree in best],
        "chart": [
            {"from": i, "to": j, "words": " ".join(chart.words[i:j]), "symbol": chart.rules.symbols[s],
             "inside": chart.inside((s, i, j)), "outside": outside[s, i, j],
             "posterior": chart.inside((s, i, j)) * outside[s, i, j] / total}
            for s, i, j in cells
        ],
    }  # fmt: skip


def print_grammar(result: dict[str, Any]) -> None:
    from softcount.report.columns import show, six_digits

    for found in result["sentences"]:
        number = found["n_trees"]
        trees = "1 tree" if number == 1 else f"{number:,} trees"
        put(f"P({' '.join(found['sentence'])}) = {found['probability']:.10g}, {trees}\n")
        if found["trees"]:
            show("Trees", ["tree", "P(tree)", "P(tree | sentence)"],
                 [[one["tree"], *six_digits((one["p"], one["share"]))] for one in found["trees"]])  # fmt: skip
        cells = found["chart"]
        widths = [cell["to"] - cell["from"] for cell in cells]
        breaks = [k + 1 for k, (a, b) in enumerate(pairwise(widths)) if a != b]
        rows = [[c["words"], c["symbol"], *six_digits((c["inside"], c["outside"], c["posterior"]))] for c in cells]
        show("The chart", ["words", "symbol", "inside", "outside", "posterior"], rows, names=2, breaks=breaks)
    rows = [[one["rule"], *six_digits((one["p"], one["count"], one["updated"]))] for one in result["rules"]]
    show("One EM step", ["rule", "p", "expected count", "p after one EM step"], rows)
    if result["tied"]:
        put(told(result["tied"]))
