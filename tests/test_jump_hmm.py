"""The HMM over positions beyond what enumeration says in `test_expect.py`: long pairs, its family, every criterion."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

import softcount
from softcount.families.jumps import JumpTable, cell_places, first_guess, jump_table, maximize
from softcount.families.penalty import NOTHING, Pseudo
from softcount.families.positions import LINK, NULL, Positions
from softcount.models.jump_hmm import JumpHMM
from softcount.numbers.attribute import MAX, SAMPLE, SUM
from softcount.synthetic import bilingual
from softcount.text.bitext import bitext, length_classes
from softcount.text.cooccurrence import cooccurring

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 10**6)


# --- long pairs -------------------------------------------------------------------------------------------------------


def long_pair(l, m):
    rng = np.random.default_rng(l * m)
    items = bitext([[f"e{k}" for k in rng.integers(20, size=l)]], [[f"f{k}" for k in rng.integers(20, size=m)]])
    rows = cooccurring(items.sides[0].occurrences, items.target.sentences, len(items.target.vocabulary))
    model = JumpHMM(rows, len(items.target.vocabulary), length_classes(items)[0])
    start = model.start()
    translation = start.translation.with_values(rng.normal(0.0, 3.0, len(rows.values)))
    vector = np.log(start.alignment) + rng.normal(0.0, 0.5, len(start.alignment))
    return items, model, start._replace(translation=translation, alignment=vector)


def naive_forward(items, model, logs, best):
    """log Z, or the best alignment's weight, by the recursion in logarithms: state l is that nothing is linked yet."""
    source, target, join = items.source.sentences.row(0), items.target.sentences.row(0), np.max if best else logsumexp
    l, reach, entries = len(source), model.reach, model.entries
    begin, end, jump, cells = model.positions.parts(logs.alignment)

    def word(row, f):
        return logs.translation.values[entries.offsets[row] + entries.row(row).tolist().index(f)]

    away = np.arange(l)
    moves = jump[reach + np.clip(away[None] - away[:, None], -reach, reach)] + cells[3:][:, None]
    first, last = begin[np.minimum(away, reach)] + cells[0], end[np.minimum(l - 1 - away, reach)] + cells[1]
    state = np.append(np.full(l, -np.inf), 0.0)
    for f in target:
        came = join(np.concatenate([state[:l, None] + moves, (state[l] + first)[None]]), axis=0)
        linked = came + logs.alignment[LINK] + np.array([word(e + 1, f) for e in source])
        empty = state + logs.alignment[NULL] + word(0, f)
        state = join(np.stack([np.append(linked, -np.inf), empty]), axis=0)
    return float(join(state + np.append(last, cells[2])))


@pytest.mark.parametrize("lengths", [(1, 1000), (1000, 1), (1, 1), (70, 60), (9, 130)])
def test_long_pairs(lengths):
    items, model, logs = long_pair(*lengths)
    shard, weights = model.pack(items), model.weigh(logs)
    found, _ = model.expect(weights, shard, SUM)
    assert found.log_norm == pytest.approx(naive_forward(items, model, logs, best=False), rel=1e-12)
    best, labels = model.expect(weights, shard, MAX, labels=True)
    assert best.log_norm == pytest.approx(naive_forward(items, model, logs, best=True), rel=1e-12)
    assert labels.values.min() >= 0 and labels.values.max() <= lengths[0]
    drawn, _ = model.expect(weights, shard, SAMPLE, np.random.default_rng(0).random(model.n_uniforms(shard)))
    for mode in (found, best, drawn):
        counts = mode.whole().counts
        assert counts.translation.values.sum() == pytest.approx(lengths[1])
        assert counts.alignment[[NULL, LINK]].sum() == pytest.approx(lengths[1])
    matrix = model.posteriors(weights, shard).matrices.values.reshape(lengths[0] + 1, lengths[1])
    np.testing.assert_allclose(matrix.sum(axis=0), 1.0, rtol=1e-9)


