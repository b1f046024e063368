"""A mapping is a start of every estimator that has a start."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softcount as sc
from softcount import InputError

TEXT = ["the dog runs", "a cat runs", "the cat sleeps", "a dog sleeps"]
POINTS = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]
ROWS = {"weather": ["rainy", "rainy", "sunny"], "late": ["yes", "no", "no"]}
WORD = np.array([[4.0, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 4.0]])
P = {
    "states": ["D", "N"],
    "initial": {"D": 0.9, "N": 0.1},
    "transition": {"D": {"N": 1.0}, "N": {"N": 1.0}},
    "emission": {"D": {"the": 0.5, "a": 0.5}, "N": dict.fromkeys(["dog", "cat", "runs", "sleeps"], 0.25)},
}
MODELS: dict[str, tuple[Any, Any, Any]] = {
    "HMM": (sc.HMM(start=P, criterion="em:0"), TEXT, {"states": []}),
    "PLSA": (sc.PLSA(2, start={"word": WORD}, criterion="em:0", background=None), TEXT, {"words": WORD}),
    "NaiveBayesMixture": (sc.NaiveBayesMixture(2, start={"word": WORD}, criterion="em:0"), TEXT, {"words": WORD}),
    "KMeans": (sc.KMeans(2, start={"means": [POINTS[2], POINTS[0]]}), POINTS, {"centres": POINTS[:2]}),
    "GaussianMixture": (sc.GaussianMixture(2, start={"means": [POINTS[2], POINTS[0]]}), POINTS, {}),
    "CRFAutoencoder": (
        sc.CRFAutoencoder(2, start={"initial": [1.0, -1.0]}, criterion="autoencode:0", random_state=0),
        TEXT, {"initial": [1.0]}
    ),
    "Grammar": (sc.Grammar("S -> 'a' | S S | 'b'", start={"S -> S S": 0.4}, criterion="em:0"), ["a a", "a"],
                {"S -> NP": 0.5}),
    "Network": (sc.Network("weather -> late", start={"weather": {"": {"rainy": 0.9, "sunny": 0.1}}}, criterion="em:0"),
                ROWS, {"wether": {}}),
    "WordClasses": (sc.WordClasses(2, start={"dog": 1, "cat": 0, "ox": 1}, criterion="exchange:0"), TEXT, {"dog": 2}),
}  # fmt: skip


def test_every_estimator_that_has_a_start_is_here() -> None:
    classes = [getattr(sc, name) for name in sc.__all__ if inspect.isclass(getattr(sc, name))]
    assert {c.__name__ for c in classes if hasattr(c, "fit") and "start" in inspect.signature(c).parameters} == set(
        MODELS
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_mapping_is_the_start(name: str, tmp_path: Path) -> None:
    estimator, data, wrong = MODELS[name]
    model = estimator.fit(data)
    found = {
        "HMM": lambda: np.asarray(model.parameters_.initial)[:2] == pytest.approx([0.9, 0.1]),
        "PLSA": lambda: np.allclose(model.parameters_.word, WORD / 9) and np.allclose(model.parameters_.topic, 0.5),
        "NaiveBayesMixture": lambda: np.allclose(model.parameters_.word, WORD / 9),
        "KMeans": lambda: model.labels_.tolist() == [1, 1, 0, 0],
        "GaussianMixture": lambda: model.predict(POINTS).tolist() == [1, 1, 0, 0],
        "CRFAutoencoder": lambda: model.parameters_.initial.tolist() == [1.0, -1.0],
        "Grammar": lambda: np.allclose(model.parameters_.rule.values, [0.3, 0.4, 0.3]),
        "Network": lambda: model.query("weather")["rainy"] == pytest.approx(0.9),
        "WordClasses": lambda: list(model.class_of(["dog", "cat"])) == [1, 0],
    }[name]
    assert found()
    assert " start=given,sha256:" in model.signature_ or name in ("KMeans",), model.signature_
    model.save(tmp_path / "x.model")
    assert sc.load(tmp_path / "x.model").signature_ == model.signature_
    with pytest.raises(InputError):
        estimator.__class__(**{**estimator.get_params(), "start": wrong}).fit(data)
