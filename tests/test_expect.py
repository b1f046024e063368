"""Every model's E-step against enumeration of all hidden structures; every reading, on tiny random instances."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import MODELS, Instance, enumerate_all, flat, unflat

from softcount.engines import Threads
from softcount.errors import ImpossibleItem
from softcount.loop.estep import EStep
from softcount.models import hmm, hmm_packing
from softcount.numbers.attribute import MAX, SAMPLE, SUM, attribute
from softcount.numbers.ragged import Ragged, from_rows
from softcount.numbers.tables import Expectation

pytestmark = pytest.mark.kernels
every_model = pytest.mark.parametrize("name", MODELS)


def expect(instance: Instance, mode: int = SUM, uniforms: Any = None, labels: bool = False) -> tuple[Expectation, Any]:
    model = instance.model
    shard = model.pack(instance.items)
    return model.expect(model.weigh(instance.log_weights), shard, mode, uniforms, labels)


def drawn(name: str, data: st.DataObject, zeros_share: float | None = None) -> Instance:
    instance = data.draw(MODELS[name](zeros_share))
    assume(all(naive.possible(instance)))
    return instance


# --- the three readings ---------------------------------------------------------------------------------------------


@every_model
@given(data=st.data())
def test_sum_equals_enumeration(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    counts, log_norm = naive.expected(instance)
    found, _ = expect(instance)
    assert np.isclose(found.log_norm, log_norm, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(flat(found.counts), flat(counts), rtol=1e-10, atol=1e-12)


@every_model
@given(data=st.data())
def test_max_is_a_best_structure(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    items = enumerate_all(instance)
    best = sum(item.best for item in items)
    found, labels = expect(instance, MAX, labels=True)
    assert np.isclose(found.log_norm, best, rtol=1e-10, atol=1e-10)
    total = naive.zeros(instance.log_weights)
    for i, item in enumerate(items):
        chosen = [k for k, z in enumerate(item.structures) if instance.naive.labels(z) == labels.row(i).tolist()]
        assert len(chosen) == 1, "the labels are no structure that the known labels allow"
        assert np.isclose(item.log_joint[chosen[0]], item.best, rtol=1e-10, atol=1e-10)
        total = naive.add(total, item.counts[chosen[0]])
    np.testing.assert_array_equal(flat(found.counts), flat(total))


@every_model
@given(data=st.data())
def test_sample_is_a_possible_structure(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    n = instance.model.n_uniforms(instance.model.pack(instance.items))
    uniforms = np.random.default_rng(data.draw(st.integers(0, 99))).random(n)
    uniforms[:1] = data.draw(st.sampled_from([0.0, 1.0 - 2**-53, 0.5]))
    found, labels = expect(instance, SAMPLE, uniforms, labels=True)
    total = naive.zeros(instance.log_weights)
    for i, item in enumerate(enumerate_all(instance)):
        (chosen,) = [k for k, z in enumerate(item.structures) if instance.naive.labels(z) == labels.row(i).tolist()]
        assert item.log_joint[chosen] > -np.inf
        total = naive.add(total, item.counts[chosen])
    np.testing.assert_array_equal(flat(found.counts), flat(total))
    assert np.isclose(found.log_norm, naive.expected(instance)[1], rtol=1e-10, atol=1e-10)


@every_model
@settings(max_examples=8, derandomize=True)
@given(data=st.data())
def test_sampled_counts_average_to_posterior_counts(name: str, data: st.DataObject) -> None:
    """The mean of n draws of a count with variance v lies within 5 √(v / n) of its expectation, but for one in 10⁶."""
    instance = drawn(name, data)
    model = instance.model
    shard, weights = model.pack(instance.items), model.weigh(instance.log_weights)
    rng, n = np.random.default_rng(1), 300
    draws = np.array(
        [flat(model.expect(weights, shard, SAMPLE, rng.random(model.n_uniforms(shard)))[0].counts) for _ in range(n)]
    )
    mean, second = (np.zeros(draws.shape[1]) for _ in range(2))
    variance = np.zeros_like(mean)
    for item in enumerate_all(instance):  # items are independent: variances add
        table = np.array([flat(c) for c in item.counts])
        first, second = item.shares @ table, item.shares @ table**2
        mean += first
        variance += np.maximum(second - first**2, 0.0)
    assert (np.abs(draws.mean(axis=0) - mean) <= 5 * np.sqrt(variance / n) + 3.0 / n).all()


@every_model
@settings(max_examples=25)
@given(data=st.data())
def test_counts_are_finite_differences_of_log_norm(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data, zeros_share=0.0)
    counts = flat(expect(instance)[0].counts)
    eta, h = flat(instance.log_weights), 1e-5
    for i in range(len(eta)):
        norms = []
        for sign in (1, -1):
            moved = eta.copy()
            moved[i] += sign * h
            norms.append(expect(instance._replace(log_weights=unflat(instance.log_weights, moved)))[0].log_norm)
        assert np.isclose((norms[0] - norms[1]) / (2 * h), counts[i], rtol=1e-5, atol=1e-6)


@every_model
@given(data=st.data())
def test_posteriors_and_best_label_of_each_token(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    model = instance.model
    shares = model.posteriors(model.weigh(instance.log_weights), model.pack(instance.items))
    by_item = [
        instance.naive.posteriors(instance.items, i, list(zip(item.structures, item.shares, strict=True)))
        for i, item in enumerate(enumerate_all(instance))
    ]
    truth = np.concatenate(by_item)
    np.testing.assert_allclose(shares, truth, rtol=1e-9, atol=1e-12)
    labels = expect(instance, SUM, labels=True)[1].values
    chosen = truth[np.arange(len(truth)), labels]
    np.testing.assert_allclose(chosen, truth.max(axis=1, initial=0.0), rtol=1e-9)


# --- what must not matter, and what must fail -----------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
@given(data=st.data())
def test_impossible_item_is_named(name: str, mode: int, data: st.DataObject) -> None:
    instance = data.draw(MODELS[name](0.35))
    impossible = [i for i, fine in enumerate(naive.possible(instance)) if not fine]
    assume(impossible)
    n = instance.model.n_uniforms(instance.model.pack(instance.items))
    with pytest.raises(ImpossibleItem) as caught:
        expect(instance, mode, np.full(n, 0.5))
    assert caught.value.item in impossible
    with Threads(1) as engine, pytest.MonkeyPatch.context() as patch, pytest.raises(ImpossibleItem) as caught:
        patch.setattr("softcount.models.hmm.SHARD_TOKENS", 1)
        EStep(instance.model, instance.items, engine)(instance.log_weights, mode)
    assert caught.value.item in impossible, "numbered within the shard, not within all items"


@every_model
@given(data=st.data())
def test_counts_add_over_items(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    whole, _ = expect(instance)
    cut = data.draw(st.integers(0, instance.n_items))
    rows = list(range(instance.n_items))
    parts = [expect(instance.items_only(part))[0] for part in (rows[:cut], rows[cut:])]
    np.testing.assert_allclose(flat(whole.counts), flat((parts[0] + parts[1]).counts), rtol=1e-12, atol=1e-14)
    assert np.isclose(whole.log_norm, parts[0].log_norm + parts[1].log_norm, rtol=1e-12, atol=1e-12)


@every_model
@pytest.mark.parametrize("mode", [SUM, MAX])
@given(data=st.data())
def test_shards_and_threads_do_not_matter(name: str, mode: int, data: st.DataObject) -> None:
    instance = drawn(name, data)
    results = []
    for n_threads, cost in ((1, 10**6), (1, 2), (3, 2)):
        with pytest.MonkeyPatch.context() as patch, Threads(n_threads) as engine:
            patch.setattr("softcount.models.hmm.SHARD_TOKENS", cost)
            results.append(EStep(instance.model, instance.items, engine)(instance.log_weights, mode))
    one, sharded, threaded = results
    np.testing.assert_allclose(flat(sharded.counts), flat(one.counts), rtol=1e-12, atol=1e-14)
    assert np.array_equal(flat(sharded.counts), flat(threaded.counts)) and sharded.log_norm == threaded.log_norm


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


def hmm_instance(lengths: list[int], K: int = 3, V: int = 5, end: bool = False, seed: int = 0) -> Instance:
    rng = np.random.default_rng(seed)
    sentences = from_rows([rng.integers(0, V, n) for n in lengths], np.int32)
    shapes = hmm.HMMTables(np.zeros(K), np.zeros((K, K + end)), np.zeros((K, V)))
    weights = naive.random_log_weights(shapes, rng, 1.0, 0.0)
    return Instance(naive.NaiveHMM(K, V, end), hmm.HMM(K, V, end), naive.sentences_of(sentences), weights)


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
    items = naive.sentences_of(from_rows([[1], [0, 1, 0]], np.int32))
    instance = Instance(naive.NaiveHMM(2, 2, False), hmm.HMM(2, 2), items, weights)
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
    known = instance._replace(items=naive.sentences_of(instance.items.sentences, labels))
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


# --- attribute: the one place where the readings differ -------------------------------------------------------------


@given(terms=st.lists(st.floats(0, 1e3), min_size=1, max_size=6), uniform=st.floats(0, 1, exclude_max=True))
def test_attribute(terms: list[float], uniform: float) -> None:
    given_terms = np.array(terms)
    assume(given_terms.sum() == 0 or given_terms.sum() > 1e-200)
    for mode in (SUM, MAX, SAMPLE):
        shares = given_terms.copy()
        total = attribute(shares, mode, uniform)
        assert np.isclose(total, given_terms.max() if mode == MAX else given_terms.sum(), rtol=1e-12)
        if given_terms.sum() == 0:
            assert not shares.any()
        elif mode == SUM:
            np.testing.assert_allclose(shares, given_terms / given_terms.sum(), rtol=1e-12)
        else:
            assert sorted(shares)[-1] == 1.0 and shares.sum() == 1.0 and given_terms[shares.argmax()] > 0
        if mode == MAX and given_terms.sum() > 0:
            assert shares.argmax() == given_terms.argmax()


def test_attribute_draws_in_proportion() -> None:
    terms, n = np.array([0.0, 1.0, 0.0, 3.0]), 1000
    total = np.zeros(4)
    for uniform in (np.arange(n) + 0.5) / n:
        shares = terms.copy()
        attribute(shares, SAMPLE, uniform)
        total += shares
    np.testing.assert_allclose(total / n, [0, 0.25, 0, 0.75], atol=1 / n)
