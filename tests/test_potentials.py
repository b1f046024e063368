"""Known labels are potentials of −inf; potentials themselves are enumerated in `test_expect.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from enumeration import flat

from softcount import bitext, corpus, documents
from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.families.layout import by_table
from softcount.loop.start import uniform_start
from softcount.loop.train import fit
from softcount.models.gaussian import GaussianMixture, Points
from softcount.models.hmm import HMM
from softcount.models.ibm import IBM, IBMTables
from softcount.models.mixture import Mixture
from softcount.models.plsa import PLSA, PLSATables
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import Ragged, from_rows
from softcount.numbers.tables import like, values
from softcount.text.bitext import length_classes
from softcount.text.cooccurrence import cooccurring
from softcount.text.documents import from_matrix

# without the compiler, integers that are meant to wrap around (IBM's random numbers) warn when they do
pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore:overflow encountered in scalar")]


def weights_of(model: Any, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return by_table(model.layout, lambda spec: np.asarray(rng.normal(size=spec.family.size()), order="F"))


def known_as_potentials(known: np.ndarray, K: int) -> np.ndarray:
    rows = np.zeros((len(known), K))
    for i, k in enumerate(known):
        if k >= 0:
            rows[i, np.arange(K) != k] = -np.inf
    return rows


@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_known_labels_are_potentials(mode: int) -> None:
    K, rng = 3, np.random.default_rng(4)
    data = corpus(["a b a", "", "c", "b b a c"])
    known = np.where(rng.random(data.n_tokens) < 0.5, rng.integers(0, K, data.n_tokens), -1).astype(np.int32)
    points = rng.normal(size=(9, 2))
    classes = np.where(rng.random(9) < 0.5, rng.integers(0, K, 9), -1).astype(np.int32)
    table = documents(["a a b", "b c", "c", "a"] * 2 + ["b"])
    cases: list[tuple[Any, Any, Any]] = [
        (
            HMM(K, len(data.vocabulary)),
            replace(data, labels=Ragged(data.sentences.offsets, known)),
            replace(data, potentials=Ragged(data.sentences.offsets, known_as_potentials(known, K))),
        ),
        (
            Mixture(K, table.n_words),
            replace(table, labels=classes),
            replace(table, potentials=known_as_potentials(classes, K)),
        ),
        (
            GaussianMixture(K, 2, "spherical", np.zeros(2), np.ones(1)),
            Points(points, labels=classes),
            Points(points, potentials=known_as_potentials(classes, K)),
        ),
    ]
    for model, labelled, wished in cases:
        logs, found = weights_of(model, 2), []
        for items in (labelled, wished):
            shard = model.pack(items.slice(1, len(items)))
            uniforms = np.random.default_rng(3).random(model.n_uniforms(shard))
            found.append(model.expect(model.weigh(logs), shard, mode, uniforms)[0].whole())
        assert found[0].log_norm == pytest.approx(found[1].log_norm, rel=1e-12)
        np.testing.assert_allclose(flat(found[0].counts), flat(found[1].counts), atol=1e-12)


@pytest.mark.parametrize("mode", [SUM, MAX])
def test_a_topic_that_a_word_cannot_have_is_a_potential(mode: int) -> None:
    """As if that entry of P(word | topic) were zero, for this document alone."""
    H, table = 3, documents(["a a b", "b c c c"])
    model = PLSA(2, H, table.n_words)
    logs = weights_of(model, 5)
    wishes = np.zeros((len(table.words), H))
    wishes[table.words == 1, 2] = -np.inf
    logs_without = logs._replace(word=logs.word.copy(order="F"))
    logs_without.word[2, 1] = -np.inf
    found = []
    for items, weights in ((replace(table, potentials=Ragged(table.offsets, wishes)), logs), (table, logs_without)):
        found.append(model.expect(model.weigh(weights), model.pack(items), mode)[0].whole())
    assert found[0].log_norm == pytest.approx(found[1].log_norm, rel=1e-12)
    np.testing.assert_allclose(flat(found[0].counts), flat(found[1].counts), atol=1e-12)


@pytest.mark.parametrize("wished", [False, True])
def test_folding_in_is_training_with_the_words_held(wished: bool) -> None:
    """Document by document, until nothing moves: the same rows as the loop's, with the same potentials."""
    rng = np.random.default_rng(6)
    table = from_matrix(rng.poisson(1.0, (7, 6)).astype(float))
    if wished:
        table = replace(table, potentials=Ragged(table.offsets, rng.normal(size=(len(table.words), 3))))
    word, start = rng.dirichlet(np.ones(6), 3), np.array([0.2, 0.5, 0.3])
    model = PLSA(7, 3, 6)
    weights = model.weigh(PLSATables(np.log(np.tile(start, (7, 1))), np.log(word)))
    rows = model.fold(weights, model.pack(table), start, 0.6)
    with Threads(1) as engine:
        tables = PLSATables(np.tile(start, (7, 1)), np.asarray(word, order="F"))
        settings = Settings({"topic": 0.6 * start, "word": 0.0})
        found = fit(
            model, table, parse("em:400"), lambda _: tables, engine, fixed=("word",), settings=settings, tolerance=0.0
        )
    np.testing.assert_allclose(rows, found.parameters.topic, atol=2e-3)


