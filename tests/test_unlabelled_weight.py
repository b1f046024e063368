"""What unlabelled documents count, by cross-validation of the labelled ones; and classes that collapse, at each fit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run

import softcount as sc
from softcount.estimators.unlabelled_weight import FOLDS, STEPS, WEIGHTS, choose_weight, folds

COLLAPSE = pytest.mark.filterwarnings("ignore:the classes collapse")


def misleading(n: int = 240, seed: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Counts of documents whose classes say little of their words, beside a split of the words that says much."""
    rng = np.random.default_rng(seed)
    gold, other = rng.integers(0, 2, n), rng.integers(0, 2, n)
    rare = rng.poisson(np.where(gold[:, None] == np.repeat([0, 1], 5), 3.0, 1.0))
    loud = rng.poisson(np.where(other[:, None] == np.repeat([0, 1], 10), 4.0, 0.5))
    return np.column_stack([rare, loud]).astype(float), gold


def helping(n: int = 240, seed: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Many words, each of which says a little of the class: few labels show few of them."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    rates = rng.gamma(0.3, 1.0, (2, 400))
    return rng.poisson(0.05 * rates[gold]).astype(float), gold


def partly(gold: np.ndarray[Any, Any], n: int) -> np.ndarray[Any, Any]:
    return np.where(np.arange(len(gold)) < n, gold, -1)


def test_folds_leave_of_every_class_some_and_of_a_lonely_one_nothing() -> None:
    labels = np.array([0] * 7 + [1] * 2 + [2] + [-1] * 5)
    for seed in range(10):
        found = folds(labels, np.random.default_rng(seed))
        assert (found[9:] == -1).all() and (found[:9] >= 0).all()
        for fold in range(FOLDS):
            rest = labels[(found != fold) & (labels >= 0)]
            assert set(rest.tolist()) == {0, 1, 2}
        assert np.bincount(found[:9], minlength=FOLDS).max() - np.bincount(found[:9], minlength=FOLDS).min() <= 1


def test_a_document_that_is_left_out_is_not_seen() -> None:
    """Of every training it is told what it saw; the weight with most right is chosen, of several the greatest."""
    X, gold = helping(60)
    data, labels = sc.documents([["w"]]), partly(gold, 40)
    from softcount.text.documents import from_matrix

    data, seen = from_matrix(X), []

    class Told:
        def __init__(self, weight: float, criterion: str) -> None:
            self.weight = weight
            assert criterion == f"em:{STEPS}"

        def fit(self, learnt: Any, y: Any, counts: Any) -> Told:
            seen.append((self.weight, len(learnt), int((y >= 0).sum())))
            return self

        def predict(self, aside: Any) -> Any:
            table = aside.matrix().toarray()
            place = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in table]
            return np.where(self.weight in (0.3, 0.1), gold[place], 1 - gold[place])

    found = choose_weight(data, labels, np.ones(60), Told, 0)
    assert found.weight == 0.3 and "(1: 0.0 %, 0.3: 100.0 %, 0.1: 100.0 %, 0: 0.0 % right)" in found.why
    assert len(seen) == FOLDS * len(WEIGHTS) and {one[1:] for one in seen} == {(52, 32)}


@COLLAPSE
def test_it_takes_the_side_that_is_right() -> None:
    for seed in range(3):
        for make, chosen in ((misleading, {0.0, 0.1, 0.3}), (helping, {1.0, 0.3})):
            X, gold = make(seed=seed)
            y = partly(gold, 40)
            model = sc.NaiveBayesMixture(random_state=0).fit(X, y)
            fixed = {w: sc.NaiveBayesMixture(unlabelled_weight=w, random_state=0).fit(X, y) for w in WEIGHTS}
            right = {w: one.score(X[40:], gold[40:]) for w, one in fixed.items()}
            assert model.unlabelled_weight_ in chosen, (make, right)
            assert model.score(X[40:], gold[40:]) >= max(right[1.0], right[0.0]) - 0.1, right
            same = fixed[model.unlabelled_weight_]
            assert np.array_equal(model.word_, same.word_) and model.objective_ == same.objective_


@COLLAPSE
def test_it_is_said_kept_and_the_same_again(tmp_path: Path) -> None:
    X, gold = misleading()
    y = partly(gold, 40)
    model, again = (sc.NaiveBayesMixture(random_state=3, n_jobs=n).fit(X, y) for n in (1, 2))
    assert np.array_equal(model.word_, again.word_) and model.unlabelled_weight_ == again.unlabelled_weight_
    assert f"unlabelled_weight={model.unlabelled_weight_}" in model.signature_
    (said,) = [note for note in model.history_.remarks if note.startswith("unlabelled_weight")]
    assert said.startswith(
        f"unlabelled_weight is {model.unlabelled_weight_:g}, chosen by 5-fold cross-validation of 40"
    )
    model.save(tmp_path / "m")
    loaded = sc.load(tmp_path / "m")
    assert loaded.unlabelled_weight_ == model.unlabelled_weight_ and loaded.get_params()["unlabelled_weight"] is None
    other = 0.5 if model.unlabelled_weight_ != 0.5 else 0.6
    how: dict[str, Any] = {"random_state": 3, "criterion": "em:5"}
    sc.NaiveBayesMixture(unlabelled_weight=other, **how).fit(X, y, checkpoint=tmp_path / "c", checkpoint_every=1)
    with pytest.raises(sc.InputError, match=f"unlabelled_weight={other}, not {model.unlabelled_weight_}"):
        sc.NaiveBayesMixture(**how).fit(X, y, checkpoint=tmp_path / "c", checkpoint_every=1)


