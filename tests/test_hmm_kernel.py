"""The HMM's kernels beyond what `test_expect.py` asks of every model: chunks, long sentences, numbers far from one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from enumeration import Instance, flat
from hypothesis import given
from hypothesis import strategies as st
from naive import Chance, NaiveHMM, Sentences
from test_expect import drawn

from softcount.errors import ImpossibleItem
from softcount.models import hmm, hmm_packing
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Ragged, from_rows

pytestmark = pytest.mark.kernels


def expect(instance: Instance, mode: int = SUM, uniforms: Any = None, labels: bool = False) -> Any:
    """(Expectation, labels as rows)"""
    model = instance.model
    return model.expect(model.weigh(instance.log_weights), model.pack(instance.items), mode, uniforms, labels)


@pytest.mark.parametrize("mode", [SUM, MAX])
@pytest.mark.parametrize("chunk", [1, 2, 3, 5])
@given(data=st.data())
def test_hmm_chunks_do_not_matter(chunk: int, mode: int, data: st.DataObject) -> None:
    instance = drawn("hmm", data)
    one, labels = expect(instance, mode, labels=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hmm_packing, "CHUNK_TOKENS", chunk)
        many, relabelled = expect(instance, mode, labels=True)
        posteriors = instance.model.posteriors(
            instance.model.weigh(instance.log_weights), instance.model.pack(instance.items)
        )
    np.testing.assert_allclose(flat(many.counts), flat(one.counts), rtol=1e-12, atol=1e-14)
    assert np.isclose(many.log_norm, one.log_norm, rtol=1e-12, atol=1e-12)
    assert np.array_equal(labels.values, relabelled.values) or mode == SUM  # SUM may break a tie by a last bit
    assert np.array_equal(labels.offsets, instance.items.sentences.offsets)
    assert len(posteriors) == len(labels.values)


@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
@pytest.mark.parametrize("chunk", [1, 4, 2000])
def test_the_first_sentence_that_cannot_end_is_named_however_it_is_packed(chunk: int, mode: int) -> None:
    """State k emits word k; nothing ends in state 1, nothing begins in state 2, and 0 is not followed by 0."""
    transition = np.zeros((3, 4))
    transition[1, 3] = transition[0, 0] = -np.inf
    model = hmm.HMM(3, 3, end=True)
    tables = hmm.HMMTables(np.array([0.0, 0.0, -np.inf]), transition, np.where(np.eye(3) > 0, 0.0, -np.inf))
    cases = {
        ((0,), (0, 1), (1, 2, 0, 1), (1, 0)): 1,  # two cannot end; the longer one is met first
        ((1, 0), (), (1,), (0, 2, 0, 1, 0), (1, 1)): 2,
        ((0, 1), (2, 1, 0)): 0,  # the other one cannot begin
        ((1, 2), (1, 0, 0), (1,)): 1,  # the other one cannot end
        ((1, 2), (0,)): None,
    }
    for rows, first in cases.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hmm_packing, "CHUNK_TOKENS", chunk)
            shard = model.pack(Sentences(from_rows(rows, np.int32)))
        asked = [lambda: model.expect(model.weigh(tables), shard, mode, np.full(len(shard.words), 0.5))]  # noqa: B023
        asked += [lambda: model.posteriors(model.weigh(tables), shard)]  # noqa: B023
        for ask in asked:
            if first is None:
                ask()
                continue
            with pytest.raises(ImpossibleItem) as caught:
                ask()
            assert caught.value.item == first


def hmm_instance(lengths: list[int], K: int = 3, V: int = 5, end: bool = False, seed: int = 0) -> Instance:
    rng = np.random.default_rng(seed)
    sentences = from_rows([rng.integers(0, V, n) for n in lengths], np.int32)
    shapes = hmm.HMMTables(np.zeros(K), np.zeros((K, K + end)), np.zeros((K, V)))
    weights = Chance(rng, 1.0, 0.0).weights(shapes)
    return Instance(NaiveHMM(K, V, end), hmm.HMM(K, V, end), Sentences(sentences), weights)


@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_hmm_long_sentence_is_finite(mode: int) -> None:
    n = 100_000
    from numba import config

    if config.DISABLE_JIT:
        n = 3_000
    instance = hmm_instance([n, 3, 0], end=True)
    found, labels = expect(instance, mode, np.random.default_rng(0).random(n + 3), labels=True)
    assert np.isfinite(found.log_norm) and np.isfinite(flat(found.counts)).all()
    assert np.isclose(found.counts.emission.sum(), n + 3) and np.isclose(found.counts.initial.sum(), 2)
    assert np.isclose(found.counts.transition[:, :3].sum(), n + 1) and np.isclose(
        found.counts.transition[:, 3].sum(), 2
    )
    assert len(labels.values) == n + 3


@pytest.mark.parametrize("mode", [SUM, MAX])
@pytest.mark.parametrize("shift", [1e4, -1e4, -800.0])
def test_hmm_words_that_underflow_in_every_state(mode: int, shift: float) -> None:
    instance = hmm_instance([4, 3, 1], end=True)
    usual, _ = expect(instance, mode)
    emission = instance.log_weights.emission.copy()
    word = int(instance.items.sentences.values[0])
    emission[:, word] += shift
    shifted, _ = expect(instance._replace(log_weights=instance.log_weights._replace(emission=emission)), mode)
    times = int((instance.items.sentences.values == word).sum())
    assert np.isclose(shifted.log_norm, usual.log_norm + times * shift, rtol=1e-12)
    np.testing.assert_allclose(flat(shifted.counts), flat(usual.counts), rtol=1e-10)


@pytest.mark.parametrize("mode", [SUM, MAX])
@pytest.mark.parametrize("table", ["initial", "transition"])
@pytest.mark.parametrize("shift", [1e4, -1e4])
def test_hmm_tables_far_from_one(mode: int, table: str, shift: float) -> None:
    """Weights need not normalise: a constant added to all of a table only moves log Z."""
    instance = hmm_instance([4, 3, 1, 0], end=True)
    usual, _ = expect(instance, mode)
    moved = instance.log_weights._replace(**{table: getattr(instance.log_weights, table) + shift})
    found, _ = expect(instance._replace(log_weights=moved), mode)
    times = {"initial": 3, "transition": 8}[table]
    assert np.isclose(found.log_norm, usual.log_norm + times * shift, rtol=1e-12)
    np.testing.assert_allclose(flat(found.counts), flat(usual.counts), rtol=1e-10)


@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_hmm_transitions_below_floating_point_are_refused_by_name(mode: int) -> None:
    """exp(−900) beside exp(0) is zero in floating point: a sentence whose every path needs it is named, never a NaN."""
    weights = hmm.HMMTables(
        np.log([0.5, 0.5]), np.array([[0.0, -900.0], [-900.0, 0.0]]), np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    )
    items = Sentences(from_rows([[1], [0, 1, 0]], np.int32))
    instance = Instance(NaiveHMM(2, 2, False), hmm.HMM(2, 2), items, weights)
    with pytest.raises(ImpossibleItem) as refusal:
        expect(instance, mode, np.full(4, 0.5))
    assert refusal.value.item == 1


def test_hmm_only_empty_sentences() -> None:
    instance = hmm_instance([0, 0])
    for mode in (SUM, MAX, SAMPLE):
        found, labels = expect(instance, mode, np.empty(0), labels=True)
        assert found.log_norm == 0.0 and not flat(found.counts).any() and labels.n_rows == 2


def test_hmm_known_labels_decide() -> None:
    instance = hmm_instance([3, 2])
    labels = Ragged(instance.items.sentences.offsets, np.array([0, 1, 2, 2, 0], dtype=np.int32))
    known = instance._replace(items=Sentences(instance.items.sentences, labels))
    for mode in (SUM, MAX, SAMPLE):
        found, decoded = expect(known, mode, np.full(5, 0.5), labels=True)
        assert decoded.values.tolist() == [0, 1, 2, 2, 0]
        np.testing.assert_allclose(found.counts.transition, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_hmm_matches_the_packing_that_its_docstring_tells() -> None:
    instance = hmm_instance([2, 0, 4, 1])
    shard = instance.model.pack(instance.items)
    words = instance.items.sentences
    assert shard.alive.tolist() == [3, 2, 1, 1] and shard.items.tolist() == [2, 0, 3]
    assert shard.words[:3].tolist() == [words.row(2)[0], words.row(0)[0], words.row(3)[0]]


@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_chunks_are_full_but_not_too_full(lengths: list[int]) -> None:
    """At most CHUNK_TOKENS tokens, or one sentence; and the next sentence would not have fitted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hmm_packing, "CHUNK_TOKENS", 10)
        shard = hmm_instance(lengths).model.pack(hmm_instance(lengths).items)
    ordered = sorted(lengths, reverse=True)
    chunks = [ordered[a:b] for a, b in pairwise(shard.columns.tolist())]
    assert [n for chunk in chunks for n in chunk] == ordered
    assert all(sum(chunk) <= 10 for chunk in chunks)
    assert all(sum(chunk) + after[0] > 10 for chunk, after in pairwise(chunks))
