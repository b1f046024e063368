"""Which grammar: from a file, from text, read off trees, or every rule that there could be; and what a name means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from softcount.errors import InputError
from softcount.families.layout import MOST_PSEUDO
from softcount.machine.memory import check_room
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.cfg import Rules, parse_cfg, read_cfg
from softcount.text.treebank import read_off
from softcount.text.trees import Tree, parse_tree, parse_trees, read_trees


class Given(NamedTuple):
    """A grammar as it was given, before any training."""

    rules: Rules
    probabilities: Array | None
    alike: tuple[Array, ...] = ()
    top: str = ""


def given_grammar(grammar: Any) -> Given:
    """A path, the text of rules, or (rules, probabilities)."""
    if isinstance(grammar, tuple):
        return Given(*grammar)
    if isinstance(grammar, str) and ("->" in grammar or "\n" in grammar):
        return Given(*parse_cfg(grammar))
    if isinstance(grammar, str | Path):
        return Given(*read_cfg(grammar))
    raise InputError(f"grammar has type {type(grammar).__name__}; give a path, or rules as text")


def rule_probabilities(rules: Rules, given: Mapping[str, float]) -> Array:
    """Of a start {rule: probability}; rules of a symbol that are not in it share what the others leave."""
    place = {" ".join(text.split()): r for r, text in enumerate(rules.texts())}
    found = np.full(len(place), np.nan)
    for text, p in given.items():
        name = " ".join(str(text).replace("'", '"').split())
        if name not in place:
            raise InputError(
                f"start: no rule {text!r} in this grammar; write rules as {next(iter(place), 'S -> NP VP')}"
            )
        if isinstance(p, bool) or not isinstance(p, int | float | np.number) or not 0.0 <= p < np.inf:
            raise InputError(f"start: {text!r} has the probability {p!r}; give a number from zero on")
        found[place[name]] = p
    for begin, end in pairwise(rules.rows.tolist()):
        row = found[begin:end]
        unknown = np.isnan(row)
        if unknown.any():
            row[unknown] = max(1.0 - row[~unknown].sum(), 0.0) / unknown.sum()
        if len(row) and not row.sum() > 0.0:
            raise InputError("start: every rule of a symbol has probability zero; give one of them more")
        row /= max(row.sum(), 1e-300)
    return found


def full_grammar(words: Sequence[str], n: int, n_tags: int) -> Given:
    """S → any, N → any any, T → word, with n symbols N and n_tags symbols T; without T, words stand in rules."""
    size = n * float(n + (n_tags or len(words))) ** 2 + n_tags * len(words)
    check_room(64.0 * size, f"{size:,.0f} rules", "use fewer nonterminals")
    phrases, tags = np.arange(1, n + 1), np.arange(n + 1, n + 1 + n_tags)
    leaves = tags if n_tags else -1 - np.arange(len(words))
    parts = np.concatenate([phrases, leaves]).astype(np.int32)
    pairs = np.stack(np.meshgrid(parts, parts, indexing="ij"), axis=-1).reshape(-1)
    lexicon = np.tile(-1 - np.arange(len(words), dtype=np.int32), n_tags)
    values = np.concatenate([parts, np.tile(pairs, n), lexicon]).astype(np.int32)
    lengths = np.repeat([1, 2, 1], [len(parts), n * len(parts) ** 2, len(lexicon)])
    rows = offsets_of([len(parts), *[len(parts) ** 2] * n, *[len(words)] * n_tags])
    symbols = ("S", *(f"N{k + 1}" for k in range(n)), *(f"T{k + 1}" for k in range(n_tags)))
    rules = Rules(symbols, tuple(words), 0, rows, Ragged(offsets_of(lengths), values))
    return Given(rules, None, (phrases, tags))


def listed_trees(trees: Any) -> list[Tree]:
    """Of a path, of lines, or of trees; a treebank has no sentences without trees."""
    if isinstance(trees, str | Path):
        found = read_trees(trees)
    else:
        rows = list(trees)
        lines = [row for row in rows if isinstance(row, str)]
        found = parse_trees(lines) if lines and len(lines) == len(rows) else [_tree(row) for row in rows]
    kept = [tree for tree in found if tree is not None]
    if not kept:
        raise InputError("no trees to read a grammar from; give at least one")
    return kept


def _tree(row: Any) -> Tree | None:
    if row is None or isinstance(row, Tree):
        return row
    if isinstance(row, str):
        return parse_tree(row)
    raise InputError(f"a tree has type {type(row).__name__}; give a line of text, or a Tree")


def grammar_off(trees: Sequence[Tree], markov: Any, lowercase: bool) -> Given:
    """The rules that trees use, as probable as they are frequent."""
    found = read_off([_lowered(tree) for tree in trees] if lowercase else trees, markov)
    lengths = np.diff(found.rules.rows)
    totals = np.add.reduceat(found.counts, found.rules.rows[:-1][lengths > 0])
    return Given(found.rules, found.counts / np.repeat(totals, lengths[lengths > 0]), top=found.top)


def _lowered(tree: Tree) -> Tree:
    def again(node: Tree, children: Sequence[Tree | str]) -> Tree | str:
        return Tree(node.label, tuple(children))

    return cast(Tree, tree.folded(again, str.lower))


def rules_named(rules: Rules, name: str) -> Array:
    """The rules of a symbol, or one rule as its line."""
    if "->" not in name:
        if name not in rules.symbols:
            raise InputError(
                f"symbol {name!r} is not in the grammar; use one of its symbols, or a rule such as 'NP -> Det N'"
            )
        s = rules.symbols.index(name)
        return np.arange(rules.rows[s], rules.rows[s + 1])
    asked = parse_cfg(name, "<rule>")[0]
    texts = {text: r for r, text in enumerate(rules.texts())}
    missing = [text for text in asked.texts() if text not in texts]
    if missing:
        raise InputError(f"rule {missing[0]!r} is not in the grammar; use one of its rules")
    return np.array([texts[text] for text in asked.texts()])


def per_rule(rules: Rules, setting: Any, default: float, what: str) -> float | Array:
    """One number for all rules, or a mapping from symbols and rules to numbers, as an array."""
    numbers = list(setting.values()) if isinstance(setting, Mapping) else [setting]
    for number in numbers:
        if not isinstance(number, int | float | np.number) or not 0.0 <= number <= MOST_PSEUDO:
            raise InputError(f"{what}: {number!r} is out of range; give a number from 0 to {MOST_PSEUDO:g}")
    if not isinstance(setting, Mapping):
        return float(setting)
    amounts = np.full(rules.n_rules, default)
    for name, number in sorted(setting.items(), key=lambda item: "->" in item[0]):  # a rule after its symbol
        amounts[rules_named(rules, name)] = number
    return amounts


def held_rules(rules: Rules, fixed: Any) -> dict[str, Array]:
    """By table, the rules that training leaves alone."""
    held = np.zeros(rules.n_rules, dtype=bool)
    for name in [fixed] if isinstance(fixed, str) else fixed:
        held[rules_named(rules, name)] = True
    return {"rule": held}
