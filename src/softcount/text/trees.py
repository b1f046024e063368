"""Trees in brackets, as treebanks have them: ``(S (NP (DT the) (NN dog)) (VP (VBZ barks)))``.

One tree a line, where an empty line is a sentence without a tree; or trees over several lines, with empty lines
between them. A bracket around a whole tree that has no label, as in the Penn Treebank's files, is left away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from softcount.errors import InputError
from softcount.text.source import name_of, quoted, read_text, split_lines

DEEPEST = 500  # brackets within brackets
TOKEN = re.compile(r"[()]|[^\s()]+")
T = TypeVar("T")
ESCAPES = {"(": "-LRB-", ")": "-RRB-"}


class Tree(NamedTuple):
    """``str()`` is its line. Nothing here is recursive, since a grammar may build trees as deep as it likes."""

    label: str
    children: tuple[Tree | str, ...]

    def walk(self) -> Iterator[tuple[Tree | str, bool]]:
        """Every word and every node from left to right, (part, False), and every node again where it ends."""
        rest: list[tuple[Tree | str, bool]] = [(self, False)]
        while rest:
            part, ended = rest.pop()
            yield part, ended
            if isinstance(part, Tree) and not ended:
                rest.append((part, True))
                rest += [(child, False) for child in reversed(part.children)]

    def folded(self, node: Callable[[Tree, list[T]], T], word: Callable[[str], T]) -> T:
        """What is made of it from its words up: of every node with what was made of its children."""
        made: list[list[T]] = [[]]
        for part, ended in self.walk():
            if isinstance(part, str):
                made[-1].append(word(part))
            elif ended:
                children = made.pop()
                made[-1].append(node(part, children))
            else:
                made.append([])
        return made[0][0]

    def __str__(self) -> str:
        return "".join(_written(part, ended) for part, ended in self.walk())[1:]

    def words(self) -> list[str]:
        return [part for part, _ in self.walk() if isinstance(part, str)]

    def spans(self) -> list[tuple[int, int, str]]:
        """(start, end, label) of every node, a node before what is within it."""
        found, open_, place = list[tuple[int, int, str]](), list[int](), 0
        for part, ended in self.walk():
            if isinstance(part, str):
                place += 1
            elif ended:
                number = open_.pop()
                found[number] = (found[number][0], place, part.label)
            else:
                open_.append(len(found))
                found.append((place, place, part.label))
        return found

    @property
    def is_tag(self) -> bool:
        """Whether it is a word with its tag."""
        return len(self.children) == 1 and isinstance(self.children[0], str)


def _written(part: Tree | str, ended: bool) -> str:
    if isinstance(part, str):
        return f" {_escaped(part)}"
    return ")" if ended else f" ({_escaped(part.label)}"


def read_trees(path: str | Path) -> list[Tree | None]:
    """The trees of a file; None where a line is empty and every tree has a line of its own."""
    lines = split_lines(read_text(path)).to_pylist()
    return parse_trees(lines, name_of(path))


def parse_trees(lines: list[str], name: str = "<trees>") -> list[Tree | None]:
    by_line = all(_balanced(line) for line in lines)
    pieces = enumerate(lines, 1) if by_line else _gathered(lines)
    found = list[Tree | None]()
    for number, text in pieces:
        found.append(parse_tree(text, f"{name}:{number}") if text.strip() else None)
    if not lines:
        raise InputError(f"{name}: empty file; give at least one tree, (S (NP you) (VP sleep))")
    if not any(found):
        raise InputError(f"{name}: no trees; write for example (S (NP you) (VP sleep))")
    return found


def parse_tree(text: str, where: str = "<tree>") -> Tree:
    """One tree. Not recursive, since brackets may be as deep as somebody likes."""
    open_: list[list[Tree | str]] = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            if len(open_) > DEEPEST:
                raise InputError(f"{where}: brackets are nested more than {DEEPEST} deep; check that this is a tree")
            open_.append([])
        elif token == ")":
            if len(open_) == 1:
                raise InputError(f"{where}: too many closing brackets; write (label … )")
            node = open_.pop()
            open_[-1].append(_node(node, where, outermost=len(open_) == 1))
        else:
            open_[-1].append(token)
    if len(open_) > 1:
        raise InputError(f"{where}: {len(open_) - 1} brackets are not closed; write (label … )")
    if len(open_[0]) != 1 or isinstance(open_[0][0], str):
        raise InputError(f"{where}: {quoted(text)} is not one tree; write (label … ), one tree per line")
    return open_[0][0]


def _node(parts: list[Tree | str], where: str, outermost: bool) -> Tree:
    if outermost and len(parts) == 1 and isinstance(parts[0], Tree):
        return parts[0]
    if not parts or isinstance(parts[0], Tree):
        raise InputError(f"{where}: a bracket without a label; write (label … )")
    if len(parts) == 1:
        raise InputError(f"{where}: the bracket {quoted(parts[0])} is empty; write (label word)")
    return Tree(parts[0], tuple(parts[1:]))


def _balanced(line: str) -> bool:
    return line.count("(") == line.count(")")


def _gathered(lines: list[str]) -> Iterator[tuple[int, str]]:
    """(number of its first line, text) of trees that go over several lines."""
    held, depth, began = list[str](), 0, 0
    for number, line in enumerate(lines, 1):
        began = began or (number if line.strip() else 0)
        held.append(line)
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            if any(map(str.strip, held)):
                yield began, " ".join(held)
            held, depth, began = [], 0, 0
    if any(map(str.strip, held)):
        yield began, " ".join(held)


def _escaped(word: str) -> str:
    return "".join(ESCAPES.get(character, character) for character in word) if set(word) & set("()") else word
