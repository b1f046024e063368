"""Every criterion: what its objective promises, what no update may touch, and what must not matter."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import enumeration
import numpy as np
import pytest
from enumeration import flat, unflat
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import NaiveHMM, Sentences
from scipy import integrate, special

from softcount import InputError
from softcount.criteria.criterion import Criterion, Progress, log_weights
from softcount.criteria.mre import RULES, MREState
from softcount.criteria.spec import BASES, WRAPPERS, Settings, by_families, parse
from softcount.engines import Threads
from softcount.estimators.align_stage import parse_models
from softcount.families.layout import by_table
from softcount.families.penalty import NOTHING
from softcount.loop.estep import EStep
from softcount.loop.start import constrain, random_start, uniform_start
from softcount.loop.trace import CONVERGED, DONE, FELL, Ending
from softcount.loop.train import FALL, fell, fit
from softcount.models.hmm import HMM, HMMTables
from softcount.numbers.ragged import from_rows
from softcount.numbers.tables import each, inner
from softcount.synthetic import language
from softcount.text.corpus import corpus

# Every criterion by name, alone and around everything that it may wrap: a new one is covered by being listed.
SPECS = [*BASES, *(f"mre(rule={rule})" for rule in RULES)]
SPECS += [f"{name}({inside})" for name, kind in WRAPPERS.items() for inside in kind.around]
SPECS = [s.replace("stepwise(", "stepwise(batches=3,").replace("annealed(", "annealed(start=0.5,") for s in SPECS]
SPECS = [s.replace("constrained(", "constrained(least=2,") for s in SPECS]
every_criterion = pytest.mark.parametrize("spec", SPECS)
RISING = ["direct", "em", "em(pseudo=0.3)", "hard(em)", "hard(em(pseudo=0.3))", "vb", "vb(prior=2)", "hard(vb)"]
RISING += ["constrained(least=2,em)", "constrained(least=2,vb)", "autoencode"]


class Case(NamedTuple):
    model: HMM
    items: Any
    start: HMMTables


def case(K: int = 3, V: int = 6, n: int = 12, end: bool = True, seed: int = 0) -> Case:
    rng = np.random.default_rng(seed)
    sentences = from_rows([rng.integers(0, V, rng.integers(0, 7)) for _ in range(n)] + [[0, V - 1]], np.int32)
    model = HMM(K, V, end)
    return Case(model, Sentences(sentences), random_start(model.layout, (seed,)))


def holding(case: Case) -> tuple[Case, dict[str, np.ndarray]]:
    """Some emissions forbidden, one transition fixed, the initial table fixed as a whole."""
    emission = case.start.emission.copy()
    emission[0, 1:3] = 0.0
    emission /= emission.sum(axis=1, keepdims=True)
    fixed = np.zeros(case.start.transition.shape, dtype=bool)
    fixed[1, 0] = True
    return case._replace(start=case.start._replace(emission=emission)), {
        "transition": fixed,
        "initial": np.ones(case.model.n_states, dtype=bool),
    }


def train(case: Case, spec: str, *, n_threads: int = 1, **options: Any) -> Any:
    options = {"tolerance": 0.0, "settings": Settings(0.0, 0.1), **options}
    with Threads(n_threads) as engine:
        return fit(case.model, case.items, parse(spec), lambda _: case.start, engine, **options)


def steps(case: Case, spec: str, n: int, given: Settings | None = None) -> list[Progress]:
    layout = constrain(case.model.layout, case.start, ())
    criterion = parse(spec)[0].build(layout, given or Settings())
    found = []
    with Threads(1) as engine:
        expect = EStep(case.model, case.items, engine)
        state = criterion.init(case.start, expect)
        for _ in range(n):
            state, progress = criterion.step(state, expect)
            found.append(progress)
    return found


def never_falls(objectives: list[float]) -> bool:
    return all(not fell(a, b) for a, b in pairwise(objectives))


# --- promises -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", RISING)
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), K=st.integers(1, 3), end=st.booleans())
@example(seed=736, K=3, end=True)  # where the multipliers of constraints stay a millionth away from their best
def test_objective_never_falls_on_tiny_corpora(spec: str, seed: int, K: int, end: bool) -> None:
    objectives = [p.objective for p in steps(case(K, 4, 5, end, seed), spec, 12)]
    assert np.isfinite(objectives).all() and never_falls(objectives)
    assert len(set(objectives)) > 1 or K == 1 or spec.startswith("hard")


@pytest.mark.parametrize("spec", RISING)
def test_objective_never_falls_on_text(spec: str) -> None:
    data = corpus(language(60, seed=1).sentences)
    model = HMM(6, len(data.vocabulary), True)
    objectives = [p.objective for p in steps(Case(model, data, random_start(model.layout, (1,))), spec, 30)]
    assert never_falls(objectives) and objectives[-1] > objectives[0]


def test_every_promise_is_tested() -> None:
    layout = HMM(2, 2).layout
    promising = {s for s in SPECS if parse(s)[0].build(layout, Settings()).never_falls}
    assert promising <= {*RISING}
    assert {s for s in RISING if parse(s)[0].build(layout, Settings()).never_falls} == {*RISING}, "a promise is missing"


def test_em_objective_is_the_log_posterior() -> None:
    tiny = case(2, 3, 3)
    (first,) = steps(tiny, "em(pseudo=0.5)", 1)
    weights = each(np.asarray, log_weights(tiny.model.layout, tiny.start))
    instance = enumeration.Instance(NaiveHMM(2, 3, True), tiny.model, tiny.items, weights)
    assert np.isclose(first.objective, enumeration.expected(instance)[1] + 0.5 * flat(weights).sum(), rtol=1e-12)


@pytest.mark.parametrize("spec", ["em", "hard(em)", "annealed(em,start=0.5)"])
def test_a_part_called_log_likelihood_is_one(spec: str) -> None:
    """log Z under MAX, or of tempered weights, is the log of no probability of the data, and is not called so."""
    tiny = case(2, 3, 3)
    (first,) = steps(tiny, spec.replace("em", "em(pseudo=0.5)"), 1)
    weights = each(np.asarray, log_weights(tiny.model.layout, tiny.start))
    instance = enumeration.Instance(NaiveHMM(2, 3, True), tiny.model, tiny.items, weights)
    truth = enumeration.expected(instance)[1]
    assert first.parts.get("log_likelihood", truth) == pytest.approx(truth)
    assert first.parts["log_norm"] + first.parts["log_prior"] == pytest.approx(first.objective)


# --- the ELBO against numeric integrals: a wrong but consistent prior would still rise ------------------------------


def one_row_case(ambiguous: bool) -> tuple[Case, dict[str, np.ndarray]]:
    """Everything fixed but state 0's two emissions. Ambiguous: state 1 emits the same two words."""
    emission = np.array([[0.5, 0.5, 0.0], [0.3, 0.2, 0.5] if ambiguous else [0.0, 0.0, 1.0]])
    start = HMMTables(np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]]), emission)
    items = Sentences(from_rows([[0, 1, 2], [0, 0], [], [1, 2]], np.int32))
    free = np.zeros((2, 3), dtype=bool)
    free[0, :2] = True
    masks = {"initial": np.ones(2, bool), "transition": np.ones((2, 2), bool), "emission": ~free}
    return Case(HMM(2, 3), items, start), masks


