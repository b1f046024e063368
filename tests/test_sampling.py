"""What `sample` draws, as often as the parameters say: 5 standard errors, and no value that is impossible."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from softcount import HMM, PLSA, GaussianMixture, Grammar, InputError, KMeans, NaiveBayesMixture, Network, WordAligner
from softcount.estimators.sampling import positions

TEXT = ["a b a c", "b b c", "a c", "c a b b a", "a d d", "d d b d"]
POINTS = np.concatenate([np.random.default_rng(0).normal(m, s, (40, 2)) for m, s in ((0.0, 1.0), (6.0, 0.5))])
N = 20_000


def as_often(found: Any, p: Any) -> None:
    """Shares of n draws against probabilities."""
    found, p = np.asarray(found, float), np.asarray(p, float)
    n = found.sum()
    assert not found[p == 0.0].any()
    assert (np.abs(found / n - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-9).all(), (found / n, p)


def test_documents_of_a_mixture() -> None:
    model = NaiveBayesMixture(2, criterion="em:3", random_state=0).fit(TEXT, ["x", "y", "", "", "", "x"])
    counts, classes = model.sample(4000, 5, random_state=1)
    assert counts.shape == (4000, 4) and (counts.sum(axis=1) == 5).all()
    as_often([(classes == name).sum() for name in model.classes_], model.cluster_)
    for k, name in enumerate(model.classes_):
        as_often(np.asarray(counts[classes == name].sum(axis=0)).ravel(), model.word_[k])
    assert np.array_equal(
        model.sample(9, 5, random_state=1)[0].toarray(), model.sample(9, 5, random_state=1)[0].toarray()
    )


def test_documents_of_topics() -> None:
    model = PLSA(2, criterion="em:5", start="random", random_state=0).fit(TEXT)
    lengths = np.full(300, 60)
    counts, topic = model.sample(300, lengths, random_state=1)
    assert np.array_equal(np.asarray(counts.sum(axis=1)).ravel(), lengths)
    rows = {tuple(row) for row in np.round(np.asarray(model.topic_, float), 6).tolist()}
    assert {tuple(row) for row in np.round(topic, 6).tolist()} == rows
    for row in np.unique(topic, axis=0):
        mine = (topic == row).all(axis=1)
        as_often(np.asarray(counts[mine].sum(axis=0)).ravel(), row @ model.components_ / row.sum())


@pytest.mark.parametrize("covariance", ["diagonal", "full", "spherical", "unit"])
def test_points(covariance: str) -> None:
    model = GaussianMixture(2, covariance=covariance, criterion="em:10", random_state=0).fit(POINTS)
    points, labels = model.sample(N, random_state=2)
    as_often(np.bincount(labels), model.weights_)
    for k in range(2):
        mine = points[labels == k]
        wanted = model.covariances_[k] if covariance == "full" else np.diag(np.broadcast_to(model.variances_[k], 2))
        spread = np.sqrt(np.diag(wanted))
        assert (np.abs(mine.mean(axis=0) - model.means_[k]) < 5 * spread / np.sqrt(len(mine))).all()
        assert np.allclose(np.cov(mine.T), wanted, atol=5 * 2 * spread.max() ** 2 / np.sqrt(len(mine)))


def test_points_of_k_means() -> None:
    model = KMeans(2, random_state=0).fit(POINTS)
    points, labels = model.sample(N, random_state=2)
    as_often(np.bincount(labels), [0.5, 0.5])
    assert np.allclose(np.cov(points[labels == 0].T), np.eye(2), atol=0.1)
    with pytest.raises(InputError, match="metric='cosine' is not available for sampling"):
        KMeans(2, metric="cosine", random_state=0).fit(POINTS).sample(1)


SOURCE = ["the house", "a house", "the book", "a book is here", "the house is here"]
TARGET = ["das haus", "ein haus", "das buch", "ein buch ist hier", "das haus ist hier"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "ibm2-free"])
def test_translations(kind: str) -> None:
    """The marginal of every target place, and of its source place, against the tables."""
    model = WordAligner(kind, agreement=False, criterion="em:3", direction="forward").fit(SOURCE, TARGET)
    forward = model.directions_["forward"]
    l, m, n = 2, 2, 5000
    targets, links = model.sample(["the house"] * n, lengths=m, random_state=3)
    place = positions(forward.model, forward.log_weights.alignment, l, m)
    np.testing.assert_allclose(place.sum(axis=1), 1.0, rtol=1e-9)
    rows = [0, *(model.vocabularies_[0].words.index(word) + 1 for word in ("the", "house"))]
    t = np.zeros((3, len(model.vocabularies_[1])))
    for i, row in enumerate(rows):
        t[i, forward.model.entries.row(row)] = forward.parameters.translation.row(row)
    for j in range(m):
        found = Counter(dict((b, a + 1) for a, b in row).get(j, 0) for row in links)
        as_often([found[i] for i in range(l + 1)], place[j])
        words = Counter(row[j] for row in targets)
        as_often([words[word] for word in model.vocabularies_[1].words], place[j] @ t)


def test_positions_are_those_of_the_model() -> None:
    """What a_j is drawn from, against the model's own posteriors where all words are alike."""
    for kind in ("ibm1", "ibm2", "ibm2-free"):
        model = WordAligner(kind, agreement=False, criterion="em:1", direction="forward").fit(
            ["x x x", "x"], ["y y", "y"]
        )
        forward = model.directions_["forward"]
        found = model.posteriors(["x x x"], ["y y"])[0]["forward"]
        place = positions(forward.model, forward.log_weights.alignment, 3, 2)
        np.testing.assert_allclose(found.T, place, rtol=1e-6)


