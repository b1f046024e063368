"""BIF, the interchange format of Bayesian networks: read and written.

    network name { … }   variable x { type discrete [ 2 ] { yes, no }; }   probability ( x | y, z ) { (a, b) 0.1, 0.9; }

Also ``table`` for all entries at once (the variable's values slowest, the last parent's fastest), ``default`` for rows
that are not listed, ``property`` (which is skipped), and comments as in C.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from softcount.errors import InputError, list_some
from softcount.machine.memory import check_room
from softcount.numbers.ragged import Array
from softcount.text.source import name_of, quoted, read_text
from softcount.text.structure import MOST_PARENTS, Structure, structure, too_many

_TOKEN = r"//[^\n]*|(?P<quote>\"[^\"\n]*\")|(?P<mark>[{}()\[\],;|])|(?P<word>[^\s{}()\[\],;|\"]+)"
_BEFORE_LAST_COMMENT, _BEHIND = re.compile(rf"/\*.*?\*/|{_TOKEN}", re.S), re.compile(_TOKEN)
_MARKS = tuple("{}()[],;|")
ROUNDED = 0.01  # how far from one a row typed by hand may sum; it is normalised then


class BIF(NamedTuple):
    structure: Structure
    values: dict[str, tuple[str, ...]]
    tables: dict[str, Array]  # [parents …, values]


def read_bif(path: str | Path) -> BIF:
    return _Reader(read_text(path).decode(), name_of(path)).network()


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self.source, self.at = source, 0
        self.tokens: list[tuple[str, int]] = []
        line, seen = 1, 0
        for found in _tokens(text):
            line += text.count("\n", seen, found.start())
            seen = found.start()
            if found.lastgroup:
                self.tokens.append((found.group().strip('"'), line))
        self.last = line
        self.values: dict[str, tuple[str, ...]] = {}
        self.places: dict[str, dict[str, int]] = {}  # of every value among its variable's
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, Array] = {}

    def fail(self, wrong: str, remedy: str = "correct the file") -> NoReturn:
        line = self.tokens[self.at - 1][1] if 0 < self.at <= len(self.tokens) else self.last
        raise InputError(f"{self.source}:{line}: {wrong}; {remedy}")

    def next(self) -> str:
        if self.at == len(self.tokens):
            self.fail("the file ends in the middle of a block", "add what is missing")
        self.at += 1
        return self.tokens[self.at - 1][0]

    def expect(self, token: str) -> None:
        found = self.next()
        if found != token:
            self.fail(f"expected {token!r}, found {quoted(found)}")

    def until(self, end: str) -> list[str]:
        """The words of a list, with commas or blanks between them, up to its end."""
        words, after_word = list[str](), False
        while (token := self.next()) != end:
            if token in _MARKS and not (token == "," and after_word):
                self.fail(f"expected a word or {end!r}, found {quoted(token)}")
            if token != ",":
                words.append(token)
            after_word = token != ","
        return words

    def network(self) -> BIF:
        blocks = {"network": self.skip, "variable": self.variable, "probability": self.probability}
        while self.at < len(self.tokens):
            word = self.next()
            if word not in blocks:
                self.fail(f"expected network, variable or probability, found {quoted(word)}")
            blocks[word]()
        if not self.values:
            raise InputError(f"{self.source}: no variables; give a BIF file")
        missing = next((name for name in self.values if name not in self.tables), None)
        if missing is not None:
            raise InputError(f"{self.source}: no block probability ( {missing} … ); add one")
        try:
            found = structure({name: self.parents[name] for name in self.values})
        except InputError as error:
            raise InputError(f"{self.source}: {error}") from None
        return BIF(found, self.values, self.tables)

    def skip(self) -> None:
        while self.next() != "{":
            pass
        while self.next() != "}":
            pass

    def variable(self) -> None:
        name = self.next()
        if name in self.values:
            self.fail(f"a second variable {quoted(name)}")
        self.expect("{")
        while (word := self.next()) != "}":
            if word == "property":
                while self.next() != ";":
                    pass
                continue
            if word != "type" or self.next() != "discrete":
                self.fail("only variables of type discrete are supported")
            self.expect("[")
            number = self.next()
            self.expect("]")
            self.expect("{")
            values = self.until("}")
            self.expect(";")
            if number != str(len(values)) or len(set(values)) != len(values):
                self.fail(f"{quoted(name)} declares {quoted(number)[1:-1]} values but lists {list_some(values)}")
            self.values[name], self.places[name] = tuple(values), {value: k for k, value in enumerate(values)}
        if name not in self.values:
            self.fail(f"the variable {quoted(name)} has no type", "write type discrete [ 2 ] { yes, no };")

    def probability(self) -> None:
        self.expect("(")
        name, parents = self.next(), []
        if (token := self.next()) == "|":
            parents = self.until(")")
        elif token != ")":
            self.fail(f"expected '|' or ')', found {quoted(token)}")
        for one in (name, *parents):
            if one not in self.values:
                self.fail(f"variable {quoted(one)} is not declared")
        if name in self.tables:
            self.fail(f"a second table of {quoted(name)}")
        if len(parents) > MOST_PARENTS:
            self.fail(f"{quoted(name)} has {too_many(parents)}", "remove some")
        shape = tuple(len(self.values[one]) for one in (*parents, name))
        entries = float(np.prod([float(n) for n in shape]))
        check_room(8.0 * entries, f"the probabilities of {quoted(name)}", "remove parents")
        table, rest = np.full(shape, np.nan), None
        self.expect("{")
        while (word := self.next()) != "}":
            if word == "table":
                table = self.normal(np.moveaxis(self.numbers(table.size).reshape(shape[-1:] + shape[:-1]), 0, -1))
            elif word == "default":
                rest = self.normal(self.numbers(shape[-1]))
            elif word == "(":
                place = self.given(parents)
                table[place] = self.normal(self.numbers(shape[-1]))
            elif word == "property":
                while self.next() != ";":
                    pass
            else:
                self.fail(f"expected a row, table or default, found {quoted(word)}")
        if rest is not None:
            table = np.where(np.isnan(table), rest, table)
        if np.isnan(table).any():
            where = np.argwhere(np.isnan(table))[0][:-1]
            given = ", ".join(self.values[p][k] for p, k in zip(parents, where, strict=True))
            self.fail(f"the table of {quoted(name)} has no row ({given})", "add it, or a default")
        self.parents[name], self.tables[name] = parents, table

    def given(self, parents: Sequence[str]) -> tuple[int, ...]:
        words = self.until(")")
        if len(words) != len(parents):
            self.fail(f"{len(words)} values for {len(parents)} parents")
        for parent, word in zip(parents, words, strict=True):
            if word not in self.places[parent]:
                self.fail(
                    f"{quoted(word)} is not a value of {quoted(parent)}; its values are "
                    f"{list_some(self.values[parent])}"
                )
        return tuple(self.places[parent][word] for parent, word in zip(parents, words, strict=True))

    def numbers(self, n: int) -> Array:
        words = self.until(";")
        try:
            found = np.array([float(word) for word in words])
        except ValueError:
            found = np.array([np.nan])
        if not (np.isfinite(found) & (found >= 0.0)).all():
            self.fail("a probability that is not a number, or is negative")
        if len(found) != n:
            self.fail(f"{len(found)} probabilities, but {n} expected")
        return found

    def normal(self, rows: Array) -> Array:
        total = rows.sum(axis=-1, keepdims=True)
        if (np.abs(total - 1.0) > ROUNDED).any():
            self.fail(f"a row that sums to {float(total.flat[np.abs(total - 1.0).argmax()]):g} instead of 1")
        return np.asarray(np.where(np.abs(total - 1.0) < 1e-12, rows, rows / total))  # as written, if it can be


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """What is no blank, comments included. Where no comment ends any more, none is looked for: every ``/*`` would go
    through the whole rest of the text."""
    last, at = text.rfind("*/"), 0
    for found in _BEFORE_LAST_COMMENT.finditer(text):
        if found.start() > last:
            break
        yield found
        at = found.end()
    yield from _BEHIND.finditer(text, at)


