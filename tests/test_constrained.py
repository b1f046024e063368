"""Posterior regularisation against brute force: the dual's gradient, the best q, and what the objective promises."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import enumeration
import numpy as np
import pytest
from enumeration import flat
from hypothesis import given
from hypothesis import strategies as st
from naive import NaiveHMM, NaiveJumps, Sentences
from scipy import optimize

from softcount import HMM as Tagger
from softcount import InputError, NaiveBayesMixture, WordAligner, bitext
from softcount.criteria.criterion import log_weights
from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.loop.start import random_start
from softcount.loop.train import fell
from softcount.models.both_ways import BothWays, BothWaysTables
from softcount.models.hmm import HMM, HMMTables
from softcount.models.jump_hmm import JumpHMM
from softcount.numbers.budget import alone, excess, grouped, project
from softcount.numbers.ragged import from_rows
from softcount.numbers.tables import each
from softcount.text.bitext import length_classes
from softcount.text.cooccurrence import cooccurring

WORDS = [[0, 1, 2], [1, 0, 1], [2, 1], [0, 0]]
MODEL = HMM(2, 3)


@pytest.fixture(scope="module")
def start() -> HMMTables:
    found: HMMTables = random_start(MODEL.layout, (5,))
    return found


def expecting(model: HMM = MODEL, rows: Any = WORDS) -> EStep:
    return EStep(model, Sentences(from_rows(rows, np.int32)), Threads(1).__enter__())


def penalised(start: HMMTables, strength: float, steps: int, ascents: int) -> tuple[Any, list[Any]]:
    criterion = parse(f"constrained(em,strength={strength},least=1,ascents={ascents})")[0].build(
        MODEL.layout, Settings()
    )
    expect, found = expecting(), []
    state = criterion.init(start, expect)
    for _ in range(steps):
        state, progress = criterion.step(state, expect)
        found.append(progress)
    return state, found


# --- budgets --------------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@given(seed=st.integers(0, 10**6), n=st.integers(1, 7), budget=st.sampled_from([0.1, 1.0, 30.0]))
def test_projection_is_the_nearest_point_within_the_budget(seed: int, n: int, budget: float) -> None:
    rng = np.random.default_rng(seed)
    before, names = rng.normal(0.0, 1.5, (n, 2)), rng.integers(-1, 3, n)
    groups, after = grouped(names, 1), before.copy()
    project(after, *groups, budget)
    np.testing.assert_array_equal(after[names < 0], before[names < 0])
    for name in range(3):
        for k in range(2):
            v, x = before[names == name, k], after[names == name, k]
            assert (x >= 0.0).all() and x.sum() <= budget * (1 + 1e-9)
            # nearest: no feasible direction is left, to any corner of the simplex
            for corner in (np.zeros(len(v)), *(budget * np.eye(len(v)))):
                assert np.dot(v - x, corner - x) <= 1e-9 * max(1.0, budget)


def test_groups_that_are_too_small_are_nobodys() -> None:
    found = grouped(np.array([4, 2, -1, 4, 2, 4, 9]), 2)
    assert [found.rows[a:b].tolist() for a, b in pairwise(found.offsets)] == [[1, 4], [0, 3, 5]]
    assert [alone(3).rows[a:b].tolist() for a, b in pairwise(alone(3).offsets)] == [[0], [1], [2]]
    values = np.array([[0.2, 3.0], [0.5, 1.0], [9.0, 9.0]])
    assert excess(values, np.array([0, 1]), np.array([0, 2]), 1.0) == 2.0
    assert excess(values, np.array([0, 1]), np.array([0, 2]), 0.0) == 3.5


# --- the dual -------------------------------------------------------------------------------------------------------


def test_expectations_are_the_gradient_of_the_dual(start: HMMTables) -> None:
    wished, weights = expecting().constrained, log_weights(MODEL.layout, start)
    multipliers = np.random.default_rng(0).random(wished.nodes(1).shape)
    _, expected = wished.expect(weights, multipliers)
    for i in range(multipliers.size):
        nudge = 1e-5 * (np.arange(multipliers.size) == i).reshape(multipliers.shape)
        up, down = (wished.expect(weights, multipliers + s * nudge)[0].log_norm for s in (1, -1))
        assert (down - up) / 2e-5 == pytest.approx(expected.flat[i], abs=1e-8)


def brute(start: HMMTables, strength: float) -> float:
    """max over q of F(q, θ), q over all structures of each sentence, by a solver that knows nothing of duals."""
    items = Sentences(from_rows(WORDS, np.int32))
    instance = enumeration.Instance(NaiveHMM(2, 3, False), MODEL, items, log_weights(MODEL.layout, start))
    found = enumeration.enumerate_all(instance)
    sizes = np.cumsum([len(item.log_joint) for item in found])[:-1]
    words = np.concatenate(WORDS)

    def value(logits: np.ndarray, sharp: float) -> float:
        total, shares = 0.0, []
        for item, part in zip(found, np.split(logits, sizes), strict=True):
            q = np.exp(part - np.logaddexp.reduce(part))
            total += float(q @ (item.log_joint - np.log(q)))
            shares.append(np.einsum("z,znv->nv", q, np.array(item.nodes)))
        tokens = np.concatenate(shares)
        tops = [np.logaddexp.reduce(sharp * tokens[words == w]) / sharp for w in range(3)]  # a smooth maximum
        return total - strength * float(np.sum(tops))

    logits = np.concatenate([item.log_joint for item in found])
    for sharp in (10.0, 100.0, 1000.0):
        logits = optimize.minimize(lambda v, s=sharp: -value(v, s), logits, method="L-BFGS-B").x
    return value(logits, 1e9)


@pytest.mark.parametrize("strength", [0.3, 2.0])
def test_projected_posteriors_are_the_best_of_all(start: HMMTables, strength: float) -> None:
    (first,) = penalised(start, strength, 1, 400)[1]
    truth = brute(start, strength)
    assert first.objective == pytest.approx(truth, abs=5e-3)
    assert first.parts["gap"] < 1e-3 and first.objective >= truth - 1e-3


def test_the_budget_is_kept_and_the_gap_is_never_negative(start: HMMTables) -> None:
    state, found = penalised(start, 2.0, 5, 3)
    nodes = expecting().constrained.nodes(1)
    for a, b in pairwise(nodes.groups.offsets):
        assert (state.multipliers[nodes.groups.rows[a:b]].sum(axis=0) <= 2.0 * (1 + 1e-9)).all()
    assert state.multipliers.min() >= 0.0 and state.multipliers.max() > 0.1
    assert all(progress.parts["gap"] >= -1e-9 for progress in found)


def linked() -> tuple[JumpHMM, Any, Any]:
    text = bitext(["a b c", "b a", "", "c"], ["x y x z", "y y", "x", "z x"])
    n = len(text.target.vocabulary)
    model = JumpHMM(cooccurring(text.sides[0].occurrences, text.target.sentences, n), n, length_classes(text)[0])
    return model, text, each(np.array, log_weights(model.layout, random_start(model.layout, (3,))))


def test_links_of_a_source_word_are_the_gradient_of_the_dual_and_come_down_to_one() -> None:
    model, text, weights = linked()
    wished = EStep(model, text, Threads(1).__enter__()).constrained
    shape, bound, of = wished.nodes(1)[1:]
    assert shape == (6, 1) and bound == 1.0 and of == "one-to-one"
    multipliers = np.random.default_rng(1).random(shape)
    found, expected = wished.expect(weights, multipliers)
    assert expected.sum() == pytest.approx(found.counts.translation.values[model.entries.offsets[1] :].sum())
    for i in range(len(multipliers)):
        nudge = 1e-5 * (np.arange(len(multipliers)) == i)[:, None]
        up, down = (wished.expect(weights, multipliers + s * nudge)[0].log_norm for s in (1, -1))
        assert (down - up) / 2e-5 == pytest.approx(expected[i, 0], abs=1e-8)


def test_links_become_one_to_one() -> None:
    model, text, _ = linked()
    expect, start = EStep(model, text, Threads(1).__enter__()), random_start(model.layout, (3,))
    criterion = parse("constrained(em,strength=50,ascents=60)")[0].build(model.layout, Settings())
    state, found = criterion.init(start, expect), []
    for _ in range(6):
        state, progress = criterion.step(state, expect)
        found.append(progress)
    assert not any(fell(a.objective, b.objective) for a, b in pairwise(found))
    assert all(-1e-9 <= progress.parts["gap"] < 1.0 for progress in found), "weak duality, with a bound that is not 0"
    free = expect.constrained.expect(log_weights(model.layout, start), np.zeros((6, 1)))[1]
    assert found[0].parts["penalty"] / 50 < 0.1 < np.maximum(free - 1.0, 0.0).sum(), "primal feasibility"


def test_links_from_the_command_line() -> None:
    pairs = (["a b", "b c", "a c d"] * 3, ["x y", "y z", "x z w"] * 3)
    for model in ("ibm1(em):2,hmm(constrained(em,strength=5)):3", "ibm1(em):2,hmm(constrained(vb)):2"):
        aligner = WordAligner(model, agreement=False, random_state=0).fit(*pairs)
        assert len(aligner.align(*pairs)) == 9
    with pytest.raises(InputError, match="it is available for tags and for HMM alignment"):
        WordAligner("ibm1", criterion="constrained(em):2").fit(*pairs)


# --- symmetry ---------------------------------------------------------------------------------------------------------


def both_ways() -> tuple[BothWays, Any, Any]:
    one, text, _ = linked()
    turned = text.reverse()
    n = len(turned.target.vocabulary)
    rows = cooccurring(turned.sides[0].occurrences, turned.target.sentences, n)
    model = BothWays(one, JumpHMM(rows, n, length_classes(turned)[0]))
    return model, text, random_start(model.layout, (3,))


def test_without_wishes_each_direction_is_trained_as_it_would_be_alone() -> None:
    model, text, start = both_ways()
    em = parse("em")[0]
    together = em.build(model.layout, Settings())
    state = together.step(start, EStep(model, text, Threads(1).__enter__()))[0]
    for side, items, begun, found in zip(model, (text, text.reverse()), start, state, strict=True):
        alone = em.build(side.layout, Settings())
        expected = alone.step(begun, EStep(side, items, Threads(1).__enter__()))[0]
        np.testing.assert_array_equal(flat(found), flat(expected))


def test_two_directions_under_multipliers_are_those_that_enumeration_finds() -> None:
    model, text, start = both_ways()
    weights = BothWaysTables(*(each(np.array, logs) for logs in log_weights(model.layout, start)))
    wished = EStep(model, text, Threads(1).__enter__()).constrained
    (shape, bound, of), l, m = wished.nodes(1)[1:], text.source.sentences.lengths, text.target.sentences.lengths
    assert shape == (2 * int(l @ m), 1) and bound == 0.0 and of == "symmetry"
    multipliers = np.random.default_rng(1).random(shape)
    found, expected = wished.expect(weights, multipliers)
    price = multipliers[0::2, 0] - multipliers[1::2, 0]
    parts = np.split(price, np.cumsum(l * m)[:-1])
    forward = [-part.reshape(p, q) for part, p, q in zip(parts, l, m, strict=True)]
    total = 0.0
    sides = ((text, forward), (text.reverse(), [-part.T for part in forward]))
    for side, logs, (items, wishes) in zip(model, weights, sides, strict=True):
        rows = [np.concatenate([np.zeros((1, part.shape[1])), part]).ravel() for part in wishes]
        asked = replace(items, wishes=(from_rows(rows, float), None))
        total += enumeration.expected(enumeration.Instance(NaiveJumps(side), side, asked, logs))[1]
    assert found.log_norm == pytest.approx(total, rel=1e-12)
    for i in range(len(multipliers)):
        nudge = 1e-5 * (np.arange(len(multipliers)) == i)[:, None]
        up, down = (wished.expect(weights, multipliers + s * nudge)[0].log_norm for s in (1, -1))
        assert (down - up) / 2e-5 == pytest.approx(expected[i, 0], abs=1e-8)


def test_both_directions_come_to_link_alike() -> None:
    model, text, start = both_ways()
    expect = EStep(model, text, Threads(1).__enter__())
    criterion = parse("constrained(em,strength=50,ascents=80,of=symmetry)")[0].build(model.layout, Settings())
    state, found = criterion.init(start, expect), []
    for _ in range(5):
        state, progress = criterion.step(state, expect)
        found.append(progress)
    assert not any(fell(a.objective, b.objective) for a, b in pairwise(found))
    free = expect.constrained.expect(log_weights(model.layout, start), np.zeros(state.multipliers.shape))[1]
    assert found[0].parts["penalty"] / 50 < 0.02 * np.abs(free).sum() / 2, "primal feasibility"


def test_symmetry_from_the_command_line() -> None:
    pairs = (["a b", "b c", "a c d"] * 3, ["x y", "y z", "x z w"] * 3)
    model = "ibm1:2,hmm(constrained({},strength=5,of=symmetry)):3"
    for inner in ("em", "vb"):
        aligner = WordAligner(model.format(inner), random_state=0).fit(*pairs)
        steps = [step.objective for step in aligner.directions_["reverse"].trace if "symmetry" in step.stage]
        assert len(steps) == 3 and not any(fell(a, b) for a, b in pairwise(steps))
        assert aligner.align(*pairs)[0] == [(0, 0), (1, 1)]
    refused: list[tuple[dict[str, Any], str]] = [
        ({"direction": "forward"}, ": symmetry needs both directions"),
        ({"model": "ibm1(constrained(em,of=symmetry)):2"}, "needs hmm in the last stage"),
        ({"features": "pairs"}, "features: symmetry is not available with features"),
        ({"model": "hmm(constrained(em,of=few-tags)):2", "agreement": False}, ": this model counts"),
    ]
    for settings, says in refused:
        with pytest.raises(InputError, match=says):
            WordAligner(**{"model": model.format("em"), **settings}).fit(*pairs)


# --- the criterion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strength", [0.5, 5.0])
def test_objective_never_falls_and_words_have_fewer_tags(start: HMMTables, strength: float) -> None:
    found = penalised(start, strength, 25, 2)[1]
    assert not any(fell(a.objective, b.objective) for a, b in pairwise(found))
    free = penalised(start, 1e-9, 25, 2)[1]
    assert found[-1].parts["penalty"] / strength < free[-1].parts["penalty"] / 1e-9


def test_no_strength_is_the_inner_criterion_to_the_bit(start: HMMTables) -> None:
    expect = expecting()
    for inner in ("em", "vb", "annealed"):
        plain, free = (parse(s)[0].build(MODEL.layout, Settings()) for s in (inner, f"constrained({inner},strength=0)"))
        a, b = plain.init(start, expect), free.init(start, expect)
        for _ in range(4):
            (a, one), (b, other) = plain.step(a, expect), free.step(b, expect)
            assert one.objective == other.objective
        assert np.array_equal(flat(plain.parameters(a)), flat(free.parameters(b)))


def test_rare_words_are_left_alone() -> None:
    text = ["a b", "b a b", "a c"] * 3
    plain, free, bound = (
        Tagger(2, criterion=c, start="random", random_state=0, tolerance=0).fit(text)
        for c in ("em:6", "constrained(em,least=10):6", "constrained(em,least=9):6")
    )
    assert np.array_equal(plain.emission_, free.emission_) and not np.array_equal(plain.emission_, bound.emission_)


def test_what_has_no_constraint_is_refused() -> None:
    with pytest.raises(InputError, match="posterior regularization is not available for this model"):
        NaiveBayesMixture(2, criterion="constrained(em):3").fit(["a b", "b c"])
    with pytest.raises(InputError, match="posterior regularization does not support weights"):
        Tagger(2, criterion="constrained(em):3").fit(["a b", "b c"], sample_weight=[1.0, 2.0])
    with pytest.raises(InputError, match=": constrained wraps em, vb, annealed, not mre"):
        Tagger(2, criterion="constrained(mre):3").fit(["a b"])
