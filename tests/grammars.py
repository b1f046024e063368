"""Context-free grammars as their story tells it: every tree of a sentence, by trying every rule everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from enumeration import Naive
from hypothesis import strategies as st

from softcount.models.grammar import Grammar, GrammarTables, grammar
from softcount.numbers.ragged import Ragged, from_rows, offsets_of
from softcount.text.bracketed import ANY, NO_OTHERS, Bracketed
from softcount.text.cfg import Rules, assemble


class Node(NamedTuple):
    rule: int
    start: int
    end: int
    children: tuple[Any, ...]  # nodes; a word is None


def trees(rules: Rules, symbol: int, words: tuple[int, ...], start: int, end: int) -> Iterator[Node]:
    """Every tree of a symbol over words[start:end]; unary rules must not go round in circles."""
    for rule in range(rules.rows[symbol], rules.rows[symbol + 1]):
        side = tuple(rules.rhs.row(rule).tolist())
        for cuts in combinations(range(start + 1, end), len(side) - 1):
            bounds = [start, *cuts, end]
            for children in sides(rules, side, words, bounds):
                yield Node(rule, start, end, children)


def sides(rules: Rules, side: tuple[int, ...], words: tuple[int, ...], bounds: list[int]) -> Iterator[tuple[Any, ...]]:
    if not side:
        yield ()
        return
    first, (a, b) = side[0], bounds[:2]
    if first < 0:
        heads: Any = [None] if b == a + 1 and words[a] == -1 - first else []
    else:
        heads = trees(rules, first, words, a, b)
    for head in heads:
        for rest in sides(rules, side[1:], words, bounds[1:]):
            yield (head, *rest)


def nodes_of(tree: Node) -> Iterator[Node]:
    yield tree
    for child in tree.children:
        if child is not None:
            yield from nodes_of(child)


def cell(start: int, end: int) -> int:
    return end * (end - 1) // 2 + start


@dataclass(frozen=True)
class NaiveGrammar(Naive):
    model: Grammar

    def structures(self, items: Any, i: int) -> list[Node | None]:
        words, rules = tuple(items.sentences.row(i).tolist()), self.model.rules
        if not words:
            return [None]
        found = list(trees(rules, rules.start, words, 0, len(words)))
        known = [] if items.brackets is None else items.brackets.row(i).tolist()
        return [tree for tree in found if self.agrees(tree, known)]

    def agrees(self, tree: Node, known: list[list[int]]) -> bool:
        lhs = self.model.rules.lhs()
        listed = {(a, b) for a, b, symbol in known if symbol != NO_OTHERS}
        for node in nodes_of(tree):
            here = [symbol for a, b, symbol in known if (a, b) == (node.start, node.end) and symbol >= 0]
            if here and lhs[node.rule] not in here:
                return False
            if any(symbol == NO_OTHERS for _, _, symbol in known) and (node.start, node.end) not in listed:
                return False
            if any(a < node.start < b < node.end or node.start < a < node.end < b for a, b in listed):
                return False
        return True

    def counts(self, items: Any, i: int, structure: Node | None) -> GrammarTables:
        found = np.zeros(self.model.rules.n_rules)
        for node in nodes_of(structure) if structure else ():
            found[node.rule] += 1
        return GrammarTables(Ragged(self.model.rules.rows, found))

    def nodes(self, items: Any, i: int, structure: Node | None) -> np.ndarray:
        n, lhs = len(items.sentences.row(i)), self.model.rules.lhs()
        found = np.zeros((n * (n + 1) // 2, len(self.model.rules.symbols)))
        for node in nodes_of(structure) if structure else ():
            found[cell(node.start, node.end), lhs[node.rule]] += 1
        return found

    def potentials(self, items: Any, i: int) -> np.ndarray | None:
        return None if items.potentials is None else items.potentials.row(i)

    def spelt(self, items: Any, i: int, structure: Node | None) -> np.ndarray:
        lhs = self.model.rules.lhs()
        spans = [(node.start, node.end, lhs[node.rule]) for node in nodes_of(structure)] if structure else []
        return np.array(spans, dtype=np.int32).ravel()

    def before(self, items: Any, i: int, nodes: np.ndarray, structure: Node | None) -> Any:
        """The rule that is listed first, then the widest last child, then the widest last but one, …"""
        if structure is None:
            return ()
        starts, place = [], structure.start
        for child in structure.children:
            starts.append(place)
            place = place + 1 if child is None else child.end
        below = [self.before(items, i, nodes, child) for child in structure.children if child is not None]
        return structure.rule, starts[::-1], below

    def check_best(self, posteriors: np.ndarray, labels: np.ndarray) -> None:
        """No way to cut the sentence in two, again and again, has more expected brackets."""
        chosen = labels.reshape(-1, 3).tolist()
        n = int((np.sqrt(8 * len(posteriors) + 1) - 1) / 2)
        found = sum(posteriors[cell(a, b), symbol] for a, b, symbol in chosen)
        least, most = (max(cuttings(worths(posteriors, half), 0, n), default=0.0) for half in (0.5 + 1e-9, 0.5 - 1e-9))
        assert least * (1 - 1e-9) <= found <= most * (1 + 1e-9), "where a share is half to the last bits, either way"
        for (a, b, _), (c, d, _) in combinations(chosen, 2):
            assert b <= c or d <= a or (a <= c and d <= b), "not a node before its parts"


def worths(posteriors: np.ndarray, half: float) -> list[float]:
    """What a span is worth: its likeliest symbol, and whichever others are likelier than not."""
    return [sum(row[a] for a in range(len(row)) if row[a] > half or a == row.argmax()) for row in posteriors]


def cuttings(worth: list[float], start: int, end: int) -> Iterator[float]:
    if end - start == 1:
        yield worth[cell(start, end)]
    for k in range(start + 1, end):
        for left in cuttings(worth, start, k):
            for right in cuttings(worth, k, end):
                yield worth[cell(start, end)] + left + right


def _part(rng: np.random.Generator, n_symbols: int, n_words: int) -> tuple[str, bool]:
    is_word = bool(rng.random() < 0.2)
    return (f"w{rng.integers(n_words)}", True) if is_word else (f"N{rng.integers(n_symbols)}", False)


def tiny_rules(rng: np.random.Generator, n_symbols: int, n_words: int) -> Rules:
    """Words, pairs, long right sides, words within them, and unary rules to later symbols alone."""
    found = list[tuple[str, tuple[tuple[str, bool], ...]]]()
    for s in range(n_symbols):
        for w in np.flatnonzero(rng.random(n_words) < 0.6) if s else range(n_words):
            found.append((f"N{s}", ((f"w{w}", True),)))
        for _ in range(rng.integers(1, 4)):
            length = int(rng.choice([2, 2, 3, 4]))
            side = [_part(rng, n_symbols, n_words) for _ in range(length)]
            found.append((f"N{s}", tuple(side)))
        found += [(f"N{s}", ((f"N{t}", False),)) for t in range(s + 1, n_symbols) if rng.random() < 0.5]
    order = rng.permutation(len(found))
    return assemble("N0", [found[k] for k in order])[0]


def tiny_grammar(draw: Any, chance: Any) -> tuple[Grammar, Bracketed, NaiveGrammar]:
    rng = chance.rng
    rules = tiny_rules(rng, draw(st.integers(1, 3)), draw(st.integers(1, 2)))
    model = grammar(rules)
    oracle = NaiveGrammar(model)
    rows = [
        tuple(rng.integers(0, len(rules.words), n)) for n in draw(st.lists(st.integers(0, 4), min_size=1, max_size=2))
    ]
    some = partial(trees, rules, rules.start)
    rows = [row for row in rows if not row or next(some(row, 0, len(row)), None) is not None] or [(0,)]
    sentences = from_rows(rows, np.int32)
    sizes = [len(row) * (len(row) + 1) // 2 for row in rows]
    wishes = chance.wishes(draw, sum(sizes), len(rules.symbols))
    potentials = None if wishes is None else Ragged(offsets_of(sizes), wishes)
    brackets = known(rng, oracle, Bracketed(sentences)) if draw(st.booleans()) else None
    return model, Bracketed(sentences, brackets, potentials), oracle


def known(rng: np.random.Generator, oracle: NaiveGrammar, items: Bracketed) -> Ragged:
    """Some brackets of some tree of each sentence, with labels or without; of some sentences all, of some none."""
    rows = []
    for i in range(len(items)):
        found = oracle.structures(items, i)
        tree = found[rng.integers(len(found))]
        spans = oracle.spelt(items, i, tree).reshape(-1, 3)
        kind = rng.integers(3)
        if kind == 0 or not len(spans):
            rows.append(np.empty((0, 3), np.int32))
        elif kind == 1:
            rows.append(np.concatenate([spans, [[0, 0, NO_OTHERS]]]).astype(np.int32))
        else:
            some = spans[rng.random(len(spans)) < 0.5].copy()
            some[rng.random(len(some)) < 0.5, 2] = ANY
            rows.append(some)
    return Ragged(offsets_of([len(row) for row in rows]), np.concatenate(rows).astype(np.int32))
