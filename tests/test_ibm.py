"""IBM 1 and 2 beyond what `test_expect.py` asks of every model: parts, decoding, training, the diagonal, the ELBO."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from enumeration import Instance, enumerate_all
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import NaiveIBM
from scipy import stats
from scipy.special import digamma, gammaln

from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.errors import ImpossibleItem
from softcount.families.diagonal import Diagonal
from softcount.families.dirichlet import digamma as our_digamma
from softcount.families.dirichlet import log_gamma
from softcount.loop.estep import EStep
from softcount.loop.start import uniform_start
from softcount.loop.train import fit
from softcount.models import ibm, ibm_posterior
from softcount.models.ibm import IBM, UNKNOWN, UNSEEN, IBMTables
from softcount.models.ibm_posterior import on, one_hot
from softcount.models.ibm_race import noise
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.numbers.ragged import from_rows
from softcount.numbers.tables import like, scale, values
from softcount.text.bitext import bitext, length_classes
from softcount.text.cooccurrence import cooccurring

# without the compiler, integers that are meant to wrap around (the random numbers) warn when they do
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")
KINDS = ("uniform", "diagonal", "free")
CRITERIA = (
    "em:6",
    "vb:6",
    "hard(em):4",
    "mre:3",
    "mre(rule=adaptive):3",
    "annealed(em):4",
    "stepwise(em, batches=2):3",
    "gibbs:4",
)


def tiny(seed, n_pairs=4, words=4, longest=3):
    rng = np.random.default_rng(seed)
    side = lambda: [[f"w{w}" for w in rng.integers(words, size=rng.integers(1, longest + 1))] for _ in range(n_pairs)]  # noqa: E731
    return bitext(side(), side())


def make(data, kind, **options):
    rows = cooccurring(data.sides[0].occurrences, data.target.sentences, len(data.target.vocabulary))
    return IBM(rows, len(data.target.vocabulary), length_classes(data)[0], kind, **options)


def log_weights_of(model, seed):
    """Random parameters as log-weights."""
    rng = np.random.default_rng(seed)
    logs = model.entries.with_values(np.log(rng.random(len(model.entries.values)) + 0.05))
    alignment = uniform_start(model.layout).alignment
    if model.alignment == "diagonal":
        alignment = Diagonal(model.classes).log_weights(Diagonal(model.classes).table(0.2, 3.0))
    elif model.alignment == "free":
        alignment = alignment.with_values(np.log(rng.random(len(alignment.values)) + 0.05))
    return IBMTables(logs, alignment)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_decoding_gives_every_pair_its_posteriors_and_its_log_norm(kind, seed):
    """Whatever other pairs are decoded with it, and of whatever lengths."""
    data = tiny(seed)
    model = make(data, kind)
    weights = log_weights_of(model, seed)
    items = enumerate_all(Instance(NaiveIBM(model), model, data, weights))
    for rows in ([0, 1, 2, 3], [2], [3, 1]):
        some = data.take(np.array(rows))
        other, logs = on(model, weights, some)
        found, log_norms = other.posteriors(other.weigh(logs), other.pack(some))
        for row, log_norm, item in zip(found.rows(), log_norms, [items[r] for r in rows], strict=True):
            assert log_norm == pytest.approx(item.log_norm, rel=1e-10)
            np.testing.assert_allclose(row, item.posteriors.T.ravel(), rtol=1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", KINDS)
def test_words_that_are_not_known_or_never_met_have_a_small_weight_of_their_own(kind):
    data = bitext([["a", "b"], ["c", "a"], ["a"]], [["x", "y"], ["z", "x"], ["z"]])
    model = make(data, kind)
    weights = log_weights_of(model, 3)
    some = bitext([["b", "new", "a", "c"], ["a", "b"]], [["x", "other", "z"], ["y", "new"]],
                  (data.source.vocabulary, data.target.vocabulary))  # fmt: skip
    other, logs = on(model, weights, some)
    found = other.posteriors(other.weigh(logs), other.pack(some))
    for s, (source, target) in enumerate(zip(some.source.sentences.rows(), some.target.sentences.rows(), strict=True)):
        l, m = len(source), len(target)
        matrix = np.array([[position(other, logs, i, j, l, m) for j in range(m)] for i in range(l + 1)])
        for i, row in enumerate([0, *(e + 1 if e >= 0 else -1 for e in source)]):
            matrix[i] *= [translation(model, weights, row, f) for f in target]
        np.testing.assert_allclose(found.log_norms[s], np.log(matrix.sum(axis=0)).sum(), rtol=1e-10)
        np.testing.assert_allclose(found.matrices.row(s), (matrix / matrix.sum(axis=0)).ravel(), rtol=1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("long", [24, 0])
def test_the_e_step_says_of_new_text_what_decoding_does(kind, long, monkeypatch):
    """Log Z, the labels of every reading, and what is summed over types or searched for: one model, one answer."""
    monkeypatch.setattr(ibm_posterior, "LONG", long)  # 0: every row is searched
    data = bitext([["a", "b"], ["c", "a"], ["a"]], [["x", "y"], ["z", "x"], ["z"]])
    model = make(data, kind)
    some = bitext([["b", "new", "a", "c"], ["a", "b"], ["new"], []], [["x", "other", "z"], ["y", "new"], ["x"], ["x"]],
                  (data.source.vocabulary, data.target.vocabulary))  # fmt: skip
    other, logs = on(model, log_weights_of(model, 3), some)
    if kind != "uniform":  # the empty word need not win for words that are not known
        values(logs.alignment)[0] -= 3.0
    weights, shard = other.weigh(logs), other.pack(some)
    found = other.posteriors(weights, shard)
    columns = [row.reshape(-1, m) for row, m in zip(found.matrices.rows(), (3, 2, 1, 1), strict=True)]
    for mode in (SUM, MAX):
        told, labels = other.expect(weights, shard, mode, labels=True)
        best = [matrix[labels.row(s), np.arange(matrix.shape[1])] for s, matrix in enumerate(columns)]
        np.testing.assert_allclose(np.concatenate(best), np.concatenate([m.max(axis=0) for m in columns]), rtol=1e-12)
    assert other.expect(weights, shard)[0].log_norm == pytest.approx(found.log_norms.sum(), rel=1e-12)
    assert told.log_norm == pytest.approx(
        sum(n + np.log(m.max(axis=0)).sum() for n, m in zip(found.log_norms, columns, strict=True)), rel=1e-12
    )
    sampled, labels = other.expect(weights, shard, SAMPLE, np.full(len(shard.pairs.targets), 0.3), labels=True)
    assert sampled.log_norm == pytest.approx(found.log_norms.sum(), rel=1e-12)


def test_every_target_word_is_equally_likely_at_the_flat_start():
    """One over the vocabulary, however few of its words a row stores."""
    data = bitext([["a", "b"], ["c"]], [["x", "y"], ["z", "x", "w", "v"]])
    start = make(data, "diagonal").start()
    assert start.translation.values.tolist() == [0.2] * len(start.translation.values)
    assert make(bitext([], []), "uniform").start().translation.values.tolist() == []


def test_chosen_links_as_matrices_of_ones_and_zeros():
    targets = from_rows([[7, 8, 9], [], [7, 7]], np.int32)
    found = one_hot(np.array([2, 0, 1, 3, 0], np.int32), np.array([2, 4, 3]), targets)
    assert found.lengths.tolist() == [9, 0, 8]
    assert found.row(0).reshape(3, 3).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert found.row(2).reshape(4, 2).tolist() == [[0, 1], [0, 0], [0, 0], [1, 0]]


def test_training_text_has_no_words_that_are_not_known():
    """Where nothing says what an unknown word weighs, the pair is impossible, and is named."""
    data = bitext([["a"], ["a"]], [["x"], ["y"]])
    model = make(data, "uniform")
    some = bitext([["a"], ["a"]], [["x"], ["new"]], (data.source.vocabulary, data.target.vocabulary))
    with pytest.raises(ImpossibleItem) as caught:
        model.expect(model.weigh(log_weights_of(model, 1)), model.pack(some))
    assert caught.value.item == 1


def test_wishes_go_with_their_pairs():
    data = tiny(5)
    rows = from_rows([np.arange(n, dtype=float) + 100 * s for s, n in enumerate(data.token_pairs)], float)
    wished = replace(data, wishes=(rows, None))
    assert wished.reverse().potentials is None and wished.reverse().reverse().potentials is rows
    for some, which in (
        (wished.slice(1, 3), [1, 2]),
        (wished.take(np.array([3, 0])), [3, 0]),
        (wished.lowered, range(4)),
    ):
        assert [row.tolist() for row in some.potentials.rows()] == [rows.row(s).tolist() for s in which]
    short = wished.within(int(data.longest.min()))
    kept = [s for s in range(4) if data.longest[s] == data.longest.min()]
    assert 0 < len(kept) < 4
    assert [len(row) for row in short.potentials.rows()] == [
        n if s in kept else 0 for s, n in enumerate(data.token_pairs)
    ]
    with pytest.raises(ValueError, match="none"):
        make(data, "uniform").pack(replace(data, wishes=(rows.slice(0, 1).take(np.zeros(4, int)), None)))


def translation(model, weights, row, word):
    """t(word | row), row −1 a source word that is not known, word −1 a target word that is not."""
    if row < 0 or word < 0:
        return UNKNOWN
    known = dict(zip(model.entries.row(row).tolist(), np.exp(weights.translation.row(row)).tolist(), strict=True))
    return known.get(word, UNSEEN if row > 0 else 0.0)


def position(model, weights, i, j, l, m):
    """a(i | j, l, m), straight from the tables."""
    one = IBMTables(*(like(table, np.zeros(len(values(table)))) for table in uniform_start(model.layout)))
    NaiveIBM(model).place(one.alignment, i, j, l, m)
    return np.exp(values(weights.alignment) @ values(one.alignment)) / (l + 1 if model.alignment == "uniform" else 1)


@pytest.mark.kernels
def test_parts_are_few_and_have_all_types(monkeypatch):
    monkeypatch.setattr(ibm, "PART", 1)
    data = tiny(2, n_pairs=200, words=150, longest=4)
    parts = make(data, "uniform").parts(make(data, "uniform").pack(data))
    assert 8 <= len(parts) <= ibm.MOST_PARTS + 1
    for cuts, last in (([p.types for p in parts], len(data.source.vocabulary)), ([p.sentences for p in parts], 200)):
        assert [a for a, _ in cuts] == [0, *(b for _, b in cuts[:-1])] and cuts[-1][1] == last


@pytest.mark.parametrize("kind", KINDS)
def test_mre_gradient_by_differences(kind):
    data = tiny(7)
    model = make(data, kind)
    weights, packed = log_weights_of(model, 2), model.pack(data)
    powers = IBMTables(2.0, 1.0)

    def objective(w):
        return (
            model.expect(model.weigh(scale(powers, w)), packed)[0].log_norm
            - model.expect(model.weigh(w), packed)[0].log_norm
        )

    c2 = model.expect(model.weigh(scale(powers, weights)), packed)[0].counts.translation.values
    c1 = model.expect(model.weigh(weights), packed)[0].counts.translation.values
    for k in range(0, len(c1), 3):
        moved = [weights.translation.values.copy() for _ in range(2)]
        moved[0][k] += 1e-5
        moved[1][k] -= 1e-5
        ends = [objective(weights._replace(translation=weights.translation.with_values(v))) for v in moved]
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(2 * c2[k] - c1[k], abs=1e-6)


def trained(data, model, criterion, prior=0.1, threads=1):
    start = uniform_start(model.layout)
    with Threads(threads) as engine:
        return fit(
            model, data, parse(criterion), lambda _: start, engine,
            settings=Settings(0.0, prior), tolerance=0.0, seed=1,
        )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("criterion", ["em:12", "em(pseudo=0.3):12", "vb:12", "hard(em):12"])
def test_the_objective_never_falls(kind, whole, criterion):
    data = tiny(11, n_pairs=12, words=6, longest=6)
    model = make(data, kind, whole_vocabulary=whole, learn_null=True)
    steps = trained(data, model, criterion).trace.objectives
    assert len(steps) >= 3
    for before, after in pairwise(steps):
        assert after >= before - 1e-9 * abs(before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_rows_sum_to_one_and_zeros_stay(kind, criterion):
    data = tiny(13, n_pairs=10, words=5, longest=5)
    model = make(data, kind)
    start = uniform_start(model.layout)
    dead = model.entries.offsets[1] + 1
    flat = start.translation.values.copy()
    flat[dead] = 0.0
    start = start._replace(translation=model.layout.translation.family.normalize(start.translation.with_values(flat)))
    with Threads(1) as engine:
        result = fit(model, data, parse(criterion), lambda _: start, engine, tolerance=0.0)
    table = result.parameters.translation
    assert table.values[dead] == 0.0
    sums = np.add.reduceat(table.values, table.offsets[:-1])
    np.testing.assert_allclose(sums, 1.0, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", [SUM, MAX, SAMPLE])
def test_the_same_bits_with_any_number_of_threads(kind, mode, monkeypatch):
    monkeypatch.setattr(ibm, "PART", 50)
    data = tiny(17, n_pairs=60, words=9, longest=7)
    model = make(data, kind)
    weights = log_weights_of(model, 1)
    found = []
    for threads in (1, 2, 3):
        with Threads(threads) as engine:
            step = EStep(model, data, engine)
            assert len(step._handles[0][2]) > 3
            found.append(step(weights, mode))
    for other in found[1:]:
        assert other.log_norm == found[0].log_norm
        for a, b in zip(found[0].counts, other.counts, strict=True):
            assert (values(a) == values(b)).all()


@pytest.mark.kernels
@pytest.mark.parametrize("kind", KINDS)
def test_ties_between_parts_go_to_the_lower_position(kind, monkeypatch):
    """Word types are raced in parts, in the order of their ids: the last word of the text first in its sentences."""
    monkeypatch.setattr(ibm, "PART", 1)
    data = bitext(["a b", "c b a", "b c"], ["x", "x x", "x"])
    model = make(data, kind)
    zeros = uniform_start(model.layout)
    weights = IBMTables(*(like(table, np.zeros(len(values(table)))) for table in zeros))
    weights.translation.row(0)[:] = -np.inf  # the empty word would win every tie
    packed = model.pack(data)
    assert len(model.parts(packed)) == 3
    found, labels = model.expect(model.weigh(weights), packed, MAX, labels=True)
    assert labels.values.tolist() == [1, 1, 1, 1]
    assert found.counts.translation.values.tolist() == [0, 1, 1, 2]  # of the empty word, a, b and c; all are x's


def test_elbo_against_quadrature():
    """One source word, two target words, no empty word to speak of: the evidence is a Beta integral.

    With l = 1 and the empty word's probability at zero there is nothing hidden, so ELBO = log evidence.
    """
    data = bitext(["a", "a", "a"], ["x", "x y", "y x"])
    model = make(data, "diagonal", null=0.0, learn_tension=False)
    result = trained(data, model, "vb:3", prior=0.3)
    theta = (np.arange(200_000) + 0.5) / 200_000
    density = theta ** (0.3 - 1) * (1 - theta) ** (0.3 - 1) * np.exp(2 * gammaln(0.3) * -1 + gammaln(0.6))
    # substitute θ = s^(1/0.3) near both ends for accuracy: here Beta functions are known exactly
    exact = gammaln(3.3) + gammaln(2.3) - gammaln(5.6) - (2 * gammaln(0.3) - gammaln(0.6))
    rough = np.log(np.sum(density * theta**3 * (1 - theta) ** 2) / 200_000)
    assert rough == pytest.approx(exact, abs=1e-4)
    assert result.trace.objectives[-1] == pytest.approx(rough, abs=1e-4)


def test_vocabulary_prior_counts_what_is_not_stored():
    """The same ELBO as a dense table in which every pair of words is an entry."""
    data = tiny(29, n_pairs=6, words=5)
    sparse, dense = make(data, "uniform", whole_vocabulary=True), make(data, "uniform")
    V = len(data.target.vocabulary)
    n_rows = dense.entries.n_rows
    full = dense._replace(
        entries=type(dense.entries)(np.arange(n_rows + 1) * V, np.tile(np.arange(V, dtype=np.int32), n_rows))
    )
    # the start must be the same: proportional to 1 on the entries that meet
    start = uniform_start(sparse.layout)
    spread = np.zeros(n_rows * V)
    for row in range(n_rows):
        spread[row * V + sparse.entries.row(row)] = start.translation.row(row)
    with Threads(1) as engine:
        one = fit(sparse, data, parse("vb:4"), lambda _: start, engine, settings=Settings(0.0, 0.2), tolerance=0.0)
        layout = full.layout
        other = []
        counts = None
        for _ in range(5):  # VB by hand on the dense table
            if counts is None:
                logs = np.log(np.where(spread > 0, spread, 1e-300))
                divergence = None
            else:
                lam = counts + 0.2
                total = np.repeat(lam.reshape(-1, V).sum(axis=1), V)
                logs = digamma(lam) - digamma(total)
                rows = lam.reshape(-1, V).sum(axis=1)
                divergence = np.sum(gammaln(rows) - gammaln(0.2 * V)) + np.sum(
                    gammaln(0.2) - gammaln(lam) + counts * logs
                )
            weights = IBMTables(full.entries.with_values(logs), uniform_start(layout).alignment)
            found = full.expect(full.weigh(weights), full.pack(data))[0]
            counts = found.counts.translation.values
            if divergence is not None:
                other.append(found.log_norm - divergence)
    np.testing.assert_allclose(one.trace.objectives, other, rtol=1e-9)


@pytest.mark.kernels
def test_noise_is_exponential_and_independent_of_the_position():
    """argmax term / noise draws in proportion to the terms only if it is both."""
    draws = np.array([[noise(u, i) for i in range(4)] for u in np.random.default_rng(0).random(1500)])
    for column in draws.T:
        assert stats.kstest(column, "expon").pvalue > 1e-4
    assert (np.abs(np.corrcoef(draws.T) - np.eye(4)) < 0.12).all()


@pytest.mark.kernels
def test_special_functions():
    x = np.concatenate([np.geomspace(1e-6, 1e6, 300), [0.01, 1.0, 5.9999, 6.0]])
    np.testing.assert_allclose([our_digamma(v) for v in x], digamma(x), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose([log_gamma(v) for v in x], gammaln(x), rtol=1e-11, atol=1e-11)
