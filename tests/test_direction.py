"""Centres of length one by hand: where rows start, what counts make of them, what is imagined and what is fixed."""

from __future__ import annotations

import numpy as np
import pytest

from softcount.errors import InputError
from softcount.families.direction import Direction
from softcount.families.penalty import NOTHING, Pseudo

CENTRE = np.array([0.0, 3.0, 4.0])
FAMILY = Direction(2, 3, CENTRE)
OLD = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]])


def test_starts_have_length_one() -> None:
    np.testing.assert_allclose(FAMILY.uniform(), [[1.0, 0.0, 0.6, 0.8]] * 2)
    drawn = FAMILY.random(np.random.default_rng(0), 1.0)
    assert drawn.shape == FAMILY.size() == (2, 4) and FAMILY.sound(drawn) and not np.allclose(drawn[0], drawn[1])
    nowhere = Direction(1, 4, np.zeros(4)).uniform()  # of nothing: all features alike
    np.testing.assert_allclose(nowhere, [[1.0, 0.5, 0.5, 0.5, 0.5]])
    assert not FAMILY.sound(np.array([[1.0, 0.6, 0.0, 0.8], [1.0, 0.6, 0.0, 0.7]]))
    assert not FAMILY.impossible(OLD).any()


def test_counts_become_directions_and_what_cancels_out_stays() -> None:
    counts = np.array([[5.0, 0.0, 3.0, -4.0], [2.0, 0.0, 0.0, 0.0]])
    found = FAMILY.maximize(counts, NOTHING, OLD)
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.6, -0.8], [1.0, 0.0, 0.0, 1.0]])
    np.testing.assert_allclose(FAMILY.maximize(counts, NOTHING, None)[1], [1.0, 0.0, 0.6, 0.8])
    assert FAMILY.unvisited(np.array([[5.0, 0, 0, 0], [0.0, 0, 0, 0]])).tolist() == [1]


def test_imagined_points_lie_in_the_middle_of_the_data() -> None:
    counts = np.array([[1.0, 0.0, 0.0, 5.0], [0.0, 0.0, 0.0, 0.0]])
    found = FAMILY.maximize(counts, Pseudo(0.5), OLD)  # (0, 1.5, 2) is added to each
    np.testing.assert_allclose(found[0, 1:], np.array([0.0, 1.5, 7.0]) / np.hypot(1.5, 7.0))
    np.testing.assert_allclose(found[1], [1.0, 0.0, 0.6, 0.8])
    own = np.array([[2.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])  # entry by entry
    np.testing.assert_allclose(FAMILY.maximize(counts * 0, Pseudo(own), OLD)[:, 1:], [[1, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(FAMILY.log_weights(OLD), [[0, 1, 0, 0], [0, 0, 0, 1]])
    assert FAMILY.log_prior(OLD, Pseudo(0.5)) == pytest.approx(0.5 * (0.0 + 4.0))
    assert FAMILY.log_prior(OLD, NOTHING) == 0.0


def test_directions_are_fixed_as_a_whole() -> None:
    fixed = FAMILY.hold(OLD, np.ones((2, 4), bool))
    counts = np.ones((2, 4))
    assert np.array_equal(fixed.maximize(counts, NOTHING, FAMILY.uniform()), OLD)
    assert fixed.log_prior(OLD, Pseudo(0.5)) == 0.0 and len(fixed.unvisited(counts * 0)) == 0
    assert FAMILY.hold(OLD, np.zeros((2, 4), bool)).given is None
    with pytest.raises(InputError, match="fixed as a whole"):
        FAMILY.hold(OLD, OLD > 0)
