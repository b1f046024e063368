"""Trees of a grammar: built from nodes, and drawn from its rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.text.cfg import Rules
from softcount.text.trees import DEEPEST, Tree

LARGEST, TRIES = 10_000, 20  # rules of one drawn tree; trees that may be thrown away


def built(nodes: Array, symbols: Sequence[str], words: Sequence[str]) -> Tree | None:
    """The tree of nodes (start, end, symbol), each before its parts; None where there are none."""
    spans = nodes.reshape(-1, 3).tolist()
    if not spans:
        return None
    children: list[list[Tree | str]] = [[] for _ in spans]
    open_ = list[int]()
    places = list[int]()  # up to where each open node has its words

    def close() -> None:
        k, place = open_.pop(), places.pop()
        start, end, symbol = spans[k]
        children[k] += words[place:end]
        if open_:
            above = open_[-1]
            children[above] += words[places[-1] : start]
            children[above].append(Tree(symbols[symbol], tuple(children[k])))
            places[-1] = end

    for k, (start, end, _) in enumerate(spans):
        while open_ and not (spans[open_[-1]][0] <= start and end <= spans[open_[-1]][1]):
            close()
        open_.append(k)
        places.append(start)
    while len(open_) > 1:
        close()
    return Tree(symbols[spans[0][2]], (*children[0], *words[places[0] : spans[0][1]]))


def drawn(rules: Rules, probabilities: Array, rng: np.random.Generator) -> Tree:
    """A tree by the probabilities of its rules."""
    for _ in range(TRIES):
        tree = _drawn(rules, probabilities, rng)
        if tree is not None:
            return tree
    raise InputError(
        f"the grammar's trees do not end within {LARGEST:,} rules; lower the probabilities of its longer rules"
    )


def _drawn(rules: Rules, probabilities: Array, rng: np.random.Generator) -> Tree | None:
    """Top down, the left part first; None where it becomes too large. `done` holds finished parts, `open_` the rest."""
    open_: list[tuple[int, list[int], list[Tree | str]]] = [_used(rules, probabilities, rules.start, rng)]
    used = 1
    while True:
        symbol, rest, parts = open_[-1]
        if not rest:
            tree = Tree(rules.symbols[symbol], tuple(parts))
            open_.pop()
            if not open_:
                return tree
            open_[-1][2].append(tree)
        elif rest[0] < 0:
            parts.append(rules.words[-1 - rest.pop(0)])
        else:
            if used == LARGEST or len(open_) == DEEPEST:
                return None
            used += 1
            open_.append(_used(rules, probabilities, rest.pop(0), rng))


def _used(
    rules: Rules, probabilities: Array, symbol: int, rng: np.random.Generator
) -> tuple[int, list[int], list[Tree | str]]:
    a, b = rules.rows[symbol : symbol + 2]
    ladder = np.cumsum(probabilities[a:b])
    if a == b or not ladder[-1] > 0.0:
        raise InputError(f"no rule for {rules.symbols[symbol]!r}; add one")
    rule = a + min(int(np.searchsorted(ladder, rng.random() * ladder[-1], side="right")), b - a - 1)
    return symbol, rules.rhs.row(rule).tolist(), []
