"""Worked examples, as literal tables; the numbers come from an independent computation."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from softcount import PLSA, NaiveBayesMixture

PRODUCTS = [f"{who} {what} ." for who in ("Apple released", "Tom bought one") for what in ("iPod", "iPhone", "iPad")]
NEWS = [
    "World_Cup Russia host",
    "World_Cup boost Russia economy",
    "Russia bid World_Cup",
    "Russia economy growing oil",
    "Russia economy recover continue",
    "Russia oil dependence",
]
EXACT = {"criterion": "em:2000", "tolerance": 1e-13, "pseudo": 0.0, "random_state": 0}


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_six_products_are_two_classes_and_a_third_explains_nothing(n_clusters):
    third = pytest.warns(UserWarning, match="these received almost no documents") if n_clusters == 3 else nullcontext()
    with third:
        model = NaiveBayesMixture(n_clusters, start="random", restarts=20, **EXACT).fit(PRODUCTS)
    assert model.objective_ == pytest.approx(-51.5277, abs=5e-5)
    assert max(r.objective for r in model.restarts_) <= -51.5277 + 5e-5
    if n_clusters == 2:
        apple, tom = model.labels_[0], model.labels_[3]
        assert apple != tom and model.labels_.tolist() == [apple] * 3 + [tom] * 3


def test_from_a_uniform_start_the_classes_stay_tied():
    model = NaiveBayesMixture(2, start="uniform", **EXACT)
    with pytest.warns(UserWarning, match="collapse"):
        model.fit(PRODUCTS)
    assert np.allclose(model.word_[0], model.word_[1])
    assert any("stay identical" in note and "random start" in note for note in model.history_.notes)


def test_six_news_items_have_two_topics():
    model = PLSA(2, start="random", restarts=20, dtype="float64", **EXACT).fit(NEWS)
    assert model.objective_ == pytest.approx(-36.7426, abs=5e-5)
    assert np.allclose(model.topic_.max(axis=1), 1.0, atol=1e-4)
    best = model.topic_.argmax(axis=1)
    assert best.tolist() == [best[0]] * 3 + [1 - best[0]] * 3
    unit = model.topic_ / np.linalg.norm(model.topic_, axis=1, keepdims=True)
    similarity = unit @ unit.T
    assert similarity[0, 2] == pytest.approx(1.0, abs=1e-3)
    assert similarity[3, 4] == pytest.approx(1.0, abs=1e-3)
    assert similarity[1, 4] == pytest.approx(0.0, abs=1e-3)


def test_tied_topics_say_so():
    model = PLSA(2, start="uniform", **EXACT).fit(NEWS)
    assert any("identical" in note for note in model.history_.notes)


def test_all_labelled_is_supervised_naive_bayes():
    X = CountVectorizer(token_pattern=r"\S+").fit_transform(PRODUCTS + NEWS)
    y = np.array([0] * 3 + [1] * 3 + [2] * 6)
    model = NaiveBayesMixture(pseudo={"cluster": 0.0, "word": 0.1}, random_state=0).fit(X, y)
    peer = MultinomialNB(alpha=0.1).fit(X, y)
    assert np.allclose(np.log(model.word_), peer.feature_log_prob_, atol=1e-12)
    assert np.allclose(np.log(model.cluster_), peer.class_log_prior_, atol=1e-12)
    assert np.allclose(model.predict_log_proba(X), peer.predict_log_proba(X), atol=1e-9)


def test_weather_traffic_late():
    """Two observed, one hidden: inputs are rows, outputs columns, and the hidden variable lies between."""
    given_traffic = np.array([[0.9, 0.1], [0.2, 0.8]])  # P(on time, late | traffic)
    traffic = np.array([[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]])  # P(traffic | sun, rain, snow)
    table = 1000.0 * traffic @ given_traffic
    model = PLSA(2, start="random", dtype="float64", restarts=5, **EXACT).fit(table)
    assert np.allclose(model.topic_ @ model.word_, traffic @ given_traffic, atol=1e-6)