@pytest.mark.parametrize("ambiguous", [False, True])
@pytest.mark.parametrize("prior", [0.7, 1.0, 2.5])
def test_elbo_bounds_the_evidence(ambiguous: bool, prior: float) -> None:
    one, masks = one_row_case(ambiguous)

    def likelihood(p: float) -> float:
        emission = one.start.emission.copy()
        emission[0, :2] = p, 1 - p
        weights = log_weights(one.model.layout, one.start._replace(emission=emission))
        instance = enumeration.Instance(NaiveHMM(2, 3, False), one.model, one.items, weights)
        return float(np.exp(sum(item.log_norm for item in enumeration.enumerate_all(instance))))

    # ∫ P(x | p) p^(a−1) (1−p)^(a−1) dp / B(a, a); the weight takes the endpoints' singularity
    found, _ = integrate.quad(likelihood, 0, 1, weight="alg", wvar=(prior - 1, prior - 1), limit=60, epsabs=1e-12)
    evidence = np.log(found) - special.betaln(prior, prior)
    elbo = train(one, f"vb(prior={prior}):60", fixed=masks).trace.objectives
    assert never_falls(elbo)
    if ambiguous:
        assert evidence - 1.0 < elbo[-1] < evidence
    else:
        assert np.isclose(elbo[-1], evidence, rtol=1e-7)


# --- MRE ------------------------------------------------------------------------------------------------------------


def mre_objective(case: Case, weights: HMMTables) -> float:
    shard = case.model.pack(case.items)
    double = weights._replace(emission=2 * weights.emission)
    encode, decode = (case.model.expect(case.model.weigh(w), shard)[0].log_norm for w in (weights, double))
    return decode - encode


