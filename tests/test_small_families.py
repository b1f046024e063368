"""Families of a few lines by hand: the empty word, tables that are what was counted, points without a posterior."""

from __future__ import annotations

import numpy as np
import pytest

from softcount.errors import InputError
from softcount.families.categorical import Categorical
from softcount.families.direction import Direction
from softcount.families.empty_word import FLOOR, LEAST, MOST, EmptyWord
from softcount.families.kept import Kept
from softcount.families.penalty import NOTHING, Pseudo, Sparsity
from softcount.families.point import Point, conjugate
from softcount.families.weights import SMALL, Weights

# --- the empty word ---------------------------------------------------------------------------------------------------


def test_the_empty_word_by_hand() -> None:
    family = EmptyWord(3, null=0.2)
    old = family.uniform()
    assert family.size() == old.shape == (4,)
    np.testing.assert_allclose(old, [0.2, 1 / 3, 1 / 3, 1 / 3])
    assert EmptyWord(0).uniform().tolist() == [0.15]
    np.testing.assert_allclose(family.maximize(np.array([6.0, 1.0, 0.0, 1.0]), NOTHING, old), [0.25, 0.5, FLOOR, 0.5])
    imagined = Pseudo(np.array([4.0, 0.0, 1.0, 1.0]))
    np.testing.assert_allclose(family.maximize(np.array([6.0, 2.0, 0.0, 0.0]), imagined, old), [2 / 7, 0.5, 0.25, 0.25])


@pytest.mark.parametrize(("words", "empty", "null"), [(999.0, 1.0, LEAST), (1.0, 9.0, MOST), (3.0, 1.0, 0.25)])
def test_its_share_has_bounds(words: float, empty: float, null: float) -> None:
    assert EmptyWord(1).maximize(np.array([words, empty]), NOTHING, np.array([0.15, 1.0]))[0] == pytest.approx(null)


def test_what_is_not_counted_stays() -> None:
    old, counts = np.array([0.3, 0.9, 0.1]), np.array([0.0, 1.0, 3.0])
    # links to words were not counted; what was imagined of them does not tell how often the empty word is used
    for penalty in (NOTHING, Pseudo(np.array([12.0, 0.0, 0.0]))):
        np.testing.assert_allclose(EmptyWord(2).maximize(counts, penalty, old), [0.3, 0.25, 0.75])
    fixed = EmptyWord(2, learn_null=False).maximize(counts + np.array([4.0, 0.0, 0.0]), NOTHING, old)
    np.testing.assert_allclose(fixed, [0.3, 0.25, 0.75])
    assert EmptyWord(2).maximize(np.array([5.0, 0.0, 0.0]), NOTHING, old) is old


# --- what was counted last --------------------------------------------------------------------------------------------


def test_a_kept_table_is_what_was_counted() -> None:
    family, old = Kept((2, 2)), np.full((2, 2), 7.0)
    assert family.size() == (2, 2) and family.uniform().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    counts = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert np.array_equal(family.maximize(counts, NOTHING, old), counts)
    assert np.array_equal(family.maximize(counts, Pseudo(np.ones((2, 2))), old), counts + 1)
    assert family.maximize(counts * 0, NOTHING, old) is old  # nothing was counted
    assert Kept((2, 2), learn=False).maximize(counts, NOTHING, old) is old
    assert not family.impossible(old).any() and len(family.unvisited(counts * 0)) == 0
    assert family.hold(old, counts > 0) is family and family.log_prior(old, Pseudo(1.0)) == 0.0
    assert family.log_weights(old) is old and not family.random(np.random.default_rng(0), 1.0).any()


# --- points -----------------------------------------------------------------------------------------------------------


