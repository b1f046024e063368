"""Rows of features: gradients by finite differences, identities against plain rows, promises at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import DOCUMENTS, PAIRS, ROWS, SENTENCES, bits
from scipy import optimize, sparse
from sklearn.base import clone

import softcount
from softcount import HMM, InputError
from softcount.families.categorical import Categorical
from softcount.families.log_linear import LogLinear
from softcount.families.penalty import NOTHING, Pseudo
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import row_sums, values
from softcount.report.overview import overview

OFFSETS = np.array([0, 2, 2, 5])  # the second row is empty
KINDS = ("by column", "by entry", "ragged")


def family(kind: str, variance: float = 2.0, seed: int = 0, held: bool = False) -> LogLinear:
    rng = np.random.default_rng(seed)
    base = Categorical((3, 4)) if kind != "ragged" else Categorical(OFFSETS)
    if held:
        start = base.random(rng, 3.0)
        mask = np.zeros(base.size(), dtype=bool)
        mask.ravel()[[0, 3]] = True
        base = base.hold(start, mask)
    n = 4 if kind == "by column" else int(np.prod(base.size()))
    return LogLinear(base, sparse.csr_matrix(rng.integers(0, 2, (n, 3)).astype(float)), variance, kind != "by column")


def counts_of(found: LogLinear, seed: int = 1) -> Any:
    return found.base.table(np.random.default_rng(seed).random(found.size()) * 5)


def objective(found: LogLinear, counts: Any, penalty: Pseudo, weights: np.ndarray) -> float:
    """By its definition, loop by loop."""
    free = np.ones(found.size(), bool) if found.base.free is None else found.base.free
    logs = values(found.log_weights(weights))
    return float(np.sum(values(counts)[free] * logs[free])) + found.log_prior(weights, penalty)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_what_the_equation_says(kind: str, held: bool) -> None:
    found = family(kind, held=held)
    weights = found.random(np.random.default_rng(3), 10.0)
    theta = found.shown(weights)
    sums = row_sums(theta)[[0, 2]]
    np.testing.assert_allclose(sums, 1.0)
    scores, F = np.empty(found.size()), found.features.toarray()
    for place in np.ndindex(*found.size()):
        row = weights if found.by_entry else weights[place[0]]
        scores[place] = row @ (F[np.ravel_multi_index(place, found.size())] if found.by_entry else F[place[-1]])
    flat, free = values(theta), np.ones(found.size(), bool) if found.base.free is None else found.base.free
    row_of = np.repeat(range(3), np.diff(OFFSETS)) if kind == "ragged" else np.indices(found.size())[0]
    for r in (0, 2):
        mine = (row_of == r) & free
        expected = np.exp(scores[mine]) / np.exp(scores[mine]).sum() * (1.0 - flat[(row_of == r) & ~free].sum())
        np.testing.assert_allclose(flat[mine], expected)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_by_finite_differences(kind: str, held: bool) -> None:
    found, penalty = family(kind, held=held), Pseudo(0.3)
    counts, weights, h = counts_of(found), found.random(np.random.default_rng(3), 10.0), 1e-6
    gradient = found.gradient(counts, penalty, weights)
    for i in range(weights.size):
        step = (h * (np.arange(weights.size) == i)).reshape(weights.shape)
        up, down = (objective(found, counts, penalty, weights + sign * step) for sign in (1, -1))
        assert np.isclose((up - down) / (2 * h), gradient[i], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "ragged"])
def test_gradient_of_free_rows_by_finite_differences(kind: str) -> None:
    found, penalty, h = family(kind if kind == "ragged" else "by column", held=True).base, Pseudo(0.3), 1e-6
    start = found.random(np.random.default_rng(2), 3.0)
    counts, vector = found.table(np.random.default_rng(1).random(found.size())), found.vector(start)

    def value(v: np.ndarray) -> float:
        theta = found.of_vector(v, start)
        assert found.free is not None
        logs = np.log(values(theta)[found.free])
        return float(np.sum(values(counts)[found.free] * logs)) + found.log_prior(theta, penalty)

    gradient = found.gradient(counts, penalty, start)
    for i in range(len(vector)):
        step = h * (np.arange(len(vector)) == i)
        assert np.isclose((value(vector + step) - value(vector - step)) / (2 * h), gradient[i], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_maximum_is_one(kind: str) -> None:
    found = family(kind)
    counts, weights = counts_of(found), found.uniform()
    for _ in range(20):
        before, weights = weights, found.maximize(counts, NOTHING, weights)
        assert objective(found, counts, NOTHING, weights) >= objective(found, counts, NOTHING, before)
    assert np.abs(found.gradient(counts, NOTHING, weights)).max() < 1e-3


@pytest.mark.kernels
def test_the_first_update_is_at_its_maximum() -> None:
    """Fifteen steps are more than four weights need, each from where the last one was; later updates begin anew and
    would make up for what one loses on its way."""
    matrix = sparse.csr_matrix(np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 2, 1], [1, 1, 0, 0], [0, 0, 1, 0.5]]))
    found, counts = LogLinear(Categorical((2, 5)), matrix), np.array([[900.0, 40, 5, 1, 0.2], [3, 0, 70, 500, 30]])
    begin, first = found.uniform(), found.maximize(counts)
    gradient = [np.abs(found.gradient(counts, NOTHING, weights)).max() for weights in (begin, first)]
    assert gradient[1] < 1e-3 * gradient[0]


@pytest.mark.parametrize("held", [False, True])
def test_what_is_impossible_to_learn_as_far_as_entries_are_held(held: bool) -> None:
    found = family("by column", held=held)
    expected = np.zeros((3, 4), bool)
    expected.ravel()[[0, 3]] = held
    np.testing.assert_array_equal(found.impossible(found.uniform()), expected)


def of_words(held: bool = False) -> tuple[LogLinear, np.ndarray]:
    """Four rows over words of very different frequencies, which share endings."""
    rng, n = np.random.default_rng(5), 60
    endings = np.eye(6)[np.arange(n) % 6]
    matrix = sparse.csr_matrix(np.hstack([np.eye(n), endings, endings[:, :3] + endings[:, 3:]]))
    base = Categorical((4, n))
    if held:
        base = base.hold(base.random(rng, 3.0), rng.random((4, n)) < 0.2)
    return LogLinear(base, matrix), rng.gamma(0.3, 1.0, (4, n)) * 2000.0 / np.arange(1, n + 1)


@pytest.mark.kernels
@pytest.mark.parametrize("held", [False, True])
def test_one_update_goes_most_of_the_way(held: bool) -> None:
    """Where another L-BFGS, which knows nothing of curvatures, ends after as long as it likes."""
    found, counts = of_words(held)
    counts = np.where(found.base.free, counts, 0.0) if held else counts

    def descent(vector: np.ndarray) -> tuple[float, np.ndarray]:
        weights = found.of_vector(vector)
        return -objective(found, counts, NOTHING, weights), -found.gradient(counts, NOTHING, weights)

    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-14, "gtol": 1e-8}
    best = -optimize.minimize(descent, found.uniform().ravel(), jac=True, method="L-BFGS-B", options=options).fun
    begin = objective(found, counts, NOTHING, found.uniform())
    first = found.maximize(counts)
    assert 0.0 <= best - objective(found, counts, NOTHING, first) < 0.01 * (best - begin)
    for _ in range(60):
        first = found.maximize(counts, NOTHING, first)
    assert abs(best - objective(found, counts, NOTHING, first)) < 1e-5 * abs(best)


@pytest.mark.kernels
def test_a_row_climbs_as_if_it_were_alone() -> None:
    found, counts = of_words()
    together = found.maximize(counts)
    for row in range(4):
        alone = found._replace(base=Categorical((1, 60))).maximize(counts[row : row + 1])
        np.testing.assert_array_equal(alone[0], together[row])


@pytest.mark.kernels
def test_an_update_of_nothing_or_of_less_than_nothing_stays_finite() -> None:
    """Targets of MRE may be negative; rows without counts stay at zero, or shrink towards it."""
    found, counts = of_words()
    assert not found.maximize(np.zeros_like(counts)).any()
    before = found.maximize(counts)
    shrunk = found.maximize(np.zeros_like(counts), NOTHING, before)
    assert np.abs(shrunk).max() < 1e-6 * np.abs(before).max()
    whole = found._replace(base=found.base.hold(found.shown(before), np.ones((4, 60), bool)))
    assert not whole.maximize(counts).any() and np.abs(whole.maximize(counts, NOTHING, before)).max() < 1e-6
    target = counts - 3.0 * counts.mean()
    moved = found.maximize(target, NOTHING, before)
    assert np.isfinite(moved).all()
    assert objective(found, target, NOTHING, moved) >= objective(found, target, NOTHING, before)


@pytest.mark.parametrize("kind", ["dense", "ragged"])
@pytest.mark.parametrize("held", [False, True])
def test_identities_under_a_weak_prior_are_the_plain_update(kind: str, held: bool) -> None:
    base = family("ragged" if kind == "ragged" else "by column", held=held).base
    n = 4 if kind == "dense" else 5
    found = LogLinear(base, sparse.identity(n, format="csr"), 1e9, kind == "ragged")
    counts, weights = counts_of(found), found.uniform()
    for _ in range(10):
        weights = found.maximize(counts, Pseudo(0.5), weights)
    plain = base.maximize(counts, Pseudo(0.5), base.uniform())
    np.testing.assert_allclose(values(found.shown(weights)), values(plain), atol=1e-4)


def test_an_ascent_has_the_slope_of_its_gradient() -> None:
    """At the weights themselves, what `ascend` maximises rises as the objective does."""
    found, rng = family("by column"), np.random.default_rng(4)
    weights, counts, g = found.random(rng, 5.0), rng.random((3, 4)) + 1, rng.standard_normal((3, 4)) * 0.1
    theta = values(found.shown(weights))
    target = g + theta * counts.sum(axis=1, keepdims=True)
    slope = found.gathered(g - theta * g.sum(axis=1, keepdims=True)) - weights / found.variance
    np.testing.assert_allclose(found.gradient(target, NOTHING, weights), slope.ravel(), atol=1e-10)
    moved = found.ascend(weights, g, counts)
    assert np.vdot(moved - weights, slope) > 0
    np.testing.assert_allclose(moved, found.maximize(target, NOTHING, weights), rtol=1e-9)


def test_random_weights_are_as_far_from_zero_as_is_said() -> None:
    wide = LogLinear(Categorical((50, 4)), sparse.random(4, 40, 0.5, format="csr", random_state=0))
    for spread, deviation in ((1.0, 0.1), (3.0, 0.3), (100.0, 1.0)):
        drawn = wide.random(np.random.default_rng(0), spread)
        assert drawn.shape == (50, 40) and drawn.std() == pytest.approx(deviation, rel=0.05)


@pytest.mark.parametrize("shape", [(4,), (2, 3, 4)])
def test_one_row_and_tables_of_three_axes(shape: tuple[int, ...]) -> None:
    """Every row of the last axis is a softmax of its own weights."""
    F = np.random.default_rng(0).random((4, 5))
    found = LogLinear(Categorical(shape), sparse.csr_matrix(F))
    weights = found.random(np.random.default_rng(1), 10.0)
    assert weights.shape == (*shape[:-1], 5)
    expected = np.exp(weights @ F.T)
    np.testing.assert_allclose(found.shown(weights), expected / expected.sum(axis=-1, keepdims=True))
    slopes = np.random.default_rng(2).random(shape)
    np.testing.assert_allclose(found.gathered(slopes), slopes @ F)


# --- in a model -------------------------------------------------------------------------------------------------------

RISING = ["em:12", "em(pseudo=0.2):12", "hard(em):6", "vb:12", "direct:6", "direct(iterations=2,pseudo=0.2):6"]


@pytest.mark.parametrize("criterion", RISING)
@pytest.mark.parametrize("seed", [0, 1])
def test_objective_never_falls_with_features(criterion: str, seed: int) -> None:
    model = HMM(3, features="words", criterion=criterion, start="random", tolerance=0, random_state=seed)
    objectives = [step.objective for step in model.fit(SENTENCES).history_]
    assert (np.diff(objectives) >= -1e-9 * np.abs(objectives[:-1])).all() and objectives[-1] > objectives[0]
    np.testing.assert_allclose(model.emission_.sum(axis=1), 1.0)


def test_identities_alone_train_as_plain_em() -> None:
    given = {"criterion": "em:6", "tolerance": 0, "random_state": 2, "start": "random"}
    plain = HMM(2, **given).fit(SENTENCES)
    told = HMM(2, features="identity", variance=1e7, **{**given, "criterion": "em:5"}).fit(SENTENCES)
    np.testing.assert_allclose(told.emission_, plain.emission_, atol=0.02)
    assert abs(told.objective_ - plain.objective_) < 0.01 * abs(plain.objective_)


def test_small_mre_steps_rise_with_features() -> None:
    model = HMM(3, features="words", criterion="em:5,mre:5", start="random", tolerance=0, random_state=0).fit(SENTENCES)
    objectives = [step.objective for step in model.history_ if step.stage.startswith("mre")]
    assert objectives[-1] > objectives[0]


def test_words_that_look_alike_share_their_states_by_their_features() -> None:
    """An ending that only one word has been seen with says nothing; one that many share says what they are."""
    text = ["walked the", "talked the", "the walked"] * 5 + ["barked the"]
    model = HMM(2, features="words", criterion="em:20", random_state=0).fit(text)
    ended = {name for name, _ in model.top_features(3)[int(model.predict(["walked"])[0][0])]}
    assert any(name.startswith("ends=") and name.endswith("ed") for name in ended)


@pytest.mark.parametrize("criterion", ["em:3", "em:2,mre:2", "vb:3", "direct:2", "stepwise(em,batches=2):2", "gibbs:3"])
def test_saved_loaded_and_resumed_with_features(tmp_path: Any, criterion: str) -> None:
    model = HMM(2, features="words", criterion=criterion, start="random", restarts=2, random_state=1)
    whole = clone(model).fit(SENTENCES)

    class Enough(Exception):
        pass

    def stop(step: Any) -> None:
        if (step.restart, step.step) == (1, 2):
            raise Enough

    path = tmp_path / "c"
    with pytest.raises(Enough):
        clone(model).fit(SENTENCES, checkpoint=path, checkpoint_every=1, on_step=stop)
    resumed = clone(model).fit(SENTENCES, checkpoint=path)
    assert bits(resumed) == bits(whole)
    resumed.save(tmp_path / "m")
    again = HMM.load(tmp_path / "m")
    assert again.predict(SENTENCES) == whole.predict(SENTENCES) and again.top_features() == whole.top_features()
    with pytest.raises(InputError, match="features of emission"):
        clone(model).set_params(features="identity").fit(SENTENCES, checkpoint=path)


def test_a_dictionary_and_fixed_tables_hold_with_features() -> None:
    allowed = {"the": ["D"], "a": ["D"], "dog": ["N"], "cat": ["N"]}
    model = HMM(3, features="words", dictionary=allowed, criterion="em:4", random_state=0).fit(SENTENCES)
    words, states = model.vocabulary_.words, model.states_
    assert model.emission_[states.index("N"), words.index("the")] == 0.0
    fixed = HMM(2, features="words", fixed="emission", start="random", criterion="em:3", random_state=0).fit(SENTENCES)
    plain = HMM(2, fixed="emission", start="random", criterion="em:3", random_state=0).fit(SENTENCES)
    np.testing.assert_allclose(fixed.emission_, plain.emission_)


def test_show_has_the_features_that_speak_for_a_class() -> None:
    model = HMM(2, features="words", random_state=0).fit(SENTENCES)
    seen = overview(model, 3)
    assert seen is not None and all(1 <= len(group.features) <= 3 for group in seen.groups)
    assert overview(HMM(2, random_state=0).fit(SENTENCES), 3).groups[0].features == []  # type: ignore[union-attr]


def test_features_in_pieces() -> None:
    model = HMM(2, features="words", criterion="stepwise(em)", random_state=0)
    for _ in range(3):
        model.partial_fit(SENTENCES)
    assert model.feature_weights_ is not None and np.isfinite(model.objective_)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(InputError, match="variance"):
        HMM(2, features="words", variance=0.0).fit(SENTENCES)
    with pytest.raises(InputError, match="train with features, for example features="):
        HMM(2, random_state=0).fit(SENTENCES).top_features()
    assert isinstance(family("ragged").shown(family("ragged").uniform()), Ragged)


# --- in the other models ----------------------------------------------------------------------------------------------

OTHERS: dict[str, Any] = {
    "mixture": lambda **m: (softcount.NaiveBayesMixture(2, random_state=1, **m), (DOCUMENTS,)),
    "plsa": lambda **m: (softcount.PLSA(2, random_state=1, **m), (DOCUMENTS,)),
    "network": lambda **m: (
        softcount.Network([("who", "h"), ("h", "left")], values={"h": 2}, random_state=1, **m), (ROWS,)
    ),
    "ibm1": lambda **m: (softcount.WordAligner("ibm1", direction="forward", **m), (PAIRS.source, PAIRS.target)),
    "hmm": lambda **m: (softcount.WordAligner("hmm", direction="forward", **m), (PAIRS.source, PAIRS.target)),
}  # fmt: skip
FEATURES: dict[str, Any] = {"network": {"left": "identity"}, "ibm1": "pairs", "hmm": "pairs"}


def rising(model: Any) -> bool:
    traces = model.history_.parts
    (steps,) = ([step.objective for step in trace] for trace in traces.values())
    return bool((np.diff(steps) >= -1e-7 * np.abs(steps[:-1])).all() and len(set(steps)) > 1)


@pytest.mark.parametrize("criterion", ["em:4", "vb:3", "direct:2"])
@pytest.mark.parametrize("name", OTHERS)
def test_other_models_take_features(tmp_path: Any, name: str, criterion: str) -> None:
    model, data = OTHERS[name](features=FEATURES.get(name, "words"), criterion=criterion, tolerance=0)
    assert rising(model.fit(*data))
    model.save(tmp_path / "m")
    again = type(model).load(tmp_path / "m")
    assert bits(again) == bits(model) and "features=" in again.signature_


@pytest.mark.parametrize("criterion", ["em:4", "direct:2"])
@pytest.mark.parametrize("name", [*OTHERS, "grammar"])
def test_other_models_take_sparse_rows(name: str, criterion: str) -> None:
    if name == "grammar":
        model, data = softcount.Grammar(nonterminals=2, sparse=(1, 0.05), criterion=criterion), (SENTENCES[:6],)
    else:
        model, data = OTHERS[name](sparse=(1, 0.05), criterion=criterion, tolerance=0)
    assert rising(model.fit(*data)) and "sparse=1/0.05" in model.signature_


@pytest.mark.parametrize("more", [{"features": "pairs"}, {"sparse": (1, 0.1)}])
def test_rows_of_both_directions_together_lean_on_stems_instead(more: Any) -> None:
    with pytest.raises(
        InputError, match="features and sparsity need directions that are trained separately, without back-off"
    ):
        softcount.WordAligner(agreement=True, **more).fit(PAIRS.source, PAIRS.target)


def test_pair_features_may_be_a_function_and_say_what_they_learned() -> None:
    model = softcount.WordAligner("ibm1", criterion="em:3", features=lambda pair: ["same"] * (pair[0] == pair[1]))
    model.fit(PAIRS.source, PAIRS.target)
    assert "weights of the features of pairs: same +" in str(model.history_["forward"].remarks)
