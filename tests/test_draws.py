"""Which random number draws what: every token by one of its own, wherever it stands and whoever else is drawn.

That draws are right on average (test_expect.py) does not say so: tokens that share their numbers are right on average.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from softcount.loop.start import uniform_start
from softcount.models import ibm
from softcount.models.hmm import HMMTables, generate
from softcount.models.ibm import IBM, IBMTables
from softcount.models.ibm_race import noise
from softcount.models.plsa import PLSA, PLSATables
from softcount.numbers.attribute import SAMPLE
from softcount.numbers.ragged import from_rows
from softcount.text.bitext import bitext, length_classes
from softcount.text.cooccurrence import cooccurring
from softcount.text.documents import from_matrix

# without the compiler, integers that are meant to wrap around (IBM's random numbers) warn when they do
pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore:overflow encountered in scalar")]


def pairs(rng: Any) -> Any:
    """Seven pairs, of which one has no source words and one no target words; some wish for links."""
    lengths = [(3, 4), (2, 3), (0, 2), (4, 1), (2, 0), (1, 5), (3, 4)]
    sides = [[[f"w{w}" for w in rng.integers(4, size=n)] for n in side] for side in zip(*lengths, strict=True)]
    items = bitext(*sides)
    wishes = from_rows([np.log(rng.random(n)) for n in items.token_pairs * [1, 0, 1, 1, 0, 0, 1]], float)
    return replace(items, wishes=(wishes, None))


@pytest.mark.parametrize("kind", ["uniform", "diagonal", "free"])
@pytest.mark.parametrize("part", [10**6, 4])
def test_a_word_is_linked_to_the_winner_of_its_own_race(kind: str, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """argmax_i P(a_j = i) / noise(u_j, i), i = 0 the empty word, however the text is cut."""
    monkeypatch.setattr(ibm, "PART", part)
    rng = np.random.default_rng(5)
    items = pairs(rng)
    rows = cooccurring(items.sides[0].occurrences, items.target.sentences, len(items.target.vocabulary))
    model = IBM(rows, len(items.target.vocabulary), length_classes(items)[0], kind)
    start = uniform_start(model.layout)
    logs = IBMTables(rows.with_values(np.log(rng.random(len(rows.values)) + 0.05)),
                     model.layout.alignment.family.log_weights(start.alignment))  # fmt: skip
    weights, shard = model.weigh(logs), model.pack(items)
    assert (len(model.parts(shard)) > 1) == (part == 4)
    uniforms = rng.random(model.n_uniforms(shard))
    counts, labels = model.expect(weights, shard, SAMPLE, uniforms, labels=True)
    expected, nulls = [], 0
    for s, matrix in enumerate(model.posteriors(weights, shard).matrices.rows()):
        l, m, begin = (items.source.sentences.lengths[s], items.target.sentences.lengths[s], shard.pairs.bounds[s])
        terms = matrix.reshape(l + 1, m)
        for j in range(m):
            mine = [terms[i, j] / noise(uniforms[begin + j], i) for i in range(l + 1)]
            expected.append(int(np.argmax(mine)))
            nulls += l > 0 and expected[-1] == 0
    assert labels.values.tolist() == expected and 0 < nulls < len(expected) // 2
    assert counts.counts.translation.row(0).sum() == nulls


@pytest.mark.parametrize("wished", [False, True])
def test_every_token_of_a_document_is_drawn_by_its_own_number(wished: bool) -> None:
    """The first topic whose cumulative share exceeds it, token by token, in the order of documents and their words."""
    rng = np.random.default_rng(7)
    table = np.array([[3, 0, 2, 1], [0, 0, 0, 0], [1, 4, 0, 2]], dtype=float)
    D, V, H = *table.shape, 3
    items, cells = from_matrix(table), np.argwhere(table > 0)
    potentials = np.log(rng.random((D, H))) if wished else np.zeros((D, H))
    items = replace(items, potentials=potentials if wished else None)
    logs = PLSATables(np.log(rng.random((D, H))), np.log(rng.random((H, V))))
    model = PLSA(D, H, V)
    shard = model.pack(items)
    uniforms = rng.random(model.n_uniforms(shard))
    assert len(uniforms) == table.sum()
    counts = model.expect(model.weigh(logs), shard, SAMPLE, uniforms)[0].whole().counts
    topic, word, left = np.zeros((D, H)), np.zeros((H, V)), list(uniforms)
    for d, w in cells:
        shares = np.cumsum(np.exp(logs.topic[d] + logs.word[:, w] + potentials[d]))
        for _ in range(int(table[d, w])):
            chosen = int(np.searchsorted(shares, left.pop(0) * shares[-1], side="right"))
            topic[d, chosen] += 1
            word[chosen, w] += 1
    np.testing.assert_array_equal(counts.topic, topic)
    np.testing.assert_array_equal(counts.word, word)


def as_often(counts: Any, shares: Any) -> None:
    """Within five standard errors."""
    counts, shares = np.asarray(counts, float), np.asarray(shares)
    n = counts.sum(axis=-1, keepdims=True)
    assert (np.abs(counts / n - shares) <= 5 * np.sqrt(shares * (1 - shares) / n) + 1e-12).all()


def test_sentences_are_drawn_as_the_tables_say() -> None:
    emission = np.array([[0.5, 0.3, 0.2, 0.0], [0.0, 0.1, 0.3, 0.6]])
    tables = HMMTables(np.array([0.7, 0.3]), np.array([[0.2, 0.4, 0.4], [0.5, 0.3, 0.2]]), emission)
    words, states = generate(tables, 2000, None, np.random.default_rng(0))
    assert words.lengths.min() == 1 and np.array_equal(words.offsets, states.offsets)
    as_often(np.bincount(states.values[states.offsets[:-1]]), tables.initial)
    moves, said = np.zeros((2, 3)), np.zeros((2, 4))
    np.add.at(said, (states.values, words.values), 1)
    for row in states.rows():
        np.add.at(moves, (row, [*row[1:], 2]), 1)
    as_often(moves, tables.transition)
    as_often(said, emission)
    lengths = np.array([3, 0, 1, 2] * 300)
    words, states = generate(tables, 1200, lengths, np.random.default_rng(1))  # none draws its end then
    assert words.lengths.tolist() == lengths.tolist()
    moves = np.zeros((2, 2))
    for row in states.rows():
        np.add.at(moves, (row[:-1], row[1:]), 1)
    as_often(moves, tables.transition[:, :2] / tables.transition[:, :2].sum(axis=1, keepdims=True))
    endless = tables._replace(transition=np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]))
    assert generate(endless, 3, None, np.random.default_rng(0), longest=7)[0].lengths.tolist() == [7, 7, 7]
