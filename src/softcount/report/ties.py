"""What no step can tell apart: hidden values that can change places without changing anything that is counted.

    pairs        a word is as often in each pair as another, and t(f | both) is the same: so are all posteriors
    grammars     two symbols change names, and every rule becomes one of the same probability

From there every criterion gives both the same counts, and so the same parameters again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isclose
from typing import TypeVar

from softcount.text.cfg import Rules

T = TypeVar("T")
CLOSE = 1e-9  # numbers that a step keeps alike differ by rounding at most


def tied_words(pairs: Sequence[tuple[list[str], list[str]]], table: dict[str, dict[str, float]]) -> list[list[str]]:
    """Groups of source words of Model 1 that stay alike; `table` is t(f | e)."""
    words = list(dict.fromkeys(e for source, _ in pairs for e in source))
    often = {e: [source.count(e) for source, _ in pairs] for e in words}

    def alike(a: str, b: str) -> bool:
        return often[a] == often[b] and _same(table[a], table[b])

    return _groups(words, alike)


def tied_symbols(rules: Rules, rule: Sequence[float]) -> list[list[str]]:
    """Groups of symbols of a grammar that stay alike; the start symbol is like no other."""
    sides = [tuple(row.tolist()) for row in rules.rhs.rows()]
    owner = [s for s in range(len(rules.symbols)) for _ in range(int(rules.rows[s]), int(rules.rows[s + 1]))]
    own = dict(zip(zip(owner, sides, strict=True), rule, strict=True))

    def alike(a: int, b: int) -> bool:
        names = {a: b, b: a}
        renamed = {(names.get(s, s), tuple(names.get(x, x) for x in side)): p for (s, side), p in own.items()}
        return rules.start not in (a, b) and renamed.keys() == own.keys() and _same(renamed, own)

    return [[rules.symbols[s] for s in group] for group in _groups(range(len(rules.symbols)), alike)]


def told(groups: Sequence[Sequence[str]]) -> str:
    """A sentence for whoever wonders why nothing moves."""
    said = ", ".join(" = ".join(group) for group in groups)
    return (
        f"States are tied: {said}: identical, and stay so under every criterion; use other initial "
        "values, or fix an entry"
    )


def _groups(values: Sequence[T], alike: Callable[[T, T], bool]) -> list[list[T]]:
    """Those of two and more, each value with the first that it is like."""
    groups = list[list[T]]()
    for value in values:
        group = next((group for group in groups if alike(group[0], value)), None)
        if group is None:
            groups.append([value])
        else:
            group.append(value)
    return [group for group in groups if len(group) > 1]


def _same(a: dict[T, float], b: dict[T, float]) -> bool:
    return all(isclose(a.get(key, 0.0), b.get(key, 0.0), rel_tol=CLOSE) for key in {*a, *b})
