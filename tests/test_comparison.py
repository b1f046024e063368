"""Two systems on the same items: p-values against all exchanges by hand, bounds against all resamples."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from command import refused, run

import softcount as sc
from softcount.evaluate import token_shares
from softcount.evaluate.clustering import ari, contingency, many_to_one, one_to_one, v_measure, vi_bits
from softcount.evaluate.comparison import compare
from softcount.text.trees import parse_tree

LINKS = [{(0, 0), (1, 1)}, {(0, 0)}, {(0, 1), (1, 0)}, {(0, 0), (1, 2)}]
ONE = [[(0, 0), (1, 1)], [(0, 0)], [(0, 1), (1, 1)], [(0, 0)]]
OTHER = [[(0, 0)], [(0, 0), (1, 1)], [(1, 1)], [(0, 0)]]


def by_hand(a: Any, b: Any, score: Any) -> float:
    """Every way to exchange items, also those that are alike, each as likely as any other."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    seen = abs(score(a.sum(0)) - score(b.sum(0)))
    ways = list(product([False, True], repeat=len(a)))
    mixed = [(np.where(np.array(w)[:, None], b, a), np.where(np.array(w)[:, None], a, b)) for w in ways]
    return sum(abs(score(x.sum(0)) - score(y.sum(0))) >= seen - 1e-12 for x, y in mixed) / len(ways)


def test_links_by_all_exchanges() -> None:
    found = sc.evaluate.compare_links(LINKS, ONE, OTHER, samples=400)
    counts = [[sc.evaluate.count_links(f, g) for f, g in zip(x, LINKS, strict=True)] for x in (ONE, OTHER)]
    assert found.exact and (found.items, found.differing) == (4, 3)
    for name, d in found.scores.items():
        p = by_hand(*counts, lambda s, name=name: getattr(sc.evaluate.link_scores(sc.evaluate.LinkCounts(*s)), name))
        assert d.p == pytest.approx(p) and d.difference == pytest.approx(d.one - d.other)
        assert d.one == sc.evaluate.measure_links(LINKS, ONE)[name].score and d.low <= d.difference <= d.high
    assert "aer" in str(found) and "3 of 4 items differ; p by all exchanges" in str(found)


def test_random_exchanges_are_near_all_of_them() -> None:
    a = np.array([[3.0], [1.0], [4.0], [1.0], [5.0], [2.0], [2.0], [6.0], [0.0], [3.0]])
    b = np.array([[2.0], [1.5], [2.0], [2.0], [3.0], [1.0], [1.0], [7.0], [1.0], [1.0]])

    def scores(sums: Any) -> dict[str, float]:
        return {"sum": float(sums[0])}

    every, some = compare(a, b, scores, samples=1024), compare(a, b, scores, samples=1023)
    assert every.exact and every["sum"].p == pytest.approx(by_hand(a, b, lambda s: s[0]))
    assert not some.exact and some["sum"].p == pytest.approx(every["sum"].p, abs=0.04)


def test_bounds_are_those_of_all_resamples() -> None:
    a, b = np.array([[0.0], [1.0], [3.0]]), np.array([[1.0], [1.0], [0.0]])
    every = [sum(a[k, 0] - b[k, 0] for k in draw) / 3 for draw in product(range(3), repeat=3)]
    found = compare(a, b, lambda s: {"mean": float(s[0]) / 3}, level=0.6, samples=8000)["mean"]
    assert (found.low, found.high) == pytest.approx(np.quantile(every, [0.2, 0.8]), abs=0.05)


def test_no_difference_is_no_evidence() -> None:
    alike = sc.evaluate.compare_links(LINKS, ONE, ONE)
    assert alike.differing == 0 and all(d.p == 1.0 and d.low == d.high == 0.0 for d in alike.scores.values())
    tags = [["N", "V"], ["V"], ["N", "N"]]
    renamed = [[{"N": 7, "V": 3}[tag] for tag in sentence] for sentence in tags]
    same = sc.evaluate.compare_tags(tags, tags, renamed)  # other names, and nothing else
    assert same.differing == 0 and same["many_to_one"].p == 1.0


