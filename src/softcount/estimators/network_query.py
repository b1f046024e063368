"""A question to a network, ``late, traffic | weather=rainy``, as a row (over time: rows) in which cells are missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError, list_some
from softcount.models.network import Network
from softcount.text.record_reader import text_of
from softcount.text.records import Records, records
from softcount.text.source import quoted, whole

MOST_ROWS = 100_000


def relevant(model: Network, question: Question) -> Network:
    """The tables that the answer depends on: of what is asked and given, and of all above them; of rows that are
    independent only those that evidence does not separate from what is asked (R. Shachter, "Bayes-ball", UAI 1998)."""
    given = {int(v) for v in np.flatnonzero((question.records.cells >= 0).any(axis=0))}
    wanted = {v for _, _, v in question.wanted}
    parents: dict[int, set[int]] = {}
    for use in model.first + model.later:
        parents.setdefault(use.scope[-1][0], set()).update(v for v, _ in use.scope)
    kept = _closure(given | wanted, lambda v: parents[v])
    uses = [use for use in model.first + model.later if use.scope[-1][0] in kept]
    if not model.later:
        beside: dict[int, set[int]] = {}
        for use in uses:
            free = {v for v, _ in use.scope} - given
            for v in free:
                beside.setdefault(v, set()).update(free)
        kept = _closure(wanted - given, lambda v: beside[v])
        uses = [use for use in uses if any(v in kept for v, _ in use.scope)]
    chosen = set(uses)
    first, later = (tuple(use for use in part if use in chosen) for part in (model.first, model.later))
    return model._replace(first=first, later=later)


def _closure(begun: set[int], near: Callable[[int], set[int]]) -> set[int]:
    """All that can be reached."""
    found, open = set(begun), list(begun)
    while open:
        new = near(open.pop()) - found
        found |= new
        open += new
    return found


class Question(NamedTuple):
    records: Records
    wanted: list[tuple[str, int, int]]  # what to call it, its row, its variable


def asked(about: str, evidence: Mapping[str, Any], model: Network, values: Mapping[str, Sequence[Any]]) -> Question:
    wanted, _, given = about.partition("|")
    known = {**_pairs(about, given), **evidence}
    targets = [(text.strip(), *_cell(about, text, model)) for text in wanted.split(",")]
    facts = [(*_cell(about, name, model), name, value) for name, value in known.items()]
    length = 1 + max([row for _, row, _ in targets] + [row for row, *_ in facts])
    cells = np.full((length, len(model.names)), -1, dtype=np.int32)
    for row, v, name, value in facts:
        texts = [text_of(one) for one in values[model.names[v]]]
        if text_of(value) not in texts:
            raise InputError(
                f"query {about!r}: {quoted(text_of(value))} is not a value of {name}; its values are {list_some(texts)}"
            )
        cells[row, v] = texts.index(text_of(value))
    return Question(records(cells, np.array([0, length], dtype=np.int64)), targets)


def _pairs(about: str, given: str) -> dict[str, str]:
    parts = [part.partition("=") for part in given.split(",") if part.strip()]
    if any(not mark for _, mark, _ in parts):
        raise InputError(f"query {about!r}: write conditions as name=value, name=value after the bar")
    return {name.strip(): value.strip() for name, _, value in parts}


def _cell(about: str, text: str, model: Network) -> tuple[int, int]:
    """(row, variable)"""
    name, at, row = text.strip().partition("@")
    if at and not (model.later and re.fullmatch("[0-9]+", row) and 1 <= (whole(row) or 0) <= MOST_ROWS):
        remedy = "rows are counted from 1" if model.later else "only a network over time has numbered rows"
        raise InputError(f"query {about!r}: cannot read {quoted(text.strip())}; {remedy}")
    if name.strip() not in model.names:
        raise InputError(
            f"query {about!r}: unknown variable {quoted(name.strip())}; the variables are {list_some(model.names)}"
        )
    return int(row) - 1 if at else 0, model.names.index(name.strip())
