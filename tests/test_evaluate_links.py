"""Alignment error rate, precision and recall: by hand from |A|, |S|, |P|, |A ∩ S| and |A ∩ P|."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.evaluate.links import LinkCounts, LinkScores, count_links, link_scores, total

A, B, C, D = (0, 0), (1, 1), (2, 2), (3, 0)


@pytest.mark.parametrize(
    ("found", "sure", "possible", "counts", "aer", "precision", "recall"),
    [
        # two of three found links are sure, the third is possible: 1 − (2 + 3) / (3 + 2)
        ({A, B, C}, {A, B}, {C}, (3, 2, 3, 2, 3), 0.0, 1.0, 1.0),
        # a sure link is possible although it is not listed there: 1 − (1 + 1) / (1 + 1)
        ({A}, {A}, set(), (1, 1, 1, 1, 1), 0.0, 1.0, 1.0),
        # and is counted once where it is: 1 − (1 + 2) / (3 + 2)
        ({A, C, D}, {A, B}, {A, B, C}, (3, 2, 3, 1, 2), 0.4, 2 / 3, 0.5),
        # only possible links found: 1 − (0 + 1) / (1 + 2)
        ({C}, {A, B}, {C}, (1, 2, 3, 0, 1), 2 / 3, 1.0, 0.0),
        # nothing right: 1 − 0 / (1 + 1)
        ({D}, {A}, {B}, (1, 1, 2, 0, 0), 1.0, 0.0, 0.0),
        # nothing found: 1 − 0 / (0 + 2)
        (set(), {A, B}, set(), (0, 2, 2, 0, 0), 1.0, 1.0, 0.0),
        # nothing found, nothing sure
        (set(), set(), {C}, (0, 0, 1, 0, 0), 0.0, 1.0, 1.0),
    ],
)
def test_by_hand(
    found: Any, sure: Any, possible: Any, counts: Any, aer: float, precision: float, recall: float
) -> None:
    counted = count_links(found, sure, possible)
    assert counted == LinkCounts(*counts)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert link_scores(counted) == pytest.approx(LinkScores(aer, precision, recall, f1), abs=1e-15)


links = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)))


@given(pairs=st.lists(st.tuples(links, links, links), min_size=1, max_size=4))
def test_pairs_add_and_scores_are_of_sums(pairs: Any) -> None:
    """As if every link were of one long pair."""
    longer = [{(k, *link) for k, pair in enumerate(pairs) for link in pair[part]} for part in range(3)]
    assert total(count_links(*pair) for pair in pairs) == count_links(*longer)  # type: ignore[arg-type]