def test_a_great_difference_is_evidence() -> None:
    gold = [["N", "V", "D"]] * 40
    found = sc.evaluate.compare_tags(gold, gold, [["x", "y", "y"]] * 40, samples=300)
    assert found["many_to_one"].p == pytest.approx(1 / 301) and found["one_to_one"].difference == pytest.approx(1 / 3)
    assert found["vi_bits"].difference < 0 < found["v_measure"].low


def test_shares_are_means_of_the_scores() -> None:
    rng = np.random.default_rng(0)
    gold, found = (rng.integers(0, 4, 50), 4), (rng.integers(0, 6, 50), 6)
    table = contingency(gold[0], found[0], 4, 6)
    by_name = {"many_to_one": many_to_one, "one_to_one": one_to_one, "vi": vi_bits, "v_measure": v_measure, "ari": ari}
    for name, score in by_name.items():
        assert getattr(token_shares, f"{name}_share")(gold, found).mean() == pytest.approx(score(table)), name


def test_items_that_differ_are_counted_for_each_score() -> None:
    gold = [["N", "V"], ["V", "D"], ["D", "N"], ["V", "V"]]
    other = [["N", "V"], ["V", "D"], ["D", "V"], ["V", "V"]]  # one token of one sentence
    found = sc.evaluate.compare_tags(gold, gold, other)
    assert found["many_to_one"].differing == found["one_to_one"].differing == 1
    assert found["vi_bits"].differing == found["v_measure"].differing == 4  # N and V have other sizes everywhere
    assert found.differing == 4
    assert "of 4 items differ 1 in many_to_one and one_to_one, 4 in vi_bits and v_measure; p by all" in str(found)


def test_clusters_and_trees() -> None:
    gold, one, other = [0, 0, 1, 1], [5, 5, 6, 6], [5, 6, 6, 6]
    found = sc.evaluate.compare_clusters(gold, one, other)
    assert found["purity"].difference == pytest.approx(0.25) and found["purity"].p == 1.0  # one item: either way
    trees = [parse_tree("(S (NP (D the) (N cat)) (VP (V sat)))"), parse_tree("(S (N a) (V b))")]
    brackets = sc.evaluate.compare_trees(trees, trees, [trees[0], None])
    assert brackets["recall"].difference == pytest.approx(1 / 4) and brackets["f1"].p == 1.0 and brackets.exact


def test_the_command(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"gold": "D N V\n\nN V _\n", "one": "D N V\n\nN V V\n", "other": "D N N\n\n_ V V\n",
             "labels": "a\nb\nb\n\n", "same": "a\nb\nb\na\n", "gold.links": "0-0 1?1\n0-0\n", "links": "0-0\n0-0\n",
             "worse": "0-1\n0-0\n", "trees": "(S (N a) (V b))\n" * 2, "none": "\n(S (N a) (V b))\n"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = json.loads(run("score tags gold one --compare other --json").out)["compare"]
    assert set(found) == {"other", "items", "differing", "exact", "level", "samples", "scores"}
    assert found["items"] == 2 and found["differing"] == 2 and found["exact"]
    assert set(found["scores"]) == {"many_to_one", "one_to_one", "vi_bits", "v_measure", "accuracy"}
    accuracy = {"one": 1.0, "other": 0.75, "difference": 0.25, "low": 0.0, "high": pytest.approx(1 / 3), "p": 1.0,
                "differing": 1}  # fmt: skip
    assert found["scores"]["accuracy"] == accuracy
    shown = run("score links gold.links links --compare worse").out
    assert "links compared with worse" in shown and "1 of 2 items differ" in shown
    assert json.loads(run("score clusters labels same --compare same --json").out)["compare"]["scores"]["ari"]["p"] == 1
    trees = json.loads(run("score trees trees trees --compare none --json").out)["compare"]["scores"]
    assert trees["exact"]["difference"] == 0.5
    refused(
        run("score tags gold one --compare labels"),
        "gold: 1 lines fewer than labels; give files of the same text, line by line",
    )