# --- every criterion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["em:12", "em(pseudo=0.3):12", "hard:8", "vb:12", "hard(vb):8"])
@pytest.mark.parametrize("null", [0.1, "learn"])
def test_objectives_never_fall(criterion, null):
    pairs = bilingual(40, seed=3)
    model = softcount.WordAligner("ibm1(em:2),hmm", criterion=criterion, agreement=False, null=null)
    for trace in model.fit(pairs.source, pairs.target).history_.values():
        steps = [step.objective for step in list(trace)[2:]]
        for before, after in pairwise(steps):
            assert after >= before - 1e-9 * abs(before)


@settings(max_examples=10)
@given(SEEDS)
def test_elbo_never_falls_with_few_words(seed):
    """Where a table of places has next to nothing to learn from, and is maximised from nowhere."""
    rng = np.random.default_rng(seed)
    sides = [[[f"w{k}" for k in rng.integers(5, size=n)] for n in rng.integers(1, 12, size=6)] for _ in range(2)]
    model = softcount.WordAligner("hmm", criterion="vb:15", agreement=False, direction="forward").fit(*sides)
    steps = [step.objective for step in model.history_["forward"]]
    for before, after in pairwise(steps):
        assert after >= before - 1e-9 * abs(before)


def test_mre_climbs_and_decides():
    """A step of MRE makes the text likelier to be reconstructed; its decision rule squares translations."""
    pairs = bilingual(40, seed=3)
    model = softcount.WordAligner("ibm1(em:2),hmm(em:3,mre(rule=growth,rate=0.3):4)", agreement=False)
    trace = [step.objective for step in model.fit(pairs.source, pairs.target).history_["forward"]][5:]
    assert trace == sorted(trace)


# --- the family -------------------------------------------------------------------------------------------------------


@given(SEEDS)
def test_a_step_of_the_family_never_loses(seed):
    """Expected log-probability and log-prior of the counts, from any parameters, with few steps or many."""
    rng, lengths = np.random.default_rng(seed), np.array([2, 4, 6])
    family = Positions(lengths, learn_null=True, reach=3)
    vector = family.spread(np.concatenate([[0.3, 0.7], rng.random(family.cells - 2) + 0.01, np.zeros(21)]))
    seen = _implied(rng.random(21) * rng.choice([0.01, 1.0, 100.0]), lengths, rng)
    counts = np.concatenate([rng.random(2), *seen])

    def value(parameters):
        return float(counts @ np.log(parameters)) + family.log_prior(parameters, NOTHING)

    after = family.maximize(counts, NOTHING, vector)
    assert family.sound(vector) and family.sound(after)
    assert value(after) >= value(vector) - 1e-9
    assert value(family.maximize(counts)) == pytest.approx(value(after), rel=1e-7)
    assert family.maximize(np.zeros(len(counts)), NOTHING, vector) == pytest.approx(vector)


def test_what_is_held_stays():
    family = Positions(np.array([1, 3]), learn_null=True, reach=1)
    vector, counts = family.uniform(), np.random.default_rng(0).random(family.size())
    mask = np.zeros(len(vector), bool)
    mask[2:] = True
    fixed = family.hold(vector, mask).maximize(counts, NOTHING, vector)
    np.testing.assert_array_equal(fixed[2:], vector[2:])
    assert fixed[NULL] == pytest.approx(counts[NULL] / (counts[NULL] + counts[LINK]))
    mask = ~mask
    fixed = family.hold(vector, mask).maximize(counts, NOTHING, vector)
    np.testing.assert_array_equal(fixed[:2], vector[:2])
    assert not np.allclose(fixed[2:5], vector[2:5])


def test_tables_are_sound_if_their_cells_follow_and_nothing_is_below_zero():
    family = Positions(np.array([1, 3]), null=0.25, reach=1)
    vector = family.uniform()
    assert family.sound(vector) and family.sound(family.table(1.0, family.parts(vector)))
    wrong = [family.table(null, family.parts(vector)) for null in (1.5, -0.1, np.nan)]
    for part in (slice(2, 4), slice(4, 6), slice(6, 9)):  # nothing at all of first places, last places, or jumps
        wrong.append(np.where(np.isin(np.arange(len(vector)), np.arange(len(vector))[part]), 0.0, vector))
    wrong.append(vector + 0.01 * (np.arange(len(vector)) == len(vector) - 1))
    assert not any(family.sound(one) for one in wrong)


