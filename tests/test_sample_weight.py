"""sample_weight: an item that counts twice is the item twice, one that counts nothing is not there, to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import bits
from copying import Copying
from scipy import sparse

from softcount import HMM, PLSA, GaussianMixture, Grammar, InputError, KMeans, NaiveBayesMixture, Network, WordAligner
from softcount import WordClasses as Classes
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.loop.start import random_start
from softcount.loop.weighted import weighted
from softcount.models.hmm import HMM as Model
from softcount.numbers.tables import leaves, values
from softcount.text.corpus import corpus

TEXT = ["a b a c", "b b c", "a c", "c a b b a", "a d d", "d d b d", ""]
TIMES = np.array([2, 1, 3, 0, 1, 2, 1])
OFTEN = np.repeat(np.arange(7), TIMES)
POINTS = np.random.default_rng(0).normal(size=(7, 2)) + np.arange(7)[:, None]
STARTS: dict[str, Any] = {
    "hmm": {"states": ["x", "y"], "initial": {"x": 0.6, "y": 0.4},
            "transition": {"x": {"x": 0.3, "y": 0.7}, "y": {"x": 0.5, "y": 0.5}},
            "emission": {"x": {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}, "y": {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}}},
    "mixture": [np.array([0.4, 0.6]), np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])],
}  # fmt: skip
CRITERIA = ["em:4", "em(pseudo=0.3):4", "vb:4", "hard:4", "em:2,mre:2", "annealed:3"]


def text(rows: Any) -> list[str]:
    return [TEXT[i] for i in rows]


def alike(one: Any, two: Any, rtol: float = 1e-8) -> None:
    for a, b in zip(leaves(one.parameters_), leaves(two.parameters_), strict=True):
        np.testing.assert_allclose(values(a), values(b), rtol=rtol, atol=1e-12)
    assert one.history_.objectives == pytest.approx(two.history_.objectives, rel=rtol)
    assert (one.posterior_ is None) == (two.posterior_ is None)
    for name, table in (one.posterior_ or {}).items():
        np.testing.assert_allclose(values(table), values(two.posterior_[name]), rtol=rtol)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_sentences(criterion: str) -> None:
    def model() -> HMM:
        return HMM(start=STARTS["hmm"], criterion=criterion, tolerance=0.0, random_state=0)

    alike(model().fit(TEXT, sample_weight=TIMES), model().fit(text(OFTEN)))


def test_sentences_with_tags_and_the_default_start() -> None:
    tags = [["X"] + [None] * (len(line.split()) - 1) if i % 2 == 0 and line else [None] * len(line.split())
            for i, line in enumerate(TEXT)]  # fmt: skip
    one = HMM(3, random_state=0).fit(TEXT, tags, TIMES)
    two = HMM(3, random_state=0).fit(text(OFTEN), [tags[i] for i in OFTEN])
    assert one.predict(TEXT) == two.predict(TEXT)
    columns = [two.vocabulary_.words.index(word) for word in one.vocabulary_.words]
    np.testing.assert_allclose(one.emission_, two.emission_[:, columns], atol=1e-3)  # chance has a say by word numbers


@pytest.mark.parametrize("criterion", CRITERIA)
def test_documents_of_a_mixture(criterion: str) -> None:
    y = np.array([0, -1, 1, -1, -1, -1, -1])

    def model() -> NaiveBayesMixture:
        return NaiveBayesMixture(2, start=STARTS["mixture"], criterion=criterion, pseudo=0.1, tolerance=0.0)

    X = np.array([[line.split().count(w) for w in "abcd"] for line in TEXT], float)
    alike(model().fit(X, y, TIMES), model().fit(X[OFTEN], y[OFTEN]))


@pytest.mark.parametrize("criterion", ["em:4", "em(pseudo=0):4", "hard:3", "em:2,mre:2", "annealed:3"])
def test_documents_of_topics(criterion: str) -> None:
    X = np.array([[line.split().count(w) for w in "abcd"] for line in TEXT[:6]], float)
    times = TIMES[:6]
    often = np.repeat(np.arange(6), times)
    rng = np.random.default_rng(0)
    topic, word = rng.dirichlet(np.ones(2), 6), rng.dirichlet(np.ones(4), 2)

    def model(rows: Any) -> PLSA:
        return PLSA(2, start=[topic[rows], word], criterion=criterion, dtype="float64", tolerance=0.0)

    one, two = model(np.arange(6)).fit(X, sample_weight=times), model(often).fit(X[often])
    np.testing.assert_allclose(one.components_, two.components_, rtol=1e-8)
    np.testing.assert_allclose(one.prevalence_, two.prevalence_, rtol=1e-8)
    np.testing.assert_allclose(one.topic_[often], two.topic_, rtol=1e-7, atol=1e-12)
    assert one.history_.objectives == pytest.approx(two.history_.objectives, rel=1e-8)
    np.testing.assert_allclose(one.topic_[3], one.transform(X[3:4])[0], atol=1e-6)  # it was left out


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("criterion", ["em:4", "vb:4", "hard:4"])
def test_points(criterion: str, make: Any) -> None:
    X, start = make(POINTS), POINTS[[0, 5]]

    def model() -> GaussianMixture:
        return GaussianMixture(2, start=start, criterion=criterion, tolerance=0.0, random_state=0)

    one, two = model().fit(X, sample_weight=TIMES), model().fit(X[OFTEN])
    np.testing.assert_allclose(one.means_, two.means_, rtol=1e-6)
    np.testing.assert_allclose(one.variances_, two.variances_, rtol=1e-6)
    k = [KMeans(2, start=start).fit(*data) for data in ((X, None, TIMES), (X[OFTEN], None, None))]
    np.testing.assert_allclose(k[0].cluster_centers_, k[1].cluster_centers_, rtol=1e-9)
    assert k[0].inertia_ == pytest.approx(k[1].inertia_, rel=1e-9)


def test_an_empty_cluster_takes_a_point_with_its_weight() -> None:
    start = np.array([POINTS[0], [99.0, 99.0]])
    k = [KMeans(2, start=start, criterion="hard:1").fit(*data) for data in ((POINTS, None, np.full(7, 2.0)), (POINTS,))]
    np.testing.assert_allclose(k[0].cluster_centers_, k[1].cluster_centers_, rtol=1e-9)


def test_rows_of_a_network() -> None:
    rows = {"late": list("ynynnyn"), "wet": list("ynyynyy")}
    often = {name: [column[i] for i in OFTEN] for name, column in rows.items()}

    def model() -> Network:
        return Network("mood -> late; mood -> wet", values={"mood": 2}, criterion="em:4", tolerance=0.0, random_state=0)

    alike(model().fit(rows, sample_weight=TIMES), model().fit(often))


@pytest.mark.parametrize("criterion", ["em:4", "vb:3"])
def test_sentences_of_a_grammar(criterion: str) -> None:
    rules, lines = "S -> A A | A\nA -> 'a' | 'b' | S", ["a b", "a", "b b a", "b"]
    often = [lines[i] for i in np.repeat(np.arange(4), TIMES[:4])]

    def model() -> Grammar:
        return Grammar(rules, criterion=criterion, tolerance=0.0)

    alike(model().fit(lines, sample_weight=TIMES[:4]), model().fit(often))


SOURCE = ["the house", "a house", "the book", "a book is here", "the house is here"]
TARGET = ["das haus", "ein haus", "das buch", "ein buch ist hier", "das haus ist hier"]
PAIRS = np.array([2, 1, 3, 1, 2])


@pytest.mark.parametrize(
    "settings",
    [{"model": "ibm1", "agreement": False, "criterion": "em:3"},
     {"model": "ibm2", "agreement": False, "criterion": "vb:3"},
     {"model": "ibm2-free", "agreement": False, "criterion": "em:2,mre:1"}, {}],
    ids=["ibm1", "ibm2", "free", "together"],
)  # fmt: skip
def test_pairs(settings: Any) -> None:
    often = np.repeat(np.arange(5), PAIRS)
    one = WordAligner(**settings).fit(SOURCE, TARGET, PAIRS)
    two = WordAligner(**settings).fit([SOURCE[i] for i in often], [TARGET[i] for i in often])
    tables = [dict(((e, f), (p, q)) for e, f, p, q in model.lexicon()) for model in (one, two)]
    assert tables[0].keys() == tables[1].keys()
    rtol = 1e-8 if settings else 1e-4  # trained together in single precision
    np.testing.assert_allclose(list(tables[0].values()), [tables[1][key] for key in tables[0]], rtol=rtol, atol=1e-9)
    assert one.align(SOURCE, TARGET) == two.align(SOURCE, TARGET)


def test_word_classes() -> None:
    one, two = Classes(2).fit(TEXT, None, TIMES), Classes(2).fit(text(OFTEN))
    assert one.words() == two.words()
    with pytest.raises(InputError, match="sample_weight must be whole numbers"):
        Classes(2).fit(TEXT, None, TIMES / 2)


# --- what holds for all ----------------------------------------------------------------------------------------------


def test_fractions_and_batches() -> None:
    """The E-step is Σ w_i E[c_i]: by one E-step of every item, whole and over mini-batches, whatever the weights."""
    data, weights = corpus(TEXT), np.array([0.5, 2.25, 1.0, 0.0, 0.5, 3.0, 7.0])
    model = Model(2, 4)
    logs = type(random_start(model.layout, (0,)))(*(np.log(t) for t in random_start(model.layout, (0,))))
    with Threads(2) as engine:
        alone = [EStep(model, data.slice(i, i + 1), engine)(logs) for i in range(7)]
        total = sum(w * one.log_norm for w, one in zip(weights, alone, strict=True))
        for n_batches in (0, 3):
            step = EStep(model, weighted(data, weights), engine, (1,), n_batches)
            parts = [step(logs)] if not n_batches else [step(logs, batch=b) for b in range(len(step.batches))]
            assert sum(part.log_norm for part in parts) == pytest.approx(total, rel=1e-12)
            for k in range(3):
                by_hand = sum(w * one.counts[k] for w, one in zip(weights, alone, strict=True))
                np.testing.assert_allclose(sum(part.counts[k] for part in parts), by_hand, rtol=1e-10)
            assert step.batches.sum() == pytest.approx(1.0)


def test_the_same_bits_on_every_engine() -> None:
    weights = [1.5, 2, 3, 0, 1, 2, 0.25]
    found = [
        HMM(2, criterion="em:3,stepwise(vb,batches=3):2,gibbs:2", engine=engine, n_jobs=n, random_state=0)
        .fit(TEXT, None, weights)
        for engine, n in (("threads", 1), ("threads", 3), (Copying(), None))
    ]  # fmt: skip
    assert bits(found[0])[1] == bits(found[1])[1] == bits(found[2])[1]


def test_the_data_are_others_with_other_weights() -> None:
    one, two = HMM(2, random_state=0).fit(TEXT), HMM(2, random_state=0).fit(TEXT, sample_weight=TIMES)
    assert one.data_["digest"] != two.data_["digest"]


def test_an_impossible_item_is_named_as_it_came() -> None:
    start = {**STARTS["hmm"], "emission": {"x": {"a": 0.5, "b": 0.5}, "y": {"a": 0.5, "b": 0.4, "c": 0.1, "d": 0.0}}}
    with pytest.raises(InputError, match="<memory>:5: the sentence 'a d d' has probability zero"):
        HMM(start=start, criterion="em:2").fit(TEXT, sample_weight=[9, 8, 7, 6, 5, 0, 3])


WRONG = {
    "shape": ([1, 2], "give one number for each of the 7"),
    "negative": ([1, 1, -1, 1, 1, 1, 1], r"sample_weight -1.0 of item 3: invalid; give finite numbers of at least 0"),
    "nan": ([1, 1, 1, float("nan"), 1, 1, 1], "give finite numbers of at least 0"),
    "nothing": ([0] * 7, r"sample_weight: all 7 .* have weight zero"),
    "words": (["x"] * 7, r"sample_weight must be numbers, one for each of the 7 "),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(
    "model", [HMM(2), PLSA(2), NaiveBayesMixture(2), Grammar("S -> 'a' S | 'b'"), Classes(2)], ids=repr
)
def test_weights_that_cannot_be(name: str, model: Any) -> None:
    weights, says = WRONG[name]
    with pytest.raises(InputError, match=says):
        model.fit(TEXT, sample_weight=weights)
