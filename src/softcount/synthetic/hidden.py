"""Sentences of a hidden Markov model, documents of classes or of mixed topics, with a known number of them.

    state ~ Dirichlet rows      word ~ (1 − shared) · own words of the state + shared · words of all, both as 1 / rank

Words are invented, and nothing in their letters tells their class: only their company does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.synthetic.morphology import invent

UNEVEN = 0.3  # Dirichlet parameter of transitions and of a document's topics: each has a few favourites


class Hidden(NamedTuple):
    items: list[list[str]]  # sentences, or documents
    classes: list[list[int]]  # of every token


def sequences(n: int, n_states: int, length: int = 12, words: int = 20, shared: float = 0.2, seed: int = 0) -> Hidden:
    """Sentences of a hidden Markov model with so many states, with so many words of its own each."""
    rng = _chance(n, n_states, length, words, shared, seed)
    # Rows of the states, and one for the first word.
    ladder = rng.dirichlet(np.full(n_states, UNEVEN), n_states + 1).cumsum(axis=1)
    drawn = []
    for size in _lengths(rng, n, length):
        states = [n_states]
        for u in rng.random(size).tolist():
            states.append(min(int(np.searchsorted(ladder[states[-1]], u, side="right")), n_states - 1))
        drawn.append(states[1:])
    return _said(rng, drawn, n_states, words, shared)


def documents(
    n: int, n_classes: int, length: int = 40, words: int = 20, shared: float = 0.5, seed: int = 0, repeats: float = 0.0
) -> Hidden:
    """Documents of one class each. `repeats`: how much likelier two tokens of a document are to be the same word than
    two of its class, as a share; a document that has begun to speak of something goes on."""
    rng = _chance(n, n_classes, length, words, shared, seed)
    share = rng.dirichlet(np.full(n_classes, 5.0))
    drawn = [[int(rng.choice(n_classes, p=share))] * size for size in _lengths(rng, n, length)]
    made = _said(rng, drawn, n_classes, words, shared)
    return made if repeats == 0.0 else made._replace(items=[_repeating(rng, item, repeats) for item in made.items])


def mixed(n: int, n_topics: int, length: int = 60, words: int = 20, shared: float = 0.2, seed: int = 0) -> Hidden:
    """Documents that mix a few topics each."""
    rng = _chance(n, n_topics, length, words, shared, seed)
    shares = rng.dirichlet(np.full(n_topics, UNEVEN), n)
    lengths = _lengths(rng, n, length)
    drawn = [rng.choice(n_topics, size, p=share).tolist() for size, share in zip(lengths, shares, strict=True)]
    return _said(rng, drawn, n_topics, words, shared)


def _repeating(rng: np.random.Generator, item: list[str], repeats: float) -> list[str]:
    """Pólya's urn: every token is new, or one of those before it, each of which has been put back twice."""
    if not 0.0 < repeats < 1.0:
        raise InputError(f"repeats {repeats}: give a share from 0 to below 1")
    new = (1.0 - repeats) / repeats  # how many tokens before it a new one is worth
    said: list[str] = []
    for i, (word, u) in enumerate(zip(item, rng.random((len(item), 2)).tolist(), strict=True)):
        said.append(said[int(u[1] * i)] if u[0] * (i + new) < i else word)
    return said


def _chance(n: int, n_classes: int, length: int, words: int, shared: float, seed: int) -> np.random.Generator:
    if n < 0 or n_classes < 1 or length < 1 or words < 1 or not 0.0 <= shared < 1.0:
        sizes = f"{n} items of {length} words, {n_classes} classes of {words} words, {shared} of them shared"
        raise InputError(f"{sizes}: give numbers from one on, and a share below 1")
    return np.random.default_rng([seed, 18])


def _lengths(rng: np.random.Generator, n: int, length: int) -> list[int]:
    return [max(1, size) for size in rng.poisson(length, n).tolist()]


def _said(
    rng: np.random.Generator, drawn: Sequence[Sequence[int]], n_classes: int, words: int, shared: float
) -> Hidden:
    """A word for every class that was drawn."""
    names = [invent(i) for i in rng.permutation((n_classes + 1) * words).tolist()]
    rank = np.cumsum(1.0 / np.arange(1, words + 1))

    def word(k: int, u: Array) -> str:
        own = n_classes if u[0] < shared else k
        return names[own * words + int(np.searchsorted(rank, u[1] * rank[-1], side="right"))]

    items = [[word(k, u) for k, u in zip(classes, rng.random((len(classes), 2)), strict=True)] for classes in drawn]
    return Hidden(items, [list(classes) for classes in drawn])