def test_chains_are_drawn_as_the_model_says() -> None:
    """Of the HMM over positions, against its own posteriors where all words are alike."""
    model = WordAligner("hmm", agreement=False, criterion="em:2", direction="forward", null=0.3)
    model.fit(["x x x", "x", "x x"], ["y y", "y", "y y y"])
    place = model.posteriors(["x x x"], ["y y"])[0]["forward"]
    _, links = model.sample(["x x x"] * 5000, lengths=2, random_state=3)
    for j in range(2):
        found = Counter(dict((b, a + 1) for a, b in row).get(j, 0) for row in links)
        as_often([found[i] for i in range(4)], place[:, j])


def test_translations_of_directions_trained_together() -> None:
    model = WordAligner().fit(SOURCE * 3, TARGET * 3)
    targets, links = model.sample([*SOURCE, "the zebra"], random_state=0)
    assert [len(row) for row in targets] == [2, 2, 2, 4, 4, 2]
    assert all(0 <= i < 4 and 0 <= j < 4 for row in links for i, j in row)
    many = Counter(row[j] for row, pairs in zip(*model.sample(["book"] * 400, 1, 0), strict=True) for _, j in pairs)
    assert many["buch"] > 0.5 * sum(many.values())


def test_what_was_there() -> None:
    """Hidden Markov models, networks and grammars have drawn before; here that they draw what is likely."""
    hmm = HMM(2, criterion="em:3", start="random", random_state=0).fit(TEXT)
    words, tags = hmm.sample(4000, length=1, random_state=0)
    as_often(np.bincount([row[0] for row in tags], minlength=2), hmm.initial_)
    found = Counter(row[0] for row in words)
    as_often([found[word] for word in hmm.vocabulary_.words], hmm.initial_ @ hmm.emission_)
    net = Network(
        "a -> b", start={"a": {"": {"x": 0.3, "y": 0.7}}, "b": {"x": {"u": 0.9, "v": 0.1}, "y": {"u": 0.2, "v": 0.8}}}
    )
    rows = net.sample(4000, random_state=0)
    pairs = Counter(zip(rows["a"], rows["b"], strict=True))
    as_often([pairs["x", "u"], pairs["x", "v"], pairs["y", "u"], pairs["y", "v"]], [0.27, 0.03, 0.14, 0.56])
    grammar = Grammar("S -> 'a' [0.25] | 'b' S [0.75]").fit()
    sizes = Counter(len(tree.words()) for tree in grammar.sample(4000, random_state=0))
    as_often([sizes[1], sizes[2], 4000 - sizes[1] - sizes[2]], [0.25, 0.1875, 0.5625])


@pytest.mark.parametrize("length", [-1, 1.5, [1, 2, 3], "x"])
def test_no_such_length(length: Any) -> None:
    model = NaiveBayesMixture(2, criterion="em:3", random_state=0).fit(TEXT)
    with pytest.raises(InputError, match="length must be a whole number of at least 0, or 2 of them"):
        model.sample(2, length)
    with pytest.raises(InputError, match="0 samples; ask for at least one"):
        model.sample(0)
