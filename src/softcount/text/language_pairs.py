"""Units in several languages → the pairs of two of them.

A language is named as in the file (``en-US``), without regard to case, or by its beginning (``en``); where a unit has
several that fit, the one named exactly counts, else the first. Where a file has two languages, none needs to be named:
the source is the one that the file calls so, else the one that it has first.
"""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Iterable
from itertools import chain

from softcount.errors import InputError, list_some
from softcount.text.xml_pairs import parse


class _Column:
    """The texts of one language, and which units they are of."""

    def __init__(self) -> None:
        self.units, self.texts = array("q"), list[bytes]()

    def add(self, unit: int, text: str) -> None:
        self.units.append(unit)
        self.texts.append(text.encode("utf-8", "surrogatepass"))


def read_pairs(
    chunks: Iterable[bytes], name: str, source: str | None = None, target: str | None = None, only: str = "any"
) -> tuple[bytes, bytes]:  # fmt: skip
    """(source lines, target lines) of TMX or XLIFF."""
    columns: dict[str, _Column] = {}
    n_units = 0

    def unit(line: int, texts: dict[str, str]) -> None:
        nonlocal n_units
        n_units += 1
        for language, text in texts.items():
            if source is None or target is None or _fits(language, source) or _fits(language, target):
                columns.setdefault(language, _Column()).add(n_units, text)

    declared = parse(chunks, name, unit, only)
    if not n_units:
        what = "<tu>, <trans-unit> or <segment>" + ("" if only == "any" else f" that is {only}")
        raise InputError(f"{name}: no {what} in it; give at least one")
    first, second = _chosen(columns, name, source, target)
    if source is None and target is None and declared and any(_fits(language, declared) for language in second):
        first, second = second, first
    return _joined(_texts(columns, first), _texts(columns, second), n_units, name)


def _fits(language: str, asked: str) -> bool:
    language, asked = language.lower(), asked.lower().replace("_", "-")
    return language == asked or language.startswith(asked + "-")


def _primary(language: str) -> str:
    return language.lower().partition("-")[0]


def _chosen(
    columns: dict[str, _Column], name: str, source: str | None, target: str | None
) -> tuple[list[str], list[str]]:
    """The names, in this file, of the source and of the target language, the best first."""
    groups = list(dict.fromkeys(columns if len(columns) == 2 else map(_primary, columns)))
    one, other = (asked if asked is None else _named(columns, name, asked) for asked in (source, target))
    if one is not None and other is not None:
        if one == other:
            raise InputError(f"{name}: source and target are both {one[0]}; choose two languages")
        return one, other
    left = [group for group in groups if not any(_fits(named, group) for named in one or other or [])]
    wanted = 2 if one is None and other is None else 1
    if len(left) < wanted:
        has = f"only {groups[0]}" if groups else "none"
        raise InputError(f"{name}: two languages are needed, but it has {has}; give a file with both")
    if len(left) > wanted:
        listed = list_some([f"{language} {len(column.texts):,}" for language, column in sorted(columns.items())])
        remedy = "choose with --source-language and --target-language"
        raise InputError(f"{name}: {len(columns)} languages ({listed}); {remedy}")
    found = [[language for language in columns if _fits(language, group)] for group in left]
    return one or found[0], other or found[-1]


def _named(columns: dict[str, _Column], name: str, asked: str) -> list[str]:
    found = sorted((c for c in columns if _fits(c, asked)), key=lambda c: c.lower() != asked.lower())
    if not found:
        has = list_some(sorted(columns)) or "none of the requested ones"
        raise InputError(f"{name}: no text in {asked!r}; it has {has}")
    return found


def _texts(columns: dict[str, _Column], languages: list[str]) -> dict[int, bytes]:
    """By unit; of several languages the first that has it."""
    rows = chain.from_iterable(
        zip(columns[language].units, columns[language].texts, strict=True) for language in reversed(languages)
    )
    return {unit: text for unit, text in rows if text}


def _joined(left: dict[int, bytes], right: dict[int, bytes], n_units: int, name: str) -> tuple[bytes, bytes]:
    both = sorted(left.keys() & right.keys())
    if not both:
        raise InputError(f"{name}: none of its {n_units:,} units has text in both languages; give at least one")
    if len(both) < n_units:
        wrong = f"{n_units - len(both):,} of {n_units:,} units do not have text in both languages and are skipped"
        warnings.warn(f"{name}: {wrong}", UserWarning, stacklevel=4)
    sides = (b"\n".join([*map(side.__getitem__, both), b""]) for side in (left, right))
    return next(sides), next(sides)
