"""What crosses to other processes: the same values, and the same sums however the terms are cut into blocks."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.engines.crossing import common, seal, unseal
from softcount.engines.tree import block, in_order, tree_sum
from softcount.models.scattered import Scattered
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import Expectation
from softcount.text.vocabulary import Vocabulary


def in_brackets(terms: list[float]) -> float:
    """As the docstring says it."""
    if len(terms) == 1:
        return terms[0]
    p = 1 << (len(terms) - 1).bit_length() - 1
    return in_brackets(terms[:p]) + in_brackets(terms[p:])


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40), st.integers(0, 4))
def test_a_sum_of_blocks_has_the_bits_of_the_whole(terms: list[float], k: int) -> None:
    blocks = [tree_sum(terms[start : start + 2**k]) for start in range(0, len(terms), 2**k)]
    assert tree_sum(blocks) == tree_sum(terms) == in_brackets(terms)


@pytest.mark.parametrize(("n", "least", "size"), [(1, 8, 1), (15, 8, 1), (16, 8, 2), (1000, 8, 64), (7, 1, 4)])
def test_blocks_are_as_large_as_leaves_enough_of_them(n: int, least: int, size: int) -> None:
    assert block(n, least) == size


def test_terms_of_single_precision_or_of_few_entries_are_added_in_order() -> None:
    few = Scattered(9, np.array([1]), np.array([2.0]))
    assert in_order(Expectation((few,), 0.0)) and in_order([np.zeros(2, np.float32)])
    assert not in_order(Expectation((np.zeros(2), Ragged(np.array([0, 1]), np.zeros(1))), 0.0))


def test_arrays_arrive_as_views_that_outlive_what_they_came_in() -> None:
    value: dict[str, Any] = {"a": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "none": np.empty(0), "text": "é"}
    sealed = seal(value)
    lent, own = unseal(sealed), unseal(sealed, own=True)
    address = sealed.buffers[0].ctypes.data
    assert lent["a"].ctypes.data == address != own["a"].ctypes.data
    assert lent["a"].flags.writeable and lent["a"].flags.f_contiguous and sealed.size > 48
    del sealed
    gc.collect()
    for found in (lent, own):
        assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and found["none"].shape == (0,) and found["text"] == "é"


def test_what_values_have_in_common_goes_once() -> None:
    words, table = Vocabulary(["a", "b"]), np.arange(1000.0)
    first, second = ((words, table, np.full(3, k)) for k in (1.0, 2.0))
    shared = common(first, second)
    assert {id(one) for one in shared} >= {id(words), id(table)}
    sealed = seal(second, shared, "there")
    assert sealed.size < 500 and sealed.common == "there"
    found = unseal(sealed, shared)
    assert found[0] is words and found[1] is table and found[2].tolist() == [2.0] * 3
