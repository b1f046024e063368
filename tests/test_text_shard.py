"""Shards: contiguous, complete, about equal, and as many as the corpus asks for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.text.shard import shards


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 60))
def test_shards_partition_the_items(costs: list[int], target: int) -> None:
    ranges = shards(np.array(costs, dtype=np.int64), target)
    assert ranges[0][0] == 0 and ranges[-1][1] == len(costs)
    assert all(a[1] == b[0] for a, b in pairwise(ranges))
    assert all(start < stop for start, stop in ranges) or not costs
    assert len(ranges) == max(1, min(-(-sum(costs) // target), len(costs)))


@given(st.lists(st.integers(1, 20), min_size=1, max_size=60), st.integers(20, 200))
def test_shards_are_about_equal(costs: list[int], target: int) -> None:
    ranges = shards(np.array(costs), target)
    sums = [sum(costs[start:stop]) for start, stop in ranges]
    assert max(abs(s - sum(costs) / len(ranges)) for s in sums) <= max(costs)


def test_literal_shards() -> None:
    assert shards(np.array([5, 5, 5, 5]), 10) == [(0, 2), (2, 4)]
    assert shards(np.array([1, 100, 1, 1]), 30) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert shards(np.array([1000]), 10) == [(0, 1)]
    assert shards(np.array([0, 0]), 10) == [(0, 2)]
    assert shards(np.array([], dtype=np.int64), 10) == [(0, 0)]


def test_target_must_be_positive() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        shards(np.array([1]), 0)
