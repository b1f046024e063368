"""partial_fit: the stepwise criterion over pieces that arrive, by hand and beside the criterion itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import digamma

import softcount
from softcount import HMM, PLSA, GaussianMixture, Grammar, InputError, KMeans, NaiveBayesMixture, Network
from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.loop.online import Arrived
from softcount.loop.start import constrain
from softcount.numbers.tables import leaves, values

TEXT = ["a b a c", "b b c d", "a c d", "c a b b a", "a d d", "d d b d", "a b", "c d c", "b a d"]
PIECES = [TEXT[:4], TEXT[4:6], TEXT[6:]]
COUNTS = np.array([[line.split().count(w) for w in "abcd"] for line in TEXT], float)
START = [np.array([0.4, 0.6]), np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])]


def expected(counts: np.ndarray, log_cluster: np.ndarray, log_word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    logs = log_cluster + counts @ log_word.T
    shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    return shares.sum(axis=0), shares.T @ counts


@pytest.mark.parametrize(("criterion", "decay"), [("em:100", 0.7), ("stepwise(em,decay=0.55)", 0.55), ("vb", 0.7)])
@pytest.mark.parametrize("total", [None, 20])
def test_a_mixture_by_hand(criterion: str, decay: float, total: float | None) -> None:
    """s ← (1 − γ) s + γ (N / B) c with γ = (k + 2)^−decay, the first s being the first piece's under the start."""
    pseudo, prior, bayes = 0.1, 0.3, criterion == "vb"
    model = NaiveBayesMixture(2, criterion=criterion, start=START, pseudo=pseudo, prior=prior)
    with np.errstate(divide="ignore"):
        logs = np.log(START[0]), np.log(START[1])
    s: list[np.ndarray] = []
    seen, bounds = 0.0, [(0, 4), (4, 6), (6, 9)]
    for k, (a, b) in enumerate(bounds):
        piece = COUNTS[a:b]
        model.partial_fit(piece, total=total)
        amount = float(((piece > 0).sum(axis=1) + 1).sum())  # a document's distinct words, and itself
        seen += amount
        scale = seen / amount if total is None else total / (b - a)
        if k == 0:  # the start is seen through first: its counts are the first s, and of VB the first posterior
            s = [scale * c for c in expected(piece, *logs)]
            if bayes:
                logs = weights(s[0] + prior), weights(s[1] + prior)
                s = [scale * c for c in expected(piece, *logs)]
        gamma = (k + 2.0) ** -decay
        fresh = expected(piece, *logs)
        s = [(1 - gamma) * old + gamma * scale * new for old, new in zip(s, fresh, strict=True)]
        if bayes:
            lam = [table + prior for table in s]
            logs = weights(lam[0]), weights(lam[1])
            theta = [table / table.sum(axis=-1, keepdims=True) for table in lam]
            assert model.posterior_ is not None
            np.testing.assert_allclose(model.posterior_["word"], lam[1], rtol=1e-9)
        else:
            theta = [(table + pseudo) / (table + pseudo).sum(axis=-1, keepdims=True) for table in s]
            logs = np.log(theta[0]), np.log(theta[1])
        np.testing.assert_allclose(model.cluster_, theta[0], rtol=1e-9)
        np.testing.assert_allclose(model.word_, theta[1], rtol=1e-9)
    assert model.n_iter_ == 3 == len(model.history_) and len(model.labels_) == 3


def weights(lam: np.ndarray) -> np.ndarray:
    return np.asarray(digamma(lam) - digamma(lam.sum(axis=-1, keepdims=True)))


RULES = "S -> A A | A | S S\nA -> 'a' | 'b' | 'c' | 'd'"
ROWS = {"late": list("ynynnynyn"), "wet": list("ynyynyynn")}
POINTS = np.random.default_rng(0).normal(size=(9, 2)) + 3.0 * (np.arange(9) % 2)[:, None]


def cut(data: Any, a: int, b: int) -> Any:
    return {name: column[a:b] for name, column in data.items()} if isinstance(data, dict) else data[a:b]


MODELS: dict[str, tuple[Any, Any]] = {
    "hmm": (lambda c: HMM(2, criterion=c, start="random", prior=0.1, random_state=0), TEXT),
    "plsa": (lambda c: PLSA(2, criterion=c, random_state=0), TEXT),
    "mixture": (lambda c: NaiveBayesMixture(2, criterion=c, start="random", random_state=0), TEXT),
    "gaussian": (lambda c: GaussianMixture(2, criterion=c, random_state=0), POINTS),
    "k-means": (lambda c: KMeans(2, criterion=c, random_state=0), POINTS),
    "network": (lambda c: Network("mood -> late; mood -> wet", values={"mood": 2}, criterion=c, random_state=0), ROWS),
    "grammar": (lambda c: Grammar(RULES, criterion=c, random_state=0), TEXT),
}


@pytest.mark.parametrize("criterion", ["em", "vb", "hard", "hard(vb)"])
@pytest.mark.parametrize("name", MODELS)
def test_every_model_does_what_its_criterion_does(name: str, criterion: str) -> None:
    """The stepwise criterion itself, driven over the same pieces, from the same start."""
    make, data = MODELS[name]
    model = make(criterion)
    stage = parse(f"stepwise({criterion})")[0]
    state, seen, start = None, 0.0, None
    for a, b in ((0, 4), (4, 6), (6, 9)):
        piece = cut(data, a, b)
        if start is None:  # as the first call begins
            first = make(criterion)
            first._beginning = True
            first.fit(piece)
            del first._beginning
            start, ready = first._carried(), first
        asked, items, _ = (model if state is not None else ready)._arrived(piece, None, None)
        model.partial_fit(piece)
        criteria = stage.build(constrain(asked.layout, start, ready._held(asked)), ready._online_settings())
        with Threads(1) as engine:
            data_step = EStep(asked, items, engine)
            seen += data_step.amount
            expect = Arrived(data_step, data_step.amount / seen)
            state = criteria.init(start, expect) if state is None else state
            state, _ = criteria.step(state, expect)
        for mine, its in zip(leaves(model._carried()), leaves(criteria.parameters(state)), strict=True):
            np.testing.assert_allclose(values(mine), values(its), rtol=1e-12)
    assert model.n_iter_ == 3


