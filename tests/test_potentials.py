"""Known labels are potentials of −inf; potentials themselves are enumerated in `test_expect.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from enumeration import flat

from softcount import corpus, documents
from softcount.families.layout import by_table
from softcount.models.gaussian import GaussianMixture, Points
from softcount.models.hmm import HMM
from softcount.models.mixture import Mixture
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Ragged

pytestmark = pytest.mark.kernels


def weights_of(model: Any, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return by_table(model.layout, lambda spec: np.asarray(rng.normal(size=spec.family.size()), order="F"))


def known_as_potentials(known: np.ndarray, K: int) -> np.ndarray:
    rows = np.zeros((len(known), K))
    for i, k in enumerate(known):
        if k >= 0:
            rows[i, np.arange(K) != k] = -np.inf
    return rows


@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_known_labels_are_potentials(mode: int) -> None:
    K, rng = 3, np.random.default_rng(4)
    data = corpus(["a b a", "", "c", "b b a c"])
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
