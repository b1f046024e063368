"""What tokens are worth: pairs counted one by one, documents whose repetition is known, and what it is for."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import softcount as sc
from softcount.estimators.how_many import _elbo
from softcount.estimators.repeats import repetition, worth
from softcount.estimators.sized import _Trainer
from softcount.synthetic import hidden
from softcount.text.documents import documents

TINY = [["a", "a", "b"], ["a", "c"], ["b", "b", "b", "c"], ["c", "a", "c"], ["d"], []]
CLASSES = np.array([0, 0, 1, 1, 1, 0])


def test_pairs_of_tokens_one_by_one() -> None:
    """By the definition: each document's pairs beside pairs of tokens of different documents of its class."""
    within, between, weight = 0, 0.0, 0
    for d, words in enumerate(TINY):
        inner = [a == b for a, b in combinations(words, 2)]
        mine = [i for i in range(len(TINY)) if CLASSES[i] == CLASSES[d]]
        outer = [a == b for i, j in combinations(mine, 2) for a in TINY[i] for b in TINY[j]]
        within, weight = within + sum(inner), weight + len(inner)
        between += len(inner) * np.mean(outer)
    R, P = within / weight, between / weight
    assert R > P
    assert repetition(documents(TINY), CLASSES) == pytest.approx((R - P) / (1 - P), rel=1e-12)


def test_nothing_to_learn_from() -> None:
    assert repetition(documents([["a"], ["b"]]), np.array([0, 0])) == 0.0  # no two tokens
    assert repetition(documents([["a", "a"], ["b", "b"]]), np.array([0, 1])) == 0.0  # each alone in its class
    assert repetition(documents([["a", "b"], ["a", "b"]]), np.array([0, 0])) == 0.0  # less than by chance
    assert repetition(documents([["a", "a"], ["b", "b"]]), np.array([0, 0])) == 1.0


@pytest.mark.parametrize("rho", [0.0, 0.02, 0.1])
def test_documents_that_repeat_as_much_as_is_known(rho: float) -> None:
    made = hidden.documents(600, 3, length=50, repeats=rho, seed=4)
    labels = np.array([classes[0] for classes in made.classes])
    assert repetition(documents(made.items), labels) == pytest.approx(rho, abs=0.004 + 0.1 * rho)


def test_tokens_are_worth_less_in_long_documents() -> None:
    data = documents(TINY)
    same = worth(data, 0.0)
    np.testing.assert_array_equal(same.counts, data.counts)
    np.testing.assert_allclose(worth(data, 1.0).totals(), [1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(worth(data, 0.5).totals(), [3 / 2, 2 / 1.5, 4 / 2.5, 3 / 2, 1, 0])


def test_classes_that_repeat_themselves_are_not_taken_for_more() -> None:
    """As it stands, every habit of a document is a class to the evidence."""
    items = hidden.documents(150, 3, length=60, words=15, repeats=0.08, seed=2).items
    asked = sc.NaiveBayesMixture("auto", choose="elbo", random_state=0)
    plain = _elbo(_Trainer(asked, 0), documents(items), 75)
    assert plain.size > 4
    model: Any = asked.fit(items)
    assert abs(len(model.classes_) - 3) <= 1
    assert "words are repeated within documents, so" in model.history_.remarks[0]
