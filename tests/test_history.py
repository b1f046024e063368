"""`history_` has one shape for all estimators: a list of steps, and `parts` where several things were trained."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import softcount as sc
from softcount.examples import EXAMPLES
from softcount.loop.trace import Step, Trace

TEXT = ["the dog runs", "a cat runs", "the cat sleeps", "a dog sleeps"]
OTHER = ["der hund rennt", "eine katze rennt", "die katze schläft", "ein hund schläft"]
ROWS = {"weather": ["rainy", "rainy", "sunny"], "late": ["yes", "no", "no"]}
POINTS = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]
MODELS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "hmm": (sc.HMM(2, criterion="em:2", random_state=0), (TEXT,)),
    "classes": (sc.WordClasses(2), (TEXT,)),
    "crf": (sc.CRFAutoencoder(2, criterion="autoencode:1", random_state=0), (TEXT,)),
    "plsa": (sc.PLSA(2, criterion="em:2", random_state=0), (TEXT,)),
    "mixture": (sc.NaiveBayesMixture(2, criterion="em:2", random_state=0), (TEXT,)),
    "kmeans": (sc.KMeans(2, random_state=0), (POINTS,)),
    "gaussian": (sc.GaussianMixture(2, criterion="em:2", random_state=0), (POINTS,)),
    "network": (sc.Network("weather -> late"), (ROWS,)),
    "grammar": (sc.Grammar("S -> 'a' | S S", criterion="em:2", random_state=0), (["a a", "a"],)),
    "lm": (sc.LanguageModel(2), (EXAMPLES["everyday"].files["everyday.en"].splitlines(),)),
    "aligner": (sc.WordAligner(), (TEXT, OTHER)),
    "apart": (sc.WordAligner("ibm1", criterion="em:2"), (TEXT, OTHER)),
}
PARTS = {"aligner": ["both"], "apart": ["forward", "reverse"]}


@pytest.fixture(scope="module", params=MODELS)
def trained(request: Any) -> tuple[str, Any]:
    estimator, data = MODELS[request.param]
    return request.param, estimator.fit(*data)


def test_history_is_a_list_of_steps(trained: tuple[str, Any], tmp_path: Path) -> None:
    name, model = trained
    trace = model.history_
    assert isinstance(trace, Trace) and all(isinstance(step, Step) for step in trace)
    assert (len(trace) > 0) == (name != "lm")
    assert trace.objectives == [step.objective for step in trace]
    assert [row["stage"] for row in trace.table()] == [step.stage for step in trace] and trace.stopped.text
    assert list(trace.parts) == PARTS.get(name, [""])
    assert trace.objectives == [value for part in trace.parts.values() for value in part.objectives]
    model.save(tmp_path / "x.model")
    for again in (sc.load(tmp_path / "x.model").history_, pickle.loads(pickle.dumps(model)).history_):
        assert type(again) is type(trace) and list(again) == list(trace) and again.stopped == trace.stopped
        assert {part: list(steps) for part, steps in again.parts.items()} == {
            part: list(steps) for part, steps in trace.parts.items()
        }


def test_parts_of_an_aligner() -> None:
    """By name as in 0.2, and told apart by their stages where there are several."""
    trace = MODELS["apart"][0].fit(TEXT, OTHER).history_
    assert [step.stage for step in trace] == ["forward: em:2"] * 2 + ["reverse: em:2"] * 2
    assert trace["reverse"] is trace.parts["reverse"] and list(trace.items()) == list(trace.parts.items())
    assert [(stage, len(steps)) for _, stage, steps in trace.stages()] == [("forward: em:2", 2), ("reverse: em:2", 2)]
    assert [step.stage for step in trace["reverse"]] == ["em:2"] * 2
