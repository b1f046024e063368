"""The oracle: enumerate every hidden structure of an item, and add up.

    log Z = log Σ_z exp ⟨η, c(z)⟩      E[c] = Σ_z c(z) exp(⟨η, c(z)⟩ − log Z)

A model is three obvious functions: the list of all structures of one item, the counts of one structure, and which value
it gives to each of the item's nodes (a token's state, a target word's source word). Everything else follows from them.
The models are in `naive.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from softcount.numbers.tables import each, inner, like, values


class Naive:
    """What an oracle of a model says; items are those of the model, i is the number of one."""

    draws_labels = True  # whether the labels that come with SAMPLE are the structure that was drawn

    def structures(self, items: Any, i: int) -> list[Any]:
        """All hidden structures of item i that agree with what is known of it; [one empty structure] if it is empty."""
        raise NotImplementedError

    def counts(self, items: Any, i: int, structure: Any) -> Any:
        """How often this structure uses each entry of each table: the model's tables, of floats."""
        raise NotImplementedError

    def nodes(self, items: Any, i: int, structure: Any) -> np.ndarray:
        """[nodes, values]: one where a node has a value; where a node is several tokens, their shares."""
        raise NotImplementedError

    def log_base(self, items: Any, i: int) -> float:
        """What log Z has beside ⟨η, c⟩, whatever the structure."""
        return 0.0

    def potentials(self, items: Any, i: int) -> np.ndarray | None:
        """[nodes, values]: what the item itself says of its nodes, in logs."""
        return None

    def choosers(self, items: Any, i: int, n: int) -> list[int]:
        """The order in which n nodes choose, where several values are as good: of a sequence the last one first."""
        return list(range(n))[::-1]

    def wished(self, items: Any, i: int, structure: Any) -> float:
        """The sum of the potentials of the values that this structure gives to the nodes."""
        wishes = self.potentials(items, i)
        return 0.0 if wishes is None else float(wishes[self.nodes(items, i, structure) == 1].sum())

    def posteriors(self, items: Any, i: int, nodes: np.ndarray) -> np.ndarray:
        """What the model calls posteriors, of the nodes' posteriors."""
        return nodes

    def told(self, posteriors: Any) -> np.ndarray:
        """The model's posteriors of all items, one number after the other."""
        return np.ravel(posteriors)

    def spelt(self, items: Any, i: int, structure: Any) -> np.ndarray | None:
        """A structure's labels, where they are not a value for every node."""
        return None

    def before(self, items: Any, i: int, nodes: np.ndarray, structure: Any) -> Any:
        """Of structures that are as good, the one is chosen for which this is least: by the first chooser first."""
        return nodes.argmax(axis=-1)[self.choosers(items, i, len(nodes))].tolist()

    def check_best(self, posteriors: np.ndarray, labels: np.ndarray) -> None:
        """That labels of SUM are the best of each node."""
        best = posteriors.max(axis=1, initial=0.0)
        np.testing.assert_allclose(posteriors[np.arange(len(labels)), labels], best, rtol=1e-9)


class Instance(NamedTuple):
    naive: Naive
    model: Any
    items: Any
    log_weights: Any

    @property
    def n_items(self) -> int:
        return len(self.items)

    def only(self, rows: list[int]) -> Instance:
        return self._replace(items=self.items.take(np.asarray(rows, dtype=np.int64)))


class Enumerated(NamedTuple):
    """One item, all structures."""

    counts: list[Any]
    nodes: list[np.ndarray]
    log_joint: np.ndarray  # ⟨η, c(z)⟩
    spelt: list[np.ndarray | None]
    order: list[Any]

    @property
    def log_norm(self) -> float:
        return float(np.logaddexp.reduce(self.log_joint))

    @property
    def shares(self) -> np.ndarray:
        return np.exp(self.log_joint - self.log_norm)

    @property
    def best(self) -> float:
        return float(self.log_joint.max(initial=-np.inf))

    @property
    def posteriors(self) -> np.ndarray:
        """[nodes, values]"""
        return np.einsum("z,znv->nv", self.shares, np.array(self.nodes))

    def labelled(self, labels: np.ndarray) -> list[int]:
        """The structures that give these values to the nodes."""
        if self.spelt[0] is not None:
            return [k for k, spelt in enumerate(self.spelt) if np.array_equal(spelt, labels)]
        rows = np.arange(len(labels))
        return [k for k, nodes in enumerate(self.nodes) if len(nodes) == len(rows) and (nodes[rows, labels] == 1).all()]

    def ties(self) -> list[int]:
        """The best structures, the one first that is to be chosen."""
        best = np.flatnonzero(np.isclose(self.log_joint, self.best, rtol=0, atol=1e-12))
        return sorted(best.tolist(), key=lambda k: self.order[k])


def enumerate_item(instance: Instance, i: int) -> Enumerated:
    naive, items = instance.naive, instance.items
    structures = naive.structures(items, i)
    counts, nodes = ([of(items, i, z) for z in structures] for of in (naive.counts, naive.nodes))
    log_joint = np.array([inner(instance.log_weights, c) for c in counts]) + naive.log_base(items, i)
    log_joint += [naive.wished(items, i, z) for z in structures]
    spelt = [naive.spelt(items, i, z) for z in structures]
    order = [naive.before(items, i, chosen, z) for chosen, z in zip(nodes, structures, strict=True)]
    return Enumerated(counts, nodes, log_joint, spelt, order)


class _Last:
    """A test asks whether an instance is possible, then about its structures: the same ones, listed once."""

    instance: Instance | None = None
    items: list[Enumerated]


def enumerate_all(instance: Instance) -> list[Enumerated]:
    if _Last.instance is not instance:
        _Last.items = [enumerate_item(instance, i) for i in range(instance.n_items)]
        _Last.instance = instance
    return _Last.items


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
