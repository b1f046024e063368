"""The oracle: enumerate every hidden structure of an item, and add up.

    log Z = log Σ_z exp ⟨η, c(z)⟩      E[c] = Σ_z c(z) exp(⟨η, c(z)⟩ − log Z)

A model is two obvious functions, the list of all structures of one item and the counts of one structure; everything
else here follows from them. To put a model to every test of `test_expect.py`: one class with those two functions, one
strategy that makes tiny random instances of it, and one line in MODELS.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np
from hypothesis import strategies as st

from softcount.models.hmm import HMM, HMMTables
from softcount.numbers.ragged import Ragged, from_rows
from softcount.numbers.tables import each, inner, like, values


class NaiveModel(Protocol):
    def structures(self, items: Any, i: int) -> list[Any]:
        """All hidden structures of item i that agree with what is known of it; [one empty structure] if it is empty."""

    def counts(self, items: Any, i: int, structure: Any) -> Any:
        """How often this structure uses each entry of each table: the model's tables, of floats."""

    def labels(self, structure: Any) -> list[int]:
        """What the model returns as labels, were this structure the best."""

    def posteriors(self, items: Any, i: int, shares: list[tuple[Any, float]]) -> np.ndarray:
        """What the model calls posteriors, of [(structure, P(structure | item))]."""


class Instance(NamedTuple):
    naive: Any
    model: Any
    items: Any
    log_weights: Any

    @property
    def n_items(self) -> int:
        return self.items.n_items

    def items_only(self, rows: list[int]) -> Instance:
        return self._replace(items=self.naive.take(self.items, rows))


class Enumerated(NamedTuple):
    """One item, all structures."""

    structures: list[Any]
    counts: list[Any]
    log_joint: np.ndarray  # ⟨η, c(z)⟩

    @property
    def log_norm(self) -> float:
        return float(np.logaddexp.reduce(self.log_joint))

    @property
    def shares(self) -> np.ndarray:
        return np.exp(self.log_joint - self.log_norm)

    @property
    def best(self) -> float:
        return float(self.log_joint.max())


def enumerate_item(instance: Instance, i: int) -> Enumerated:
    structures = instance.naive.structures(instance.items, i)
    counts = [instance.naive.counts(instance.items, i, z) for z in structures]
    return Enumerated(structures, counts, np.array([inner(instance.log_weights, c) for c in counts]))


def enumerate_all(instance: Instance) -> list[Enumerated]:
    return [enumerate_item(instance, i) for i in range(instance.n_items)]


def expected(instance: Instance) -> tuple[Any, float]:
    """(Σ over items of expected counts, of log Z)."""
    total, log_norm = zeros(instance.log_weights), 0.0
    for item in enumerate_all(instance):
        for count, share in zip(item.counts, item.shares, strict=True):
            total = add(total, scaled(count, share))
        log_norm += item.log_norm
    return total, log_norm


def possible(instance: Instance) -> list[bool]:
    return [item.best > -np.inf for item in enumerate_all(instance)]


def zeros(tables: Any) -> Any:
    return type(tables)(*(like(t, np.zeros(values(t).shape)) for t in tables))


def add(a: Any, b: Any) -> Any:
    return each(np.add, a, b)


def scaled(tables: Any, factor: float) -> Any:
    return each(lambda t: t * factor, tables)


def flat(tables: Any) -> np.ndarray:
    return np.concatenate([np.ravel(values(t)) for t in tables])


def unflat(tables: Any, vector: np.ndarray) -> Any:
    """The inverse of `flat`, in the shape of `tables`."""
    sizes = np.cumsum([values(t).size for t in tables])[:-1]
    parts = np.split(vector, sizes)
    return type(tables)(*(like(t, p.reshape(values(t).shape)) for t, p in zip(tables, parts, strict=True)))


def all_joint_structures(instance: Instance) -> Iterator[tuple[Any, ...]]:
    """Every combination of structures over all items, as tuples of counts: for posteriors over a whole corpus."""
    return product(*(item.counts for item in enumerate_all(instance)))


