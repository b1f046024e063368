"""reconstruction_score of every estimator: log Σ_z P(x | z) P(z | x), all z summed by hand; and links by its rule."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats

from softcount import HMM, PLSA, GaussianMixture, Grammar, KMeans, NaiveBayesMixture, Network, WordAligner
from softcount.estimators import agreed_links
from softcount.links.joining import AGAIN

TEXT = ["a b a c", "b b c", "a c", "c a b b a", "a"]
NEW = ["a c b", "b", "b a a"]
POINTS = np.array([[0.0, 1.0], [0.5, 0.0], [4.0, 3.0], [5.0, 3.5], [0.2, 0.1], [4.4, 2.0]])


def ratio(joint: list[float], emitted: list[float]) -> float:
    """log (Σ P(z, x) P(x | z) / Σ P(z, x))"""
    return float(np.log(np.dot(joint, emitted) / np.sum(joint)))


@pytest.mark.parametrize("end", [False, True])
def test_hmm(end: bool) -> None:
    model = HMM(2, criterion="em:5", start="random", end=end, random_state=0).fit(TEXT)
    total = 0.0
    for line in NEW:
        words = [model.vocabulary_.words.index(w) for w in line.split()]
        joint, emitted = [], []
        for path in product(range(2), repeat=len(words)):
            moves = np.prod([model.transition_[a, b] for a, b in pairwise(path)])
            made = float(np.prod([model.emission_[k, w] for k, w in zip(path, words, strict=True)]))
            stop = model.end_[path[-1]] if end else 1.0
            joint.append(float(model.initial_[path[0]] * moves * stop * made))
            emitted.append(made)
        total += ratio(joint, emitted)
    assert model.reconstruction_score(NEW) == pytest.approx(total, rel=1e-10)


@pytest.mark.filterwarnings("ignore:the classes collapse")  # a text as small as this has one
def test_naive_bayes() -> None:
    model = NaiveBayesMixture(2, criterion="em:3", random_state=0).fit(TEXT)
    total = 0.0
    for line in NEW:
        words = [model.vocabulary_.words.index(w) for w in line.split()]
        made = [float(np.prod(model.word_[k, words])) for k in range(2)]
        total += ratio([p * m for p, m in zip(model.cluster_, made, strict=True)], made)
    assert model.reconstruction_score(NEW) == pytest.approx(total, rel=1e-10)
    known = model.reconstruction_score(NEW, [0, -1, 1])  # of a class that is known nothing is summed over
    words = [[model.vocabulary_.words.index(w) for w in line.split()] for line in NEW]
    by_hand = np.log(model.word_[0, words[0]]).sum() + np.log(model.word_[1, words[2]]).sum()
    middle = model.reconstruction_score([NEW[1]])
    assert known == pytest.approx(by_hand + middle, rel=1e-10)


def test_plsa() -> None:
    model = PLSA(2, criterion="em:5", start="random", dtype="float64", random_state=0).fit(TEXT)
    topic, total = model.transform(NEW), 0.0
    for d, line in enumerate(NEW):
        for word in line.split():
            p = model.components_[:, model.vocabulary_.words.index(word)]
            total += ratio((topic[d] * p).tolist(), p.tolist())
    assert model.reconstruction_score(NEW) == pytest.approx(total, rel=1e-9)


def test_gaussian_mixture_and_k_means() -> None:
    model = GaussianMixture(2, criterion="em:5", random_state=0).fit(POINTS)
    km = KMeans(2, random_state=0).fit(POINTS)
    for found, spread in ((model, model.variances_), (km, np.ones((2, 2)))):
        total = 0.0
        for x in POINTS[:3]:
            made = [float(np.prod(stats.norm.pdf(x, found.means_[k], np.sqrt(spread[k])))) for k in range(2)]
            total += ratio([w * m for w, m in zip(found.weights_, made, strict=True)], made)
        assert found.reconstruction_score(POINTS[:3]) == pytest.approx(total, rel=1e-9)


def test_network() -> None:
    rows = {"late": ["yes", "no", "yes", "no", "no"], "wet": ["y", "n", "y", "y", "n"]}
    model = Network("mood -> late; mood -> wet", values={"mood": 2}, criterion="em:5", random_state=0).fit(rows)
    tables, total = model.tables_, 0.0
    for late, wet in zip(*rows.values(), strict=True):
        prior = tables["mood"].to_numpy().ravel()
        made = [float(tables["late"][late].iloc[k] * tables["wet"][wet].iloc[k]) for k in range(2)]
        total += ratio([p * m for p, m in zip(prior, made, strict=True)], made)
    assert model.reconstruction_score(rows) == pytest.approx(total, rel=1e-10)


def test_grammar() -> None:
    """Each word is an A: by itself, or by a B; the rule with the word in it is what emits it."""
    model = Grammar("S -> A A [1.0]\nA -> 'a' [0.5] | B [0.5]\nB -> 'a' [0.25] | 'b' [0.75]", criterion="em:0").fit(
        ["a b"]
    )
    one = ratio([0.5, 0.5 * 0.25], [0.5, 0.25])
    assert model.reconstruction_score(["a a"]) == pytest.approx(2 * one, rel=1e-10)
    assert model.reconstruction_score(["b a"]) == pytest.approx(np.log(0.75) + one, rel=1e-10)


def test_it_is_what_mre_maximises() -> None:
    model = HMM(2, criterion="em:3,mre:4", start="random", random_state=0, tolerance=0.0).fit(TEXT)
    before = HMM(2, criterion="em:3,mre:3", start="random", random_state=0, tolerance=0.0).fit(TEXT)
    assert model.history_[-1].objective == pytest.approx(before.reconstruction_score(TEXT), rel=1e-10)
    assert model.reconstruction_score(TEXT) > before.reconstruction_score(TEXT)


# --- word alignment --------------------------------------------------------------------------------------------------

SOURCE = ["the house", "a house", "the book", "a book is here", "the house is here"]
TARGET = ["das haus", "ein haus", "das buch", "ein buch ist hier", "das haus ist hier"]


def table(model: WordAligner) -> dict[tuple[str, str], float]:
    """t(f | e), with "" for the empty word."""
    forward = model.directions_["forward"]
    words, targets = ["", *model.vocabularies_[0].words], model.vocabularies_[1].words
    rows = forward.parameters.translation
    return {
        (e, targets[f]): float(p)
        for k, e in enumerate(words)
        for f, p in zip(forward.model.entries.row(k), rows.row(k), strict=True)
    }


def test_ibm1_by_hand() -> None:
    model = WordAligner("ibm1", agreement=False, criterion="em:4", direction="forward").fit(SOURCE, TARGET)
    t, total, found = table(model), 0.0, model.align(SOURCE, TARGET, decode="mre")
    for e, f, links in zip(SOURCE, TARGET, found, strict=True):
        words = ["", *e.split()]
        for j, word in enumerate(f.split()):
            made = [t.get((one, word), 0.0) for one in words]
            total += ratio([m / len(words) for m in made], made)
            best = int(np.argmax([m * m for m in made]))
            assert ((best - 1, j) in links) == (best > 0)
    assert model.reconstruction_score(SOURCE, TARGET) == pytest.approx(total, rel=1e-9)


def weighted(t: dict[tuple[str, str], float], e: str, f: str, power: int, tension: float, null: float) -> np.ndarray:
    words, m = e.split(), len(f.split())
    i, j = np.arange(1, len(words) + 1)[:, None], np.arange(1, m + 1)[None]
    near = np.exp(-tension * np.abs(i / len(words) - j / m))
    place = np.concatenate([np.full((1, m), null), (1 - null) * near / near.sum(axis=0)])
    made = np.array([[t.get((one, word), 0.0) for word in f.split()] for one in ["", *words]])
    return place * made**power


def test_links_of_ibm2_are_those_of_the_squared_translations() -> None:
    """The rule differs from posteriors where a position is likely and a word is not."""
    model = WordAligner(
        "ibm2", agreement=False, criterion="em:2", direction="forward", null=0.2, tension=3.0
    ).fit(SOURCE, TARGET)  # fmt: skip
    t, total = table(model), 0.0
    by_rule = {decode: model.align(SOURCE, TARGET, decode=decode) for decode in ("posterior", "mre")}
    for n, (e, f) in enumerate(zip(SOURCE, TARGET, strict=True)):
        once, twice = (weighted(t, e, f, power, 3.0, 0.2) for power in (1, 2))
        total += float(np.log(twice.sum(axis=0) / once.sum(axis=0)).sum())
        for decode, weights in (("posterior", once), ("mre", twice)):
            best = weights.argmax(axis=0)
            assert by_rule[decode][n] == sorted((i - 1, j) for j, i in enumerate(best.tolist()) if i)
    assert model.reconstruction_score(SOURCE, TARGET) == pytest.approx(total, rel=1e-9)


def test_both_directions_trained_together() -> None:
    """Model 1 with agreement: every place is as likely, so shares are squared rates, the empty word's p₀ · t²."""
    model = WordAligner("ibm1", agreement=True, criterion="em:3").fit(SOURCE, TARGET)
    agreed = model.agreed_
    assert agreed is not None
    items = model._read(SOURCE, TARGET)

    plain = agreed_links.question(agreed, items)
    again = agreed_links.question(agreed, items, AGAIN)
    np.testing.assert_allclose(again.weights.rates, plain.weights.rates**2, rtol=1e-5)
    p0 = [float(side.empty[0]) for side in (agreed.log_weights.forward, agreed.log_weights.reverse)]
    for one, two, p in zip(plain.weights.directions, again.weights.directions, p0, strict=True):
        np.testing.assert_allclose(two.null[:-1], p * (one.null[:-1] / p) ** 2, rtol=1e-4)  # the last is no word
    with_new = ["the zebra"], ["das zebra"]
    assert model.align(*with_new, decode="mre")
    assert model.reconstruction_score(SOURCE, TARGET) < 0.0


def test_a_decoding_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="decode='best': unknown; use posterior, viterbi, mre"):
        WordAligner(decode="best").fit(SOURCE, TARGET)


def test_the_rule_of_the_constructor_is_the_default(tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = WordAligner("ibm2", agreement=False, criterion="em:2", decode="mre").fit(SOURCE, TARGET)
    assert model.align(SOURCE, TARGET) == model.align(SOURCE, TARGET, decode="mre")
    assert "decode=mre" in model.signature_
    model.save(tmp_path / "m")
    assert WordAligner.load(tmp_path / "m").align(SOURCE, TARGET) == model.align(SOURCE, TARGET)
