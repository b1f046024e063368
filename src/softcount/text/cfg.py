"""Context-free grammars as text, in the form that NLTK reads and writes.

    %start S
    S -> NP VP | S CC S [0.3]        # what has no probability shares what the others leave
    NP -> Det N | "you"
    N -> 'dog' | 'cat' \\
         | 'house'

Words are quoted, everything bare is a symbol, and one name may be both. Without ``%start`` the first rule's left side
is the start. A line that ends in a backslash goes on; a ``#`` at the beginning of a word begins a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array, Ragged, from_rows, offsets_of
from softcount.text.source import name_of, quoted, read_text

SUM_ROOM = 0.01  # by how much the probabilities of a symbol may miss one
TOKEN = re.compile(
    r"""\s*(?: (?P<remark>\#.*) | (?P<arrow>->) | (?P<bar>\|) | (?P<word>"[^"]*"|'[^']*')
             | \[\s*(?P<number>[^\]\s]+|(?=\]))\s*\] | (?P<name>(?:(?!->)[^\s|"'\[\]])+) | (?P<wrong>\S) )""",
    re.VERBOSE,
)
UNSAFE = re.compile(r"""^[#%]|["'|\[\]\s]|->|\\$""")  # in a symbol's name: it would be read as something else


class Rules(NamedTuple):
    """The rules of symbol s are ``rows[s] … rows[s + 1] − 1``; on a right side s is a symbol and −1 − w a word."""

    symbols: tuple[str, ...]
    words: tuple[str, ...]
    start: int
    rows: Array  # int64 [symbols + 1]
    rhs: Ragged  # int32

    @property
    def n_rules(self) -> int:
        return self.rhs.n_rows

    def lhs(self) -> Array:
        """The symbol of every rule."""
        return np.repeat(np.arange(len(self.symbols)), np.diff(self.rows))

    def emits(self) -> Array:
        """bool, of every rule: whether it has a word."""
        has = np.zeros(self.n_rules, dtype=bool)
        has[np.repeat(np.arange(self.n_rules), self.rhs.lengths)[self.rhs.values < 0]] = True
        return has

    def texts(self) -> list[str]:
        """Every rule as its line, without a probability."""
        names, words = [safe(name) for name in self.symbols], [quote(word) for word in self.words]
        sides = (" ".join(names[v] if v >= 0 else words[-1 - v] for v in row) for row in self._sides())
        return [f"{names[s]} -> {side}" for s, side in zip(self.lhs().tolist(), sides, strict=True)]

    def _sides(self) -> Iterator[list[int]]:
        values, bounds = self.rhs.values.tolist(), self.rhs.offsets.tolist()
        return (values[a:b] for a, b in pairwise(bounds))


class Parsed(NamedTuple):
    """A rule of a file."""

    lhs: str
    rhs: tuple[tuple[str, bool], ...]  # (name, whether it is a word)
    probability: float | None
    line: int


def read_cfg(path: str | Path) -> tuple[Rules, Array | None]:
    """(rules, their probabilities); None where the file has not a single probability."""
    return parse_cfg(read_text(path).decode(), name_of(path))


def parse_cfg(text: str, name: str = "<grammar>") -> tuple[Rules, Array | None]:
    start, found = None, list[Parsed]()
    for number, line in _logical_lines(text):
        where = f"{name}:{number}"
        if line.startswith("%"):
            start = _directive(line, where)
        else:
            found += _rules(line, number, where)
    if not text:
        raise InputError(f"{name}: empty file; give at least one rule such as S -> NP VP")
    if not found:
        raise InputError(f"{name}: no rules; write for example S -> NP VP")
    if start is not None and start not in {rule.lhs for rule in found}:
        raise InputError(f"{name}: no rule for the start symbol {start!r}; write {start} -> …")
    rules, order = assemble(found[0].lhs if start is None else start, [(rule.lhs, rule.rhs) for rule in found])
    return rules, _probabilities(rules, found, order, name)


def assemble(start: str, found: Sequence[tuple[str, tuple[tuple[str, bool], ...]]]) -> tuple[Rules, Array]:
    """(rules by their left sides, where each of `found` went); a rule that is there twice goes to one place."""
    names = dict.fromkeys([start, *(lhs for lhs, _ in found)])
    names |= dict.fromkeys(part for _, rhs in found for part, is_word in rhs if not is_word)
    symbols = {part: i for i, part in enumerate(names)}
    words = {part: i for i, part in enumerate(dict.fromkeys(p for _, rhs in found for p, is_word in rhs if is_word))}
    coded = [
        (symbols[lhs], *(-1 - words[part] if is_word else symbols[part] for part, is_word in rhs)) for lhs, rhs in found
    ]
    place: dict[tuple[int, ...], int] = {}
    for rule in sorted(range(len(coded)), key=lambda r: coded[r][0]):  # stable: in the order of the file
        place.setdefault(coded[rule], len(place))
    counts = np.bincount([rule[0] for rule in place], minlength=len(symbols))
    rhs = from_rows([rule[1:] for rule in place], np.int32)
    order = np.array([place[rule] for rule in coded], dtype=np.int64)
    return Rules(tuple(symbols), tuple(words), symbols[start], offsets_of(counts), rhs), order


def write_cfg(rules: Rules, probabilities: Array) -> str:
    """The grammar as text; probabilities with all their digits, and no exponents, which NLTK does not read."""
    lines = [f"%start {safe(rules.symbols[rules.start])}"]
    for text, p in zip(rules.texts(), probabilities.tolist(), strict=True):
        lines.append(f"{text} [{np.format_float_positional(p, trim='0')}]")
    return "\n".join(lines) + "\n"


def safe(name: str) -> str:
    """A symbol's name as it can be written: what would be read as something else is spelt by its code, ``<27>``."""
    return UNSAFE.sub(lambda found: "".join(f"<{ord(c):x}>" for c in found.group()), name)


def quote(word: str) -> str:
    mark = "'" if '"' in word else '"'
    if mark in word:
        raise InputError(
            f"the word {quoted(word)} contains both kinds of quotes, which a grammar file does not support"
        )
    return f"{mark}{word}{mark}"


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number of the first line, text), joined where a line ends in a backslash."""
    held, began = list[str](), 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        began = began or number
        stripped = line.strip()
        if stripped.endswith("\\") and not stripped.startswith("#"):
            held.append(stripped[:-1])
            continue
        whole = " ".join([*held, stripped]).strip()
        if whole and not whole.startswith("#"):
            yield began, whole
        held, began = [], 0
    if whole := " ".join(held).strip():
        yield began, whole


def _directive(line: str, where: str) -> str:
    parts = line.split()
    if parts[0] != "%start" or len(parts) != 2:
        raise InputError(f"{where}: cannot read {quoted(line)}; the only directive is %start SYMBOL")
    return parts[1]


def _rules(line: str, number: int, where: str) -> Iterator[Parsed]:
    """Tokens end with the first wrong one: a bracket without an end looks for it in all of the line."""
    tokens = ((found.lastgroup or "", found[found.lastgroup or 0]) for found in TOKEN.finditer(line))
    tokens = (token for token in tokens if token[0] != "remark")
    first, second = next(tokens, ("", "")), next(tokens, ("", ""))
    if first[0] != "name" or second[0] != "arrow":
        raise InputError(f"{where}: {quoted(line)} is not a rule; write SYMBOL -> right side")
    side, probability, lhs = list[tuple[str, bool]](), None, first[1]
    for kind, text in chain(tokens, [("bar", "|")]):
        if kind == "bar":
            if not side:
                raise InputError(
                    f"{where}: the right side of {quoted(lhs)} is empty; remove the rule, because "
                    "empty rules are not supported"
                )
            yield Parsed(lhs, tuple(side), probability, number)
            side, probability = [], None
        elif kind not in ("name", "word", "number") or probability is not None or text in ('""', "''"):
            raise InputError(
                f"{where}: cannot read {quoted(text)}; quote words, and write [probability] after a right side"
            )
        elif kind == "number":
            probability = _probability(text, where)
        else:
            side.append((text[1:-1], True) if kind == "word" else (text, False))


def _probability(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        raise InputError(f"{where}: {quoted(text)} is not a probability; give a number from 0 to 1")
    return number


def _probabilities(rules: Rules, found: Iterable[Parsed], order: Array, name: str) -> Array | None:
    """Given ones as they are, normalised; those that are not given share what the others of their symbol leave."""
    given, asks, line = np.zeros(rules.n_rules), np.zeros(rules.n_rules, dtype=bool), np.zeros(rules.n_rules, int)
    for rule, place in zip(found, order.tolist(), strict=True):
        given[place] += rule.probability or 0.0
        asks[place] |= rule.probability is None
        line[place] = rule.line
    if asks.all():
        return None
    for symbol, (a, b) in enumerate(pairwise(rules.rows.tolist())):
        if a == b:
            continue
        total, open_ = given[a:b].sum(), asks[a:b]
        where = f"{name}:{line[a:b].max()}: the probabilities of {rules.symbols[symbol]!r} sum to {total:.6g}"
        if open_.any():
            if total >= 1.0:
                raise InputError(f"{where}, which leaves nothing for its other rules; give each rule a probability")
            given[a:b][open_] += (1.0 - total) / open_.sum()
        elif abs(total - 1.0) > SUM_ROOM:
            raise InputError(f"{where}; make them sum to one")
        given[a:b] /= given[a:b].sum()
    return given
