"""The document models' E-steps against enumeration of every hidden structure, in every reading."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from softcount.engines import Threads
from softcount.errors import ImpossibleItem
from softcount.loop.estep import EStep
from softcount.models.gaussian import GaussianMixture, GaussianTables, Points, _least
from softcount.models.mixture import Mixture, MixtureTables
from softcount.models.plsa import PLSA, PLSATables
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.tables import inner
from softcount.text.documents import from_matrix

pytestmark = pytest.mark.kernels


def mixture_structures(table, labels=None):
    """Per document: the counts of each class that it may have."""
    K = mixture_structures.K
    for d, row in enumerate(table):
        known = -1 if labels is None else labels[d]
        found = []
        for k in range(K):
            counts = MixtureTables(np.zeros(K), np.zeros((K, len(row))))
            counts.cluster[k] += 1
            counts.word[k] += row
            if known < 0 or k == known:
                found.append(counts)
        yield found


def plsa_structures(table, H):
    """Per document: a topic for each of its tokens."""
    D, V = table.shape
    for d in range(D):
        tokens = np.repeat(np.arange(V), table[d].astype(int))
        found = []
        for topics in product(range(H), repeat=len(tokens)):
            counts = PLSATables(np.zeros((D, H)), np.zeros((H, V)))
            for word, topic in zip(tokens, topics, strict=True):
                counts.topic[d, topic] += 1
                counts.word[topic, word] += 1
            found.append(counts)
        yield found


def gaussian_structures(X, K, kind):
    for x in X:
        second = x**2 if kind == "diagonal" else [np.sum(x**2)]
        row = np.concatenate([[1.0], x, second])
        found = []
        for k in range(K):
            counts = GaussianTables(np.zeros(K), np.zeros((K, len(row))))
            counts.cluster[k] += 1
            counts.component[k] = row
            found.append(counts)
        yield found


@st.composite
def instances(draw, name, zeros=None):
    """(model, items, log-weights, [all structures' counts of each item])."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    D, V, K = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    share = draw(st.sampled_from([0.0, 0.2])) if zeros is None else zeros
    if name == "mixture":
        table = rng.integers(0, 3, (D, V)).astype(float)
        labels = rng.integers(-1, K, D).astype(np.int32) if draw(st.booleans()) else None
        mixture_structures.K = K
        model, items = Mixture(K, V), from_matrix(table, labels=labels)
        shapes, structures = MixtureTables((K,), (K, V)), list(mixture_structures(table, labels))
    elif name == "plsa":
        table = rng.integers(0, 2, (D, V)).astype(float)
        table[:, 0] += rng.integers(0, 2, D)
        model, items = PLSA(D, K, V), from_matrix(table)
        shapes, structures = PLSATables((D, K), (K, V)), list(plsa_structures(table, K))
    else:
        kind = draw(st.sampled_from(["unit", "spherical", "diagonal"]))
        X = rng.normal(size=(D, V)) * (rng.random((D, V)) < 0.8)
        model = GaussianMixture(K, V, kind, np.zeros(V), np.ones(V if kind == "diagonal" else 1))
        items = Points(sparse.csr_matrix(X) if draw(st.booleans()) else X)
        width = 1 + V + (V if kind == "diagonal" else 1)
        shapes, structures = GaussianTables((K,), (K, width)), list(gaussian_structures(X, K, kind))
        share = 0.0
    weights = type(shapes)(*(_weights(rng, shape, share) for shape in shapes))
    return model, items, weights, structures


def _weights(rng, shape, zeros):
    table = rng.normal(0.0, 2.0, shape)
    table[rng.random(shape) < zeros] = -np.inf
    return np.asarray(table, order="F")


NAMES = ["mixture", "plsa", "gaussian"]
every = pytest.mark.parametrize("name", NAMES)


def truth(weights, structures):
    """log Z and expected counts, by adding everything up."""
    log_norm, best, expected = 0.0, 0.0, [np.zeros(np.shape(t)) for t in weights]
    for found in structures:
        scores = np.array([inner(weights, c) for c in found])
        log_norm += np.logaddexp.reduce(scores)
        best += scores.max()
        shares = np.exp(scores - np.logaddexp.reduce(scores))
        for share, counts in zip(shares, found, strict=True):
            expected = [e + share * c for e, c in zip(expected, counts, strict=True)]
    return log_norm, best, expected


def possible(weights, structures):
    return all(max(inner(weights, c) for c in found) > -np.inf for found in structures)


def run(model, items, weights, mode=SUM, uniforms=None):
    return model.expect(model.weigh(weights), model.pack(items), mode, uniforms)[0].whole()


@every
@given(data=st.data())
def test_sum_equals_enumeration(name, data):
    model, items, weights, structures = data.draw(instances(name))
    assume(possible(weights, structures))
    log_norm, _, expected = truth(weights, structures)
    found = run(model, items, weights)
    assert np.isclose(found.log_norm, log_norm, rtol=1e-10, atol=1e-10)
    for mine, theirs in zip(found.counts, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11)


@every
@given(data=st.data())
def test_max_is_a_best_structure(name, data):
    model, items, weights, structures = data.draw(instances(name))
    assume(possible(weights, structures))
    _, best, _ = truth(weights, structures)
    found = run(model, items, weights, MAX)
    assert np.isclose(found.log_norm, best, rtol=1e-10, atol=1e-10)
    assert np.isclose(inner(weights, found.counts), best, rtol=1e-9, atol=1e-9)


@every
@given(data=st.data())
def test_counts_are_finite_differences(name, data):
    model, items, weights, _ = data.draw(instances(name, zeros=0.0))
    found, h = run(model, items, weights), 1e-5
    for t, table in enumerate(weights):
        for at in np.ndindex(table.shape):
            norms = []
            for sign in (1, -1):
                moved = [np.array(w, order="F") for w in weights]
                moved[t][at] += sign * h
                norms.append(run(model, items, type(weights)(*moved)).log_norm)
            assert np.isclose((norms[0] - norms[1]) / (2 * h), found.counts[t][at], rtol=1e-4, atol=1e-6)


@every
def test_sampled_counts_average_to_posterior_counts(name):
    model, items, weights, structures = _fixed(name)
    _, _, expected = truth(weights, structures)
    rng, n = np.random.default_rng(0), 2000
    size = model.n_uniforms(model.pack(items))
    draws = [run(model, items, weights, SAMPLE, rng.random(size)).counts for _ in range(n)]
    for t, theirs in enumerate(expected):
        stack = np.array([d[t] for d in draws])
        error = np.abs(stack.mean(axis=0) - theirs)
        assert (error <= 5 * stack.std(axis=0) / np.sqrt(n) + 3.0 / n).all()


def _fixed(name):
    rng = np.random.default_rng(5)
    if name == "mixture":
        table = rng.integers(0, 3, (3, 4)).astype(float)
        mixture_structures.K = 2
        shapes = MixtureTables((2,), (2, 4))
        found = Mixture(2, 4), from_matrix(table), shapes, list(mixture_structures(table))
    elif name == "plsa":
        table = rng.integers(0, 3, (2, 3)).astype(float)
        shapes = PLSATables((2, 2), (2, 3))
        found = PLSA(2, 2, 3), from_matrix(table), shapes, list(plsa_structures(table, 2))
    else:
        X = rng.normal(size=(4, 2))
        shapes = GaussianTables((2,), (2, 5))
        model = GaussianMixture(2, 2, "diagonal", np.zeros(2), np.ones(2))
        found = model, Points(X), shapes, list(gaussian_structures(X, 2, "diagonal"))
    model, items, shapes, structures = found
    return model, items, type(shapes)(*(rng.normal(size=s) for s in shapes)), structures


@pytest.mark.parametrize("name", ["mixture", "plsa"])
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_an_impossible_document_is_named(name, mode):
    table = np.array([[1.0, 0.0], [0.0, 2.0]])
    model = Mixture(2, 2) if name == "mixture" else PLSA(2, 2, 2)
    shapes = MixtureTables((2,), (2, 2)) if name == "mixture" else PLSATables((2, 2), (2, 2))
    weights = type(shapes)(np.zeros(shapes[0]), np.array([[0.0, -np.inf], [0.0, -np.inf]]))
    with Threads(1) as engine, pytest.raises(ImpossibleItem) as caught:
        EStep(model, from_matrix(table), engine)(weights, mode)
    assert caught.value.item == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_one_and_two_threads_give_the_same_bits(name, mode):
    rng = np.random.default_rng(1)
    table = rng.poisson(1.0, (60, 9)).astype(float)
    if name == "gaussian":
        model = GaussianMixture(3, 9, "diagonal", np.zeros(9), np.ones(9))
        items, shapes = Points(table), GaussianTables((3,), (3, 19))
    else:
        model, shapes = Mixture(3, 9), MixtureTables((3,), (3, 9))
        if name == "plsa":
            model, shapes = PLSA(60, 3, 9), PLSATables((60, 3), (3, 9))
        items = from_matrix(table)
    weights = type(shapes)(*(rng.normal(size=shape) for shape in shapes))
    results = []
    for n_threads in (1, 2):
        with Threads(n_threads) as engine:
            results.append(EStep(model, items, engine, n_batches=7)(weights, mode))
    assert results[0].log_norm == results[1].log_norm
    for one, two in zip(results[0].counts, results[1].counts, strict=True):
        assert np.array_equal(one, two)
    if mode == SUM:
        whole = run(model, items, weights)
        for one, two in zip(results[0].counts, whole.counts, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data())
def test_the_least_are_the_first_of_a_stable_sort(scores, data):
    n = data.draw(st.integers(1, len(scores)))
    assert _least(np.array(scores, float), n).tolist() == np.argsort(scores, kind="stable")[:n].tolist()
