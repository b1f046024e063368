"""The shares of a total under SUM, MAX and SAMPLE: the one place where the readings differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from softcount.numbers.attribute import MAX, SAMPLE, SUM, attribute

pytestmark = pytest.mark.kernels


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
