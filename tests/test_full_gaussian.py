"""Gaussians with full covariances: densities, evidence and draws as scipy has them; the floor as the best there is."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from softcount import GaussianMixture, InputError
from softcount.families.full_gaussian import FullGaussian, packed, unpacked
from softcount.families.gaussian import FLOOR, Gaussian
from softcount.families.penalty import NOTHING

RNG = np.random.default_rng(3)
CENTRE, SPREAD = np.array([0.3, -1.0, 0.5]), np.array([1.5, 0.7, 2.0])


def family(rows: int = 2, features: int = 3) -> FullGaussian:
    return FullGaussian(rows, features, "full", CENTRE[:features], SPREAD[:features])


def some(rows: int = 2, features: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(parameters, means, covariances)"""
    roots = RNG.normal(size=(rows, features, features))
    covariance = roots @ np.swapaxes(roots, 1, 2) + 0.3 * np.eye(features)
    means = RNG.normal(size=(rows, features))
    return np.concatenate([np.ones((rows, 1)), means, packed(covariance)], axis=1), means, covariance


def counts_of(X: np.ndarray) -> np.ndarray:
    second = packed((X.T @ X)[None])
    return np.concatenate([np.full((1, 1), float(len(X))), X.sum(axis=0)[None], second], axis=1)


def test_log_weights_are_the_density_of_scipy() -> None:
    parameters, means, covariances = some()
    eta = family().log_weights(parameters)
    for x in RNG.normal(size=(5, 3)):
        found = eta @ counts_of(x[None])[0]
        truth = [stats.multivariate_normal(m, c).logpdf(x) for m, c in zip(means, covariances, strict=True)]
        np.testing.assert_allclose(found, truth, rtol=1e-10)


def test_evidence_is_a_product_of_student_predictions() -> None:
    """∏ p(x_i | x_1 … x_{i−1}), each a multivariate t: a prior that is wrong but consistent would pass other tests."""
    one, X = family(1), RNG.normal(size=(5, 3)) + 1.0
    truth = 0.0
    for i, x in enumerate(X):
        n, mean, scatter = one._scatter(one.posterior(counts_of(X[:i]) if i else np.zeros((1, 10)), 0.7))
        degrees = n[0]  # ν − F + 1
        shape = scatter[0] * (n[0] + 1.0) / (n[0] * degrees)
        truth += stats.multivariate_t(mean[0], shape, df=degrees).logpdf(x)
    assert one.log_evidence(counts_of(X), 0.7) == pytest.approx(truth, abs=1e-9)


def test_expected_weights_and_draws_are_those_of_a_wishart() -> None:
    one, X = family(1), RNG.normal(size=(12, 3))
    posterior = one.posterior(counts_of(X), 0.5)
    n, _, scatter = one._scatter(posterior)
    wishart = stats.wishart(df=n[0] + 2.0, scale=np.linalg.inv(scatter[0]))
    expected = one.expected_log(posterior)
    np.testing.assert_allclose(unpacked(-expected[:, 4:], 3)[0] * (1 + np.eye(3)), wishart.mean(), rtol=1e-9)
    rng = np.random.default_rng(0)
    draws = np.array([one.draw(posterior, rng)[0] for _ in range(6000)])
    spread = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - expected[0]) <= 5 * spread).all()
    np.testing.assert_allclose((-2 * draws[:, 4]).var(), wishart.var()[0, 0], rtol=0.15)


def test_a_precision_drawn_from_hardly_any_data_is_a_chi_square() -> None:
    """Of one feature, with few degrees of freedom: small draws are not cut off."""
    one, rng = family(1, 1), np.random.default_rng(0)
    posterior = one.posterior(np.array([[1.0, 0.3, 0.5]]), 0.5)
    n, _, scatter = one._scatter(posterior)
    drawn = np.array([-2 * one.draw(posterior, rng)[0, 2] for _ in range(400)]) * scatter[0, 0, 0]
    chi = stats.chi2(df=one._degrees(n)[0, 0])
    assert chi.cdf(1.0) > 0.2 and stats.kstest(drawn, chi.cdf).pvalue > 1e-3


def test_one_feature_is_a_diagonal_of_one_feature() -> None:
    full, plain = family(2, 1), Gaussian(2, 1, "diagonal", CENTRE[:1], SPREAD[:1])
    counts = np.array([[4.0, 1.0, 3.0], [2.5, -1.0, 0.9]])
    for name, arguments in (
        ("maximize", (counts, NOTHING, full.uniform())), ("uniform", ()), ("expected_log", (counts,)),
        ("log_evidence", (counts, 0.4)), ("divergence", (counts, 0.4)), ("posterior", (counts, 0.4)),
    ):  # fmt: skip
        np.testing.assert_allclose(getattr(full, name)(*arguments), getattr(plain, name)(*arguments), rtol=1e-12)


def test_a_matrix_on_the_floor_is_the_best_of_those_above_it() -> None:
    """Points on a line: no matrix above the floor has a greater likelihood than the clipped one."""
    one = family(1, 2)._replace(spread=np.ones(2))
    line = np.outer(RNG.normal(size=30), [1.0, 2.0])
    counts = counts_of(line)
    best = one.maximize(counts, NOTHING, one.uniform())
    least = np.linalg.eigvalsh(one.covariances(best)[0]).min()
    assert least == pytest.approx(FLOOR, rel=1e-6)
    value = np.sum(one.log_weights(best) * counts)
    for _ in range(200):
        root = RNG.normal(size=(2, 2)) * 10.0 ** RNG.uniform(-4, 0)
        other = one.covariances(best)[0] + root @ root.T
        moved = np.concatenate([best[:, :3], packed(other[None])], axis=1)
        assert np.sum(one.log_weights(moved) * counts) <= value + 1e-9 * abs(value)


@pytest.mark.parametrize("criterion", ["em:25", "em(pseudo=0.5):25", "hard:15", "vb:25", "hard(vb):10"])
def test_nothing_falls(criterion: str) -> None:
    X = np.concatenate([RNG.multivariate_normal([m, 0], [[1, r], [r, 1]], 25) for m, r in ((0, 0.9), (2, -0.8))])
    model = GaussianMixture(2, covariance="full", criterion=criterion, start="random", tolerance=0.0, random_state=0)
    model.fit(X)
    assert len(model.history_) > 2
    for before, after in pairwise(model.history_.objectives):
        assert after >= before - 1e-9 * abs(before)


def test_a_mixture_is_scored_as_scipy_does(tmp_path) -> None:
    X = np.concatenate([RNG.multivariate_normal([m, 0], [[1, r], [r, 1]], 80) for m, r in ((0, 0.9), (5, -0.8))])
    model = GaussianMixture(2, covariance="full", random_state=0).fit(X)
    by_scipy = sum(
        w * stats.multivariate_normal(m, c).pdf(X)
        for w, m, c in zip(model.weights_, model.means_, model.covariances_, strict=True)
    )
    assert model.score(X) == pytest.approx(np.log(by_scipy).mean(), rel=1e-9)
    assert sorted(np.sign(model.covariances_[:, 0, 1])) == [-1.0, 1.0]
    model.save(tmp_path / "m")
    again = GaussianMixture.load(tmp_path / "m")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.covariances_, model.covariances_)


def test_sparse_points_are_refused() -> None:
    from scipy import sparse

    with pytest.raises(InputError, match="full covariances need a dense table"):
        GaussianMixture(2, covariance="full").fit(sparse.eye(5, format="csr"))
