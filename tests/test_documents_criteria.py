"""The document models under every criterion of the loop: what never falls never falls, what is fixed stays."""

from itertools import pairwise

import numpy as np
import pytest
from grid import grid_row
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, sparse

from softcount import WordAligner
from softcount.criteria.spec import parse
from softcount.engines import Threads
from softcount.errors import InputError
from softcount.families.family import SimplexFamily
from softcount.families.gaussian import Gaussian
from softcount.loop.start import random_start
from softcount.loop.trace import FELL
from softcount.loop.train import fit
from softcount.models.gaussian import GaussianMixture, GaussianTables, Points, _least
from softcount.models.hmm import HMM
from softcount.models.mixture import Mixture
from softcount.models.plsa import PLSA
from softcount.synthetic import bilingual
from softcount.text.corpus import corpus
from softcount.text.documents import from_matrix

RNG = np.random.default_rng(4)
COUNTS = RNG.poisson(1.2, (25, 8)).astype(float)
POINTS = np.concatenate([RNG.normal(m, s, (15, 2)) for m, s in ((0, 1.0), (4, 0.5))])
CRITERIA = [
    "em:15", "em(pseudo=0.5):15", "hard:10", "vb:15", "hard(vb):8", "gibbs:10", "annealed:10", "annealed(vb):10",
    "stepwise(em(pseudo=0.1),batches=4):4", "stepwise(vb,batches=4):4", "em:5,mre:8", "em:5,mre(rule=growth):8",
    "em:5,mre(rule=adaptive):8",
]  # fmt: skip


def instance(name):
    if name == "mixture":
        return Mixture(3, 8), from_matrix(COUNTS)
    if name == "hmm":
        return HMM(2, 3), corpus(["a b a", "b c", "c a b a"])
    if name == "plsa":
        return PLSA(25, 3, 8), from_matrix(COUNTS)
    kind = name.split()[-1]
    spread = POINTS.var(axis=0) if kind == "diagonal" else np.array([POINTS.var(axis=0).mean()])
    return GaussianMixture(2, 2, kind, POINTS.mean(axis=0), spread), Points(POINTS)


NAMES = ["mixture", "plsa", "gaussian unit", "gaussian spherical", "gaussian diagonal"]


def trained(name, criterion, fixed=(), start=None, threads=1):
    model, items = instance(name)
    with Threads(threads) as engine:
        begin = start or (lambda restart: random_start(model.layout, (3, restart)))
        return model, fit(model, items, parse(criterion), begin, engine, tolerance=0.0, fixed=fixed)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", NAMES)
def test_every_criterion_has_a_meaning_or_refuses(name, criterion):
    if name.startswith("gaussian") and "mre" in criterion:
        with pytest.raises(InputError, match="mre is not available for Gaussian tables such as"):
            trained(name, criterion)
        return
    _, result = trained(name, criterion)
    objectives = result.trace.objectives
    assert np.isfinite(objectives).all()
    assert result.trace.stopped.kind != FELL
    if criterion.startswith(("em", "hard", "vb")) and "mre" not in criterion:
        for before, after in pairwise(objectives):
            assert after >= before - 1e-9 * abs(before)
    for table, spec in zip(result.parameters, _layout(name), strict=True):
        if isinstance(spec.family, SimplexFamily):
            assert np.allclose(table.sum(axis=-1), 1.0)


def _layout(name):
    return instance(name)[0].layout


@pytest.mark.parametrize(
    "criterion", ["em:5", "hard:5", "vb:5", "gibbs:5", "em:2,mre:3", "stepwise(em(pseudo=0.1),batches=3):2"]
)
@pytest.mark.parametrize("name", ["mixture", "plsa"])
def test_zeros_stay_zero_and_fixed_stays_fixed(name, criterion):
    model, _ = instance(name)
    first = random_start(model.layout, (1,))
    word = first.word.copy()
    word[0, :3] = 0.0
    word /= word.sum(axis=1, keepdims=True)
    _, result = trained(name, criterion, start=lambda restart: first._replace(word=word))
    assert (result.parameters.word[0, :3] == 0.0).all()
    _, result = trained(name, criterion, fixed=("word",), start=lambda restart: first)
    assert np.allclose(result.parameters.word, first.word, atol=1e-12)


@pytest.mark.parametrize("criterion", ["em:5", "vb:5", "gibbs:5", "hard:5"])
def test_fixed_components_stay(criterion):
    name = "gaussian diagonal"
    first = random_start(_layout(name), (1,))
    _, result = trained(name, criterion, fixed=("component",), start=lambda restart: first)
    assert np.array_equal(result.parameters.component, first.component)