def test_mre_gradient_by_finite_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny, seen = case(2, 3, 5), []
    keep = lambda layout, state, gradient, counts, rate: seen.append(gradient) or state  # noqa: E731
    monkeypatch.setitem(RULES, "growth", keep)
    (progress,) = steps(tiny, "mre(rule=growth)", 1)
    weights = each(np.asarray, log_weights(tiny.model.layout, tiny.start))
    assert np.isclose(progress.objective, mre_objective(tiny, weights), rtol=1e-12)
    eta, gradient, h = flat(weights), flat(seen[0]), 1e-5
    for i in range(len(eta)):
        up, down = (mre_objective(tiny, unflat(weights, eta + s * h * (np.arange(len(eta)) == i))) for s in (1, -1))
        assert np.isclose((up - down) / (2 * h), gradient[i], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("rule", "rate"), [("row-scaled", 0.01), ("adaptive", 0.001), ("growth", 0.01)])
@pytest.mark.parametrize("seed", range(4))
def test_small_mre_steps_rise(rule: str, rate: float, seed: int) -> None:
    objectives = [p.objective for p in steps(case(seed=seed), f"mre(rule={rule},rate={rate})", 6)]
    assert (np.diff(objectives) > 0).all()


@pytest.mark.parametrize(("rule", "rate"), [("row-scaled", 1), ("adaptive", 0.01), ("growth", 1)])
def test_default_rates(rule: str, rate: float) -> None:
    usual, given_rate = (train(case(), f"mre(rule={rule}{more}):2").parameters for more in ("", f",rate={rate}"))
    np.testing.assert_array_equal(flat(usual), flat(given_rate))


def test_adaptive_rates_by_hand() -> None:
    """One row, four steps: a sign that persists gains a fifth, up to 1; one that changes halves its rate and rests."""
    one = HMM(1, 3)
    layout, theta = one.layout, np.array([[0.5, 0.3, 0.2]])
    state = MREState(HMMTables(np.ones(1), np.ones((1, 1)), theta), None, None)
    rates, signs, nothing = np.full(3, 0.9), np.zeros(3), HMMTables(np.zeros(1), np.zeros((1, 1)), np.zeros((1, 3)))
    for g in ([3.0, -1.0, 0.5], [2.0, -2.0, -4.0], [1.0, 5.0, -4.0], [1.0, 5.0, -4.0]):
        state = RULES["adaptive"](layout, state, nothing._replace(emission=np.array([g])), nothing, 0.9)
        for i, sign in enumerate(np.sign(np.array(g) - theta[0] * np.sum(g))):  # centred in its row
            if sign * signs[i] > 0:
                rates[i] = min(1.2 * rates[i], 1.0)
            elif sign * signs[i] < 0:
                rates[i], sign = 0.5 * rates[i], 0.0
            signs[i] = sign
        theta = theta * np.exp(rates * signs)
        theta /= theta.sum()
        np.testing.assert_allclose(state.parameters.emission, theta, rtol=1e-12)
        np.testing.assert_allclose(state.rates.emission[0], rates, rtol=1e-12)
    assert len(set(rates.tolist())) > 1


def test_a_gradient_that_is_rounding_alone_has_no_sign() -> None:
    theta = np.array([[0.5, 0.3, 0.2]])
    state = MREState(HMMTables(np.ones(1), np.ones((1, 1)), theta), None, None)
    counts = HMMTables(np.ones(1), np.ones((1, 1)), 1000.0 * theta)
    for gradient, moves in (([1e-10, -3e-11, -7e-11], False), ([1e-8, -3e-9, -7e-9], True)):
        nothing = HMMTables(np.zeros(1), np.zeros((1, 1)), np.array([gradient]))
        found = RULES["adaptive"](HMM(1, 3).layout, state, nothing, counts, 0.1)
        assert np.array_equal(found.signs.emission, np.sign([gradient]) * moves)
        assert (not np.allclose(found.parameters.emission, theta, rtol=1e-3)) == moves


