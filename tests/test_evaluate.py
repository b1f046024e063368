"""Clustering metrics: by hand, by brute force, by scikit-learn, and under renaming and adding."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn import metrics

from softcount.errors import InputError
from softcount.evaluate import (
    TagScores,
    ari,
    contingency,
    many_to_one,
    nmi,
    one_to_one,
    score_tags,
    tag_scores,
    v_measure,
    vi_bits,
)
from softcount.evaluate.clustering import _by_scipy
from softcount.evaluate.matching import matched
from softcount.numbers.ragged import from_rows

METRICS = (many_to_one, one_to_one, vi_bits, v_measure, nmi, ari)
labels = st.integers(1, 60).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n).map(np.array) for _ in range(2)))
)


def table_of(gold: Any, predicted: Any) -> np.ndarray[Any, Any]:
    return contingency(gold, predicted, 5, 5)


def test_by_hand() -> None:
    """Rows gold, columns clusters: 8 items."""
    table = np.array([[3, 1, 0], [0, 1, 3]])
    assert many_to_one(table) == 7 / 8
    assert one_to_one(table) == 6 / 8
    # H(G) = 1; H(C | G) = H(3/4, 1/4) in either row; H(G | C) = 1 bit for the two items in the middle
    split = -(0.75 * log2(0.75) + 0.25 * log2(0.25))
    assert vi_bits(table) == pytest.approx(split + 2 / 8)
    entropy_of_clusters = -(2 * 3 / 8 * log2(3 / 8) + 2 / 8 * log2(2 / 8))
    assert v_measure(table) == pytest.approx(1 - (split + 0.25) / (1 + entropy_of_clusters))
    # pairs: together 3 + 3, in gold 6 + 6, in clusters 3 + 1 + 3, all 28
    assert ari(table) == pytest.approx((6 - 12 * 7 / 28) / ((12 + 7) / 2 - 12 * 7 / 28))


def test_greedy_matching_is_not_optimal() -> None:
    assert one_to_one(np.array([[5, 4], [4, 0]])) == 8 / 13


def test_one_cluster_earns_the_commonest_tag() -> None:
    gold = [["N", "V", "N"], ["N", "D"]]
    scores = score_tags(gold, [["0", "0", "0"], ["0", "0"]])
    assert scores.many_to_one == scores.one_to_one == 3 / 5
    assert scores.v_measure == pytest.approx(0, abs=1e-12)
    assert scores.vi_bits == pytest.approx(-(0.6 * log2(0.6) + 0.4 * log2(0.2)))


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_one_to_one_by_brute_force(n_gold: int, n_predicted: int, data: st.DataObject) -> None:
    cells = st.lists(st.integers(0, 9), min_size=n_gold * n_predicted, max_size=n_gold * n_predicted)
    table = np.array(data.draw(cells.filter(any))).reshape(n_gold, n_predicted)
    wide = table if n_gold <= n_predicted else table.T
    best = max(sum(wide[range(len(wide)), match]) for match in permutations(range(wide.shape[1]), len(wide)))
    assert one_to_one(table) == best / table.sum()


@settings(deadline=None)
@given(labels)
def test_scikit_learn_agrees(pair: Any) -> None:
    gold, predicted = pair
    table = table_of(gold, predicted)
    assert v_measure(table) == pytest.approx(metrics.v_measure_score(gold, predicted), abs=1e-9)
    assert nmi(table) == pytest.approx(metrics.normalized_mutual_info_score(gold, predicted), abs=1e-9)
    assert ari(table) == pytest.approx(metrics.adjusted_rand_score(gold, predicted), abs=1e-9)
    information = metrics.mutual_info_score(gold, predicted) / np.log(2)
    entropies = [metrics.mutual_info_score(x, x) / np.log(2) for x in (gold, predicted)]
    assert vi_bits(table) == pytest.approx(sum(entropies) - 2 * information, abs=1e-9)


@settings(deadline=None)
@given(labels, st.permutations(range(5)), st.permutations(range(5)))
def test_names_do_not_matter(pair: Any, gold_names: list[int], predicted_names: list[int]) -> None:
    gold, predicted = pair
    renamed = table_of(np.array(gold_names)[gold], np.array(predicted_names)[predicted])
    for metric in METRICS:
        assert metric(renamed) == pytest.approx(metric(table_of(gold, predicted)), abs=1e-12), metric.__name__


@settings(deadline=None)
@given(labels)
def test_ranges_symmetry_and_perfection(pair: Any) -> None:
    table, perfect = table_of(*pair), table_of(pair[0], pair[0])
    for metric in (one_to_one, vi_bits, v_measure, ari):
        assert metric(table) == pytest.approx(metric(table.T), abs=1e-12), metric.__name__
    assert 0 < one_to_one(table) <= many_to_one(table) <= 1
    assert 0 <= v_measure(table) <= 1 and vi_bits(table) >= 0
    assert [metric(perfect) for metric in METRICS] == [1, 1, 0, 1, 1, 1]


@settings(deadline=None)
@given(labels, st.integers(0, 60))
def test_tables_of_shards_add(pair: Any, cut: int) -> None:
    gold, predicted = pair
    parts = table_of(gold[:cut], predicted[:cut]) + table_of(gold[cut:], predicted[cut:])
    assert np.array_equal(parts, table_of(gold, predicted))
    assert tag_scores(parts) == tag_scores(table_of(gold, predicted))


def test_every_shape_of_input_scores_alike() -> None:
    gold, predicted = [[0, 1, 0], [], [2, 1]], [[5, 5, 3], [], [3, 5]]
    flat_gold, flat_predicted = [0, 1, 0, 2, 1], [5, 5, 3, 3, 5]
    names = [["NVD"[label] for label in sentence] for sentence in gold]
    expected = tag_scores(np.array([[1, 1], [0, 2], [1, 0]]))
    assert expected == TagScores(0.6, 0.6, expected.vi_bits, expected.v_measure, 5)
    for scores in (
        score_tags(gold, predicted),
        score_tags(names, predicted),
        score_tags(flat_gold, flat_predicted),
        score_tags(np.array(flat_gold), np.array(flat_predicted)),
        score_tags(["N", "V", "N", "D", "V"], ["b", "b", "a", "a", "b"]),
        score_tags(from_rows(gold, np.int32), predicted),
    ):
        assert scores == pytest.approx(expected)
        assert isinstance(scores.tokens, int)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([], [], "no labelled items to score; check that the file is not empty"),
        ([[], []], [[], []], "no labelled items to score; check that the file is not empty"),
        ([["N"], ["V"]], [["0"]], "gold has 2 sentences, but predicted has 1; they must be parallel"),
        (
            [["N"], ["V"]],
            [["0"], ["1", "0"]],
            "sentence 2: gold has 1 tags, but predicted has 2; they must be parallel",
        ),
        (["N", "V"], ["0"], "gold has 2 tags, but predicted has 1; they must be parallel"),
    ],
)
def test_bad_input_is_explained(gold: Any, predicted: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        score_tags(gold, predicted)
    assert str(error.value) == message


def test_empty_and_impossible_tables() -> None:
    for metric in (*METRICS, tag_scores):
        with pytest.raises(InputError, match="check that the file is not empty"):
            metric(np.zeros((2, 3), dtype=np.int64))
    with pytest.raises(InputError, match="predicted has ids from -1 to 1: they must be 0 … 1"):
        contingency(np.array([0, 1]), np.array([1, -1]), 2, 2)
    with pytest.raises(InputError, match="gold has 1 labels, but predicted has"):
        contingency(np.array([0]), np.array([1, 1]), 2, 2)


def test_import_is_light() -> None:
    check = "import sys, softcount.evaluate; sys.exit(bool({'scipy', 'sklearn', 'numba'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize("shape", [(1, 1), (7, 7), (5, 12), (12, 5), (20, 20), (1, 9)])
def test_the_matching_is_scipys_and_its_cells_are_all_different(shape: tuple[int, int]) -> None:
    """Tables of few large numbers, and of ties, where rows must give way again and again."""
    rng = np.random.default_rng(3)
    for top in (2, 10, 10_000, 2**40):
        for _ in range(5):
            table = rng.integers(0, top, shape)
            rows, columns = matched(table)
            assert len(rows) == min(shape) == len(set(rows.tolist())) == len(set(columns.tolist()))
            assert table[rows, columns].sum() == table[linear_sum_assignment(table, maximize=True)].sum()
            assert table[_by_scipy(table)].sum() == table[rows, columns].sum()
