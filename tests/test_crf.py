"""The CRF autoencoder: its objective and gradient by enumeration and by differences, and the estimator around it.

Its E-step is enumerated in `test_expect.py`, as every model's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import enumeration
import numpy as np
import pytest
from cases import bits
from enumeration import flat, unflat
from naive import NaiveCRF, Sentences
from scipy import sparse

import softcount as sc
from softcount import InputError
from softcount.criteria.autoencode import encoding
from softcount.criteria.criterion import log_weights
from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.loop.start import random_start
from softcount.models.crf import CRF, with_boundary
from softcount.models.hmm import HMM
from softcount.numbers.ragged import from_rows
from softcount.numbers.tables import each

TEXT = ["the dog runs", "a dog sees the cat", "", "cats run", "the cat sees a dog", "dogs run and a cat sleeps"] * 3
ITEMS = Sentences(from_rows([[0, 1, 2], [2, 1], [0, 0, 1]], np.int32))
MODEL = CRF(2, with_boundary(sparse.csr_matrix([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])), np.array([0, 1, 1, -1, -1]), 2)


def objective(weights: Any) -> float:
    """log Σ_z P(z | x) P(x̂ | z) by listing every z."""
    whole, encoder = (
        enumeration.expected(enumeration.Instance(NaiveCRF(MODEL), MODEL, ITEMS, asked))[1]
        for asked in (weights, weights._replace(reconstruction=np.zeros((2, 2))))
    )
    return whole - encoder


def step(rate: float, n: int) -> tuple[list[Any], list[Any]]:
    criterion = parse(f"autoencode(rate={rate})")[0].build(MODEL.layout, Settings())
    expect = EStep(MODEL, ITEMS, Threads(1).__enter__())
    state, states, found = criterion.init(random_start(MODEL.layout, (4,)), expect), [], []
    for _ in range(n):
        states.append(state)
        state, progress = criterion.step(state, expect)
        found.append(progress)
    return [*states, state], found


def test_objective_and_gradient_by_brute_force() -> None:
    start = random_start(MODEL.layout, (4,))
    weights = each(np.array, log_weights(MODEL.layout, start))
    expect = EStep(MODEL, ITEMS, Threads(1).__enter__())
    both, encoder = expect(weights), expect(encoding(MODEL.layout, weights))
    assert both.log_norm - encoder.log_norm == pytest.approx(objective(weights), rel=1e-12)
    without = encoder.counts._replace(reconstruction=np.zeros((2, 2)))
    eta, gradient, h = flat(weights), flat(each(np.subtract, both.counts, without)), 1e-5
    for i in range(len(eta)):
        up, down = (objective(unflat(weights, eta + s * h * (np.arange(len(eta)) == i))) for s in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(gradient[i], abs=1e-7)


def test_small_steps_rise_and_weights_follow_their_gradient() -> None:
    (before, after, *_), found = step(0.001, 12)
    objectives = [progress.objective for progress in found]
    assert (np.diff(objectives) > 0).all()
    expect, weights = EStep(MODEL, ITEMS, Threads(1).__enter__()), log_weights(MODEL.layout, before.parameters)
    both, encoder = expect(weights).counts, expect(encoding(MODEL.layout, weights)).counts
    for name in ("initial", "transition", "here", "before", "after"):
        w, moved = getattr(before.parameters, name), getattr(after.parameters, name)
        slope = getattr(both, name) - getattr(encoder, name) - w
        np.testing.assert_allclose(moved - w, 0.001 * np.sign(slope), atol=1e-12)
    prior = -0.5 * sum(np.sum(np.square(w)) for w in before.parameters[:-1])
    assert found[0].objective == pytest.approx(found[0].parts["log_reconstruction"] + prior)


def test_small_enough_are_rates_that_were_halved_until_nothing_falls() -> None:
    (before, after, *_), found = step(5.0, 6)
    assert (np.diff([progress.objective for progress in found]) >= 0).all()
    moved = np.abs(after.parameters.here - before.parameters.here)
    halvings = np.log2(5.0 / moved)  # every weight moves by its rate, which is 5 halved so many times
    assert halvings.min() > 0.5 and halvings == pytest.approx(np.full(halvings.shape, round(halvings[0, 0])), abs=1e-6)


def test_reconstruction_takes_what_em_would() -> None:
    (before, after, *_), _ = step(0.05, 1)
    expect = EStep(MODEL, ITEMS, Threads(1).__enter__())
    counts = expect(log_weights(MODEL.layout, before.parameters)).counts.reconstruction
    np.testing.assert_allclose(after.parameters.reconstruction, counts / counts.sum(axis=1, keepdims=True))


def test_of_a_plain_chain_autoencoding_is_em() -> None:
    model = HMM(2, 3)
    expect, start = EStep(model, ITEMS, Threads(1).__enter__()), random_start(model.layout, (1,))
    for _ in range(3):
        one, other = (
            criterion.parameters(criterion.step(criterion.init(start, expect), expect)[0])
            for criterion in (parse(s)[0].build(model.layout, Settings()) for s in ("em", "autoencode"))
        )
        np.testing.assert_allclose(flat(one), flat(other), rtol=1e-9)
        start = one


# --- the estimator --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained() -> sc.CRFAutoencoder:
    return sc.CRFAutoencoder(3, criterion="autoencode:12", reconstruct="words", random_state=0, tolerance=0).fit(TEXT)


def test_new_words_are_tagged_by_their_features_and_neighbours(trained: sc.CRFAutoencoder) -> None:
    tags = trained.predict(["the walrus runs", "", "a dog"])
    assert [len(row) for row in tags] == [3, 0, 2] and {tag for row in tags for tag in row} <= {0, 1, 2}
    shares = trained.predict_proba(["zebras ran", "the dog"])
    assert [s.shape for s in shares] == [(2, 3), (2, 3)]
    np.testing.assert_allclose(np.concatenate(shares).sum(axis=1), 1.0)
    plain, plural = trained.predict_proba(["zzz", "zzzs"])
    assert not np.allclose(plain, plural), "the ending says something"


def test_score_is_the_objective_without_its_prior(trained: sc.CRFAutoencoder) -> None:
    again = sc.CRFAutoencoder(3, criterion="autoencode:13", reconstruct="words", random_state=0, tolerance=0).fit(TEXT)
    assert trained.score(TEXT) == pytest.approx(again.history_[-1].parts["log_reconstruction"], rel=1e-9)
    assert trained.reconstruction_score(TEXT) == trained.score(TEXT) < 0.0


def test_saved_and_resumed_models_answer_alike(trained: sc.CRFAutoencoder, tmp_path: Path) -> None:
    trained.save(tmp_path / "m")
    opened = sc.load(tmp_path / "m")
    assert opened.predict(["the walrus runs"]) == trained.predict(["the walrus runs"])
    assert opened.score(TEXT) == trained.score(TEXT) and opened.signature_ == trained.signature_
    assert opened.top_words(2) == trained.top_words(2) and opened.top_features(2) == trained.top_features(2)


def test_classes_are_made_again(trained: sc.CRFAutoencoder) -> None:
    model = sc.CRFAutoencoder(2, criterion="autoencode:3", reconstruct=4, start="random", random_state=1).fit(TEXT)
    assert model.parameters_.reconstruction.shape == (2, 4) and model.made_.max() == 3
    np.testing.assert_allclose(model.emission_.sum(axis=1), 1.0)
    np.testing.assert_allclose(trained.emission_.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"criterion": "em:5"}, "a CRF autoencoder trains with autoencode only"),
        ({"reconstruct": "lines"}, "give a number of classes, or words"),
        ({"variance": 0.0}, "it must be above zero"),
        ({"start": "known"}, "start='known': unknown; use classes, random"),
    ],
)
def test_what_has_no_meaning_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        sc.CRFAutoencoder(2, **settings).fit(TEXT)


def test_a_run_that_was_stopped_goes_on_from_its_checkpoint(trained: sc.CRFAutoencoder, tmp_path: Path) -> None:
    def stop(step: Any) -> None:
        if step.step == 5:
            raise KeyboardInterrupt

    def model() -> sc.CRFAutoencoder:
        return sc.CRFAutoencoder(3, criterion="autoencode:12", reconstruct="words", random_state=0, tolerance=0)

    kept: dict[str, Any] = {"checkpoint": tmp_path / "c", "checkpoint_every": 1}
    with pytest.raises(KeyboardInterrupt):
        model().fit(TEXT, on_step=stop, **kept)
    steps: list[int] = []
    again = model().fit(TEXT, on_step=lambda step: steps.append(step.step), **kept)
    assert steps[0] in (5, 6) and bits(again) == bits(trained)