@pytest.mark.parametrize("kind", ["unit", "spherical", "diagonal"])
def test_gaussian_evidence_by_quadrature(kind):
    """∫ ∏ N(x; μ, 1/τ) q(μ, τ) over a grid: a prior that is wrong but consistent would pass every other test."""
    family = Gaussian(1, 1, kind, np.array([0.3]), np.array([1.5]))
    x = np.array([0.2, 1.1, -0.4])
    counts = np.array([[3.0, x.sum(), (x**2).sum()]])
    alpha = family._imagined(0.7)

    def normalizer(table):
        n, first, _ = table[0]
        u = np.array([0.0]) if kind == "unit" else np.linspace(-60.0, 8.0, 4001)  # log τ
        z = np.linspace(-12.0, 12.0, 401)
        tau = np.exp(u)[:, None]
        mu = first / n + z / np.sqrt(n * tau)
        eta = (-0.5 * (np.log(2 * np.pi) - np.log(tau) + tau * mu**2), tau * mu, -0.5 * tau)
        base = 1.0 if kind == "unit" else tau ** (0.5 - 1.0)
        values = base * np.exp(sum(e * t for e, t in zip(eta, table[0], strict=True))) / np.sqrt(n * tau)
        inner = integrate.trapezoid(values, z, axis=1)
        return inner[0] if kind == "unit" else integrate.trapezoid(inner * tau[:, 0], u)

    expected = np.log(normalizer(counts + alpha)) - np.log(normalizer(alpha))
    assert family.log_evidence(counts, 0.7) == pytest.approx(expected, abs=1e-4)


def test_gaussian_posterior_draws_average_to_expected_weights():
    family = Gaussian(1, 2, "diagonal", np.zeros(2), np.ones(2))
    posterior = family.posterior(np.array([[9.0, 3.0, -2.0, 12.0, 7.0]]), 0.5)
    rng = np.random.default_rng(0)
    draws = np.array([family.draw(posterior, rng) for _ in range(6000)])
    assert np.allclose(draws.mean(axis=0), family.expected_log(posterior), rtol=0.05, atol=0.05)


def test_doubling_the_data_doubles_the_counts():
    model, _ = instance("mixture")
    tables = random_start(model.layout, (0,))
    weights = type(tables)(*(np.log(t) for t in tables))
    one = model.expect(model.weigh(weights), model.pack(from_matrix(COUNTS)))[0]
    two = model.expect(model.weigh(weights), model.pack(from_matrix(np.vstack([COUNTS, COUNTS]))))[0]
    assert np.allclose(two.counts.word, 2 * one.counts.word) and np.isclose(two.log_norm, 2 * one.log_norm)


def test_weights_scale_counts():
    model = Mixture(3, 8)
    tables = random_start(model.layout, (0,))
    weights = type(tables)(*(np.log(t) for t in tables))
    one = model.expect(model.weigh(weights), model.pack(from_matrix(COUNTS)))[0]
    half = model.expect(model.weigh(weights), model.pack(from_matrix(COUNTS, weights=np.full(25, 0.5))))[0]
    assert np.allclose(half.counts.word, 0.5 * one.counts.word) and np.isclose(half.log_norm, 0.5 * one.log_norm)


GRID = ("em", "hard", "vb", "gibbs", "annealed", "stepwise", "mre", "direct")


@pytest.mark.parametrize(
    ("model", "name"), [("HMM", "hmm"), ("Naive Bayes", "mixture"), ("PLSA", "plsa"), ("Gaussian", "gaussian unit")]
)
def test_the_grid_of_criteria_is_true(model, name):
    row = grid_row(model)
    for criterion in GRID:
        refused = name.startswith("gaussian") and criterion == "mre"
        assert row[criterion].startswith("no") == refused
        spec = "stepwise(em(pseudo=0.1),batches=3):2" if criterion == "stepwise" else f"{criterion}:2"
        if refused:
            with pytest.raises(InputError):
                trained(name, spec)
        else:
            trained(name, spec)


@pytest.mark.parametrize("criterion", GRID)
def test_the_grid_of_criteria_is_true_of_alignment(criterion):
    assert grid_row("IBM")[criterion].startswith("yes")
    pairs = bilingual(20, seed=0)
    spec = "stepwise(em(pseudo=0.1),batches=3):2" if criterion == "stepwise" else f"{criterion}:2"
    for name in ("ibm1", "ibm2"):
        model = WordAligner(model=name, criterion=spec).fit(pairs.source, pairs.target)
        assert all(np.isfinite(model.scores(pairs.source, pairs.target)[0]))


def test_uniform_gaussians_are_tied():
    model, items = instance("gaussian unit")
    start = GaussianTables(np.full(2, 0.5), model.layout.component.family.uniform())
    with Threads(1) as engine:
        result = fit(model, items, parse("em:2"), lambda restart: start, engine)
    assert any("stay identical" in note for note in result.trace.notes)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data())
def test_the_least_are_the_first_of_a_stable_sort(scores, data):
    n = data.draw(st.integers(1, len(scores)))
    assert _least(np.array(scores, float), n).tolist() == np.argsort(scores, kind="stable")[:n].tolist()


def test_gaussian_points_cost_what_is_looked_at():
    """Their features, or those of a sparse point that are not zero, and the constant; of full matrices also pairs."""
    points = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    plain, full = (GaussianMixture(2, 3, kind, np.zeros(3), np.ones(3)) for kind in ("diagonal", "full"))
    assert plain.costs(Points(points)).tolist() == [4, 4]
    assert full.costs(Points(points)).tolist() == [10, 10]
    assert plain.costs(Points(sparse.csr_matrix(points))).tolist() == [3, 1]
