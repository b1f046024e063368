"""What rows of counts become: point estimates by hand, Dirichlet posteriors against numeric integrals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from softcount.families.categorical import Categorical, Prior
from softcount.families.dirichlet import divergences, expected_logs
from softcount.families.penalty import NOTHING, Pseudo
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import like, row_sums, values

OFFSETS = np.array([0, 2, 2, 5])  # the second row is empty


def family(kind: str) -> Categorical:
    return Categorical((3, 4)) if kind == "dense" else Categorical(OFFSETS)


def table(kind: str, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.random((3, 4)) if kind == "dense" else Ragged(OFFSETS, rng.random(5))


def sums(t: Any) -> np.ndarray:
    result = row_sums(t)
    return result[np.diff(OFFSETS) > 0] if isinstance(t, Ragged) else result


def holding(kind: str) -> tuple[Categorical, Any, np.ndarray]:
    """A family with one entry of the first row forbidden and one of the last row fixed; the start; the mask."""
    start = values(family(kind).normalize(table(kind))).copy()
    start[(0, 0) if kind == "dense" else 0] = 0.0
    held = start == 0.0
    held[(2, 1) if kind == "dense" else 3] = True
    first = family(kind).normalize(like(table(kind), start))
    return family(kind).hold(first, held), first, held


both = pytest.mark.parametrize("kind", ["dense", "ragged"])


# --- point estimates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pseudo", "first", "second"), [(0, 0.24, 0.76), (0.5, 0.29, 0.71), (1, 0.32, 0.68)])
def test_pseudo_counts_of_the_tutorial(pseudo: float, first: float, second: float) -> None:
    found = Categorical((2,)).maximize(np.array([1.1, 3.5]), Pseudo(pseudo), np.array([0.5, 0.5]))
    assert np.round(found, 2).tolist() == [first, second]


@both
@given(seed=st.integers(0, 1000))
def test_rows_sum_to_one(kind: str, seed: int) -> None:
    free, start = family(kind), table(kind, seed)
    rng = np.random.default_rng(seed)
    for made in (
        free.uniform(),
        free.random(rng, 1.0),
        free.normalize(start),
        free.maximize(start, Pseudo(0.3), start),
        free.mean(free.posterior(start, 0.1)),
        like(start, np.exp(values(free.draw(free.posterior(start, 0.1), rng)))),
    ):
        np.testing.assert_allclose(sums(made), 1.0, rtol=1e-12)
        assert (values(made) >= 0).all()


@both
@given(seed=st.integers(0, 1000))
def test_held_entries_stay_and_the_rest_shares_the_mass(kind: str, seed: int) -> None:
    constrained, start, held = holding(kind)
    counts, rng = table(kind, seed), np.random.default_rng(seed)
    posterior = constrained.posterior(counts, 0.1)
    for made in (
        constrained.uniform(),
        constrained.random(rng, 1.0),
        constrained.maximize(counts, Pseudo(0.5), start),
        constrained.mean(posterior),
        like(counts, np.exp(values(constrained.draw(posterior, rng)))),
    ):
        np.testing.assert_allclose(values(made)[held], values(start)[held], rtol=1e-12)
        np.testing.assert_allclose(sums(made), 1.0, rtol=1e-12)
    free = constrained.maximize(counts, NOTHING, start)
    ratio = values(free)[~held] / values(counts)[~held]
    owner = np.repeat(np.arange(3), 4).reshape(3, 4) if kind == "dense" else np.repeat(np.arange(3), np.diff(OFFSETS))
    for row in range(3):  # in proportion to the counts
        mine = ratio[owner[~held] == row]
        np.testing.assert_allclose(mine, mine[:1].repeat(len(mine)), rtol=1e-12)


def test_a_fixed_entry_by_hand() -> None:
    constrained = Categorical((3,)).hold(np.array([0.5, 0.2, 0.3]), np.array([True, False, False]))
    found = constrained.maximize(np.array([100.0, 3.0, 1.0]), NOTHING, np.array([0.5, 0.2, 0.3]))
    np.testing.assert_allclose(found, [0.5, 0.375, 0.125])


def test_the_mean_leaves_what_is_not_stored_its_share() -> None:
    """Rows of two and of one stored outcome out of five, α = 0.5: the others keep α each."""
    family = Categorical(np.array([0, 2, 3]), width=5).under(0.5)
    posterior = family.posterior(Ragged(np.array([0, 2, 3]), np.array([1.0, 2.0, 0.0])), 0.5)
    np.testing.assert_allclose(family.mean(posterior).values, [1.5 / 5.5, 2.5 / 5.5, 0.5 / 2.5], rtol=1e-12)
    own = family.under(Prior(np.array([0.5, 0.5, 0.5]), beyond=np.array([3.0, 1.5])))
    np.testing.assert_allclose(own.mean(posterior).values, [1.5 / 7.0, 2.5 / 7.0, 0.5 / 2.0], rtol=1e-12)
    start = Ragged(np.array([0, 2, 3]), np.array([0.25, 0.25, 1.0]))
    held = own.hold(start, np.array([True, False, False]))  # a fixed entry is no part of what is shared
    np.testing.assert_allclose(
        held.mean(held.posterior(posterior, 0.5)).values, [0.25, 0.75 * 3.0 / 6.0, 1.0 / 2.5], rtol=1e-12
    )


def test_long_rows_of_single_precision_sum_to_one() -> None:
    """One after the other they would lose so much that a file of them is refused."""
    counts = (np.random.default_rng(0).random((200_000, 2)) ** 8).astype(np.float32).T + np.float32(1e-3)
    theta = Categorical(counts.shape).maximize(counts, Pseudo(0.0), counts)
    assert theta.dtype == np.float32
    np.testing.assert_allclose(np.asarray(theta, dtype=np.float64).sum(axis=1), 1.0, atol=1e-6)


def test_a_row_without_counts_keeps_its_values() -> None:
    old = np.array([[0.9, 0.1], [0.3, 0.7]])
    found = Categorical((2, 2)).maximize(np.array([[0.0, 0.0], [1.0, 1.0]]), NOTHING, old)
    np.testing.assert_array_equal(found, [[0.9, 0.1], [0.5, 0.5]])
    assert Categorical((2, 2)).unvisited(np.array([[0.0, 0.0], [1.0, 1.0]])).tolist() == [0]
    fixed = Categorical((2, 2)).hold(old, np.array([[True, True], [False, False]]))
    assert fixed.unvisited(np.zeros((2, 2))).tolist() == [1]  # a fixed row has nothing to learn


def test_log_prior_counts_free_entries_only() -> None:
    theta = np.array([0.5, 0.2, 0.3])
    constrained = Categorical((3,)).hold(theta, np.array([True, False, False]))
    assert np.isclose(constrained.log_prior(theta, Pseudo(2.0)), 2 * np.log(0.2) + 2 * np.log(0.3))
    zero = Categorical((2,)).hold(np.array([0.0, 1.0]), np.array([True, False]))
    assert zero.log_prior(np.array([0.0, 1.0]), Pseudo(1.0)) == 0.0


# --- Dirichlet, by quadrature over the one free number of a row of two ----------------------------------------------


def integral(function: Any) -> float:
    return integrate.quad(function, 0.0, 1.0, limit=200)[0]


pairs = st.tuples(st.floats(1.2, 6), st.floats(1.2, 6))


def row_of_two(mass: float) -> tuple[Categorical, Any]:
    """A row whose two free entries share `mass`; a third entry holds the rest."""
    if mass == 1.0:
        return Categorical((2,)), lambda a, b: np.array([a, b])
    start = np.array([mass / 2, mass / 2, 1 - mass])
    return Categorical((3,)).hold(start, np.array([False, False, True])), lambda a, b: np.array([a, b, 0.0])


@pytest.mark.parametrize("mass", [1.0, 0.6])
@settings(max_examples=15)
@given(posterior=pairs)
def test_expected_log(mass: float, posterior: tuple[float, float]) -> None:
    constrained, row = row_of_two(mass)
    density = stats.beta(*posterior).pdf
    found = constrained.expected_log(row(*posterior))
    assert np.isclose(found[0], integral(lambda t: density(t) * np.log(mass * t)), rtol=1e-6)
    assert np.isclose(found[1], integral(lambda t: density(t) * np.log(mass * (1 - t))), rtol=1e-6)
    if mass < 1:
        assert np.isclose(found[2], np.log(0.4))


@pytest.mark.parametrize("mass", [1.0, 0.6])
@settings(max_examples=15)
@given(gained=st.tuples(st.floats(0, 4), st.floats(0, 4)), prior=st.floats(1.2, 4))
def test_divergence(mass: float, gained: tuple[float, float], prior: float) -> None:
    constrained, row = row_of_two(mass)
    lam = row(prior + gained[0], prior + gained[1])
    q, p = stats.beta(*lam[:2]), stats.beta(prior, prior)
    truth = integral(lambda t: q.pdf(t) * (q.logpdf(t) - p.logpdf(t)) if 0 < t < 1 else 0.0)
    found = constrained.divergence(lam, prior)
    assert np.isclose(found, truth, rtol=1e-6, atol=1e-8)
    assert found >= -1e-12


@both
@given(seed=st.integers(0, 1000), prior=st.sampled_from([1e-3, 0.1, 1.0, 30.0]))
def test_divergence_is_never_negative_and_zero_at_the_prior(kind: str, seed: int, prior: float) -> None:
    for chosen in (family(kind), holding(kind)[0]):
        nothing = like(table(kind), np.zeros_like(values(table(kind))))
        assert abs(chosen.divergence(chosen.posterior(nothing, prior), prior)) < 1e-10
        assert chosen.divergence(chosen.posterior(table(kind, seed), prior), prior) > 0


@pytest.mark.parametrize("mass", [1.0, 0.6])
@settings(max_examples=15)
@given(counts=st.tuples(st.integers(0, 5), st.integers(0, 5)), prior=st.floats(1.0, 4))
def test_log_evidence(mass: float, counts: tuple[int, int], prior: float) -> None:
    constrained, row = row_of_two(mass)
    a, b = counts
    truth = np.log(integral(lambda t: (mass * t) ** a * (mass * (1 - t)) ** b * stats.beta(prior, prior).pdf(t)))
    counted = row(float(a), float(b))
    if mass < 1:
        counted[2] = 2.0  # the held entry, twice
        truth += 2 * np.log(0.4)
    assert np.isclose(constrained.log_evidence(counted, prior), truth, rtol=1e-6, atol=1e-8)


@both
def test_rows_add(kind: str) -> None:
    """A table's divergence and evidence are the sums of its rows'."""
    whole, posterior = family(kind), table(kind, 3)
    rows = posterior if kind == "dense" else [r for r in posterior.rows() if len(r)]
    for of in ("divergence", "log_evidence"):
        parts = sum(getattr(Categorical((len(r),)), of)(np.asarray(r), 0.5) for r in rows)
        assert np.isclose(getattr(whole, of)(posterior, 0.5), parts, rtol=1e-10)


@pytest.mark.parametrize("own", [False, True])
def test_rows_with_outcomes_that_are_not_stored_by_the_formula(own: bool) -> None:
    """log B(α) − log B(λ) + Σ (λ − α) E[log θ], each row with one outcome more that has λ = α; zero priors are none."""
    rng = np.random.default_rng(2)
    offsets, beyond = np.array([0, 2, 2, 5, 6]), np.array([0.7, 0.3, 0.0, 2.0])
    alpha = np.array([0.5, 1.5, 0.0, 2.0, 0.3, 0.0]) if own else np.full(6, 0.4)
    gained = np.array([1.0, 0.0, 3.0, 0.5, 2.0, 1.0]) if own else rng.random(6) * [1, 0, 1, 1, 0, 1]
    lam = np.where(alpha > 0, alpha + gained, 0.0)
    expected, truth = np.empty(6), 0.0
    expected_logs(offsets, lam, beyond, expected)
    for row, (a, b) in enumerate(pairwise(offsets)):
        used = [k for k in range(a, b) if alpha[k] > 0]
        logs = special.digamma(lam[used]) - special.digamma(lam[used].sum() + beyond[row])
        np.testing.assert_allclose(expected[used], logs, rtol=1e-12)
        if used:
            sums = lam[used].sum() + beyond[row], alpha[used].sum() + beyond[row]
            truth += special.gammaln(sums[0]) - special.gammaln(sums[1]) + (lam - alpha)[used] @ logs
            truth += special.gammaln(alpha[used]).sum() - special.gammaln(lam[used]).sum()
    prior = alpha if own else alpha[:1]
    assert divergences(offsets, lam, prior, expected, beyond) == pytest.approx(truth, rel=1e-10)
    assert divergences(offsets, alpha, prior, expected, beyond) == pytest.approx(0.0, abs=1e-13)


@pytest.mark.kernels
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(5,), (4, 7), (2, 3, 5)])
def test_dense_rows_by_the_formula(shape: tuple[int, ...], order: Any) -> None:
    """However they lie in memory, with one prior for all entries, one per column, and with entries held at zero."""
    rng = np.random.default_rng(3)
    gained = np.where(rng.random(shape) < 0.3, 0.0, rng.gamma(0.5, 9.0, shape))
    barred = np.zeros(shape, dtype=bool)
    barred[..., 1] = True
    for held in (np.zeros(shape, dtype=bool), barred):
        family = Categorical(shape).hold(np.zeros(shape), held)
        for prior in (0.3, rng.random(shape[-1]) + 0.1, 1e-9):
            lam = family.posterior(np.asarray(gained, order=order), prior)
            alpha = np.where(held, 0.0, np.broadcast_to(prior, shape))
            expected = family.expected_log(lam)
            logs = special.digamma(np.where(held, 1.0, lam)) - special.digamma(lam.sum(axis=-1, keepdims=True))
            np.testing.assert_allclose(expected[~held], logs[~held], rtol=1e-12)
            assert np.all(expected[held] == -np.inf)
            truth = special.gammaln(alpha[~held]).sum() - special.gammaln(lam[~held]).sum()
            truth += special.gammaln(lam.sum(axis=-1)).sum() - special.gammaln(alpha.sum(axis=-1)).sum()
            truth += ((lam - alpha) * logs)[~held].sum()
            assert family.divergence(lam, prior, expected) == pytest.approx(truth, rel=1e-11)


@both
def test_draws_average_to_the_mean(kind: str) -> None:
    """The standard error of a Dirichlet draw is below 1/2; five of them for the mean of 4000."""
    rng, n = np.random.default_rng(0), 4000
    for chosen in (family(kind), holding(kind)[0]):
        posterior = chosen.posterior(table(kind), 0.05)
        mean = sum(np.exp(values(chosen.draw(posterior, rng))) for _ in range(n)) / n
        assert np.abs(mean - values(chosen.mean(posterior))).max() < 5 * 0.5 / np.sqrt(n)


def test_draws_leave_what_is_not_stored_its_share() -> None:
    """Two stored outcomes of five, and one of five, of which all others are drawn as one."""
    rng, n, offsets = np.random.default_rng(0), 3000, np.array([0, 2, 3])
    family = Categorical(offsets, width=5).under(0.5)
    posterior = family.posterior(Ragged(offsets, np.array([1.0, 2.0, 0.0])), 0.5)
    draws = np.array([np.exp(family.draw(posterior, rng).values) for _ in range(n)])
    assert np.abs(draws.mean(axis=0) - family.mean(posterior).values).max() < 5 * 0.5 / np.sqrt(n)
    assert (draws[:, :2].sum(axis=1) < 1.0).all()


def test_random_rows_are_near_uniform() -> None:
    """Every entry lies between 1 and 1 + spread times the smallest possible."""
    for spread in (0.0, 0.5):
        rows = Categorical((200, 5)).random(np.random.default_rng(0), spread)
        ratio = rows.max(axis=1) / rows.min(axis=1)
        assert 1.0 + 0.9 * spread <= ratio.max() <= 1.0 + spread
        assert np.abs(rows.mean(axis=0) - 0.2).max() < 0.01


@both
@pytest.mark.parametrize("prior", [1e-300, 1e-12])
def test_tiny_priors_are_finite(kind: str, prior: float) -> None:
    rng = np.random.default_rng(0)
    for chosen in (family(kind), holding(kind)[0]):
        counts = table(kind, 1)
        values(counts)[..., 0] = 0.0  # an entry that only the prior feeds
        posterior = chosen.posterior(counts, prior)
        drawn = values(chosen.draw(posterior, rng))
        assert not np.isnan(drawn).any() and (drawn <= 1e-12).all()
        np.testing.assert_allclose(sums(like(counts, np.exp(drawn))), 1.0, rtol=1e-9)
        assert not np.isnan(values(chosen.expected_log(posterior))).any()
        assert np.isfinite(chosen.divergence(posterior, prior)) and chosen.divergence(posterior, prior) >= 0
        assert np.isfinite(chosen.log_evidence(counts, prior))