def total(counts: tuple[Any, ...]) -> Any:
    return reduce(add, counts)


# --- hidden Markov model --------------------------------------------------------------------------------------------


class NaiveHMM(NamedTuple):
    n_states: int
    n_words: int
    end: bool

    def structures(self, items: Any, i: int) -> list[tuple[int, ...]]:
        choices = [range(self.n_states)] * len(items.sentences.row(i))
        if items.labels is not None:
            choices = [range(self.n_states) if k < 0 else [int(k)] for k in items.labels.row(i)]
        return list(product(*choices))

    def counts(self, items: Any, i: int, structure: tuple[int, ...]) -> HMMTables:
        K = self.n_states
        c = HMMTables(np.zeros(K), np.zeros((K, K + self.end)), np.zeros((K, self.n_words)))
        words = items.sentences.row(i).tolist()
        for t, (word, state) in enumerate(zip(words, structure, strict=True)):
            if t == 0:
                c.initial[state] += 1
            else:
                c.transition[structure[t - 1], state] += 1
            if word >= 0:  # an unknown word is unobserved
                c.emission[state, word] += 1
        if self.end and words:
            c.transition[structure[-1], K] += 1
        return c

    def labels(self, structure: tuple[int, ...]) -> list[int]:
        return list(structure)

    def posteriors(self, items: Any, i: int, shares: list[tuple[Any, float]]) -> np.ndarray:
        result = np.zeros((len(items.sentences.row(i)), self.n_states))
        for structure, share in shares:
            for t, state in enumerate(structure):
                result[t, state] += share
        return result

    def take(self, items: Any, rows: list[int]) -> Any:
        chosen = np.asarray(rows, dtype=np.int64)
        labels = None if items.labels is None else items.labels.take(chosen)
        return sentences_of(items.sentences.take(chosen), labels)


class Sentences(SimpleNamespace):
    """What `EStep` and a model's `pack` ask of items."""

    def __len__(self) -> int:
        return self.n_items


def sentences_of(sentences: Ragged, labels: Ragged | None = None) -> Any:
    items = Sentences(
        sentences=sentences, labels=labels, n_items=sentences.n_rows, sizes=sentences.lengths, potentials=None
    )
    items.slice = lambda start, stop: sentences_of(
        sentences.slice(start, stop), None if labels is None else labels.slice(start, stop)
    )
    items.take = lambda rows: sentences_of(sentences.take(rows), None if labels is None else labels.take(rows))
    return items


def random_log_weights(tables: Any, rng: np.random.Generator, spread: float, zeros_share: float) -> Any:
    """They need not normalise, and some are −inf."""

    def table(t: Any) -> Any:
        weights = rng.normal(0.0, spread, values(t).shape)
        weights[rng.random(weights.shape) < zeros_share] = -np.inf
        return like(t, np.asarray(weights, order="F"))

    return type(tables)(*(table(t) for t in tables))


@st.composite
def hmm_instances(draw: Any, zeros_share: float | None = None) -> Instance:
    K, V, end = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.booleans())
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    unknown, labelled = draw(st.booleans()), draw(st.booleans())
    if zeros_share is None:
        zeros_share = draw(st.sampled_from([0.0, 0.0, 0.2]))
    spread = draw(st.sampled_from([0.5, 3.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sentences = from_rows([rng.integers(-1 if unknown else 0, V, n) for n in lengths], np.int32)
    labels = None
    if labelled:
        tags = rng.integers(0, K, len(sentences.values))
        labels = Ragged(sentences.offsets, np.where(rng.random(len(tags)) < 0.4, tags, -1).astype(np.int32))
    naive = NaiveHMM(K, V, end)
    shapes = HMMTables(np.zeros(K), np.zeros((K, K + end)), np.zeros((K, V)))
    weights = random_log_weights(shapes, rng, spread, zeros_share)
    return Instance(naive, HMM(K, V, end), sentences_of(sentences, labels), weights)


# name → strategy(zeros_share=None) of tiny random instances
MODELS: dict[str, Any] = {"hmm": hmm_instances}