# --- wrappers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner_spec", ["em", "vb", "em(pseudo=1)"])
def test_annealing_at_one_is_the_inner_criterion(inner_spec: str) -> None:
    plain = train(case(), f"{inner_spec}:5")
    tempered = train(case(), f"annealed({inner_spec},start=1,stop=1):5")
    assert np.array_equal(flat(plain.parameters), flat(tempered.parameters))
    assert plain.trace.objectives == tempered.trace.objectives


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_annealed_counts_are_of_posteriors_to_a_power(beta: float) -> None:
    """By enumeration: the structures' probabilities to the power of β, as shares, and what they count."""
    tiny = case(2, 3, 3)
    weights = each(np.asarray, log_weights(tiny.model.layout, tiny.start))
    instance = enumeration.Instance(NaiveHMM(2, 3, True), tiny.model, tiny.items, weights)
    total = enumeration.zeros(weights)
    for item in enumeration.enumerate_all(instance):
        shares = np.exp(beta * (item.log_joint - item.best))
        for share, counts in zip(shares / shares.sum(), item.counts, strict=True):
            total = enumeration.add(total, each(lambda c, share=share: share * c, counts))
    found = train(tiny, f"annealed(em,start={beta},stop={beta}):1").parameters
    expected = by_table(tiny.model.layout, lambda spec, c: spec.family.normalize(c), total)
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-9)


def test_great_hardness_is_hard_em() -> None:
    emission = np.array([[0.8, 0.1, 0.1], [0.15, 0.6, 0.25]])
    start = HMMTables(np.array([0.7, 0.3]), np.array([[0.55, 0.45], [0.3, 0.7]]), emission)
    clear = case(2, 3, end=False)._replace(start=start)
    tempered = train(clear, "annealed(em,start=150,stop=150):1")
    hard = train(clear, "hard(em):1")
    np.testing.assert_allclose(flat(tempered.parameters), flat(hard.parameters), atol=1e-2)


def test_annealing_goes_from_start_to_stop() -> None:
    trace = train(case(), "annealed(em,start=0.1,stop=1,over=3):5").trace
    np.testing.assert_allclose([s.parts["hardness"] for s in trace], [0.1, 0.1**0.5, 1, 1, 1])
    for over, hardness in ((1, [0.1, 1, 1]), (2, [0.1, 1, 1]), (4, [0.1, 0.1 ** (2 / 3), 0.1 ** (1 / 3)])):
        trace = train(case(), f"annealed(em,start=0.1,stop=1,over={over}):3").trace
        np.testing.assert_allclose([s.parts["hardness"] for s in trace], hardness)


def test_annealing_takes_two_thirds_of_its_steps_by_default() -> None:
    hardness = [s.parts["hardness"] for s in train(case(), "annealed(em):9").trace]
    np.testing.assert_allclose(hardness, [*0.1 ** (1 - np.arange(6) / 5), 1, 1, 1])


def test_stepwise_with_one_batch_is_batch_em_at_first() -> None:
    online = train(case(), "stepwise(em,batches=1):1")
    batch = train(case(), "em:1")
    np.testing.assert_allclose(flat(online.parameters), flat(batch.parameters), rtol=1e-12)
    assert np.isclose(online.trace[0].objective, batch.trace[0].objective)


def test_stepwise_by_hand() -> None:
    """s ← (1 − γ) s + γ (N / B) c with γ = (k + 2)^−decay, every batch once a pass."""
    tiny, asked = case(), []
    layout = constrain(tiny.model.layout, tiny.start, ())
    criterion = parse("stepwise(em,batches=3,decay=0.6)")[0].build(layout, Settings())
    em = parse("em")[0].build(layout, Settings())
    with Threads(1) as engine:
        expect = EStep(tiny.model, tiny.items, engine, (0,), 3)

        class Spy:
            batches = expect.batches

            def __call__(self, weights: Any, mode: int = 0, key: int = 0, batch: int | None = None) -> Any:
                asked.append(batch)
                return expect(weights, mode, key, batch)

        state = criterion.init(tiny.start, Spy())
        assert asked == [None], "the first statistics are those of all data"
        asked.clear()
        state, _ = criterion.step(state, Spy())
        assert sorted(asked) == [0, 1, 2] and np.isclose(expect.batches.sum(), 1.0)
        parameters, s = tiny.start, expect(em.log_weights(tiny.start)).counts
        for k, batch in enumerate(asked):
            gamma = (k + 2) ** -0.6
            share = expect.batches[batch]
            c = each(lambda t, share=share: t / share, expect(em.log_weights(parameters), batch=batch).counts)
            s = each(lambda a, b, g=gamma: (1 - g) * a + g * b, s, c)
            parameters = HMMTables(
                *(f.family.maximize(t, NOTHING, p) for f, t, p in zip(layout, s, parameters, strict=True))
            )
    np.testing.assert_allclose(flat(criterion.parameters(state)), flat(parameters), rtol=1e-10)


