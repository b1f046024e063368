"""The glossary against plain counting, on tiny texts with random links."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softcount.errors import InputError
from softcount.links.glossary import Entry, glossary, joined, links_of
from softcount.text.bitext import bitext

pytestmark = pytest.mark.kernels


def naive(links, source, target):
    linked, occasions, met = Counter(), Counter(), Counter()
    for row, es, fs in zip(links, source, target, strict=True):
        linked.update((es[i], fs[j]) for i, j in row)
        occasions.update({(es[i], fs[j]) for i, j in row})
        met.update({(e, f) for e in es for f in fs})
    by_source, by_target = Counter(), Counter()
    for (e, f), n in linked.items():
        by_source[e] += n
        by_target[f] += n
    return {
        (e, f): (n, occasions[e, f] / met[e, f], n / by_source[e], n / by_target[f]) for (e, f), n in linked.items()
    }


def case(seed):
    rng = np.random.default_rng(seed)
    source, target = (
        [[f"{side}{w}" for w in rng.integers(3, size=rng.integers(0, 5))] for _ in range(4)] for side in "ef"
    )
    links = [
        [(i, j) for i in range(len(e)) for j in range(len(f)) if rng.random() < 0.4]
        for e, f in zip(source, target, strict=True)
    ]
    return links, source, target


@given(st.integers(0, 10**6))
def test_counts_links_meetings_and_shares(seed):
    links, source, target = case(seed)
    found = glossary(links_of(links), bitext(source, target))
    assert {(e.source, e.target): tuple(e)[2:] for e in found} == naive(links, source, target)
    assert found == sorted(found, key=lambda e: (-e.links, e.source, e.target))
    assert glossary(links_of(links), bitext(source, target), least=2) == [e for e in found if e.links >= 2]


def test_blocks_are_joined():
    links, source, target = case(3)
    whole = joined([links_of(links[:1]), links_of(links[1:])])
    assert glossary(whole, bitext(source, target)) == glossary(links_of(links), bitext(source, target))
    assert glossary(joined([]), bitext([], [])) == []


def test_a_literal_glossary():
    found = glossary(links_of([[(0, 0)], [(0, 0), (1, 1)]]), bitext(["house", "the house"], ["haus", "das haus"]))
    assert found == [Entry("house", "haus", 2, 1.0, 1.0, 1.0), Entry("the", "das", 1, 1.0, 1.0, 1.0)]


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ([[(2, 0)]], "pair 1: the link 2-0 is outside its sentences of 2 and 1 words"),
        ([], "0 lines of links for 1 pair"),
    ],
)
def test_links_of_another_text_are_refused(links, said):
    with pytest.raises(InputError, match=said):
        glossary(links_of(links), bitext(["a b"], ["c"]))