def test_a_background_takes_its_share_and_no_more() -> None:
    """P(w | d) = ½ p(w) + ½ Σ P(h | d) P(w | h), by a grid over P(h | d)."""
    word = np.array([[0.7, 0.1, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    counts = np.array([[5.0, 2.0, 3.0], [0.0, 4.0, 9.0]])
    model = PLSA(2, 3, 3)
    weights = model.weigh(PLSATables(np.zeros((2, 3)), np.log(word)))
    rows = model.fold(weights, model.pack(from_matrix(counts)), np.array([0.5, 0.5, 0.0]), 0.0, 0.5)
    np.testing.assert_allclose(rows[:, 2], 0.5)
    shares = np.linspace(0.0, 0.5, 5001)
    for row, n in zip(rows, counts, strict=True):
        likelihood = np.log(np.outer(shares, word[0]) + np.outer(0.5 - shares, word[1]) + 0.5 * word[2]) @ n
        assert row[0] == pytest.approx(shares[likelihood.argmax()], abs=2e-3)


@pytest.mark.parametrize("kind", ["uniform", "diagonal", "free"])
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_known_links_of_words_are_potentials(kind: str, mode: int) -> None:
    """A pair whose links are all known has the counts of those links, whatever the weights; others are as they were."""
    data = bitext(["a b", "c", "b a"], ["x y z", "x", "z"])
    rows = cooccurring(data.sides[0].occurrences, data.target.sentences, 3)
    model = IBM(rows, 3, length_classes(data)[0], kind)
    known = [2, 0, 1]  # of the first pair: x is of b, y of no word, z of a
    wishes = np.where(np.arange(3)[:, None] == known, 0.0, -np.inf)
    wished = replace(data, wishes=(from_rows([wishes.ravel(), [], []], float), None))
    weights = model.weigh(weights_of_links(model))
    shard = model.pack(wished)
    uniforms = np.random.default_rng(1).random(model.n_uniforms(shard))
    found, labels = model.expect(weights, shard, mode, uniforms, labels=True)
    assert labels is not None and labels.row(0).tolist() == known
    rest = model.pack(data.slice(1, 3))
    alone, others = model.expect(weights, rest, mode, uniforms[3:], labels=True)
    assert others is not None and labels.values[3:].tolist() == others.values.tolist()
    one = found.counts.translation.values - alone.counts.translation.values
    (a, b), (x, y, z) = data.source.vocabulary.find(["a", "b"]), data.target.vocabulary.find(["x", "y", "z"])
    links = {(b + 1, x), (0, y), (a + 1, z)}  # (row, word)
    for row in range(rows.n_rows):
        for place, word in enumerate(rows.row(row).tolist()):
            assert one[rows.offsets[row] + place] == pytest.approx(float((row, word) in links), abs=1e-12)
    matrix = model.posteriors(weights, shard).matrices.row(0).reshape(3, 3)
    assert matrix.tolist() == np.exp(wishes).tolist()


def weights_of_links(model: IBM) -> IBMTables:
    start, rng = uniform_start(model.layout), np.random.default_rng(2)
    return by_table(model.layout, lambda spec, t: like(t, rng.normal(size=values(t).shape)), start)