# --- Gibbs ----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_gibbs_visits_structures_as_often_as_their_posterior_says() -> None:
    """Frequencies of log joints against enumeration; a bound of 5 standard errors, inflated by the chain's memory."""
    model, prior = HMM(2, 2), 0.8
    items = Sentences(from_rows([[0, 1], [0, 0], [1]], np.int32))
    tiny = Case(model, items, random_start(model.layout, (3,)))
    instance = enumeration.Instance(NaiveHMM(2, 2, False), model, items, log_weights(model.layout, tiny.start))
    joints = []
    for combination in enumeration.all_joint_structures(instance):
        counts = enumeration.total(combination)
        joints.append(sum(f.family.log_evidence(c, prior) for f, c in zip(model.layout, counts, strict=True)))
    truth: dict[float, float] = {}
    shares = np.exp(np.array(joints) - np.logaddexp.reduce(joints))
    for joint, share in zip(joints, shares, strict=True):
        truth[round(joint, 6)] = truth.get(round(joint, 6), 0.0) + share
    n = 4000
    seen = [round(p.objective, 6) for p in steps(tiny, f"gibbs(prior={prior})", n)[100:]]
    assert set(seen) <= set(truth)
    for joint, share in truth.items():
        error = np.sqrt(share * (1 - share) / (n - 100))
        assert abs(np.mean(np.array(seen) == joint) - share) < 5 * 2 * error + 1e-3


def test_gibbs_repeats_with_its_seed() -> None:
    first, again, other = (train(case(), "gibbs:5", seed=seed) for seed in (7, 7, 8))
    assert first.trace.objectives == again.trace.objectives != other.trace.objectives


def test_structures_are_drawn_anew_at_every_step_stage_and_restart() -> None:
    """With all tables fixed nothing but the draw changes, and log P(x, z) tells draws apart."""
    fixed = train(case(n=30), "gibbs:3,gibbs:3", fixed=HMMTables._fields, restarts=2, seed=3)
    assert len(fixed.trace.objectives) == 12 == len(set(fixed.trace.objectives))


def test_parameters_are_drawn_anew_at_every_step_stage_and_restart() -> None:
    """With one state nothing is hidden: log P(x | θ) tells the θ apart that the step before has drawn."""
    trace = train(case(K=1, n=30), "gibbs:4,gibbs:4", restarts=2, seed=3).trace
    after_a_draw = [step.parts["log_likelihood"] for step in trace if step.step > 1]
    assert len(after_a_draw) == 12 == len(set(after_a_draw))


def test_batches_are_drawn_anew_at_every_stage_and_restart() -> None:
    """Which sentences a mini-batch has, in the order in which they are packed."""
    packed = []

    class Watched(HMM):
        def pack(self, items: Any) -> Any:
            packed.append([tuple(row) for row in items.sentences.rows()])
            return super().pack(items)

    plain = case(n=12)
    watched = plain._replace(model=Watched(*plain.model))
    train(watched, "stepwise(em,batches=1):1,stepwise(em,batches=1):1", restarts=2)
    whole = [rows for rows in packed if len(rows) == 13]
    orders = {tuple(rows) for rows in whole[1:]}  # the first are all data, in order
    assert len(whole) == 5 == len(orders) + 1
    assert all(sorted(rows) == sorted(whole[0]) for rows in whole)


def test_mini_batches_are_visited_in_another_order_at_every_pass_and_restart() -> None:
    visited: list[list[int]] = []

    class Watched(EStep):
        def __call__(self, *asked: Any, **options: Any) -> Any:
            if len(asked) > 3 and asked[3] is not None:
                visited.append(asked[3])
            return super().__call__(*asked, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("softcount.loop.train.EStep", Watched)
        train(case(n=40), "stepwise(em,batches=6):2,stepwise(em,batches=6):2", restarts=2)
    n = max(visited) + 1
    passes = [tuple(visited[i : i + n]) for i in range(0, len(visited), n)]
    assert len(passes) == 8 == len(set(passes)) and all(sorted(one) == list(range(n)) for one in passes)


# --- what holds under every criterion -------------------------------------------------------------------------------


@every_criterion
def test_held_stays_held_and_rows_sum_to_one(spec: str) -> None:
    held, fixed = holding(case(n=20))
    found = train(held, f"{spec}:6", fixed=fixed)
    initial, transition, emission = found.parameters
    assert (emission[0, 1:3] == 0.0).all()
    np.testing.assert_allclose(transition[1, 0], held.start.transition[1, 0], rtol=1e-12)
    np.testing.assert_allclose(initial, held.start.initial, rtol=1e-12)
    for table in found.parameters:
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, rtol=1e-9)
        assert (table >= 0).all() and np.isfinite(table).all()
    assert not np.isnan(flat(found.log_weights)).any() and (found.log_weights.emission[0, 1:3] == -np.inf).all()
    assert np.isfinite(found.trace.objectives).all()
    assert not np.array_equal(transition, held.start.transition), "nothing was learned"


