"""Pictures: that they show the numbers they are of; and what a notebook shows of an estimator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

import softcount as sc

matplotlib.use("Agg")
TEXT = ["a b a c", "b b c", "a c", "c a b b a", "a d d", "d d b d"]
SOURCE, TARGET = ["the house", "a house", "the book"], ["das haus", "ein haus", "das buch"]


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_links(tmp_path: Path) -> None:
    model = sc.WordAligner().fit(SOURCE, TARGET)
    axes = sc.plot_alignment(model, "the house", ["das", "haus"], gold=[(0, 0)], path=tmp_path / "links.svg")
    found = model.posteriors(["the house"], ["das haus"])[0]
    mean = (found["forward"][1:] + found["reverse"][1:].T) / 2
    np.testing.assert_allclose(axes.images[0].get_array(), mean)
    assert [t.get_text() for t in axes.get_xticklabels()] == ["das", "haus"]
    dots = {tuple(xy) for xy in axes.collections[0].get_offsets().tolist()}
    assert dots == {(float(j), float(i)) for i, j in model.align(["the house"], ["das haus"])[0]}
    assert (tmp_path / "links.svg").read_text().lstrip().startswith("<?xml")
    with pytest.raises(sc.InputError, match="a sentence without words"):
        sc.plot_alignment(model, "", "das haus")


def test_transitions(tmp_path: Path) -> None:
    model = sc.HMM(3, random_state=0).fit(TEXT)
    axes = sc.plot_transition(model, path=tmp_path / "t.png")
    np.testing.assert_allclose(axes.images[0].get_array(), model.transition_)
    assert (tmp_path / "t.png").read_bytes()[:4] == b"\x89PNG"
    import matplotlib.pyplot as plt

    mine = plt.subplots()[1]
    assert sc.plot_transition(model, axes=mine) is mine


def test_topics() -> None:
    model = sc.PLSA(3, random_state=0).fit(TEXT)
    panels = sc.plot_topics(model, 2)
    assert len(panels) >= 3
    for panel, (_, words) in zip(panels, model.top_words(2).items(), strict=False):
        assert [bar.get_width() for bar in panel.patches] == [p for _, p in words]
        assert [t.get_text() for t in panel.get_yticklabels()] == [w for w, _ in words]
    with pytest.raises(sc.InputError, match="1 axes for 3 topics"):
        sc.plot_topics(model, axes=panels[:1])


def test_what_a_notebook_shows() -> None:
    model = sc.HMM(2, dictionary={"<script>": ["N"]}, random_state=0)
    page = model._repr_html_()
    assert "not trained yet" in page and "<script>" not in page and "&lt;script&gt;" in page
    assert "n_states" in page and "tolerance" not in page
    page = model.fit([["<b>", "a"], ["a"]])._repr_html_()
    assert "2 states" in page and "<b>HMM</b>" in page and "trained on" in page
    assert model._repr_mimebundle_()["text/html"] == page
    for other in (sc.WordAligner().fit(SOURCE, TARGET), sc.WordClasses(2).fit(TEXT), sc.KMeans(2).fit(np.eye(3))):
        assert type(other).__name__ in other._repr_html_() and len(other._repr_html_()) < 4000
