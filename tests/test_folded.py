"""Documents folded into topics that are known, against EM for each document written out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from softcount.models.plsa import PLSA, PLSATables
from softcount.models.plsa_folded import FoldedPLSA, TopicTables
from softcount.numbers.attribute import MAX, SUM
from softcount.numbers.tables import Log
from softcount.text.documents import from_matrix

pytestmark = pytest.mark.kernels
TABLE = np.array([[3, 0, 2, 1, 0], [0, 0, 0, 0, 0], [1, 4, 0, 2, 0], [0, 0, 0, 0, 5]], dtype=float)
H, V = 3, 5


def words(seed: int = 0) -> np.ndarray:
    theta = np.random.default_rng(seed).random((H, V)) + 0.1
    return theta / theta.sum(axis=1, keepdims=True)


def folded(row: np.ndarray, word: np.ndarray, start: np.ndarray, pseudo: float, kept: float) -> np.ndarray:
    """P(h | d) by EM, the last topic held at `kept` where that is more than zero."""
    theta = start.copy()
    if kept:
        theta = np.append(theta[:-1] / theta[:-1].sum() * (1.0 - kept), kept)
    for _ in range(400 if row.any() else 0):
        terms = theta[:, None] * word
        counts = (row * terms / terms.sum(axis=0)).sum(axis=1) + pseudo * start
        theta = counts / counts.sum()
        if kept:
            theta = np.append(counts[:-1] / counts[:-1].sum() * (1.0 - kept), kept)
    return theta


@pytest.mark.parametrize(("pseudo", "kept"), [(0.0, 0.0), (0.7, 0.0), (0.0, 0.2), (0.7, 0.3)])
@pytest.mark.parametrize("wished", [False, True])
def test_folding_is_em_for_one_document(pseudo: float, kept: float, wished: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr("softcount.models.plsa.FOLDED", 400)
    monkeypatch.setattr("softcount.models.plsa.SETTLED", 1e-8)
    start, word, wishes = np.array([0.5, 0.2, 0.3]), words(), np.random.default_rng(1).random((4, H)) + 0.2
    items = replace(from_matrix(TABLE), potentials=np.log(wishes) if wished else None)
    model = PLSA(4, H, V)
    weights = model.weigh(PLSATables(Log(np.empty((0, H))), Log(word)))
    found = model.fold(weights, model.pack(items), start, pseudo, kept)
    for row, mine, wish in zip(TABLE, found, wishes, strict=True):
        assert mine == pytest.approx(
            folded(row, word * (wish[:, None] if wished else 1.0), start, pseudo, kept), abs=1e-5
        )
        assert mine.sum() == pytest.approx(1.0)


def test_folding_stops_when_nothing_moves_and_after_so_many_steps(monkeypatch: Any) -> None:
    start, word = np.full(H, 1 / H), words()
    model = PLSA(4, H, V)
    weights, shard = model.weigh(PLSATables(Log(np.empty((0, H))), Log(word))), model.pack(from_matrix(TABLE))
    first = word * start[:, None]
    once = TABLE @ (first / first.sum(axis=0)).T / np.maximum(TABLE.sum(axis=1, keepdims=True), 1.0)
    once[1] = start
    for steps, settled in ((1, 0.0), (50, 1.0)):  # one step, or none that moves more than that
        monkeypatch.setattr("softcount.models.plsa.FOLDED", steps)
        monkeypatch.setattr("softcount.models.plsa.SETTLED", settled)
        np.testing.assert_allclose(model.fold(weights, shard, start), once, rtol=1e-12)


def test_a_document_that_no_topic_can_make_stays_at_the_start() -> None:
    start, word = np.array([0.5, 0.2, 0.3]), words()
    word[:, 4] = 0.0
    model = PLSA(4, H, V)
    weights = model.weigh(PLSATables(Log(np.empty((0, H))), Log(word)))
    found = model.fold(weights, model.pack(from_matrix(TABLE)), start)
    assert found[3].tolist() == found[1].tolist() == start.tolist() and np.isfinite(found).all()


@pytest.mark.parametrize("mode", [SUM, MAX])
def test_the_folded_model_is_plsa_with_these_topics(mode: int) -> None:
    model = FoldedPLSA(H, V, np.array([0.5, 0.2, 0.3]), 0.7)
    items, word = from_matrix(TABLE), Log(words())
    shard = model.pack(items)
    weights = model.weigh(TopicTables(word))
    topics = model.posteriors(weights, shard)
    assert topics.shape == (4, H)
    inner = PLSA(4, H, V)
    truth, labels = inner.expect(inner.weigh(PLSATables(Log(topics), word)), inner.pack(items), mode, labels=True)
    found, mine = model.expect(weights, shard, mode, labels=True)
    assert found.log_norm == pytest.approx(truth.log_norm) and mine.tolist() == labels.tolist()
    np.testing.assert_allclose(found.counts.word, truth.counts.word, rtol=1e-12)
    assert not model.exact and model.costs(items).tolist() == inner.costs(items).tolist()
    assert model.shard_cost == inner.shard_cost and model.n_uniforms(shard) == TABLE.sum()
    assert model.layout.word.emits and model.layout.word.family.size() == (H, V)
