"""Probabilities of links: the map against its formula; the links themselves do not depend on it."""

from collections import Counter

import numpy as np

import softcount
from softcount.estimators import agreed_links
from softcount.links.calibration import CERTAIN, INTERCEPT, SEEN, SLOPE, calibrated

SOURCE = ["the house", "the book", "a book", "", "the small house"] * 3
TARGET = ["das haus", "das buch", "ein buch", "haus buch", "das kleine haus"] * 3  # haus is seen oftener than house


def test_the_map_is_a_line_between_log_odds():
    p = np.array([0.0, 0.01, 0.5, 0.9, 0.999, 1.0])
    kept = np.minimum(p[1:], CERTAIN)
    for seen, counted in ((0.0, 1.0), (1.0, 1.0), (40.0, 40.0)):  # a word that was never seen is as one seen once
        expected = 1 / (1 + np.exp(-INTERCEPT - SLOPE * np.log(kept / (1 - kept)) - SEEN * np.log(counted)))
        with np.errstate(divide="ignore"):
            found = calibrated(p, np.full(len(p), seen))
        np.testing.assert_allclose(found[1:], expected, rtol=1e-12)
        assert found[0] == 0.0 and found[-1] < 1.0 and (np.diff(found) > 0).all()


def test_links_stay_and_their_probabilities_are_mapped(monkeypatch):
    model = softcount.WordAligner().fit(SOURCE, TARGET)
    links, shown = model.align(SOURCE, TARGET), model.align(SOURCE, TARGET, probabilities=True)
    means = [
        [(i, j, (p["forward"][i + 1, j] + p["reverse"][j + 1, i]) / 2) for i, j in row]
        for row, p in zip(links, model.posteriors(SOURCE, TARGET), strict=True)
    ]
    often = [Counter(" ".join(side).split()) for side in (SOURCE, TARGET)]
    for s, (row, expected) in enumerate(zip(shown, means, strict=True)):
        assert [link[:2] for link in row] == [link[:2] for link in expected]
        words = [(SOURCE[s].split()[i], TARGET[s].split()[j]) for i, j, _ in row]
        seen = np.array([min(often[0][e], often[1][f]) for e, f in words], float)
        said = calibrated(np.array([p for *_, p in expected]), seen)
        np.testing.assert_allclose([p for *_, p in row], said, rtol=1e-3)
    new = model.align(["the zebra"], ["das zebra"], probabilities=True)[0]
    assert new[-1][:2] == (1, 1) and 0.0 < new[-1][2] < max(p for *_, p in shown[0])  # of a word that nobody has seen
    monkeypatch.setattr(agreed_links, "calibrated", lambda p, seen: p)
    assert model.align(SOURCE, TARGET) == links
    for row, expected in zip(model.align(SOURCE, TARGET, probabilities=True), means, strict=True):
        np.testing.assert_allclose([p for *_, p in row], [p for *_, p in expected], rtol=1e-5)