def test_a_family_without_a_posterior_stays_a_point() -> None:
    free, direction = Categorical((2,)), Direction(1, 2, np.array([3.0, 4.0]))
    assert conjugate(free) is free
    point = conjugate(direction)
    assert isinstance(point, Point) and point.under(0.5) is point
    counts, rng = np.array([[2.0, 0.0, 5.0]]), np.random.default_rng(0)
    found = point.posterior(counts, 0.5)
    np.testing.assert_allclose(found, [[1.0, 0.0, 1.0]])
    np.testing.assert_allclose(point.posterior(counts * 0, 0.5), [[1.0, 0.6, 0.8]])
    before = np.array([[1.0, 1.0, 0.0]])
    np.testing.assert_allclose(point.moved(counts * 0, before), before)  # goes on from there
    assert point.mean(found) is found
    for weights in (point.expected_log(found), point.draw(found, rng)):
        np.testing.assert_allclose(weights, [[0.0, 0.0, 1.0]])
    assert point.divergence(found, 0.5) == 0.0
    assert point.log_evidence(counts, 0.5) == pytest.approx(5.0)


class Leaning(Categorical):
    """With a prior of its own."""

    def log_prior(self, parameters: np.ndarray, penalty: Pseudo) -> float:
        return -3.0


def test_a_point_is_as_far_as_its_own_prior_says_and_unused_entries_cost_nothing() -> None:
    assert Point(Leaning((2,))).divergence(np.array([0.5, 0.5]), 1.0) == 3.0
    point = Point(Categorical((3,)))
    assert point.log_evidence(np.array([1.0, 3.0, 0.0]), 1.0) == pytest.approx(np.log(0.25) + 3 * np.log(0.75))


# --- penalties --------------------------------------------------------------------------------------------------------


def test_what_is_imagined() -> None:
    assert not NOTHING and not Pseudo(np.zeros(2)) and Pseudo(0.1) and Pseudo(np.array([0.0, 0.1]))
    assert Pseudo(0.1).entries == 0.0 and NOTHING.entries == 0.0
    own = np.array([0.5, 0.0])
    assert Pseudo(own).entries is own


def test_a_wish_for_few_entries_and_its_slope() -> None:
    """α Σ (exp(−θ/β) − 1), and minus its derivative by finite differences."""
    wish, theta, h = Sparsity(3.0, 0.2), np.array([0.1, 0.0, 0.7]), 1e-6
    assert wish.log_prior(theta) == pytest.approx(3.0 * (np.exp(-0.5) + 1.0 + np.exp(-3.5) - 3.0))
    for k in range(3):
        moved = theta + h * (np.arange(3) == k), theta - h * (np.arange(3) == k)
        slope = (wish.log_prior(moved[0]) - wish.log_prior(moved[1])) / (2 * h)
        assert wish.slope(theta)[k] == pytest.approx(-slope, rel=1e-6)


# --- weights of features ----------------------------------------------------------------------------------------------


def test_weights_have_a_gaussian_prior_and_follow_a_gradient() -> None:
    family = Weights((2, 2), penalty=3.0)
    table = np.array([[1.0, -2.0], [0.0, -np.inf]])
    assert family.size() == (2, 2) and not family.uniform().any() and family.uniform().shape == (2, 2)
    drawn = Weights((50, 40)).random(np.random.default_rng(0), 1.0)
    assert drawn.std() == pytest.approx(SMALL, rel=0.1) and abs(drawn.mean()) < 0.01
    assert family.impossible(table).tolist() == [[False, False], [False, True]]
    finite = np.array([[1.0, -2.0], [0.0, 0.5]])
    assert family.log_prior(finite, NOTHING) == pytest.approx(-1.5 * 5.25)
    np.testing.assert_allclose(family.slope(finite), -3.0 * finite)
    np.testing.assert_allclose(family.moved(finite, np.ones((2, 2))), finite + 1.0)
    held = family.hold(finite, np.array([[True, False], [False, False]]))
    np.testing.assert_allclose(held.moved(finite, np.ones((2, 2))), finite + np.array([[0.0, 1.0], [1.0, 1.0]]))
    assert family.hold(finite, np.zeros((2, 2), bool)).held is None
    assert len(family.unvisited(finite)) == 0 and family.log_weights(finite) is finite
    with pytest.raises(InputError, match="feature weights need a gradient"):
        family.maximize(finite, NOTHING, finite)
