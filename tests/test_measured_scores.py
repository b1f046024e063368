"""Scores with statistics and intervals: the same numbers as without them, and bounds that are those of all samples."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import softcount as sc
from softcount.evaluate import clustering
from softcount.links.pharaoh import PairLinks
from softcount.text.trees import parse_tree

GOLD = [{(0, 0), (1, 1)}, {(0, 0)}, {(0, 1), (1, 0)}]
FOUND = [[(0, 0)], [(0, 0), (1, 1)], [(0, 1), (1, 1)]]


def bounds(table: Any, score: Any, level: float) -> Any:
    """By every resample that there is, each as likely as any other."""
    n = len(table)
    every = [score(sum(np.asarray(table[k], float) for k in draw)) for draw in product(range(n), repeat=n)]
    return np.quantile(every, [0.5 - level / 2, 0.5 + level / 2])


def test_links() -> None:
    found = sc.evaluate.measure_links(GOLD, FOUND, samples=4000, level=0.8)
    counts = [sc.evaluate.count_links(f, g) for f, g in zip(FOUND, GOLD, strict=True)]
    assert {k: v.score for k, v in found.scores.items()} == sc.evaluate.link_scores(sc.evaluate.total(counts))._asdict()
    assert found.statistics["found"].tolist() == [1, 2, 2] and found.statistics["found_sure"].tolist() == [1, 1, 1]
    by_hand = bounds(counts, lambda s: sc.evaluate.link_scores(sc.evaluate.LinkCounts(*s)).aer, 0.8)
    assert found["aer"][1:] == pytest.approx(by_hand, abs=0.03)
    assert "aer" in str(found) and "3 items" in str(found)


def test_possible_links_and_probabilities() -> None:
    gold = [PairLinks({(0, 0)}, {(1, 1)}), PairLinks(set(), set())]
    found = [[(0, 0, 0.9), (1, 1, 0.6)], []]
    assert sc.evaluate.measure_links(gold, found)["aer"].score == 0.0
    assert sc.evaluate.measure_links([({(0, 0)}, {(1, 1)}), (set(), set())], found)["precision"].score == 1.0
    both = [((0, 0), (1, 1)), ((0, 0),)]  # tuples of links are links
    assert sc.evaluate.measure_links(both, [[(0, 0)], [(0, 0)]])["recall"].score == pytest.approx(2 / 3)


def test_tags() -> None:
    gold, predicted = [["N", "V"], ["D", "N", "V"], ["N"]], [[1, 2], [3, 1, 1], [1]]
    found = sc.evaluate.measure_tags(gold, predicted, samples=2000, level=0.6)
    plain = sc.evaluate.score_tags(gold, predicted)._asdict()
    assert {name: s.score for name, s in found.scores.items()} == {k: v for k, v in plain.items() if k != "tokens"}
    assert found.statistics["tokens"].tolist() == [2, 3, 1]
    assert found.statistics["right"].tolist() == [2, 2, 1]
    tables = [
        clustering.contingency(["NVD".index(t) for t in g], np.array(p) - 1, 3, 3)
        for g, p in zip(gold, predicted, strict=True)
    ]
    assert found["many_to_one"][1:] == pytest.approx(bounds(tables, clustering.many_to_one, 0.6), abs=0.04)


def test_clusters() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 60)
    predicted = np.where(rng.random(60) < 0.8, gold, rng.integers(0, 3, 60))
    found = sc.evaluate.measure_clusters(gold, predicted.tolist())
    plain = sc.evaluate.cluster_scores(sc.evaluate.contingency(gold, predicted, 3, 3))
    assert {name: s.score for name, s in found.scores.items()} == pytest.approx(plain)
    assert found["purity"].low < found["purity"].score < found["purity"].high
    assert found.statistics["right"].mean() == pytest.approx(found["purity"].score)
    assert sc.evaluate.measure_clusters(["a", "b"], ["b", "a"])["nmi"].score == 1.0


def test_trees() -> None:
    gold = [parse_tree("(S (NP (D the) (N cat)) (VP (V sat)))"), parse_tree("(S (N a) (V b))")]
    found = sc.evaluate.measure_trees(gold, [parse_tree("(S (NP (D the) (N cat)) (V sat))"), None])
    assert found["precision"].score == 1.0 and found["recall"].score == pytest.approx(2 / 4)
    assert found.statistics["matched"].tolist() == [2, 0] and found["coverage"].score == 0.5
    assert found["recall"].low == 0.0 and found["recall"].high == pytest.approx(2 / 3)


def test_topics() -> None:
    docs = sc.documents(["cat dog", "cat dog fish", "stock bond", "stock bond fish", "cat dog", "stock bond"])
    tops = {0: [("cat", 0.5), ("dog", 0.5)], 1: [("stock", 0.6), ("fish", 0.1)]}
    found = sc.evaluate.measure_topics(tops, docs)
    ids = [[docs.vocabulary.words.index(w) for w in row] for row in (("cat", "dog"), ("stock", "fish"))]
    assert found.statistics["npmi"].tolist() == pytest.approx(sc.evaluate.npmi(docs, np.array(ids)).tolist())
    assert found["npmi"].score == pytest.approx(found.statistics["npmi"].mean()) and found["distinct"].score == 1.0
    assert found["npmi"][1:] == pytest.approx((found.statistics["npmi"].min(), found.statistics["npmi"].max()))
    assert sc.evaluate.measure_topics(ids, docs)["npmi"] == found["npmi"]
    shared = sc.evaluate.measure_topics([["cat", "dog"], ["cat", "fish"]], docs)
    assert shared.statistics["distinct"].tolist() == [0.5, 0.5]


def test_what_a_model_gives_goes_straight_in() -> None:
    text = ["the house", "a house", "the book", "a book is here"]
    other = ["das haus", "ein haus", "das buch", "ein buch ist hier"]
    model = sc.WordAligner().fit(text, other)
    gold = [[(i, i) for i in range(len(line.split()))] for line in text]
    assert 0.0 <= sc.evaluate.measure_links(gold, model.align(text, other, probabilities=True))["aer"].score <= 1.0
    hmm = sc.HMM(2, random_state=0).fit(text)
    assert sc.evaluate.measure_tags([["D", "N"]] * 3 + [["D", "N", "V", "A"]], hmm.predict(text))["v_measure"]
    plsa = sc.PLSA(2, random_state=0).fit(text)
    assert sc.evaluate.measure_topics(plsa.top_words(2), text)["npmi"]


WRONG: list[tuple[Any, tuple[Any, ...], str]] = [
    ("links", ([[]], []), "gold has 1 pairs, but found has"),
    ("links", ([], []), "no items to resample"),
    ("tags", ([["N"]], [["N", "V"]]), "sentence 1: gold and predicted differ in length"),
    ("tags", ([[]], [[]]), "check that the file is not empty"),
    ("clusters", ([1], []), "gold has 1 items, but found has"),
    ("trees", ([], [None]), "gold has 0 sentences, but found has"),
    ("topics", ([["zebra"]], ["cat dog"]), "the documents have no word 'zebra'"),
    ("topics", ([], ["cat dog"]), "give at least one word per topic"),
]


@pytest.mark.parametrize(("what", "data", "says"), WRONG)
def test_what_cannot_be_measured(what: str, data: tuple[Any, ...], says: str) -> None:
    with pytest.raises(sc.InputError, match=says):
        getattr(sc.evaluate, f"measure_{what}")(*data)
    with pytest.raises(sc.InputError, match="level 2"):
        sc.evaluate.measure_links(GOLD, FOUND, level=2)
