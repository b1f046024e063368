"""Probabilities of links: the map against its formula; the links themselves do not depend on it."""

import numpy as np

import softcount
from softcount.estimators import align_directions
from softcount.links.calibration import CERTAIN, INTERCEPT, SLOPE, calibrated

SOURCE = ["the house", "the book", "a book", "", "the small house"] * 3
TARGET = ["das haus", "das buch", "ein buch", "", "das kleine haus"] * 3


def test_the_map_is_a_line_between_log_odds():
    p = np.array([0.0, 0.01, 0.5, 0.9, 0.999, 1.0])
    kept = np.minimum(p[1:], CERTAIN)
    expected = 1 / (1 + np.exp(-INTERCEPT - SLOPE * np.log(kept / (1 - kept))))
    with np.errstate(divide="ignore"):
        found = calibrated(p)
    np.testing.assert_allclose(found[1:], expected, rtol=1e-12)
    assert found[0] == 0.0 and found[-1] < 1.0 and (np.diff(found) > 0).all()


def test_links_stay_and_their_probabilities_are_mapped(monkeypatch):
    model = softcount.WordAligner().fit(SOURCE, TARGET)
    links, shown = model.align(SOURCE, TARGET), model.align(SOURCE, TARGET, probabilities=True)
    means = [
        [(i, j, (p["forward"][i + 1, j] + p["reverse"][j + 1, i]) / 2) for i, j in row]
        for row, p in zip(links, model.posteriors(SOURCE, TARGET), strict=True)
    ]
    for row, expected in zip(shown, means, strict=True):
        assert [link[:2] for link in row] == [link[:2] for link in expected]
        np.testing.assert_allclose([p for *_, p in row], calibrated(np.array([p for *_, p in expected])), rtol=1e-3)
    monkeypatch.setattr(align_directions, "calibrated", lambda p: p)
    assert model.align(SOURCE, TARGET) == links
    for row, expected in zip(model.align(SOURCE, TARGET, probabilities=True), means, strict=True):
        np.testing.assert_allclose([p for *_, p in row], [p for *_, p in expected], rtol=1e-5)
