"""Features of an estimator's words: which table they are of, and what they have learned."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy  # whose `sparse` is loaded when first used

from softcount.errors import InputError
from softcount.loop.feature_weights import Rows
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.digest import content_digest
from softcount.text.features import Features, tabulated
from softcount.text.pair_features import spelt_alike
from softcount.text.word_features import IDENTITY as IDENTITY_KIND
from softcount.text.word_features import WORDS, identity, word_features

PAIRS = "pairs"
SHOWN = 15  # features of pairs, in a remark
IDENTITY = next(identity(""))  # how the names of identities begin


class TableFeatures(NamedTuple):
    names: tuple[str, ...]
    rows: Rows

    @property
    def content(self) -> tuple[Any, ...]:
        matrix = self.rows.features
        return self.names, matrix.indptr, matrix.indices, matrix.data

    def digest(self) -> str:
        names, *arrays = self.content
        sha = hashlib.sha256("\n".join(names).encode())
        for array in arrays:
            sha.update(np.ascontiguousarray(array).data)
        return "sha256:" + sha.hexdigest()[:16]


def of_words(words: Sequence[str], features: Any, variance: float) -> TableFeatures:
    """For a table whose columns are these words."""
    if not 0.0 < variance < float("inf"):
        raise InputError(f"variance is {variance}; it must be positive")
    found = word_features(words, features)
    return TableFeatures(found.names, Rows(found.matrix, variance))


def check_pair_features(features: Any) -> None:
    if features not in (None, PAIRS):
        raise InputError(f"features={features!r}: unknown features of word pairs; use {PAIRS}, or a function of a pair")


def of_pairs(rows: Ragged, items: Bitext, features: Any, variance: float) -> TableFeatures:
    """For a translation table, whose rows are the empty word and the source words: each pair itself, then what pairs
    share; only the latter have names."""
    if not 0.0 < variance < float("inf"):
        raise InputError(f"variance is {variance}; it must be positive")
    shared = shared_features(rows, items, features)
    identities = scipy.sparse.identity(len(rows.values), format="csr")
    matrix = scipy.sparse.hstack([identities, shared.matrix], format="csr")
    return TableFeatures(shared.names, Rows(matrix, variance, by_entry=True))


def shared_features(rows: Ragged, items: Bitext, features: Any) -> Features:
    """What pairs of words share: a function's, or what their spelling says; the empty word is spelt with no letter."""
    source, target = ["", *items.source.vocabulary.words], items.target.vocabulary.words
    if not callable(features):
        check_pair_features(features)
        return spelt_alike(rows, source, target)
    row = np.repeat(np.arange(rows.n_rows), rows.lengths).tolist()
    return tabulated([(source[e], target[f]) for e, f in zip(row, rows.values.tolist(), strict=True)], features)


def shared_weights(told: TableFeatures, weights: Array) -> str:
    """A remark on what pairs share."""
    return named_weights(told.names, weights[-len(told.names) :])


def named_weights(names: Sequence[str], weights: Array) -> str:
    """The most telling first."""
    named = zip(names, weights.tolist(), strict=True)
    shown = sorted(((weight, name) for name, weight in named if weight != 0.0), key=lambda one: -abs(one[0]))
    return "weights of the features of pairs: " + ", ".join(f"{name} {weight:+.2f}" for weight, name in shown[:SHOWN])


def telling(weights: Array, names: Array, n: int, identities: bool = False) -> list[list[tuple[str, float]]]:
    """Of every row the features whose weight is most above their mean over the rows."""
    above = weights - weights.mean(axis=0)
    shown = np.array([not name.startswith(IDENTITY) for name in names.tolist()], dtype=bool)
    shown |= identities or not shown.any()
    found = []
    for row in above:
        best = np.flatnonzero(shown)[np.argsort(-row[shown], kind="stable")[:n]]
        found.append([(str(names[j]), float(row[j])) for j in best.tolist() if row[j] > 0.0])
    return found


def signed_rows(features: Any, variance: float, sparse: Any, told: TableFeatures | None = None) -> dict[str, str]:
    """For a signature, of an estimator's rows that are computed from features, or sparse; of others nothing."""
    said = {}
    if features is not None:
        said = {"features": signed_features(features, *(told.content if told else ())), "variance": f"{variance:g}"}
    if sparse is not None:
        pairs = sparse if isinstance(sparse, Mapping) else {"": sparse}
        texts = (f"{name}:" * bool(name) + "/".join(f"{float(n):g}" for n in pair) for name, pair in pairs.items())
        said["sparse"] = ",".join(texts)
    return said


def signed_features(features: Any, *told: Any) -> str:
    """Kinds by their names; of others no path, but a digest of what all say of the words (`told`)."""
    parts = features.split(",") if isinstance(features, str) else features
    parts = list(parts) if isinstance(parts, list | tuple) and not isinstance(parts, Features) else [parts]
    kinds = [part for part in parts if isinstance(part, str) and part.strip() in (IDENTITY_KIND, WORDS)]
    if not told or len(kinds) == len(parts):
        return _in_short(features)
    shown = [*kinds, *(_in_short(part) for part in parts if not isinstance(part, str | Path | Features))]
    return ",".join([*shown, content_digest(*told)])


def _in_short(features: Any) -> str:
    """Names as they are, and of a matrix or a function, that it is one."""
    if isinstance(features, str | Path):
        return str(features)
    if isinstance(features, Mapping):
        return ",".join(f"{name}:{_in_short(one)}" for name, one in features.items())
    if isinstance(features, list | tuple):
        return ",".join(map(_in_short, features))
    return getattr(features, "__name__", type(features).__name__)
