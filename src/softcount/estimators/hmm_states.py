"""The names of a hidden Markov model's states: those that something names, then numbers, up to as many as are wanted.

Parameters to start from, or a language model of tags, name all of them; a labelled text to count, a dictionary and
known tags name as many as they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from softcount.errors import InputError
from softcount.machine.memory import check_room


class StateNames(NamedTuple):
    names: tuple[str, ...]
    n_named: int  # how many of them something names; the others are numbers


class NamedBy(NamedTuple):
    """Who names states."""

    start: Sequence[str] | None  # parameters to start from: all of them
    language: Sequence[str] | None  # a language model: all of them
    others: Sequence[Sequence[str]]  # texts, dictionaries: some of them


def state_names(by: NamedBy, n_states: int | None, n_words: int) -> StateNames:
    """As many as are asked for, or as are named; refused where tables of so many states and words have no room."""
    known = _named(by)
    all_of_them = by.start or by.language
    if n_states is None and not known:
        raise InputError(
            "the number of states is missing; give n_states (--states), a dictionary, or parameters to start from"
        )
    n = n_states or len(known)
    if n < len(known) or (all_of_them and n > len(known)):
        raise InputError(f"{n} states, but {len(known)} tags are named; omit the number")
    check_room(32.0 * n * (n + n_words), f"{n:,} states", "use fewer")  # before even their names are made
    return StateNames(tuple(known + [str(k) for k in range(len(known), n)]), len(known))


def _named(by: NamedBy) -> list[str]:
    if by.start is not None and by.language is not None:
        raise InputError("parameters and a language model of transitions cannot both be given; give one of them")
    first = by.start or by.language or ()
    known = list(dict.fromkeys((*first, *(name for names in by.others for name in names))))
    if len(known) > len(first):
        other = f"tag {known[len(first)]!r}"
        if by.start is not None:
            raise InputError(f"{other} is not one of the start's states; correct it, or omit the start")
        if by.language is not None:
            raise InputError(f"{other} is not in the language model; train it on such tags")
    return known