@COLLAPSE
def test_where_it_is_not_chosen() -> None:
    X, gold = misleading(80)
    few = sc.NaiveBayesMixture(random_state=0).fit(X, partly(gold, 12))
    assert few.unlabelled_weight_ == 1.0
    assert any(
        "there are too few labels for cross-validation" in note and "20 are needed" in note
        for note in few.history_.remarks
    )
    for model in (
        sc.NaiveBayesMixture(random_state=0).fit(X, gold),  # nothing to weigh
        sc.NaiveBayesMixture(2, random_state=0).fit(X),
        sc.NaiveBayesMixture(random_state=0, unlabelled_weight=0.5).fit(X, partly(gold, 40)),
        sc.NaiveBayesMixture(random_state=0).fit(X, partly(gold, 40), sample_weight=partly(gold, 40) >= 0),
        sc.NaiveBayesMixture(random_state=0, criterion="stepwise(em):1").partial_fit(X, partly(gold, 40)),
    ):
        assert model.unlabelled_weight_ == (0.5 if model.unlabelled_weight == 0.5 else 1.0)
        assert not any(note.startswith("unlabelled_weight") for note in model.history_.remarks)


def test_the_shell_says_what_it_costs_and_what_was_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, gold = misleading(120)
    rows = [" ".join(f"w{v}" for v, n in enumerate(row) for _ in range(int(n))) or "w" for row in X]
    Path("d.txt").write_text("\n".join(rows) + "\n")
    Path("l.txt").write_text("".join(f"c{k}\n" if i < 40 else "\n" for i, k in enumerate(gold)))
    ran = run("cluster d.txt --labels l.txt --verbose")
    assert (
        "note: the weight of unlabelled documents is chosen by 20 short trainings of 10 iterations; "
        "--unlabelled-weight sets it" in ran.said
    )
    assert any(line.startswith("note: unlabelled_weight is") and "chosen by 5-fold" in line for line in ran.said)
    given = run("cluster d.txt --labels l.txt --unlabelled-weight 1 --signature long")
    assert not any("chosen by" in line for line in given.said) and "unlabelled_weight=1.0" in given.err


# --- classes that collapse --------------------------------------------------------------------------------------------


def caught_in_a_loop(fit: Any, times: int = 3) -> list[str]:
    """By Python's own filters, which show a warning of a line once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for _ in range(times):
            fit()
    return [str(one.message) for one in caught if "collapse" in str(one.message)]


def test_every_fit_warns() -> None:
    docs = ["cat dog"] * 6 + ["moon star"] * 6
    said = caught_in_a_loop(lambda: sc.NaiveBayesMixture(4, random_state=0).fit(docs))
    assert len(said) == 3 and len(set(said)) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        sc.NaiveBayesMixture(4, random_state=0).fit(docs)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="the classes collapse"):
            sc.NaiveBayesMixture(4, random_state=0).fit(docs)


def test_a_labelled_class_that_receives_nothing_is_named() -> None:
    rng = np.random.default_rng(0)
    gold = np.repeat([0, 1, 2], [400, 400, 400])
    X = rng.poisson(np.where(np.repeat([[1, 0], [0, 1], [1, 0]], [400, 400, 400], axis=0), 20.0, 1.0)).astype(float)
    X = np.vstack([X, np.full((5, 2), 10.0)])  # as the third class has its words
    y = np.append(np.where(rng.random(1200) < 0.3, np.array(["one", "two", "three"])[gold], ""), [""] * 5)
    word = np.array([[0.95, 0.05], [0.05, 0.95], [0.5, 0.5]])  # in the order of the names: one, three, two
    start = (np.array([0.4, 1e-4, 0.6]), word[[0, 2, 1]])
    model = sc.NaiveBayesMixture(start=start, fixed=["cluster", "word"], unlabelled_weight=1.0, criterion="em:1")
    with pytest.warns(UserWarning, match=r"these received almost no documents: three \(5\); add labels"):
        model.fit(X, y)


def test_classes_that_became_one_are_named() -> None:
    X = np.random.default_rng(0).poisson(3.0, (60, 4)).astype(float)
    word = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]])
    start = (np.array([0.3, 0.4, 0.3]), word + np.outer([0.0, 0.0, 0.004], [1.0, -1.0, 0.0, 0.0]))
    model = sc.NaiveBayesMixture(3, start=start, fixed=["cluster", "word"], criterion="em:1")
    with pytest.warns(UserWarning, match="these have become identical: 0 and 2; use fewer"):
        model.fit(X)
