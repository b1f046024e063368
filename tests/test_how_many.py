"""How many hidden values: known numbers are found, tables are split and merged rightly, wrong wishes refused."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, run
from scipy.special import gammaln

import softcount as sc
from softcount.estimators.how_many import (
    ATTEMPTS,
    METHODS,
    PATIENCE,
    STEPS,
    Trained,
    Tried,
    _far_behind,
    _split_merge,
    choose,
    evidence,
    search,
    within_one_error,
)
from softcount.estimators.sized import FIRST_STEPS, NONE, RESTARTS, UNSEEN, _Trainer
from softcount.estimators.splitting import Hidden, distances, merged, split_all
from softcount.machine import stage
from softcount.models.hmm import HMMTables
from softcount.synthetic import hidden

AXES = sc.HMM._size_axes


@pytest.fixture(scope="module")
def sentences() -> Any:
    return hidden.sequences(150, 3, shared=0.1, words=8, seed=1).items


@pytest.fixture(scope="module")
def docs() -> Any:
    return hidden.documents(80, 3, shared=0.3, words=8, seed=1).items


@pytest.fixture(scope="module")
def chosen(sentences: Any) -> Any:
    """By every method, once."""
    return {method: sc.HMM("auto", choose=method, random_state=0).fit(sentences) for method in METHODS}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS)
def test_a_known_number_is_found(chosen: Any, docs: Any, method: str) -> None:
    hmm = chosen[method]
    assert abs(len(hmm.states_) - 3) <= 1 and len(hmm.emission_) == len(hmm.states_)
    mixture = sc.NaiveBayesMixture("auto", choose=method, random_state=0).fit(docs)
    assert abs(len(mixture.classes_) - 3) <= 1
    assert mixture.n_clusters == "auto" and mixture.history_.remarks[0].startswith("n_clusters is ")
    assert {one.size for one in hmm.tried_} >= {1, 2} and all(one.used <= one.size for one in hmm.tried_)


@pytest.mark.thorough
def test_topics_and_files(tmp_path: Path) -> None:
    plsa = sc.PLSA("auto", choose="elbo", random_state=0).fit(hidden.mixed(50, 3, words=8, seed=2).items)
    assert abs(len(plsa.components_) - 3) <= 1 and plsa.transform([["a"]]).shape[1] == len(plsa.components_)
    plsa.save(tmp_path / "m")
    again = sc.load(tmp_path / "m")
    assert again.tried_ == plsa.tried_ and again.n_topics == "auto"
    assert again.top_words(2).keys() == plsa.top_words(2).keys()
    axes = sc.plot_tried(again)
    assert axes.get_xlabel() == "n_topics" and len(axes.lines[0].get_xdata()) == len(plsa.tried_)
    again.report(tmp_path / "page.html")
    assert "Sizes tried" in (tmp_path / "page.html").read_text()
    with pytest.raises(sc.InputError, match="plot_tried needs a size that was chosen"):
        sc.plot_tried(sc.HMM(2))


def test_splits_and_merges_undo_each_other() -> None:
    rng = np.random.default_rng(0)
    rows = [rng.dirichlet(np.ones(n), k) for n, k in ((3, 1), (4, 3), (5, 3))]  # with an end
    tables = HMMTables(rows[0][0], rows[1], rows[2])
    two = split_all(tables, AXES, 3, rng)
    assert [t.shape for t in two] == [(6,), (6, 7), (6, 5)] and all(np.allclose(t.sum(-1), 1) for t in two)
    assert two.initial[::2] + two.initial[1::2] == pytest.approx(tables.initial)
    assert two.transition[0, :6:2] + two.transition[1, 1:6:2] == pytest.approx(tables.transition[0, :3])
    assert two.transition[:, 6] == pytest.approx(np.repeat(tables.transition[:, 3], 2))
    for k in range(3):
        two = merged(two, AXES, (k, k + 1), np.ones(6))
    assert two.initial == pytest.approx(tables.initial) and two.transition == pytest.approx(tables.transition)
    weighted = merged(tables, AXES, (0, 2), np.array([3.0, 1.0, 1.0]))
    assert weighted.emission[0] == pytest.approx(0.75 * tables.emission[0] + 0.25 * tables.emission[2])
    unused = merged(tables, AXES, (0, 2), np.zeros(3))
    assert np.isfinite(unused.emission).all() and Hidden().row is None
    assert distances(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).argmin(axis=1).tolist() == [2, 0, 0]


def test_rare_words_do_not_make_one_state_of_all(sentences: Any) -> None:
    """A vocabulary with a long tail, as texts have it: under a prior that is the same for all words it wins."""
    rng = np.random.default_rng(0)
    rare = [[f"w{rng.integers(3000)}" if rng.random() < 0.3 else word for word in line] for line in sentences]
    model = sc.HMM("auto", choose="elbo", random_state=0).fit(rare)
    assert 3 <= len(model.states_) <= 5


def test_states_lean_on_the_words_of_the_text(sentences: Any) -> None:
    """One state alone: log P(x) has a closed form, and the ELBO of one state is it."""
    found = _Trainer(sc.HMM("auto", choose="elbo", random_state=0), 0)(sc.corpus(sentences), 1)
    counts = sc.corpus(sentences, min_count=2).frequencies
    alpha = NONE + 10.0 * (counts + UNSEEN) / (counts + UNSEEN).sum()
    total = (
        gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum()) + (gammaln(alpha + counts) - gammaln(alpha)).sum()
    )
    assert found.elbo == pytest.approx(total, rel=1e-9) and found.mass == pytest.approx([counts.sum()])


def test_documents_kept_aside_are_foretold_by_means(docs: Any) -> None:
    """One class alone: every token by its share of all tokens and of what is imagined, a tenth of each word."""
    train, aside = sc.documents(docs).take(np.arange(60)), sc.documents(docs).take(np.arange(60, 80))
    found = _Trainer(sc.NaiveBayesMixture("auto", random_state=0), 0)(train, 1)
    p = (train.frequencies + 0.1) / (train.frequencies + 0.1).sum()
    expected = aside.frequencies @ np.log(p) / aside.n_tokens
    assert found.per_token(aside) == pytest.approx(expected, rel=1e-6)


def test_the_evidence_of_two_ways_decides(chosen: Any) -> None:
    found = {method: chosen[method] for method in ("evidence", "elbo", "split-merge")}
    best = {name: max(one.score for one in model.tried_) for name, model in found.items()}
    assert best["evidence"] == max(best["elbo"], best["split-merge"])
    better = "elbo" if best["elbo"] > best["split-merge"] else "split-merge"
    assert found["evidence"].states_ == found[better].states_
    sizes = [one.size for one in found["evidence"].tried_]
    assert sizes == sorted(set(sizes)) and {1, 2, 3, 4, 6, 8} <= set(sizes)


@pytest.mark.parametrize("peak", [1, 5, 9, 13, 30])
def test_the_search_finds_a_peak_and_tries_both_neighbours(peak: int) -> None:
    tried = search(lambda size: (-abs(size - peak), size), 40)
    sizes = [one.size for one in tried]
    assert max(tried, key=lambda one: one.score).size == peak and len(sizes) == len(set(sizes)) <= 19
    assert {n for n in (peak - 1, peak + 1) if 0 < n <= 40} <= set(sizes)


@pytest.mark.parametrize("peak", [40, 101, 150, 256])
def test_large_sizes_are_told_apart_to_a_sixteenth(peak: int) -> None:
    tried = search(lambda size: (-abs(size - peak), size), 256)
    sizes = [one.size for one in tried]
    best = max(tried, key=lambda one: one.score).size
    assert abs(best - peak) <= best / 16 and len(sizes) == len(set(sizes)) <= 22
    beside = [n for n in sizes if n != best and abs(n - best) <= best / 16]
    assert min(beside) < best and (max(beside) > best or best == 256)


def test_splits_that_are_far_behind_are_left_alone(sentences: Any) -> None:
    """What others found with one value already is out of reach: so many levels are given to it, and no more."""
    train, items = _Trainer(sc.HMM("auto", random_state=0), 0), sc.corpus(sentences)
    best = train(items, 2)
    at = evidence(best)
    assert not _far_behind(best, [], at - 100) and not _far_behind(best, [Tried(3, at + 900, 3, 0)], at - 100)
    assert not _far_behind(best, [Tried(2, at + 30, 2, 0)], at - 100)  # 100 of 130 gained
    assert _far_behind(best, [Tried(1, at - 100, 1, 0), Tried(2, at + 40, 2, 0)], at - 100)  # 100 of 140
    found = _split_merge(train, items, 64, np.random.default_rng(0), [Tried(1, 0.0, 1, 0)])
    assert len(found.tried) == 1 + PATIENCE
    alone = _split_merge(train, items, 64, np.random.default_rng(0), [])
    assert alone.tried[: 1 + PATIENCE][-1].size == found.tried[-1].size and len(alone.tried) > 1 + PATIENCE


def test_it_is_said_where_more_might_be_better(sentences: Any) -> None:
    train, items = _Trainer(sc.HMM("auto", random_state=0), 0), sc.corpus(sentences)
    for method in ("elbo", "held-out"):
        assert choose(method, train, items, 2, 0).why.count("2, the largest size tried, ") == 1
        assert "the most" not in choose(method, train, items, 16, 0).why
    assert choose("split-merge", train, items, 3, 0).why == "splitting 2 would exceed 3"


class _Scripted:
    """A trainer whose bounds are written down: of starts of its own, and of tables that were split or merged."""

    axes = AXES

    def __init__(self, own: dict[int, float], split: dict[int, float], dead: int = 0) -> None:
        self.own, self.split, self.dead, self.largest_split = own, split, dead, 0
        self.foretold: dict[int, Iterator[float]] = {}  # of every size, block by block

    def __call__(self, items: Any, size: int, tables: Any = None, steps: int = STEPS) -> Trained:
        self.largest_split = max(self.largest_split, size if tables is not None else 0)
        bounds = self.own if tables is None else self.split
        rows = np.random.default_rng(size).dirichlet(np.ones(3 * size), size)
        square = rows[:, :size] / rows[:, :size].sum(axis=1, keepdims=True)
        mass = np.where(np.arange(size) < size - self.dead, 9.0, 0.0)
        bound = bounds.get(size, -1e9) - gammaln((mass > 0).sum() + 1)  # so that the evidence is what is written down
        return Trained(size, bound, mass, rows, HMMTables(square[0], square, rows), lambda _: next(self.foretold[size]))


class _Items(list[int]):
    def take(self, places: Any) -> _Items:
        return _Items(self[k] for k in places)


def _steps_of_splits(split: dict[int, float], own: dict[int, float]) -> list[int]:
    bar = [Tried(size, bound, size, 0) for size, bound in own.items()]
    found = _split_merge(_Scripted({1: 0.0}, split), [], 64, np.random.default_rng(0), bar)
    return [one.size for one in found.tried]


def test_when_splits_are_left_alone() -> None:
    own = {1: 0.0, 2: 100.0, 4: 200.0, 8: 300.0, 16: 400.0, 32: 500.0}
    assert _steps_of_splits({2: 10.0, 4: 20.0, 8: 30.0}, own) == [1, 2, 4]  # behind twice
    assert _steps_of_splits({2: 10.0, 4: 190.0, 8: 200.0, 16: 390.0, 32: 400.0, 64: 490.0}, own) == [
        *(1, 2, 4, 8, 16, 32, 64)  # behind by now and then, never twice in a row
    ]
    falls = {2: 90.0, 4: 190.0, 8: 150.0}  # what is given up does not count: four splits of four are tried
    assert _steps_of_splits(falls, own) == [1, 2, 4, *[8] * ATTEMPTS]


def test_splits_are_held_against_starts_of_their_own() -> None:
    own = {size: 100.0 * size for size in range(1, 65)}
    train = _Scripted(own, {2: 110.0, 4: 120.0, 8: 130.0, 16: 140.0})
    assert choose("evidence", train, [], 16, 0).size == 16 and train.largest_split == 4
    train.largest_split = 0
    assert choose("split-merge", train, [], 16, 0).size == 16 and train.largest_split == 16


def test_the_reason_names_the_right_number() -> None:
    train = _Scripted({size: float(size) for size in range(1, 9)}, {}, dead=1)
    bound = "has the highest ELBO"
    assert choose("elbo", train, [], 4, 0).why == f"4, the largest size tried, {bound}; 1 of them stay empty"
    assert choose("elbo", train, [], 4, 0).size == 3
    assert choose("elbo", _Scripted({1: 0.0}, {}), [], 1, 0).why == f"1 {bound}"  # nothing else could be
    best = "3, the largest size tried, gives the highest likelihood of 40 held-out items"
    train.foretold = {1: repeat(-9.0), 2: repeat(-1.1), 3: repeat(-1.0)}
    assert choose("held-out", train, _Items(range(400)), 3, 0)[:2] == (3, best)
    train.foretold[2] = cycle([-0.1, -2.1])  # no worse than three by more than its blocks differ
    assert choose("held-out", train, _Items(range(400)), 3, 0)[:2] == (
        2,
        f"{best}, 2 within one standard error of that",
    )


def test_what_a_number_is_trained_for(sentences: Any, monkeypatch: Any) -> None:
    """Three starts for eight steps, and the rest of the steps from where the best of them has come to."""
    train, items = _Trainer(sc.HMM("auto", random_state=0), 0), sc.corpus(sentences)
    fits, told, fit, towards = [], [], train._fit, stage.towards

    def noted(items: Any, size: int, tables: Any, steps: int, restarts: int = 1) -> Any:
        fits.append((tables, steps, restarts, fit(items, size, tables, steps, restarts)))
        return fits[-1][-1]

    def telling(what: str) -> Any:
        told.append(what)
        return towards(what)

    monkeypatch.setattr(train, "_fit", noted)
    monkeypatch.setattr(stage, "towards", telling)
    train(items, 4)
    assert [one[:3] for one in fits] == [
        (None, FIRST_STEPS, RESTARTS),
        (fits[0][3].parameters_, STEPS - FIRST_STEPS, 1),
    ]
    train(items, 1)
    assert told == ["trying 4 states", "trying 4 states", "trying 1 state"]
    assert np.isfinite(train(items, 2, steps=FIRST_STEPS).elbo)


@pytest.mark.parametrize("kind", [sc.HMM, sc.NaiveBayesMixture, sc.PLSA])
def test_numbers_are_chosen_without_features_and_sparse_rows(docs: Any, kind: Any) -> None:
    """As without them, and then trained with them."""
    plain = kind("auto", choose="elbo", random_state=0).fit(docs)
    featured = kind("auto", choose="elbo", criterion="em:2", features=lambda word: [word], random_state=0).fit(docs)
    sparse = kind("auto", choose="elbo", criterion="em:2", sparse=(1.0, 0.1), random_state=0).fit(docs)
    assert [one.score for one in plain.tried_] == [one.score for one in featured.tried_]
    assert [one.score for one in plain.tried_] == [one.score for one in sparse.tried_]
    assert featured.top_features(1)


def test_the_best_of_some_starts_goes_on(sentences: Any) -> None:
    train, items = _Trainer(sc.HMM("auto", random_state=0), 0), sc.corpus(sentences)
    first = train._fit(items, 4, None, FIRST_STEPS, RESTARTS)
    assert len(first.restarts_) == RESTARTS and first.n_iter_ <= FIRST_STEPS
    assert first.objective_ == max(one.objective for one in first.restarts_)
    assert len(train(items, 4).emitted) == 4 and len(train.before.restarts_) == 1


def test_one_standard_error() -> None:
    best = np.array([1.0, 2.0, 3.0, 4.0])
    assert within_one_error(best, best) and within_one_error(best, best - [0.0, 0.5, -0.2, 0.0])
    assert not within_one_error(best, best - 0.1)


WRONG: list[tuple[Any, Any, str]] = [
    (sc.HMM("ten"), [["a"]], "n_states='ten': give a whole number, or \"auto\""),
    (sc.HMM("auto", choose="guess"), [["a"]], "choose='guess': unknown; use evidence, elbo, split-merge, held-out"),
    (sc.HMM("auto", dictionary={"a": ["N"]}), [["a"]], "is not available with named tags"),
    (sc.HMM("auto", choose="held-out"), [["a", "b"]] * 9, "9 items are too few for a held-out set"),
    (sc.PLSA("auto", seed_words={0: ["a"]}), ["a b"], "seed_words refer to topics by number"),
    (sc.PLSA(0), ["a b"], "n_topics is 0; it must be at least 1"),
]


@pytest.mark.parametrize(("model", "data", "says"), WRONG)
def test_what_cannot_be_chosen(model: Any, data: Any, says: str) -> None:
    with pytest.raises(sc.InputError, match=says):
        model.fit(data)


def test_the_commands(tmp_path: Path, monkeypatch: Any, docs: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs.txt").write_text("".join(" ".join(words) + "\n" for words in docs))
    ran = run("cluster docs.txt --clusters auto --choose elbo --threads 1 --verbose")
    assert ran.code == 0 and len(set(ran.out.split())) in (2, 3, 4)
    assert "note: n_clusters is " in ran.err and "tried" in ran.err
    refused(run("cluster docs.txt --clusters auto --method kmeans"),
            "--clusters auto needs --method nb without --labels; give a number of clusters")  # fmt: skip
