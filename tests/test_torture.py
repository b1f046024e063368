"""Numbers at the edge of what floating point holds, for every model and criterion: finite answers or a named refusal.

Warnings are errors in these tests, so a RuntimeWarning of an overflow or of a division by zero fails them too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from softcount import HMM, PLSA, GaussianMixture, Grammar, InputError, KMeans, NaiveBayesMixture, Network, WordAligner
from softcount.loop.trace import FELL
from softcount.numbers.ragged import Ragged

CRITERIA = [
    "em:4", "hard:4", "vb:4", "hard(vb):4", "gibbs:4", "annealed(em):4", "annealed(vb):4", "stepwise(em,batches=2):4",
    "stepwise(vb,batches=2):4", "em:3,mre:4", "em:2,mre(rule=adaptive):3", "em:2,mre(rule=growth):3",
]  # fmt: skip
TINY, HUGE = 1e-300, 1e300
LONG = ["a b c b " * 25_000]  # a sentence of 100,000 tokens

DEAD = {  # the state D cannot be entered, the state E emits what no text has, and F needs a transition of 1e-300
    "states": ["A", "D", "E", "F"], "initial": {"A": 1}, "transition": {
        "A": {"A": 1 - 1e-12, "E": 0, "F": TINY}, "D": {"D": 1}, "E": {"E": 1}, "F": {"F": 1}},
    "emission": {"A": {"a": 0.5, "b": 0.5}, "D": {"a": 1}, "E": {"never": 1}, "F": {"b": 1}},
}  # fmt: skip

HMMS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "one word": ({"n_states": 2}, ["a"]),
    "one word with an end": ({"n_states": 2, "end": True}, ["a"]),
    "one word, many states": ({"n_states": 40}, ["a", "", "a"]),
    "100,000 tokens": ({"n_states": 3}, LONG),
    "100,000 times one word": ({"n_states": 2, "end": True}, ["a " * 100_000, "a"]),
    "dead states": ({"start": DEAD}, ["a b a", "b", "a"]),
    "dead states, long": ({"start": DEAD}, ["a b " * 2000]),
    "tiny prior": ({"n_states": 3, "prior": TINY, "pseudo": TINY}, ["a b", "c d e", "a"]),
    "tiny emission prior": ({"n_states": 3, "prior": {"emission": TINY, "transition": 1e3}}, ["a b", "c d e", "a"]),
    "huge prior": ({"n_states": 3, "prior": HUGE, "pseudo": HUGE}, ["a b", "c d e", "a"]),
    "all words once": ({"n_states": 5}, [" ".join(f"w{i}" for i in range(500))]),
    "empty lines only but one": ({"n_states": 2}, ["", "", "a b", ""]),
    "tied start": ({"n_states": 3, "start": "uniform"}, ["a b", "b a"]),
}
PAIRS: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "one word": ({}, ["a"], ["x"]),
    "one word without an empty word": ({"null": 0.0}, ["a"], ["x"]),
    "empty sides": ({}, ["a b", "", "a", ""], ["x y", "x", "", ""]),
    "long pair": ({}, ["a b c d e " * 80], ["v w x y z " * 80]),
    "very uneven pair": ({}, ["a"], ["x y z " * 2000]),
    "tiny prior": ({"alpha": TINY}, ["a b", "b c", "a c"], ["x y", "y z", "x z"]),
    "huge prior": ({"alpha": HUGE, "pseudo": HUGE}, ["a b", "b c"], ["x y", "y z"]),
    "no empty word, sharp diagonal": ({"null": 0.0, "tension": 60.0}, ["a " * 200], ["x " * 200]),
    "everything learned": ({"null": "learn", "tension": "learn"}, ["a b", "c"], ["x y", "z"]),
    "repeated words": ({}, ["a " * 50] * 3, ["x " * 50] * 3),
}
DOCUMENTS: dict[str, tuple[dict[str, Any], Any]] = {
    "one word": ({}, [[1.0]]),
    "one token a document": ({}, np.eye(5)),
    "a million tokens": ({}, [[400_000, 600_000, 0], [1, 0, 1]]),
    "2^52 tokens": ({}, [[2.0**51, 1.0], [1.0, 2.0**51]]),
    "tiny counts": ({}, [[TINY, 1.0], [1.0, TINY]]),
    "only tiny counts": ({}, [[TINY, TINY], [TINY, 0.0]]),
    "empty documents": ({}, [[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]),
    "a word in no document": ({}, [[1.0, 0.0, 2.0], [2.0, 0.0, 1.0]]),
    "identical documents": ({}, [[3.0, 1.0]] * 4),
    "tiny prior": ({"prior": TINY, "pseudo": TINY}, [[3.0, 1.0, 0.0], [0.0, 1.0, 2.0]]),
    "huge prior": ({"prior": HUGE, "pseudo": HUGE}, [[3.0, 1.0, 0.0], [0.0, 1.0, 2.0]]),
}
POINTS: dict[str, tuple[dict[str, Any], Any]] = {
    "identical points": ({}, [[1.0, 2.0]] * 5),
    "zero variance in one column": ({}, [[1.0, 2.0], [1.0, 3.0], [1.0, 7.0], [1.0, 8.0]]),
    "zeros": ({}, np.zeros((4, 3))),
    "two points twice": ({}, [[0.0], [0.0], [1.0], [1.0]]),
    "as many clusters as points": ({"n_clusters": 3}, [[0.0], [5.0], [9.0]]),
    "tiny": ({}, np.array([[1.0], [2.0], [8.0], [9.0]]) * 1e-160),
    "large": ({}, np.array([[1.0], [2.0], [8.0], [9.0]]) * 1e140),
    "huge": ({}, np.array([[1.0], [2.0], [8.0], [-9.0]]) * 1e300),
    "far from the origin": ({}, np.array([[1.0], [2.0], [8.0], [9.0]]) + 1e9),
    "an outlier": ({}, [[0.0], [1.0], [0.5], [1e6]]),
    "tiny prior": ({"prior": TINY, "pseudo": TINY}, [[0.0], [1.0], [5.0], [6.0]]),
    "huge prior": ({"prior": HUGE, "pseudo": HUGE}, [[0.0], [1.0], [5.0], [6.0]]),
}

TURNS: dict[str, Any] = {"a": ["x", "y", None, "x"] * 3, "b": [1, None, 2, 2] * 3}
NETWORKS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one value each": ({}, {"a": ["x", "x"], "b": ["y", None]}),
    "many hidden values": ({"values": {"h": 30}}, TURNS),
    "one hidden value": ({"values": {"h": 1}}, TURNS),
    "tiny prior": ({"prior": TINY, "pseudo": TINY}, TURNS),
    "huge prior": ({"prior": HUGE, "pseudo": HUGE}, TURNS),
    "2,000 rows in a row": ({}, {"a": ["x", "y", None, "x"] * 500, "b": [1, None, 2, 2] * 500}),
    "tiny weights": ({"weight": "n", "sequence": "n"}, {**TURNS, "n": [1, 2, 3, 1e-300] * 3}),
}
CHAIN = (
    "S -> S S [0.5] | A [0.25] | 'a' [0.25]\nA -> 'a' [1e-300] | 'b' [1.0]"  # a is an A only with probability 1e-300
)
GRAMMARS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "one word": ({"grammar": "S -> 'a'"}, ["a"]),
    "one rule, long sentence": ({"grammar": "S -> 'a' S | 'a'"}, ["a " * 150]),
    "many trees": ({"grammar": "S -> S S | 'a' | 'b'"}, ["a b " * 30, "", "a"]),
    "a rule of 1e-300": ({"grammar": CHAIN}, ["a b", "b b a", "a"]),
    "rules that nothing reaches": ({"grammar": "S -> 'a' | S S\nB -> 'b' B | 'never'"}, ["a a", "a"]),
    "full, one word": ({"nonterminals": 3}, ["a"]),
    "full, all words once": ({"nonterminals": 2}, [" ".join(f"w{i}" for i in range(20))]),
    "tiny prior": ({"nonterminals": 2, "prior": TINY, "pseudo": TINY}, ["a b c", "b c"]),
    "huge prior": ({"nonterminals": 2, "prior": HUGE, "pseudo": HUGE}, ["a b c", "b c"]),
}


# (models, cases, criteria) that are refused, each as a pattern, and what is said; everything else must give an answer.
REFUSALS: dict[tuple[str, str, str], str | tuple[str, ...]] = {
    (".*", "huge prior", ".*"): tuple(
        f"{name} is 1e+300, which is too large; use at most 1e+100" for name in ("prior", "pseudo", "alpha")
    ),
    (".*", "huge", ".*"): "a value beyond 1e+150, whose square is too large; scale the features",
    ("plsa .", "tiny prior", ".*"): "pseudo-counts below 1e-30, which float32 cannot hold; use 0, or dtype float64",
    ("plsa .", r"2\^52 tokens", "gibbs:4"): "the random numbers need more than 1,000,000 GB, but this machine has",
    # a count of 1e-300 is none in float32, so that the topic that won it alone forgets the word
    ("plsa 3", "tiny counts", "hard:4"): "<memory>:1: this document has probability zero under the parameters",
}


def refusal(*case: str) -> str | tuple[str, ...] | None:
    found = [said for patterns, said in REFUSALS.items() if all(map(re.fullmatch, patterns, case))]
    return found[0] if found else None


def finite(value: Any, what: str = "") -> None:
    """No NaN and no infinity anywhere in nested tables."""
    if isinstance(value, Ragged):
        finite(value.values, what)
    elif hasattr(value, "_asdict"):
        for name, part in value._asdict().items():
            finite(part, f"{what}.{name}")
    elif isinstance(value, np.ndarray | float | int):
        assert np.isfinite(value).all(), f"{what} is {value}"


def sums_to_one(rows: Any, what: str) -> None:
    totals = np.asarray(rows).sum(axis=-1)
    assert np.allclose(totals, 1.0, atol=1e-5), f"{what}: rows sum to {totals}"


def answer(case: tuple[str, str, str], fit: Callable[[], Any]) -> Any:
    """The trained model, or None where it was refused, which it must be where REFUSALS says so and nowhere else."""
    said = refusal(*case)
    if said is not None:
        with pytest.raises(InputError) as caught:
            fit()
        assert str(caught.value).startswith(said) and "\n" not in str(caught.value)
        return None
    model = fit()
    histories = model.history_.parts.values()
    for history in histories:
        assert history.stopped.kind != FELL, history.stopped
        for step in history:
            finite(step.objective, f"objective of {step.stage} step {step.step}")
    return model


@pytest.mark.sampled(8)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", HMMS)
def test_hmm(name: str, criterion: str) -> None:
    settings, text = HMMS[name]
    model = answer(("hmm", name, criterion), lambda: HMM(criterion=criterion, random_state=0, **settings).fit(text))
    if model is None:
        return
    finite(model.parameters_, "parameters")
    for table in model.parameters_:
        sums_to_one(table, name)
    assert [len(tags) for tags in model.predict(text)] == [len(line.split()) for line in text]
    finite(np.concatenate(model.predict_proba(text)), "posteriors")
    finite(model.score(text), "score")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("kind", ["ibm1", "ibm2", "ibm2-free"])
def test_aligner(kind: str, name: str, criterion: str) -> None:
    settings, source, target = PAIRS[name]
    if kind == "ibm2-free":  # which learns the null word's probability by position
        settings = {setting: value for setting, value in settings.items() if setting != "null"}
    model = answer(
        (kind, name, criterion), lambda: WordAligner(kind, criterion=criterion, **settings).fit(source, target)
    )
    if model is None:
        return
    for direction in model.directions_.values():
        finite(direction.parameters.translation, "translation")
    links = model.align(source, target, probabilities=True)
    assert len(links) == len(source)
    finite(np.array([p for row in links for *_, p in row]), "probabilities")
    scores, both = model.scores(source, target), np.array([bool(e and f) for e, f in zip(source, target, strict=True)])
    finite(scores[both], "scores")
    assert np.isneginf(scores[~both]).all(), "a pair with an empty side has nothing to score"


@pytest.mark.sampled(8)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name: str, criterion: str) -> None:
    settings, rows = NETWORKS[name]
    arcs = "h@-1 -> h -> a, b"
    net = answer(
        ("network", name, criterion),
        lambda: Network(arcs, criterion=criterion, random_state=0, **{"values": {"h": 2}, **settings}).fit(rows),
    )
    if net is None:
        return
    finite(net.parameters_, "parameters")
    for table in net.parameters_:
        sums_to_one(table, name)
    for shares in net.predict_proba(rows).values():
        finite(shares, "posteriors")
        sums_to_one(shares, "posteriors")
    finite(net.score(rows), "score")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", GRAMMARS)
def test_grammars(name: str, criterion: str) -> None:
    settings, text = GRAMMARS[name]
    grammar = answer(
        ("grammar", name, criterion), lambda: Grammar(criterion=criterion, random_state=0, **settings).fit(text)
    )
    if grammar is None:
        return
    finite(grammar.parameters_, "parameters")
    finite(grammar.score(text), "score")
    for line, tree in zip(text, grammar.parse(text), strict=True):
        assert (tree is not None) == bool(line), "what was trained on has a tree"


def test_weights_that_underflow_for_every_source_word() -> None:
    """With a prior of 1e-300 a translation that was never seen has the weight exp(ψ(1e-300)) = 0."""
    source, target = ["a b", "c d"] * 5, ["x y", "z w"] * 5
    for alpha in (TINY, 1e-30, 1e-5):
        model = WordAligner("ibm1", criterion="vb:5", alpha=alpha, null=0.0).fit(source, target)
        links = model.align(["a b", "c"], ["z w", "x"], probabilities=True)
        finite(np.array([p for row in links for *_, p in row]), "probabilities")
        scores = np.asarray(model.scores(["a b", "c"], ["z w", "x"]))
        assert not np.isnan(scores).any()


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("ignore:the classes collapse")
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("n", [1, 3])
def test_documents(name: str, criterion: str, n: int) -> None:
    settings, counts = DOCUMENTS[name]
    table = np.asarray(counts, dtype=float)
    plsa = answer(
        (f"plsa {n}", name, criterion), lambda: PLSA(n, criterion=criterion, random_state=0, **settings).fit(table)
    )
    if plsa is not None:
        finite(plsa.parameters_, "parameters")
        sums_to_one(plsa.components_, "topics")
        finite(plsa.prevalence_, "prevalence")
        sums_to_one(plsa.transform(table), "transform")
    mixture = answer(
        (f"mixture {n}", name, criterion),
        lambda: NaiveBayesMixture(n, criterion=criterion, random_state=0, **settings).fit(table),
    )
    if mixture is not None:
        finite(mixture.parameters_, "parameters")
        sums_to_one(mixture.word_, "words")
        sums_to_one(mixture.predict_proba(table), "posteriors")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("criterion", [c for c in CRITERIA if "mre" not in c])
@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("covariance", ["diagonal", "spherical", "unit"])
def test_points(covariance: str, name: str, criterion: str) -> None:
    settings, points = POINTS[name]
    table = np.asarray(points, dtype=float)
    mixture = answer(
        (covariance, name, criterion),
        lambda: GaussianMixture(
            **{"n_clusters": 2, "covariance": covariance, "criterion": criterion, "random_state": 0, **settings}
        ).fit(table),
    )
    if mixture is not None:
        finite(mixture.means_, "means")
        finite(mixture.variances_, "variances")
        assert (mixture.variances_ >= 0).all()
        sums_to_one(mixture.predict_proba(table), "posteriors")
        finite(mixture.score(table), "score")
    if covariance == "unit" and "prior" not in settings:
        kmeans = answer(
            ("kmeans", name, criterion),
            lambda: KMeans(**{"n_clusters": 2, "criterion": criterion, "random_state": 0, **settings}).fit(table),
        )
        if kmeans is not None:
            finite(kmeans.cluster_centers_, "centres")
            finite(kmeans.inertia_, "inertia")
            assert math.isfinite(kmeans.score(table))


def test_every_refusal_happens() -> None:
    """A pattern that matches nothing would allow nothing, and hide a spelling mistake."""
    models = ["hmm", "ibm2", "plsa 1", "plsa 3", "mixture 1", "unit"]
    cases = [*HMMS, *PAIRS, *DOCUMENTS, *POINTS, *NETWORKS, *GRAMMARS]
    for patterns in REFUSALS:
        for pattern, names in zip(patterns, (models, cases, CRITERIA), strict=True):
            assert any(re.fullmatch(pattern, name) for name in names), pattern


@pytest.mark.parametrize("counts", [[[HUGE]], [[2.0**53, 2.0]], [[1e16, 1.0]]])
def test_counts_that_no_float_holds_are_refused(counts: Any) -> None:
    with pytest.raises(InputError, match=r"more than 2\^53 tokens"):
        PLSA(2, criterion="em:2").fit(np.asarray(counts))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0])
def test_pseudo_counts_that_are_none_are_refused(number: float) -> None:
    for model in (HMM(2, pseudo=number), HMM(2, criterion="vb", prior=number)):
        with pytest.raises(InputError, match="give a number from 0 to"):
            model.fit(["a b"])
    with pytest.raises(InputError):
        WordAligner(pseudo=number).fit(["a"], ["x"])
    with pytest.raises(InputError):
        NaiveBayesMixture(1, pseudo=number).fit([[1.0]])
