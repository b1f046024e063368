"""Every model's E-step against enumeration of all hidden structures; every reading, on tiny random instances."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import enumeration
import numpy as np
import pytest
from copying import Copying
from enumeration import Instance, enumerate_all, flat, unflat
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import MODELS, instances

from softcount.engines import Threads
from softcount.errors import ImpossibleItem
from softcount.loop.estep import EStep
from softcount.models import ibm
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.tables import Expectation, values

# without the compiler, integers that are meant to wrap around (IBM's random numbers) warn when they do
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")
every_model = pytest.mark.parametrize("name", MODELS)
# What kernels read and write, which without the compiler may not lie beyond an array: of all items, of few, of none.
uncompiled_too = pytest.mark.kernels


def expect(instance: Instance, mode: int = SUM, uniforms: Any = None, labels: bool = False) -> tuple[Expectation, Any]:
    """The E-step of all items as one shard, and one label for every node."""
    model = instance.model
    shard = model.pack(instance.items)
    found, chosen = model.expect(model.weigh(instance.log_weights), shard, mode, uniforms, labels)
    return found.whole(), chosen


def n_uniforms(instance: Instance) -> int:
    return instance.model.n_uniforms(instance.model.pack(instance.items))


@contextmanager
def small_shards(instance: Instance) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(instance.model), "shard_cost", 2)
        patch.setattr(ibm, "PART", 2)
        yield


def drawn(name: str, data: st.DataObject, zeros: float | None = None, spread: float | None = None) -> Instance:
    instance = data.draw(instances(name, zeros, spread))
    assume(all(enumeration.possible(instance)))
    return instance


def split(items: list[enumeration.Enumerated], labels: Any) -> list[np.ndarray]:
    """The labels of each item."""
    if items[0].spelt[0] is not None:
        return list(labels.rows())
    labels = values(labels)
    sizes = [len(item.nodes[0]) for item in items]
    assert sum(sizes) == len(labels)
    return np.split(labels, np.cumsum(sizes)[:-1])


# --- the three readings ---------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@uncompiled_too
@every_model
@given(data=st.data())
def test_sum_equals_enumeration(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    counts, log_norm = enumeration.expected(instance)
    found, _ = expect(instance)
    assert np.isclose(found.log_norm, log_norm, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(flat(found.counts), flat(counts), rtol=1e-9, atol=1e-11)


@pytest.mark.sampled(3)
@uncompiled_too
@every_model
@given(data=st.data())
def test_max_is_a_best_structure(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    items = enumerate_all(instance)
    found, labels = expect(instance, MAX, labels=True)
    assert np.isclose(found.log_norm, sum(item.best for item in items), rtol=1e-10, atol=1e-10)
    total = enumeration.zeros(instance.log_weights)
    for item, mine in zip(items, split(items, labels), strict=True):
        chosen = item.labelled(mine)
        assert len(chosen) == 1, "the labels are no structure that the known labels allow"
        assert np.isclose(item.log_joint[chosen[0]], item.best, rtol=1e-10, atol=1e-10)
        total = enumeration.add(total, item.counts[chosen[0]])
    np.testing.assert_allclose(flat(found.counts), flat(total), rtol=1e-12, atol=1e-12)
    unlabelled = expect(instance, MAX)[0]
    assert np.array_equal(flat(unlabelled.counts), flat(found.counts)) and unlabelled.log_norm == found.log_norm


@pytest.mark.sampled(3)
@uncompiled_too
@every_model
@given(data=st.data())
def test_ties_go_to_the_lower_value(name: str, data: st.DataObject) -> None:
    """All structures that are possible are as good: of a sequence the last node chooses first, for example."""
    instance = drawn(name, data, zeros=0.2, spread=0.0)
    items = enumerate_all(instance)
    labels = expect(instance, MAX, labels=True)[1]
    for item, mine in zip(items, split(items, labels), strict=True):
        first = item.ties()[0]
        spelt = item.spelt[first]
        assert mine.tolist() == (item.nodes[first].argmax(axis=-1) if spelt is None else spelt).tolist()


@pytest.mark.sampled(3)
@uncompiled_too
@every_model
@given(data=st.data())
def test_sample_is_a_possible_structure(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    uniforms = np.random.default_rng(data.draw(st.integers(0, 99))).random(n_uniforms(instance))
    uniforms[:1] = data.draw(st.sampled_from([0.0, 1.0 - 2**-53, 0.5]))
    found, labels = expect(instance, SAMPLE, uniforms, labels=True)
    items = enumerate_all(instance)
    assert np.isclose(found.log_norm, sum(item.log_norm for item in items), rtol=1e-10, atol=1e-10)
    if not instance.naive.draws_labels:
        items, found = items[:1], expect(instance.only([0]), SAMPLE, uniforms)[0]
        drawn_counts = [flat(c) for c, log in zip(items[0].counts, items[0].log_joint, strict=True) if log > -np.inf]
        assert any(np.array_equal(flat(found.counts), counts) for counts in drawn_counts)
        return
    total = enumeration.zeros(instance.log_weights)
    for item, mine in zip(items, split(items, labels), strict=True):
        (chosen,) = item.labelled(mine)
        assert item.log_joint[chosen] > -np.inf
        total = enumeration.add(total, item.counts[chosen])
    np.testing.assert_allclose(flat(found.counts), flat(total), rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(3)
@every_model
@settings(max_examples=8, derandomize=True)
@given(data=st.data())
def test_sampled_counts_average_to_posterior_counts(name: str, data: st.DataObject) -> None:
    """The mean of n draws of a count with variance v lies within 5 √(v / n) of its expectation, but for one in 10⁶; and
    their variance as near to v, which it is not where tokens share a random number."""
    instance = drawn(name, data)
    rng, n, model = np.random.default_rng(1), 300, instance.model
    weights, shard, size = model.weigh(instance.log_weights), model.pack(instance.items), n_uniforms(instance)
    drawing = (model.expect(weights, shard, SAMPLE, rng.random(size))[0] for _ in range(n))
    draws = np.array([flat(found.whole().counts) for found in drawing])
    mean, variance, squares, fourth = np.zeros((4, draws.shape[1]))
    for item in enumerate_all(instance):  # items are independent: variances add
        table = np.array([flat(c) for c in item.counts])
        first = item.shares @ table
        second = item.shares @ (table - first) ** 2
        mean, variance, squares = mean + first, variance + second, squares + second**2
        fourth += item.shares @ (table - first) ** 4
    assert (np.abs(draws.mean(axis=0) - mean) <= 5 * np.sqrt(variance / n) + 3.0 / n).all()
    fourth += 3 * (variance**2 - squares)  # of the sum of all items
    spread = np.sqrt(np.maximum(fourth - variance**2, 0.0) / n)
    assert (np.abs(draws.var(axis=0) - variance) <= 5 * spread + 6.0 / n).all()


@pytest.mark.sampled(3)
@every_model
@settings(max_examples=25)
@given(data=st.data())
def test_counts_are_finite_differences_of_log_norm(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data, zeros=0.0)
    counts = flat(expect(instance)[0].counts)
    eta, h = flat(instance.log_weights), 1e-5
    for i in range(len(eta)):
        norms = []
        for sign in (1, -1):
            moved = eta.copy()
            moved[i] += sign * h
            norms.append(expect(instance._replace(log_weights=unflat(instance.log_weights, moved)))[0].log_norm)
        assert np.isclose((norms[0] - norms[1]) / (2 * h), counts[i], rtol=1e-4, atol=1e-6)


@pytest.mark.sampled(3)
@uncompiled_too
@every_model
@given(data=st.data())
def test_posteriors_and_the_best_label_of_each_node(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    model = instance.model
    found = instance.naive.told(model.posteriors(model.weigh(instance.log_weights), model.pack(instance.items)))
    nodes = [item.posteriors for item in enumerate_all(instance)]
    truth = [np.ravel(instance.naive.posteriors(instance.items, i, rows)) for i, rows in enumerate(nodes)]
    np.testing.assert_allclose(found, np.concatenate(truth), rtol=1e-9, atol=1e-12)
    summed, labels = expect(instance, SUM, labels=True)
    assert np.array_equal(flat(summed.counts), flat(expect(instance)[0].counts))
    for rows, mine in zip(nodes, split(enumerate_all(instance), labels), strict=True):
        instance.naive.check_best(rows, mine)


# --- what must not matter, and what must fail -----------------------------------------------------------------------


@pytest.mark.sampled(9)
@uncompiled_too
@every_model
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
@settings(max_examples=20)
@given(data=st.data())
def test_impossible_item_is_named(name: str, mode: int, data: st.DataObject) -> None:
    instance = data.draw(instances(name, zeros=0.8))
    impossible = [i for i, fine in enumerate(enumeration.possible(instance)) if not fine]
    assume(impossible)
    with pytest.raises(ImpossibleItem) as caught:
        expect(instance, mode, np.full(n_uniforms(instance), 0.5))
    assert caught.value.item in impossible
    for n_batches in (0, 3):
        with Threads(1) as engine, small_shards(instance), pytest.raises(ImpossibleItem) as caught:
            EStep(instance.model, instance.items, engine, n_batches=n_batches)(instance.log_weights, mode)
        assert caught.value.item in impossible, "numbered within the shard or the shuffled items, not within all items"


@pytest.mark.sampled(3)
@uncompiled_too
@every_model
@given(data=st.data())
def test_counts_add_over_items(name: str, data: st.DataObject) -> None:
    instance = drawn(name, data)
    whole, _ = expect(instance)
    cut = data.draw(st.integers(0, instance.n_items))
    rows = list(range(instance.n_items))
    parts = [expect(instance.only(part))[0] for part in (rows[:cut], rows[cut:])]
    np.testing.assert_allclose(flat(whole.counts), flat((parts[0] + parts[1]).counts), rtol=1e-12, atol=1e-14)
    assert np.isclose(whole.log_norm, parts[0].log_norm + parts[1].log_norm, rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(9)
@uncompiled_too
@every_model
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
@settings(max_examples=20)
@given(data=st.data())
def test_shards_and_engines_do_not_matter(name: str, mode: int, data: st.DataObject) -> None:
    """Nor does where sums are computed; draws depend on the shards alone."""
    instance = drawn(name, data)
    with Threads(1) as engine:
        one = EStep(instance.model, instance.items, engine)(instance.log_weights, mode)
    for n_batches in (0, 3):  # mini-batches are shards of the same items in another order
        found = []
        for chosen in (Threads(1), Threads(3), Copying()):
            with chosen as engine, small_shards(instance):
                estep = EStep(instance.model, instance.items, engine, n_batches=n_batches)
                found.append(estep(instance.log_weights, mode))
        assert len({sharded.log_norm for sharded in found}) == 1
        assert np.isclose(found[0].log_norm, one.log_norm, rtol=1e-12, atol=1e-12)
        for sharded in found[1:]:
            assert np.array_equal(flat(sharded.counts), flat(found[0].counts))
        if mode != SAMPLE:
            np.testing.assert_allclose(flat(found[0].counts), flat(one.counts), rtol=1e-11, atol=1e-13)
