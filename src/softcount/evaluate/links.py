"""Alignment error rate: links found, A, against gold links that are sure, S, or possible, P ⊇ S.

    precision = |A ∩ P| / |A|      recall = |A ∩ S| / |S|      AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

F. J. Och, H. Ney, Computational Linguistics 29(1), 2003. The counts of pairs add, so scores are of sums.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

Link = tuple[int, int]


class LinkCounts(NamedTuple):
    """Additive numbers of found, sure and possible links."""

    """Additive numbers of found, sure and possible links."""

    found: int = 0
    sure: int = 0
    possible: int = 0
    found_sure: int = 0
    found_possible: int = 0

    def plus(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(*(a + b for a, b in zip(self, other, strict=True)))


class LinkScores(NamedTuple):
    """Alignment error rate, precision, recall and F1."""

    """Alignment error rate, precision, recall and F1."""

    aer: float
    precision: float
    recall: float
    f1: float


def count_links(found: Iterable[Link], sure: Iterable[Link], possible: Iterable[Link] = ()) -> LinkCounts:
    """Count the links of one sentence pair; sure links are also possible links."""
    a, s = set(found), set(sure)
    p = s | set(possible)
    return LinkCounts(len(a), len(s), len(p), len(a & s), len(a & p))


def total(counts: Iterable[LinkCounts]) -> LinkCounts:
    """Sum the counts of sentence pairs."""
    """Sum the counts of sentence pairs."""
    result = LinkCounts()
    for each in counts:
        result = result.plus(each)
    return result


def link_scores(counts: LinkCounts) -> LinkScores:
    """AER, precision, recall and F1 from link counts; without found and sure links the scores are perfect."""
    found, sure, _, found_sure, found_possible = counts
    aer = 1.0 - (found_sure + found_possible) / (found + sure) if found + sure else 0.0
    precision = found_possible / found if found else 1.0
    recall = found_sure / sure if sure else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return LinkScores(aer, precision, recall, f1)