@every_criterion
def test_threads_give_the_same_bits(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softcount.models.hmm.SHARD_TOKENS", 5)
    one, three = (train(case(n=30), f"{spec}:4", n_threads=n) for n in (1, 3))
    assert np.array_equal(flat(one.parameters), flat(three.parameters))
    assert one.trace.objectives == three.trace.objectives


DETERMINISTIC = [s for s in SPECS if "gibbs" not in s]


@pytest.mark.parametrize("spec", DETERMINISTIC)
def test_permuted_states_permute_the_result(spec: str) -> None:
    plain, order = case(), np.array([2, 0, 1])
    t = plain.start
    moved = HMMTables(t.initial[order], t.transition[order][:, [*order, 3]], t.emission[order])
    a = train(plain, f"{spec}:4").parameters
    b = train(plain._replace(start=moved), f"{spec}:4").parameters
    np.testing.assert_allclose(b.initial, a.initial[order], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(b.transition, a.transition[order][:, [*order, 3]], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(b.emission, a.emission[order], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("spec", DETERMINISTIC)
def test_renumbered_words_change_nothing_else(spec: str) -> None:
    plain, order = case(), np.array([3, 5, 0, 1, 4, 2])  # new id of each word
    sentences = plain.items.sentences
    other = Case(
        plain.model,
        Sentences(sentences.with_values(order[sentences.values].astype(np.int32))),
        plain.start._replace(emission=plain.start.emission[:, np.argsort(order)]),
    )
    a, b = train(plain, f"{spec}:4"), train(other, f"{spec}:4")
    np.testing.assert_allclose(b.parameters.emission[:, order], a.parameters.emission, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(b.trace.objectives, a.trace.objectives, rtol=1e-10)


@pytest.mark.parametrize("spec", ["em", "hard(em)", "mre", "mre(rule=growth)", "mre(rule=adaptive)"])
def test_doubled_corpus_gives_the_same_parameters(spec: str) -> None:
    plain = case()
    n = len(plain.items)
    doubled = plain._replace(items=plain.items.take(np.r_[np.arange(n), np.arange(n)]))
    a, b = train(plain, f"{spec}:5"), train(doubled, f"{spec}:5")
    np.testing.assert_allclose(flat(b.parameters), flat(a.parameters), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(b.trace.objectives, 2 * np.array(a.trace.objectives), rtol=1e-10)


# --- the loop -------------------------------------------------------------------------------------------------------


def fake(objectives: list[float], **promises: bool) -> Any:
    class Stage(NamedTuple):
        steps: int = len(objectives)
        text: str = "fake:9"
        n_batches: int = 0
        sampling: None = None
        name: str = "em"
        inner: None = None
        options: Any = {}  # noqa: RUF012

        @property
        def innermost(self) -> Any:
            return self

        def build(self, layout: Any, settings: Any) -> Criterion:
            def step(state: int, expect: Any) -> tuple[int, Progress]:
                return state + 1, Progress(objectives[state])

            return Criterion(lambda p, e: 0, step, lambda s: float(s), lambda s: case().start, **promises)

    return Stage()


def run(stage: Any, tolerance: float = 0.0, **options: Any) -> Any:
    tiny = case()
    with Threads(1) as engine:
        return fit(tiny.model, tiny.items, [stage], lambda _: tiny.start, engine, tolerance=tolerance, **options)


def test_a_broken_promise_stops_with_an_explanation() -> None:
    found = run(fake([-10.0, -9.0, -9.5, -8.0], never_falls=True))
    assert len(found.trace) == 3 and found.log_weights == 2.0, "the state before the fall is kept"
    assert found.trace.stopped.kind == FELL
    assert "the objective fell from -9.0 to -9.5 at iteration 3 of" in found.trace.stopped.text
    assert "the parameters before the fall are kept" in found.trace.notes[0]
    with pytest.raises(InputError, match="'fake:9': the objective at iteration 2 is nan"):
        run(fake([-10.0, float("nan"), -1.0], never_falls=True))
    assert len(run(fake([-10.0, -9.0, -9.5, -8.0])).trace) == 4, "no promise, no check"
    assert not fell(-1e6, -1e6 * (1 + FALL / 2)) and fell(-1e6, -1e6 * (1 + 2 * FALL))


def test_stops_by_tolerance_or_steps() -> None:
    found = run(fake([-10.0, -9.0, -8.99, -8.0]), tolerance=1e-2)
    assert len(found.trace) == 3 and found.trace.stopped.kind == CONVERGED
    assert found.trace.stopped.text.startswith("converged: relative change 1.1e-03")
    assert run(fake([-10.0, -9.0]), tolerance=1e-2).trace.stopped == Ending(DONE, "2 iterations done")
    assert run(fake([-10.0]), tolerance=1e-2).trace.stopped == Ending(DONE, "1 iteration done")
    assert len(run(fake([-10.0, -9.0, -9.0, -8.0], settles=False), tolerance=1e-2).trace) == 4


def test_uniform_start_is_tied_and_said_to_be() -> None:
    tiny = case()
    tied = train(tiny._replace(start=uniform_start(tiny.model.layout)), "em:3")
    assert any("stay identical" in n and "random start" in n for n in tied.trace.notes)
    assert not train(tiny, "em:3").trace.notes


@pytest.mark.parametrize("spec", ["em", "hard(em)", "stepwise(em,batches=2)", "annealed(em)"])
def test_a_dead_state_keeps_its_row_and_the_trace_says_so(spec: str) -> None:
    tiny = case(2, 6)
    start = HMMTables(np.array([1.0, 0.0]), np.array([[0.8, 0.0, 0.2], [0.5, 0.3, 0.2]]), tiny.start.emission)
    found = train(tiny._replace(start=start), f"{spec}:5")
    np.testing.assert_array_equal(found.parameters.emission[1], start.emission[1])
    np.testing.assert_array_equal(found.parameters.transition[1], start.transition[1])
    assert found.trace.notes.count("state 1's emission has no expected count; its previous values are kept") == 1
    assert np.isfinite(found.trace.objectives).all()


@every_criterion
def test_a_dead_state_is_never_a_nan(spec: str) -> None:
    tiny = case(2, 6)
    start = HMMTables(np.array([1.0, 0.0]), np.array([[0.8, 0.0, 0.2], [0.5, 0.3, 0.2]]), tiny.start.emission)
    found = train(tiny._replace(start=start), f"{spec}:5")
    assert np.isfinite(flat(found.parameters)).all() and not np.isnan(flat(found.log_weights)).any()
    assert np.isfinite(found.trace.objectives).all()


def test_stages_hand_over() -> None:
    both = train(case(), "em:3,mre:2")
    first = train(case(), "em:3")
    second = train(case()._replace(start=first.parameters), "mre:2")
    np.testing.assert_allclose(flat(both.parameters), flat(second.parameters), rtol=1e-12)
    assert [(s.stage, s.step) for s in both.trace] == [
        ("em:3", 1),
        ("em:3", 2),
        ("em:3", 3),
        ("mre:2", 1),
        ("mre:2", 2),
    ]


def test_restarts_keep_all_objectives_and_choose_the_best() -> None:
    tiny = case()
    starts = [random_start(tiny.model.layout, (seed,)) for seed in range(4)]
    with Threads(1) as engine:
        data = (tiny.model, tiny.items, parse("em:15"), lambda r: starts[r], engine)
        found = fit(*data, restarts=4, tolerance=0.0)
        alone = [fit(*data[:3], lambda _, s=s: s, engine, tolerance=0.0) for s in starts]
        scores = iter([1.0, 3.0, 2.0, 0.0])
        chosen = fit(*data, restarts=4, tolerance=0.0, select=lambda weights: next(scores))
    objectives = [r.objective for r in found.restarts]
    assert objectives == [f.trace[-1].objective for f in alone] and len(set(objectives)) > 1
    assert found.chosen == int(np.argmax(objectives))
    assert np.array_equal(flat(found.parameters), flat(alone[found.chosen].parameters))
    assert chosen.chosen == 1 and [r.score for r in chosen.restarts] == [1.0, 3.0, 2.0, 0.0]
    assert np.array_equal(flat(chosen.parameters), flat(alone[1].parameters))


def test_known_labels_and_zero_start_steps() -> None:
    found = train(case(), "em:0")
    assert not found.trace and np.array_equal(flat(found.parameters), flat(case().start))


def test_more_batches_than_sentences_and_empty_sentences() -> None:
    tiny = case()
    items = Sentences(from_rows([[], [], [0, 1, 2], [], [3], [], []], np.int32))
    found = train(tiny._replace(items=items), "stepwise(em,batches=50):3")
    assert np.isfinite(flat(found.parameters)).all()


# --- by name --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("em", [("em", 100)]),
        ("em:100,mre:50", [("em", 100), ("mre", 50)]),
        (" em : 3 , vb(prior=0.5) ", [("em", 3), ("vb", 100)]),
        ("stepwise(vb(prior=1), batches=5):10", [("stepwise", 10)]),
        ("stepwise(hard(em)):2", [("stepwise", 2)]),
        ("annealed:7", [("annealed", 7)]),
    ],
)
def test_good_specs(text: str, stages: list[tuple[str, int]]) -> None:
    found = parse(text)
    assert [(s.name, s.steps) for s in found] == stages
    assert parse(",".join(s.text for s in found)) == found, "a signature can be read back"


def test_spec_options_reach_the_criterion() -> None:
    (stage,) = parse("stepwise(vb(prior=0.5),batches=7,decay=0.6)")
    assert stage.n_batches == 7 and stage.options["decay"] == 0.6 and stage.inner.options == {"prior": 0.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the criterion is empty"),
        (" , ", "the criterion is empty"),
        ("em:", "criterion 'em:': the number of iterations must be a number, not ''"),
        ("em:x", "criterion 'em:x': the number of iterations must be a number, not 'x'; write for example em:100"),
        ("EM:3", "criterion 'EM': unknown; use em, vb,"),
        ("annealed(em),20", "write annealed(em):20, not annealed(em),20"),
        ("em:3,5", "criterion '5': unknown"),
        ("em:-1", "the number of iterations must be a number, not"),
        ("em(", "iterations or name"),
        ("magic", "criterion 'magic': unknown; use em, vb"),
        ("em(rate=1)", "em has no option 'rate'; it has pseudo"),
        ("em(pseudo=many)", "pseudo must be a number, not 'many'"),
        ("em(pseudo=-1)", "must be a finite number of at least 0, not"),
        ("em(pseudo=nan)", "must be a finite number"),
        ("em(vb)", "'vb' is not key=value"),
        ("hard(mre)", ": hard wraps em, vb, not mre"),
        ("stepwise(em,vb)", "'vb' is not key=value"),
        ("stepwise(batches=2.5)", "batches must be a number, not '2.5'"),
    ],
)
def test_bad_specs(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["annealed", "hard", "stepwise", "constrained"])
def test_brackets_within_brackets_are_refused_at_once(name: str) -> None:
    nested = f"{name}({name}(" * 380 + "em" + "))" * 380
    with pytest.raises(InputError, match=f"{name} wraps .*, not {name}$") as caught:
        parse(nested)
    assert len(str(caught.value)) < 300
    with pytest.raises(InputError, match="write at most 10,000"):
        parse(",".join([nested] * 3))


def test_very_many_spaces_are_refused_at_once() -> None:
    for parse_text in (parse, lambda text: parse_models(text, "em:1")):
        with pytest.raises(InputError, match="iterations or name"):
            parse_text("em" + " " * 9_000 + "x")
    with pytest.raises(InputError, match="iterations or name"):
        parse_models("ibm1" + " " * 300_000 + "x", "em:1")


@pytest.mark.parametrize(
    "spec", ["vb(prior=0)", "gibbs(prior=0)", "annealed(em,start=0)", "mre(rule=growth,rate=0)", "mre(rule=none)"]
)
def test_settings_without_a_meaning_are_refused(spec: str) -> None:
    with pytest.raises(InputError):
        train(case(), f"{spec}:2")


def test_settings_for_no_such_table_are_refused() -> None:
    for options in ({"settings": Settings({"emissions": 1.0})}, {"fixed": ("emissions",)}):
        with pytest.raises(InputError) as caught:
            train(case(), "em:1", **options)
        assert "the tables are initial, transition, emission" in str(caught.value)


def test_inner_ignores_what_a_structure_does_not_use() -> None:
    assert (
        inner(HMMTables(np.array([-np.inf]), np.array([1.0]), np.array([2.0])), HMMTables(*[np.array([0.0])] * 3)) == 0
    )


def test_steps_belong_behind_the_wrapper() -> None:
    with pytest.raises(InputError, match=": write the iterations after the parenthesis, hard"):
        parse("hard(em:10)")


@pytest.mark.parametrize(
    ("spec", "ranges"),
    [("em", True), ("hard(vb)", True), ("annealed(em)", True), ("mre", True), ("gibbs", False), ("direct", False),
     ("stepwise(em)", True), ("constrained(vb)", True), ("annealed(gibbs)", False)],
)  # fmt: skip
def test_specs_that_ask_nothing_of_entries_may_have_them_in_ranges(spec: str, ranges: bool) -> None:
    assert by_families(parse(spec)[0]) == ranges