def test_as_many_counts_are_imagined_as_there_are_entries_times_pseudo():
    """In proportion to what was first guessed; the log prior is of them, and of what is imagined of the empty word."""
    family = Positions(np.array([2, 4]), null=0.25, learn_null=True, reach=3, pseudo=0.5)
    guesses, vector = first_guess(3), family.uniform()
    total = 0.0
    for found, guess, part in zip(family.imagined(), guesses, family.parts(vector), strict=False):
        assert found.sum() == pytest.approx(0.5 * len(guess)) and found / guess == pytest.approx(found[0] / guess[0])
        total += np.sum(found * np.log(part / part.sum()))
    assert family.log_prior(vector, NOTHING) == pytest.approx(total)
    assert family.log_prior(vector, Pseudo(2.0)) == pytest.approx(total + 2.0 * np.log(0.25 * 0.75))
    assert family._replace(given=vector).log_prior(vector, NOTHING) == 0.0


def test_the_maximum_has_no_slope():
    """∂/∂log J(d) = c(d) − Σ over the cells of how often each is left · the share of d among what it reaches."""
    rng, lengths = np.random.default_rng(3), np.array([2, 5])
    counts = _implied(rng.random(13), lengths, rng)
    found = maximize(counts, lengths)
    slopes = [counts[k].copy() for k in range(3)]
    for l, place in zip(lengths, cell_places(lengths)[lengths], strict=True):
        starts = [(0, place, np.arange(l)), (1, place + 1, np.arange(l))]
        starts += [(2, place + 3 + i, 3 + np.arange(l) - i) for i in range(l)]
        for k, cell, reached in starts:
            reached = np.clip(reached, 0, len(found[k]) - 1)
            np.add.at(slopes[k], reached, -counts.cells[cell] * found[k][reached] / found[k][reached].sum())
    assert np.abs(np.concatenate(slopes)).max() < 1e-6


def test_what_the_family_makes_is_a_distribution():
    rng, lengths = np.random.default_rng(0), np.array([1, 3, 7])
    table = jump_table(rng.random(3), rng.random(3), rng.random(5), lengths)
    places, reach = cell_places(lengths), 2
    for l in lengths:
        cells = table.cells[places[l] :]
        assert table.begin[np.minimum(np.arange(l), reach)].sum() * cells[0] == pytest.approx(1.0)
        assert table.end[np.minimum(np.arange(l), reach)].sum() * cells[1] == pytest.approx(1.0)
        for place in range(l):
            jumps = reach + np.clip(np.arange(l) - place, -reach, reach)
            assert table.jump[jumps].sum() * cells[3 + place] == pytest.approx(1.0)


@settings(max_examples=4)
@given(SEEDS)
def test_the_tables_maximise_what_was_expected(seed):
    """Against a general optimiser of Σ counts · log weight, all normalisers included."""
    rng, lengths = np.random.default_rng(seed), np.array([2, 4, 6])
    counts = _implied(rng.random(21), lengths, rng)
    found = maximize(counts, lengths)

    def loss(logs):
        table = jump_table(*np.split(np.exp(logs), [4, 8]), lengths)
        return -sum(np.sum(c * np.log(p)) for c, p in zip(counts, table, strict=True))

    best = minimize(loss, np.zeros(15), method="BFGS", options={"gtol": 1e-7}).fun
    ours = loss(np.log(np.concatenate(found[:3])))
    assert ours <= best + 1e-6 * abs(best)


def _implied(masses, lengths, rng):
    """Counts that could have been seen: each cell left so many times, to places drawn anyhow."""
    begin, end, jump = np.zeros(4), np.zeros(4), np.zeros(7)
    for l, place in zip(lengths, cell_places(lengths)[lengths], strict=True):
        np.add.at(begin, np.minimum(np.arange(l), 3), masses[place] * rng.dirichlet(np.ones(l)))
        np.add.at(end, np.minimum(np.arange(l), 3), masses[place + 1] * rng.dirichlet(np.ones(l)))
        for i in range(l):
            to = 3 + np.clip(np.arange(l) - i, -3, 3)
            np.add.at(jump, to, masses[place + 3 + i] * rng.dirichlet(np.ones(l)))
    return JumpTable(begin, end, jump, masses)