@pytest.mark.parametrize("name", MODELS)
def test_what_comes_of_it_can_be_used(name: str, tmp_path: Path) -> None:
    make, data = MODELS[name]
    model = make("em")
    for a, b in ((0, 4), (4, 6), (6, 9)):
        assert model.partial_fit(cut(data, a, b)) is model
    new = cut(data, 0, 2)
    model.save(tmp_path / "m")
    again = softcount.load(tmp_path / "m")
    assert again.signature_ == model.signature_ and "pieces=3" in model.signature_
    for method in ("predict", "transform", "predict_proba", "score", "reconstruction_score"):
        if hasattr(model, method):
            one, two = (np.asarray(getattr(m, method)(new), dtype=object) for m in (model, again))
            assert repr(one) == repr(two)
    again.partial_fit(new)  # goes on from the parameters
    assert again.n_iter_ == 1 or again.n_iter_ == 4
    assert np.isfinite(again.reconstruction_score(new))
    fresh = make("em").fit(data)
    assert model.fit(data).signature_ == fresh.signature_  # fit begins anew
    assert "_online" not in model.__dict__ or model._online is None


def test_topics_of_pieces_are_folded_in() -> None:
    model = PLSA(2, criterion="em", start="random", random_state=0)
    for piece in PIECES:
        model.partial_fit(piece)
    assert model.topic_.shape == (3, 2)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.prevalence_.sum(), 1.0, rtol=1e-9)
    assert model.top_words(2)


def test_many_pieces_learn_what_all_data_teach() -> None:
    """Two clear clusters of points, in fifty pieces."""
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(m, 1.0, (500, 2)) for m in (0.0, 8.0)])[rng.permutation(1000)]
    for make in (lambda: KMeans(2, random_state=0), lambda: GaussianMixture(2, random_state=0)):
        online, batch = make(), make().fit(points)
        for piece in np.split(points, 50):
            online.partial_fit(piece)
        one, two = (np.sort(m.means_, axis=0) for m in (online, batch))
        np.testing.assert_allclose(one, two, atol=0.3)


def test_labels_that_come_later() -> None:
    model = NaiveBayesMixture(criterion="em", random_state=0)
    model.partial_fit(COUNTS[:3], ["x", "", "x"], classes=["x", "y"])
    model.partial_fit(COUNTS[3:6], ["y", "y", None])
    assert model.classes_.tolist() == ["x", "y"]
    with pytest.raises(InputError, match="y has the class 'z', which is not in classes"):
        NaiveBayesMixture().partial_fit(COUNTS[:3], ["z", "", "x"], classes=["x", "y"])


def test_weights_are_the_items_so_often() -> None:
    one, two = (NaiveBayesMixture(2, criterion="em", start=START, random_state=0) for _ in range(2))
    for a, b in ((0, 4), (4, 9)):
        one.partial_fit(COUNTS[a:b], sample_weight=np.full(b - a, 2.0))
        two.partial_fit(np.concatenate([COUNTS[a:b]] * 2))
    np.testing.assert_allclose(one.word_, two.word_, rtol=1e-9)


@pytest.mark.parametrize("criterion", ["mre", "gibbs:5", "em:5,mre:5", "annealed"])
def test_criteria_that_cannot(criterion: str) -> None:
    with pytest.raises(InputError, match=": partial_fit needs stepwise around em, vb, hard"):
        HMM(2, criterion=criterion).partial_fit(TEXT)


def test_pieces_that_cannot_be() -> None:
    model = HMM(2, random_state=0).partial_fit(TEXT)
    with pytest.raises(InputError, match="give at least one word or row"):
        model.partial_fit([""])
    with pytest.raises(InputError, match="total is 0; it must be the total number of items"):
        model.partial_fit(TEXT, total=0)
    with pytest.raises(ValueError, match="features"):
        KMeans(2, random_state=0).partial_fit(POINTS).partial_fit(POINTS[:, :1])


def test_a_piece_that_was_never_thought_of() -> None:
    """Under a tiny prior what the first piece does not show has no weight left: said, with what to do."""
    model = HMM(2, criterion="vb", prior=0.0001, random_state=0).partial_fit(["a b", "a b", "a b"])
    with pytest.raises(InputError, match=r"<memory>:1: this item has probability zero .*; use a larger prior"):
        model.partial_fit(["b b a a"])
    model = HMM(2, criterion="vb", prior=0.1, random_state=0).partial_fit(["a b", "a b", "a b"])
    assert model.partial_fit(["b b a a"]).n_iter_ == 2


def test_settings_are_the_settings() -> None:
    """Pseudo-counts of PLSA by table, of which documents that are folded in have no part."""
    model = PLSA(2, pseudo={"topic": 0.1, "word": 0.5}, criterion="em", random_state=0).partial_fit(TEXT)
    assert (model.components_ > 0.0).all()
    assert isinstance(model._online_settings(), Settings)
