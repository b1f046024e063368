"""A grammar read off trees: every node is a use of a rule, and rules are counted.

    rule[A → X₁ … X_m] = c(A → X₁ … X_m) / c(A)

With ``markov=(v, h)`` symbols remember more or less than that. v > 1: a phrase knows the v − 1 phrases above it, NP^S.
h: right sides are cut into pairs, of which each knows the h parts before it, so that longer ones than any tree has are
possible: ``NP → DT @NP/DT,  @NP/DT → JJ @NP/JJ,  @NP/JJ → NN NN`` (h = 1). D. Klein, C. Manning, "Accurate
unlexicalized parsing", ACL 2003.

Words that the trees have once are counted by how they look, and a word that they have not at all is read as such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.text.cfg import Rules, assemble
from softcount.text.trees import Tree
from softcount.text.word_form import word_form

ABOVE, CUT, BESIDE = "^", "@", "/"  # marks in names of symbols
TOP = "TOP"
UNKNOWN = "<unk>"
COMMON = 10  # how many rare words must look alike to be a class

Side = tuple[tuple[str, bool], ...]


class ReadOff(NamedTuple):
    rules: Rules
    counts: Array  # of the rules
    top: str  # the start symbol that the trees do not have, or ""


def read_off(trees: Sequence[Tree], markov: tuple[int, int | None] | None) -> ReadOff:
    above, beside = markov or (1, None)
    rare = rare_words(trees)
    counts: Counter[tuple[str, Side]] = Counter()
    roots = Counter(tree.label for tree in trees)
    top = _top(trees, roots)
    for tree in trees:
        if markov:
            _check_names(tree)
        if top:
            counts[top, ((_annotated((tree.label,), above), False),)] += 1
        _count(tree, above, beside, rare, counts)
    rules, order = assemble(top or next(iter(roots)), list(counts))
    total = np.zeros(rules.n_rules)
    np.add.at(total, order, list(counts.values()))
    return ReadOff(rules, total, top)


def rare_words(trees: Sequence[Tree]) -> dict[str, str]:
    """Words that are there once, and what they are counted as."""
    counts = Counter(word for tree in trees for word in tree.words())
    once = [word for word, n in counts.items() if n == 1]
    looks = Counter(look for word in once for look in looks_of(word))
    common = {look for look, n in looks.items() if n >= COMMON} | {UNKNOWN}
    return {word: next(look for look in looks_of(word) if look in common) for word in once}


def looks_of(word: str) -> tuple[str, ...]:
    """Classes of words that look like this one, the narrowest first; no token has a blank, so none is a word."""
    _, two, three, shape, hyphen = word_form(word)
    return f"<unk {shape} {hyphen} -{three}>", f"<unk {shape} -{two}>", f"<unk {shape}>", UNKNOWN


def read_as(word: str, words: Mapping[str, int]) -> int:
    """The id of a word, or of what it looks like; −1 where the grammar has neither."""
    return next((words[name] for name in (word, *looks_of(word)) if name in words), -1)


def restored(tree: Tree, top: str) -> Tree:
    """The tree as a treebank would have it: without what `read_off` added to names, and without cuts."""
    if top and tree.label == top and len(tree.children) == 1 and isinstance(tree.children[0], Tree):
        tree = tree.children[0]
    parts = (
        child.folded(_whole, lambda word: (word,)) if isinstance(child, Tree) else (child,) for child in tree.children
    )
    return Tree(tree.label.partition(ABOVE)[0], tuple(chain.from_iterable(parts)))


def _whole(node: Tree, parts: Sequence[tuple[Tree | str, ...]]) -> tuple[Tree | str, ...]:
    """The node, or, where it is only a cut, what is in it."""
    children = tuple(chain.from_iterable(parts))
    if node.label.startswith(CUT) and len(node.label) > 1:
        return children
    return (Tree(node.label.partition(ABOVE)[0] or node.label, children),)


def _count(
    tree: Tree, above: int, beside: int | None, rare: Mapping[str, str], counts: Counter[tuple[str, Side]]
) -> None:
    """The uses of rules, that of a node after those within it."""
    path = list[str]()  # the labels from the root down to here
    for node, ended in tree.walk():
        if isinstance(node, str):
            continue
        if ended:
            _count_node(node, path[: -above - 1 : -1], above, beside, rare, counts)
            path.pop()
        else:
            path.append(node.label)


def _count_node(
    tree: Tree, path: Sequence[str], above: int, beside: int | None, rare: Mapping[str, str],
    counts: Counter[tuple[str, Side]],
) -> None:  # fmt: skip
    """`path`: the labels from here upwards."""
    name = tree.label if tree.is_tag else _annotated(path, above)
    side = list[tuple[str, bool]]()
    for child in tree.children:
        if isinstance(child, str):
            side.append((rare.get(child, child), True))
        else:
            side.append((child.label if child.is_tag else _annotated((child.label, *path), above), False))
    if beside is None or len(side) < 3:
        counts[name, tuple(side)] += 1
        return
    here = name
    for k in range(len(side) - 2):
        seen = [part for part, _ in side[max(0, k + 1 - beside) : k + 1]]
        onward = CUT + BESIDE.join([name, *seen])
        counts[here, (side[k], (onward, False))] += 1
        here = onward
    counts[here, (side[-2], side[-1])] += 1


def _annotated(path: Sequence[str], above: int) -> str:
    return ABOVE.join(path[:above])


def _top(trees: Sequence[Tree], roots: Counter[str]) -> str:
    """A name for the start symbol; "" where all trees have one root, which is nowhere else."""
    inner = {label for tree in trees for _, _, label in tree.spans()[1:]}
    if len(roots) == 1 and not roots.keys() & inner:
        return ""
    name = TOP
    while name in inner or name in roots:
        name += "_"
    return name


def _check_names(tree: Tree) -> None:
    for _, _, label in tree.spans():
        if ABOVE in label or (label.startswith(CUT) and len(label) > 1):
            raise InputError(
                f"the label {label!r} contains a character that --markov uses; rename it, or omit --markov"
            )