def to_bif(declared: Structure, values: Mapping[str, Sequence[str]], tables: Mapping[str, Array]) -> str:
    if declared.over_time:
        raise InputError("BIF does not support arcs from the previous row; write the tables as JSON instead")
    odd = [w for n in declared.names for w in (n, *values[n]) if not re.fullmatch(r"[^\s{}()\[\],;|\"]+", w)]
    if odd:
        raise InputError(
            f"BIF cannot represent the name {quoted(odd[0])}, which contains spaces or punctuation; rename it"
        )
    lines = ["network softcount {", "}"]
    for name in declared.names:
        lines += [
            f"variable {name} {{",
            f"  type discrete [ {len(values[name])} ] {{ {', '.join(values[name])} }};",
            "}",
        ]
    for name, parents in zip(declared.names, declared.parents, strict=True):
        above = [parent for parent, _ in parents]
        lines.append(f"probability ( {name} | {', '.join(above)} ) {{" if above else f"probability ( {name} ) {{")
        for given, row in zip(
            product(*(values[p] for p in above)), tables[name].reshape(-1, len(values[name])), strict=True
        ):
            what = f"({', '.join(given)})" if above else "table"
            lines.append(f"  {what} {', '.join(repr(float(p)) for p in row)};")
        lines.append("}")
    return "\n".join(lines) + "\n"
