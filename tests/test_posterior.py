"""λ after variational Bayes by hand, in memory and on disk; what Gibbs sampling keeps of its draws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run
from scipy.special import digamma
from test_criteria import case, steps

import softcount
from softcount import HMM, PLSA, GaussianMixture, Grammar, InputError, NaiveBayesMixture, Network, WordAligner
from softcount.criteria.spec import Settings, parse
from softcount.engines import Threads
from softcount.loop.estep import EStep
from softcount.loop.start import constrain
from softcount.numbers.tables import values

TEXT = ["a b a c", "b b c", "a c", "c a b b a", "a d d", "d d b d"]
POINTS = np.concatenate([np.random.default_rng(0).normal(m, s, (20, 2)) for m, s in ((0.0, 1.0), (6.0, 0.5))])
ROWS = {"late": ["yes", "no", "yes", "no", "no"], "wet": ["y", "n", "y", "y", "n"]}


def test_a_mixture_by_hand() -> None:
    """One step of λ = α + E[c], with weights exp(ψ(λ) − ψ(Σ λ)), from the λ of the step before."""
    prior = {"cluster": 0.7, "word": 0.3}
    one, two = (
        NaiveBayesMixture(2, criterion=f"vb:{n}", start="random", prior=prior, tolerance=0.0, random_state=1).fit(TEXT)
        for n in (1, 2)
    )
    assert one.posterior_ is not None and two.posterior_ is not None
    counts = np.array([[line.split().count(word) for word in one.vocabulary_.words] for line in TEXT], float)
    cluster, word = one.posterior_["cluster"], one.posterior_["word"]
    logs = (
        digamma(cluster)
        - digamma(cluster.sum())
        + counts @ (digamma(word) - digamma(word.sum(axis=1, keepdims=True))).T
    )
    shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    np.testing.assert_allclose(two.posterior_["cluster"], 0.7 + shares.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(two.posterior_["word"], 0.3 + shares.T @ counts, rtol=1e-9)
    np.testing.assert_allclose(two.word_, two.posterior_["word"] / two.posterior_["word"].sum(axis=1, keepdims=True))


MODELS: dict[str, tuple[Any, Any]] = {
    "hmm": (lambda c: HMM(2, criterion=c, random_state=0), TEXT),
    "plsa": (lambda c: PLSA(2, criterion=c, random_state=0), TEXT),
    "mixture": (lambda c: NaiveBayesMixture(2, criterion=c, start="random", random_state=1), TEXT),
    "gaussian": (lambda c: GaussianMixture(2, criterion=c, random_state=0), POINTS),
    "network": (lambda c: Network("mood -> late; mood -> wet", values={"mood": 2}, criterion=c, random_state=0), ROWS),
    "grammar": (lambda c: Grammar("S -> A A | A\nA -> 'a' | 'b' | S", criterion=c), ["a b", "a", "b b a"]),
}


@pytest.mark.filterwarnings("ignore:the classes collapse")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("criterion", ["vb:3", "annealed(vb):3", "stepwise(vb,batches=2):2", "hard(vb):3"])
def test_every_model_has_it_and_a_file_keeps_it(name: str, criterion: str, tmp_path: Path) -> None:
    make, data = MODELS[name]
    model = make(criterion).fit(data)
    assert model.posterior_ is not None
    model.save(tmp_path / "m")
    again = softcount.load(tmp_path / "m")
    assert model.posterior_.keys() == again.posterior_.keys() == model._tables_by_name().keys()
    for table, found in model.posterior_.items():
        assert values(found).dtype == np.float64
        assert np.array_equal(values(found), values(again.posterior_[table]))
        if name != "gaussian":
            rows = values(model._tables_by_name()[table])
            assert values(found).shape == np.shape(rows) and (values(found) > 0.0).all()


@pytest.mark.parametrize("name", MODELS)
def test_no_posterior_without_variational_bayes(name: str) -> None:
    make, data = MODELS[name]
    assert make("vb:2,em:2").fit(data).posterior_ is None
    assert make("em:1,vb:2").fit(data).posterior_ is not None


def test_a_checkpoint_that_is_done_has_it(tmp_path: Path) -> None:
    first = HMM(2, criterion="vb:3", random_state=0).fit(TEXT, checkpoint=tmp_path / "c")
    again = HMM(2, criterion="vb:3", random_state=0).fit(TEXT, checkpoint=tmp_path / "c")
    assert first.posterior_ is not None and again.posterior_ is not None
    assert all(np.array_equal(first.posterior_[k], again.posterior_[k]) for k in first.posterior_)


@pytest.mark.parametrize("wrong", [{"word": 1}, {"cluster": None}, 7, {"cluster": np.ones(3), "word": np.ones((2, 4))}])
def test_a_file_whose_posterior_cannot_be(wrong: Any, tmp_path: Path) -> None:
    model = MODELS["mixture"][0]("vb:2").fit(TEXT)
    model.posterior_ = wrong
    model.save(tmp_path / "m")
    with pytest.raises(InputError, match="the tables do not fit together"):
        softcount.load(tmp_path / "m").posterior_  # noqa: B018


# --- Gibbs sampling --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("burn", "thin"), [(0, 1), (2, 1), (1, 2), (0, 3)])
def test_gibbs_keeps_the_mean_over_draws(burn: int, thin: int) -> None:
    """Of one in `thin` draws after the burn-in: the mean of E[θ | draw], which runs that keep their last one show."""
    tiny = case()
    layout = constrain(tiny.model.layout, tiny.start, ())
    n = 6
    with Threads(1) as engine:
        expect = EStep(tiny.model, tiny.items, engine)
        apart = []
        for last in range(1, n + 1):  # burn = steps − 1: the mean is of the last draw alone
            criterion = parse(f"gibbs(burn={last - 1}):{last}")[0].build(layout, Settings())
            state = criterion.init(tiny.start, expect)
            for _ in range(last):
                state, _ = criterion.step(state, expect)
            apart.append(criterion.parameters(state))
        criterion = parse(f"gibbs(burn={burn}, thin={thin}):{n}")[0].build(layout, Settings())
        state = criterion.init(tiny.start, expect)
        for _ in range(n):
            state, _ = criterion.step(state, expect)
    for name in ("initial", "transition", "emission"):
        each = [getattr(tables, name) for tables in apart[burn::thin]]
        assert np.ptp([table.ravel()[0] for table in each]) > 0.0
        np.testing.assert_allclose(getattr(criterion.parameters(state), name), np.mean(each, axis=0), rtol=1e-10)


def test_gibbs_burns_half_of_its_steps_by_default() -> None:
    by_default = HMM(2, criterion="gibbs:8", start="random", prior=1.0, random_state=0).fit(TEXT)
    half = HMM(2, criterion="gibbs(burn=4):8", start="random", prior=1.0, random_state=0).fit(TEXT)
    none = HMM(2, criterion="gibbs(burn=0):8", start="random", prior=1.0, random_state=0).fit(TEXT)
    assert np.array_equal(by_default.emission_, half.emission_)
    assert not np.array_equal(by_default.emission_, none.emission_)
    assert by_default.history_.objectives == none.history_.objectives  # the chain itself is the same
    assert np.allclose(by_default.emission_.sum(axis=1), 1.0)


def test_gibbs_means_of_gaussians_are_gaussians() -> None:
    model = GaussianMixture(2, criterion="gibbs:10", random_state=0).fit(POINTS)
    assert sorted(model.means_[:, 0].round().tolist()) == [0.0, 6.0] and (model.variances_ > 0.0).all()


def test_the_chain_does_not_depend_on_what_is_kept() -> None:
    objectives = [[p.objective for p in steps(case(), f"gibbs(burn={burn}):5", 5)] for burn in (0, 4)]
    assert objectives[0] == objectives[1]


# --- what other programs see of it -----------------------------------------------------------------------------------


NAMES = ["row", "state", "class", "document", "mood"]  # columns that say of what


def test_export_and_info(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    for name, (make, data) in MODELS.items():
        model = make("vb:3").fit(data)
        model.save("m")
        assert run(f"export m --to {name}").code == 0
        for table, found in model.posterior_.items():
            frame = pd.read_csv(f"{name}/posterior_{table}.tsv", sep="\t", keep_default_na=False)
            numbers = frame.select_dtypes("number").drop(columns=NAMES, errors="ignore").to_numpy()
            assert numbers.sum() == pytest.approx(values(found).sum(), rel=1e-9), (name, table)
        assert ", ".join(model.posterior_) in run("info m").out
    emission = pd.read_csv("hmm/posterior_emission.tsv", sep="\t", index_col="word")
    hmm = MODELS["hmm"][0]("vb:3").fit(TEXT)
    assert emission.loc["b"].tolist() == hmm.posterior_["emission"][:, hmm.vocabulary_.words.index("b")].tolist()


def test_of_an_aligner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """λ = α + E[c], and its row sums with what the vocabulary has beyond the words that met."""
    monkeypatch.chdir(tmp_path)
    source, target = ["the house", "a house", "the book"], ["das haus", "ein haus", "das buch"]
    alpha = 0.05
    one, two = (
        WordAligner("ibm1", agreement=False, criterion=f"vb:{n}", alpha=alpha).fit(source, target) for n in (1, 2)
    )
    assert one.posterior_ is not None and two.posterior_ is not None
    rows, V = one.posterior_["forward.translation"], len(one.vocabularies_[1])
    entries = one.directions_["forward"].model.entries
    total = np.array([row.sum() + (V - len(row)) * alpha for row in rows.rows()])
    weight = {
        (e, int(f)): np.exp(digamma(lam) - digamma(total[e]))
        for e in range(rows.n_rows)
        for f, lam in zip(entries.row(e), rows.row(e), strict=True)
    }
    expected = {key: alpha for key in weight}
    for e, f in zip(source, target, strict=True):
        given = [0, *(one.vocabularies_[0].words.index(word) + 1 for word in e.split())]
        for word in (one.vocabularies_[1].words.index(word) for word in f.split()):
            shares = np.array([weight[g, word] for g in given])
            for g, share in zip(given, shares / shares.sum(), strict=True):
                expected[g, word] += share
    found = two.posterior_["forward.translation"]
    by_hand = [expected[e, int(f)] for e in range(rows.n_rows) for f in entries.row(e)]
    np.testing.assert_allclose(found.values, by_hand, rtol=1e-8)
    two.save("m")
    np.testing.assert_array_equal(
        softcount.load("m").posterior_["reverse.translation"].values, two.posterior_["reverse.translation"].values
    )
    assert "λ of forward.translation, reverse.translation" in run("info m").out
    assert WordAligner("ibm1", agreement=False, criterion="em:2").fit(source, target).posterior_ is None
    assert WordAligner().fit(source, target).posterior_ is None
