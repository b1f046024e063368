"""Named features of things, as a sparse matrix: what log-linear rows and encoders are made of.

    row i of `matrix` is f(i); column j is the feature `names[j]`

Features of words come from `text/word_features.py`, of word pairs from `text/pair_features.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # whose `sparse` is loaded when first used

from softcount.errors import InputError

Of = Callable[[Any], Mapping[str, float] | Iterable[str]]  # names, each of value one, or names with their values


class Features(NamedTuple):
    names: tuple[str, ...]
    matrix: Any  # csr, float64 [things, features]

    @property
    def n_things(self) -> int:
        return int(self.matrix.shape[0])

    def shared(self, least: int) -> Features:
        """Without the features that fewer than `least` things have."""
        kept = np.flatnonzero(self.matrix.getnnz(axis=0) >= least)
        return Features(tuple(self.names[j] for j in kept.tolist()), self.matrix[:, kept])


def tabulated(things: Sequence[Any], of: Of) -> Features:
    """What `of` says of each thing; features are numbered as they first appear."""
    known: dict[str, int] = {}
    offsets, columns, data = [0], list[int](), list[float]()
    for thing in things:
        said = of(thing)
        pairs = said if isinstance(said, Mapping) else dict.fromkeys(said, 1.0)
        columns += [known.setdefault(name, len(known)) for name in pairs]
        data += pairs.values()
        offsets.append(len(columns))
    matrix = scipy.sparse.csr_matrix((np.array(data, float), columns, offsets), shape=(len(things), len(known)))
    return checked(Features(tuple(known), matrix))


def joined(parts: Sequence[Features]) -> Features:
    """The features of all parts, side by side; of two with one name the first is kept."""
    names = [name for part in parts for name in part.names]
    first = {name: len(names) - 1 - j for j, name in enumerate(reversed(names))}
    kept = sorted(first.values())
    matrix = scipy.sparse.hstack([part.matrix for part in parts], format="csr")
    return Features(tuple(names[j] for j in kept), matrix[:, kept])


def given_matrix(matrix: Any, n_things: int, names: Sequence[str] | None = None) -> Features:
    """Somebody's own: one row a thing."""
    table = scipy.sparse.csr_matrix(matrix, dtype=np.float64)
    if table.shape[0] != n_things:
        raise InputError(f"features: a matrix of {table.shape[0]:,} rows for {n_things:,} words; give one row per word")
    if not table.shape[1]:
        raise InputError("features: a matrix without columns; give at least one feature")
    return checked(Features(tuple(names or (f"feature {j}" for j in range(table.shape[1]))), table))


def checked(features: Features) -> Features:
    wrong = np.flatnonzero(~np.isfinite(features.matrix.data))
    if len(wrong):
        name = features.names[int(features.matrix.indices[wrong[0]])]
        raise InputError(f"features: {name!r} has the value {features.matrix.data[wrong[0]]}; give finite numbers")
    return features
