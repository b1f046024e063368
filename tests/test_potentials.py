"""What is known or wished of an item enters the E-step as potentials; known labels are potentials of −inf."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from softcount import corpus, documents
from softcount.families.layout import by_table
from softcount.models.gaussian import GaussianMixture, Points
from softcount.models.hmm import HMM
from softcount.models.mixture import Mixture
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import leaves, values

pytestmark = pytest.mark.kernels


def weights_of(model: Any, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return by_table(model.layout, lambda spec: np.asarray(rng.normal(size=spec.family.size()), order="F"))


def flat(tables: Any) -> np.ndarray:
    return np.concatenate([np.ravel(values(table)) for table in leaves(tables)])


def texts(seed: int, K: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    data = corpus(["a b a", "", "c", "b b a c"])
    rows = rng.normal(size=(data.n_tokens, K))
    rows[rng.random(rows.shape) < 0.2] = -np.inf
    rows[:, 0] = np.where(np.isfinite(rows).any(axis=1), rows[:, 0], 0.0)
    return data, Ragged(data.sentences.offsets, rows)


@pytest.mark.parametrize("end", [False, True])
@pytest.mark.parametrize("mode", [SUM, MAX])
@pytest.mark.parametrize("seed", range(5))
def test_hmm_against_all_paths(end: bool, mode: int, seed: int) -> None:
    K = 3
    data, potentials = texts(seed, K)
    model = HMM(K, len(data.vocabulary), end)
    logs = weights_of(model, seed)
    log_norm, nodes = 0.0, []
    for words, wishes in zip(data.sentences.rows(), potentials.rows(), strict=True):
        scores, paths = [], list(product(range(K), repeat=len(words)))
        for path in paths:
            score = sum(wishes[t, k] + logs.emission[k, words[t]] for t, k in enumerate(path))
            score += sum(logs.transition[a, b] for a, b in pairwise(path))
            if path:
                score += logs.initial[path[0]] + (logs.transition[path[-1], K] if end else 0.0)
            scores.append(score)
        log_norm += max(scores) if mode == MAX else np.logaddexp.reduce(scores)
        shares = np.exp(np.array(scores) - np.logaddexp.reduce(scores))
        node = np.zeros((len(words), K))
        for path, share in zip(paths, shares, strict=True):
            node[range(len(words)), list(path)] += share
        nodes.append(node)
    shard, weights = model.pack(replace(data, potentials=potentials)), model.weigh(logs)
    found, labels = model.expect(weights, shard, mode, labels=True)
    assert found.log_norm == pytest.approx(log_norm, rel=1e-10)
    np.testing.assert_allclose(model.posteriors(weights, shard), np.concatenate(nodes), atol=1e-12)
    if mode == SUM:
        assert labels.values.tolist() == np.concatenate(nodes).argmax(axis=1).tolist()


def known_as_potentials(known: np.ndarray, K: int) -> np.ndarray:
    rows = np.zeros((len(known), K))
    for i, k in enumerate(known):
        if k >= 0:
            rows[i, np.arange(K) != k] = -np.inf
    return rows


@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_known_labels_are_potentials(mode: int) -> None:
    K, rng = 3, np.random.default_rng(4)
    data, _ = texts(1, K)
    known = np.where(rng.random(data.n_tokens) < 0.5, rng.integers(0, K, data.n_tokens), -1).astype(np.int32)
    points = rng.normal(size=(9, 2))
    classes = np.where(rng.random(9) < 0.5, rng.integers(0, K, 9), -1).astype(np.int32)
    table = documents(["a a b", "b c", "c", "a"] * 2 + ["b"])
    cases: list[tuple[Any, Any, Any]] = [
        (
            HMM(K, len(data.vocabulary)),
            replace(data, labels=Ragged(data.sentences.offsets, known)),
            replace(data, potentials=Ragged(data.sentences.offsets, known_as_potentials(known, K))),
        ),
        (
            Mixture(K, table.n_words),
            replace(table, labels=classes),
            replace(table, potentials=known_as_potentials(classes, K)),
        ),
        (
            GaussianMixture(K, 2, "spherical", np.zeros(2), np.ones(1)),
            Points(points, labels=classes),
            Points(points, potentials=known_as_potentials(classes, K)),
        ),
    ]
    for model, labelled, wished in cases:
        logs, found = weights_of(model, 2), []
        for items in (labelled, wished):
            shard = model.pack(items.slice(1, len(items)))
            uniforms = np.random.default_rng(3).random(model.n_uniforms(shard))
            found.append(model.expect(model.weigh(logs), shard, mode, uniforms)[0].whole())
        assert found[0].log_norm == pytest.approx(found[1].log_norm, rel=1e-12)
        np.testing.assert_allclose(flat(found[0].counts), flat(found[1].counts), atol=1e-12)


def test_mixture_potentials_by_hand() -> None:
    K, rng = 2, np.random.default_rng(0)
    table = documents(["a a b", "b c"])
    model = Mixture(K, table.n_words)
    logs, wishes = weights_of(model), rng.normal(size=(2, K))
    scores = wishes + logs.cluster + table.matrix().toarray() @ logs.word.T
    shard = model.pack(replace(table, potentials=wishes))
    assert model.expect(model.weigh(logs), shard)[0].log_norm == pytest.approx(
        np.logaddexp.reduce(scores, axis=1).sum()
    )
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    np.testing.assert_allclose(model.posteriors(model.weigh(logs), shard), shares, atol=1e-12)
