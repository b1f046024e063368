"""Pictures show the model's numbers; notebooks show what was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from test_page import DOCS, SOURCE, TARGET, Strict

import softcount
from softcount.report.grid import joint

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def hmm() -> Any:
    return softcount.HMM(3, start="random", criterion="em:4", random_state=0).fit(SOURCE)


@pytest.fixture(scope="module")
def plsa() -> Any:
    return softcount.PLSA(3, criterion="em:20", start="random", random_state=0).fit(DOCS)


def test_a_transition_matrix(hmm: Any, tmp_path: Path) -> None:
    axes = softcount.plot_transition(hmm)
    np.testing.assert_array_equal(axes.images[0].get_array(), hmm.parameters_.transition)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1", "2"]
    for name in ("t.svg", "t.png"):
        axes.figure.savefig(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(softcount.InputError, match="plot_topics draws a model of kind 'plsa', not 'hmm'"):
        softcount.plot_topics(hmm)


def test_topics(plsa: Any) -> None:
    axes = softcount.plot_topics(plsa, 4)
    first = int(np.argmax(plsa.prevalence_))
    assert axes[0].get_title() == f"topic {first}, {plsa.prevalence_[first]:.0%}"
    words = [word for word, _ in plsa.top_words(4)[first]]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == words[::-1]
    place = {str(name): v for v, name in enumerate(plsa._names(None))}
    found = [bar.get_width() for bar in axes[0].patches]
    np.testing.assert_allclose(found, [plsa.word_[first][place[word]] for word in words[::-1]])
    with pytest.raises(softcount.InputError, match="1 axes for 3 topics"):
        softcount.plot_topics(plsa, axes=axes[:1])


def test_an_alignment() -> None:
    model = softcount.WordAligner("ibm1", criterion="em:3", lowercase=False).fit(SOURCE, TARGET)
    axes = softcount.plot_alignment(model, SOURCE[0], TARGET[0])
    truth = joint(model.posteriors([SOURCE[0]], [TARGET[0]])[0])
    np.testing.assert_array_equal(axes.images[0].get_array(), truth)
    squares = {(int(line.get_ydata()[0]), int(line.get_xdata()[0])) for line in axes.lines}
    assert squares == set(model.align([SOURCE[0]], [TARGET[0]])[0])
    panels = model.history_.plot()
    assert [panel.get_title() for panel in panels] == [f"{name}: em:3" for name in ("forward", "reverse")]
    np.testing.assert_allclose(panels[0].lines[0].get_ydata(), model.history_.parts["forward"].objectives)


def test_notebooks_show_what_was_learned(hmm: Any, plsa: Any) -> None:
    for model in (hmm, plsa):
        shown = model._repr_mimebundle_()
        assert shown["text/plain"] == repr(model) and model._repr_html_() == shown["text/html"]
        text = Strict(shown["text/html"]).text
        assert model.signature_ in text and "Trained on data in memory" in text
    assert all(word in Strict(plsa._repr_html_()).text for word, _ in plsa.top_words(2)[0])
    assert softcount.HMM(3)._repr_html_() is None and softcount.HMM(3)._repr_mimebundle_() == {
        "text/plain": repr(softcount.HMM(3))
    }


def test_a_notebook_shows_the_objective_of_the_restart_that_was_chosen() -> None:
    text = ["a b a b", "b a", "a a b c", "c b a"]
    for seed in range(10):
        model = softcount.HMM(3, criterion="em:3", start="random", restarts=3, random_state=seed).fit(text)
        if model.restart_ != 2:
            break
    assert model.restart_ != 2, "a seed whose last restart is not the best one"
    assert f"objective {model.objective_:,.2f}".replace("-", "−") in model._repr_html_()
