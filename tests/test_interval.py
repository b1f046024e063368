"""Bootstrap intervals: against the exact distribution of a tiny sample, and on links."""

from itertools import product

import numpy as np
import pytest

import softcount as sc


def test_the_bounds_are_those_of_all_resamples():
    values = np.array([[0.0], [1.0], [3.0]])
    all_means = sorted(sum(values[k, 0] for k in draw) / 3 for draw in product(range(3), repeat=3))
    found = sc.evaluate.bootstrap(values, lambda total: total[0] / 3, level=0.8, samples=20_000)
    assert found.score == pytest.approx(4 / 3)
    assert found[1:] == pytest.approx(np.quantile(all_means, [0.1, 0.9]), abs=0.05)


def test_scores_of_links_have_an_interval_that_holds_them():
    gold = [{(0, 0), (1, 1)}, {(0, 0)}, {(0, 1), (1, 0)}] * 5
    found = [{(0, 0)}, {(0, 0)}, {(0, 1), (1, 1)}] * 5
    counts = [sc.evaluate.count_links(a, s) for a, s in zip(found, gold, strict=True)]
    aer = sc.evaluate.bootstrap(counts, lambda sums: sc.evaluate.link_scores(sums).aer, samples=200)
    assert aer.score == sc.evaluate.link_scores(sc.evaluate.total(counts)).aer and aer.low < aer.score < aer.high
    assert aer == sc.evaluate.bootstrap(counts, lambda sums: sc.evaluate.link_scores(sums).aer, samples=200)


def test_nothing_to_resample():
    with pytest.raises(sc.InputError, match="no items to resample"):
        sc.evaluate.bootstrap([], lambda total: 0.0)
    with pytest.raises(sc.InputError, match=r"level 1\.0 and 1000 samples"):
        sc.evaluate.bootstrap([1.0], float, level=1.0)
