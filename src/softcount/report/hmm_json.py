"""An HMM's parameters as a JSON file that a person can write.

    {"states": ["V", "N"], "initial": {"V": 0.6, "N": 0.4}, "transition": {"V": {"V": 0.6, "N": 0.4}, …},
     "emission": {"V": {"can": 0.5, "I": 0.5}, …}}         with "end": {"V": 0.1, …} where a sentence's end is modelled

What is not listed is zero. With "end", a state's transitions and its end together sum to one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.models.hmm import HMMTables
from softcount.text.json_file import read_json
from softcount.text.source import name_of, quoted

ROUNDED = 0.01  # how far from one a row typed by hand may sum; it is normalised then
EXACT = 1e-9


class NamedHMM(NamedTuple):
    states: tuple[str, ...]
    words: list[str]
    tables: HMMTables
    end: bool


def read_parameters(path: str | Path) -> NamedHMM:
    name = name_of(path)
    saved = "softcount tag TEXT --apply MODEL --parameters P.json writes the parameters of a saved HMM"
    content = read_json(path, "a JSON parameter file", saved, "give one that softcount tag --parameters wrote")
    try:
        return from_json(content)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def from_json(content: Any) -> NamedHMM:
    states = _states(content)
    end = "end" in content
    initial = _row(content, "initial", states)
    transition = np.array([_row(content["transition"], s, states, "transition") for s in states])
    if end:
        transition = np.column_stack([transition, _row(content, "end", states)])
    words = list(dict.fromkeys(word for s in states for word in _mapping(content["emission"], s, "emission")))
    if not words:
        raise InputError('"emission" has no words; give each state its words')
    odd = next((word for word in words if not _is_token(word)), None)
    if odd is not None:
        raise InputError(f'"emission" has the word {quoted(odd)}; words cannot be empty or contain spaces')
    emission = np.array([_row(content["emission"], s, words, "emission") for s in states], order="F")
    tables = HMMTables(
        _normalized(initial[None], ["initial"])[0],
        _normalized(transition, [f"transition of {s!r}" + " with its end" * end for s in states]),
        _normalized(emission, [f"emission of {s!r}" for s in states]),
    )
    return NamedHMM(states, words, tables, end)


def to_json(states: tuple[str, ...], words: list[str], tables: HMMTables) -> dict[str, Any]:
    """Zeros are left away."""
    K = len(states)
    content: dict[str, Any] = {
        "states": list(states),
        "initial": dict(zip(states, tables.initial.tolist(), strict=True)),
        "transition": {
            s: dict(zip(states, row[:K].tolist(), strict=True))
            for s, row in zip(states, tables.transition, strict=True)
        },
        "emission": {s: _listed(words, row) for s, row in zip(states, tables.emission, strict=True)},
    }
    if tables.transition.shape[1] > K:
        content["end"] = dict(zip(states, tables.transition[:, K].tolist(), strict=True))
    return content


def _is_token(word: str) -> bool:
    """Not empty, no blanks, and no half of a surrogate pair, which JSON can write and UTF-8 cannot."""
    try:
        return word.encode().split() == [word.encode()] and "\0" not in word
    except UnicodeEncodeError:
        return False


def _listed(words: list[str], row: Any) -> dict[str, float]:
    listed = np.flatnonzero(row)
    return {words[v]: p for v, p in zip(listed.tolist(), row[listed].tolist(), strict=True)}


def _states(content: Any) -> tuple[str, ...]:
    if not isinstance(content, dict):
        raise InputError("not an object with states, initial, transition and emission")
    missing = [key for key in ("states", "initial", "transition", "emission") if key not in content]
    if missing:
        raise InputError(f'"{missing[0]}" is missing')
    states = content["states"]
    if not isinstance(states, list) or not states or not all(isinstance(s, str) and _is_token(s) for s in states):
        raise InputError('"states" must be a list of names without spaces')
    if len(set(states)) < len(states):
        raise InputError('"states" contains a name twice')
    return tuple(states)


def _mapping(content: Any, key: str, table: str = "") -> Mapping[str, Any]:
    mapping = content.get(key) if isinstance(content, dict) else None
    if not isinstance(mapping, dict):
        raise InputError(f'"{table or key}" has no entry for {key!r}' if table else f'"{key}" must be an object')
    return mapping


def _row(content: Any, key: str, names: Any, table: str = "") -> Any:
    mapping = _mapping(content, key, table)
    name = f"{table} of {key!r}" if table else key
    if table != "emission":
        foreign = [column for column in mapping if column not in names]
        if foreign:
            raise InputError(f"{name}: {foreign[0]!r} is not one of the states")
    for column, value in mapping.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1 + ROUNDED:
            raise InputError(f"{name}: {column!r} must be a probability, not {json.dumps(value)}")
    return np.array([float(mapping.get(column, 0.0)) for column in names])


def _normalized(rows: Any, names: list[str]) -> Any:
    for total, name in zip(rows.sum(axis=1).tolist(), names, strict=True):
        if abs(total - 1.0) > ROUNDED:
            raise InputError(f"{name} sums to {total:.6g} instead of 1")
    totals = rows.sum(axis=1, keepdims=True)
    return np.where(np.abs(totals - 1.0) <= EXACT, rows, rows / totals)
