"""Links by a CRF autoencoder: its objective and gradient by enumeration, its promise, and the aligner around it.

Its E-step is enumerated in `test_expect.py`, as every model's."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import enumeration
import numpy as np
import pytest
from command import run
from enumeration import flat, unflat
from naive import NaiveLinkCRF
from scipy import sparse

import softcount as sc
from softcount import InputError
from softcount.criteria.autoencode import encoding
from softcount.criteria.criterion import log_weights
from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.loop.start import random_start
from softcount.loop.train import fell
from softcount.models.link_crf import LinkCRF
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import each
from softcount.text.bitext import bitext, length_classes
from softcount.text.cooccurrence import cooccurring
from softcount.text.pair_features import association

ITEMS = bitext(["a b c", "b a", "c"], ["x y", "y x y", "z x"])
ENGLISH = ["the house is big", "the book is small", "a book", "the small house", "in 1998 a big tree"] * 3
GERMAN = ["das haus ist gross", "das buch ist klein", "ein buch", "das kleine haus", "1998 ein grosser baum"] * 3


def tiny(reach: int = 2) -> LinkCRF:
    n = len(ITEMS.target.vocabulary)
    rows = cooccurring(ITEMS.sides[0].occurrences, ITEMS.target.sentences, n)
    told = np.random.default_rng(0).random((len(rows.values), 3))
    told[: rows.offsets[1]] = 0.0
    return LinkCRF(rows, n, length_classes(ITEMS)[0], sparse.csr_matrix(told), reach=reach)


MODEL = tiny()


def expecting() -> EStep:
    return EStep(MODEL, ITEMS, Threads(1).__enter__())


def objective(weights: Any) -> float:
    """log Σ_a P(a | e, f) P(f̂ | a, e) by listing every alignment."""
    alone = weights._replace(translation=weights.translation.with_values(np.zeros(len(weights.translation.values))))
    whole, encoder = (
        enumeration.expected(enumeration.Instance(NaiveLinkCRF(MODEL), MODEL, ITEMS, asked))[1]
        for asked in (weights, alone)
    )
    return float(whole - encoder)


def test_objective_and_gradient_by_brute_force() -> None:
    weights = each(np.array, log_weights(MODEL.layout, random_start(MODEL.layout, (4,))))
    expect = expecting()
    both, encoder = expect(weights), expect(encoding(MODEL.layout, weights))
    assert both.log_norm - encoder.log_norm == pytest.approx(objective(weights), rel=1e-12)
    scored = MODEL.posteriors(MODEL.weigh(weights), MODEL.pack(ITEMS)).log_norms
    assert scored.sum() == pytest.approx(objective(weights), rel=1e-12)
    made = encoder.counts.translation
    without = encoder.counts._replace(translation=made.with_values(np.zeros(len(made.values))))
    eta, gradient, h = flat(weights), flat(each(np.subtract, both.counts, without)), 1e-5
    for i in range(len(eta)):
        up, down = (objective(unflat(weights, eta + s * h * (np.arange(len(eta)) == i))) for s in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(gradient[i], abs=1e-7)


@pytest.mark.parametrize("rate", [0.05, 0.9])
def test_objective_never_falls_however_great_the_rates(rate: float) -> None:
    criterion = parse(f"autoencode(rate={rate})")[0].build(MODEL.layout, Settings())
    expect, found = expecting(), []
    state = criterion.init(random_start(MODEL.layout, (4,)), expect)
    for _ in range(25):
        state, progress = criterion.step(state, expect)
        found.append(progress.objective)
        logs = criterion.log_weights(state)
        here = expect(logs).log_norm - expect(encoding(MODEL.layout, logs)).log_norm
        prior = -0.5 * sum(float(np.vdot(w, w)) for w in state.parameters[1:])
        assert here + prior == pytest.approx(state.objective, rel=1e-12)
    assert not any(fell(a, b) for a, b in pairwise(found)) and found[-1] > found[0]


def test_association_is_what_was_counted_of_both_words() -> None:
    rows = Ragged(np.array([0, 1, 3]), np.array([0, 0, 1], np.int32))
    of_e, of_f, dice = association(rows, np.array([0.0, 2.0, 1.0])).matrix.toarray().T
    np.testing.assert_allclose(dice, [0.0, 4 / 5, 2 / 4])
    np.testing.assert_allclose(of_e, [0.0, 1 + np.log(2 / 3) / np.log(1e6), 1 + np.log(1 / 3) / np.log(1e6)])
    np.testing.assert_allclose(of_f, [0.0, 1.0, 1.0])


# --- the aligner ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained() -> sc.WordAligner:
    return sc.WordAligner("crf:6").fit(ENGLISH, GERMAN)


def test_words_find_their_translations(trained: sc.WordAligner) -> None:
    links = trained.align(["the house is big", "a book"], ["das haus ist gross", "ein buch"])
    assert links == [[(0, 0), (1, 1), (2, 2), (3, 3)], [(0, 0), (1, 1)]]
    new = trained.align(["the zebra is big"], ["das zebra ist gross"], probabilities=True)[0]
    assert {(i, j) for i, j, _ in new} >= {(0, 0), (2, 2), (3, 3)}, "words that training has not seen have places"


def test_scores_are_the_objective(trained: sc.WordAligner) -> None:
    again = sc.WordAligner("crf:7").fit(ENGLISH, GERMAN)
    parts = [again.directions_[name].trace[-1].parts["log_reconstruction"] for name in ("forward", "reverse")]
    np.testing.assert_allclose(trained.scores(ENGLISH, GERMAN).sum(axis=0), parts, rtol=1e-9)
    assert 0.0 < trained.pair_scores(ENGLISH[:1], GERMAN[:1])[0] < 1.0
    remarks = again.directions_["forward"].trace.remarks
    assert any("share of source" in remark and "distance from the diagonal" in remark for remark in remarks)


def test_saved_models_answer_alike(trained: sc.WordAligner, tmp_path: Path) -> None:
    trained.save(tmp_path / "m")
    opened = sc.load(tmp_path / "m")
    assert opened.align(ENGLISH, GERMAN) == trained.align(ENGLISH, GERMAN)
    np.testing.assert_array_equal(opened.scores(ENGLISH, GERMAN), trained.scores(ENGLISH, GERMAN))
    assert opened.signature_ == trained.signature_ and "features=pairs" in opened.signature_


def test_one_direction_features_of_ones_own_and_viterbi() -> None:
    def own(pair: tuple[str, str]) -> list[str]:
        return ["initial"] if pair[0][:1] == pair[1][:1] else []

    settings: dict[str, Any] = {"direction": "forward", "features": own, "decode": "viterbi"}
    model = sc.WordAligner("ibm1:2,hmm(em:2),crf(autoencode(rate=0.1)):4", **settings).fit(ENGLISH, GERMAN)
    assert list(model.directions_) == ["forward"] and "initial" in model.directions_["forward"].trace.remarks[-1]
    assert all(len(row) <= 5 for row in model.align(ENGLISH, GERMAN))


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e").write_text("\n".join(ENGLISH) + "\n"), Path("g").write_text("\n".join(GERMAN) + "\n")
    first = run("align e g --model crf:4 --save m -q")
    again = run("align e g --apply m -q")
    assert first.code == 0 and first.out == again.out and len(first.out.splitlines()) == len(ENGLISH)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model": "ibm1,crf(em:5)"}, ": crf trains with autoencode only, not with em"),
        ({"model": "crf", "criterion": "vb:3"}, r"criterion 'vb:3': .* initialize it with vb, write ibm1\(vb:3\),crf"),
        ({"model": "crf", "agreement": True}, "joint training is available for ibm1, ibm2, ibm2-free and hmm"),
        ({"model": "crf", "variance": 0.0}, "it must be positive"),
        ({"model": "crf", "features": "words"}, "features='words': unknown features of word pairs"),
    ],
)
def test_what_has_no_meaning_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        sc.WordAligner(**settings).fit(ENGLISH, GERMAN)


def test_what_an_encoder_cannot_do_is_refused(trained: sc.WordAligner) -> None:
    with pytest.raises(InputError, match="a CRF autoencoder only links given sentence pairs"):
        trained.sample(["the house"], random_state=0)
    with pytest.raises(InputError, match="known links are not available with a CRF autoencoder"):
        sc.WordAligner("crf").fit(ENGLISH[:2], GERMAN[:2], links=["0-0", "1-1"])


def test_a_run_that_was_stopped_goes_on_from_its_checkpoint(trained: sc.WordAligner, tmp_path: Path) -> None:
    def stop(name: str, step: Any) -> None:
        if name == "reverse" and step.step == 3 and "autoencode" in step.stage:
            raise KeyboardInterrupt

    kept: dict[str, Any] = {"checkpoint": tmp_path / "c", "checkpoint_every": 1}
    with pytest.raises(KeyboardInterrupt):
        sc.WordAligner("crf:6").fit(ENGLISH, GERMAN, on_step=stop, **kept)
    again = sc.WordAligner("crf:6").fit(ENGLISH, GERMAN, **kept)
    np.testing.assert_array_equal(again.scores(ENGLISH, GERMAN), trained.scores(ENGLISH, GERMAN))
