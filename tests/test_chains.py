"""Chains of Gibbs sampling: posterior means against sums over all hidden structures of tiny data."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import softcount as sc
from softcount.criteria.gibbs import gibbs
from softcount.criteria.spec import parse
from softcount.families.layout import by_table, per_table, total
from softcount.models.hmm import HMM, HMMTables, counted
from softcount.models.mixture import MixtureTables
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import Expectation

PRIOR = 0.5
TEXT = [["a", "b", "a", "c"], ["b", "a"], ["c", "c"]]
TAGS = [["0", None, None, "1"], [None, None], [None, "1"]]  # what is known tells the states apart
DOCS = [["a", "a", "b"], ["b", "c"], ["c", "c", "a"], ["a"]]
CLASSES = np.array([0, None, 1, None], dtype=object)


def weighed(layout: Any, every: Any) -> tuple[Any, Any]:
    """Over all structures, as (counts, one-hot nodes), E[θ | x] and P(z | x)."""
    alpha = per_table(layout, PRIOR)
    logs = np.array([total(layout, lambda s, c, a: s.family.log_evidence(c, a), c, alpha) for c, _ in every])
    share = np.exp(logs - logs.max())
    share /= share.sum()
    means = [by_table(layout, lambda s, c, a: s.family.mean(s.family.posterior(c, a)), c, alpha) for c, _ in every]
    tables = [sum(w * m[k] for w, m in zip(share, means, strict=True)) for k in range(len(layout))]
    return tables, sum(w * nodes for w, (_, nodes) in zip(share, every, strict=True))


@pytest.fixture(scope="module", params=[False, True], ids=["no end", "end"])
def hmm(request: Any) -> Any:
    model = sc.HMM(2, prior=PRIOR, start="known", criterion="vb:5", end=request.param, random_state=0).fit(TEXT, TAGS)
    place = {tag: k for k, tag in enumerate(model.states_)}
    sentences = model._read(TEXT).sentences
    known = [-1 if tag is None else place[tag] for line in TAGS for tag in line]
    every = []
    for z in product(range(2), repeat=len(known)):
        if all(k in (-1, state) for k, state in zip(known, z, strict=True)):
            states = np.array(z)
            every.append((counted(model._model, sentences, Ragged(sentences.offsets, states)), np.eye(2)[states]))
    return model, weighed(model._model.layout, every)


HOW = {"blocked": (300, 0.05), "collapsed": (1500, 0.015)}  # draws of each chain, and how near they come


@pytest.mark.parametrize("sampler", HOW)
def test_an_hmm_has_its_posterior_means(hmm: Any, sampler: str) -> None:
    model, (tables, nodes) = hmm
    draws, near = HOW[sampler]
    found = sc.sample_posterior(model, TEXT, TAGS, sampler=sampler, chains=2, draws=draws, burn=20, random_state=1)
    assert np.concatenate(found.posteriors) == pytest.approx(nodes, abs=2 * near)
    for table, truth in zip(found.parameters, tables, strict=True):
        assert np.asarray(table) == pytest.approx(truth, abs=near)
    assert found.log_joint.shape == (2, draws) and found.r_hat < 1.05 and 50 < found.ess <= 1.5 * found.n_draws
    assert [len(line) for line in found.labels] == [4, 2, 2] and found.labels[0][0] == 0


@pytest.mark.parametrize("sampler", HOW)
def test_a_mixture_has_its_posterior_means(sampler: str) -> None:
    model = sc.NaiveBayesMixture(2, prior=PRIOR, criterion="vb:5", random_state=0).fit(DOCS, CLASSES)
    data = model._arrived(DOCS, CLASSES, None)[1].matrix().toarray()
    every = []
    for z in product([0], range(2), [1], range(2)):
        nodes = np.eye(2)[list(z)]
        every.append((MixtureTables(nodes.sum(axis=0), nodes.T @ data), nodes))
    tables, nodes = weighed(model._model.layout, every)
    found = sc.sample_posterior(
        model, DOCS, CLASSES, sampler=sampler, chains=2, draws=1500, burn=50, thin=2, anneal=0.2
    )
    assert np.concatenate(found.posteriors) == pytest.approx(nodes, abs=0.03)
    for table, truth in zip(found.parameters, tables, strict=True):
        assert np.asarray(table) == pytest.approx(truth, abs=0.015)


def test_chains_that_disagree_are_found_out() -> None:
    apart = np.random.default_rng(0).normal(size=(3, 100)) + np.array([[0.0], [5.0], [10.0]])
    chains = sc.Chains(None, [], [], apart)
    assert chains.r_hat > 1.5 and chains.ess < 30


def test_burn_and_thin_say_which_draws_count() -> None:
    layout = HMM(2, 2).layout
    tables = iter([HMMTables(np.array([n, 1.0]), np.eye(2), np.eye(2)) for n in (50.0, 1.0, 2.0, 3.0, 4.0)])

    class Expect:
        batches = np.ones(1)

        def __call__(self, *asked: Any, **more: Any) -> Expectation:
            return Expectation(next(tables), 0.0)

    criterion = gibbs(layout, per_table(layout, 1.0), (0,), burn=1, thin=2)
    half = HMMTables(np.full(2, 0.5), np.full((2, 2), 0.5), np.full((2, 2), 0.5))
    state = criterion.init(half, Expect())
    for _ in range(5):
        state, _ = criterion.step(state, Expect())
    assert state.mean.initial[0] == pytest.approx((2 / 4 + 4 / 6) / 2)  # of the counts 1 and 3


def test_annealed_draws_count_once_they_are_hard() -> None:
    (stage,) = parse("annealed(gibbs,start=0.2):60")
    assert (
        stage.inner is not None and stage.inner.options["burn"] == 40 and stage.text == "annealed(gibbs,start=0.2):60"
    )
    model = sc.HMM(2, criterion="annealed(gibbs):6", prior=0.5, start="random", random_state=0).fit(TEXT)
    assert [round(step.parts["hardness"], 2) for step in model.history_][-1] == 1.0


@pytest.mark.parametrize(
    ("model", "how", "says"),
    [
        (sc.PLSA(2), {}, "takes HMM and NaiveBayesMixture, not PLSA"),
        (sc.HMM(2), {"sampler": "slice"}, "no sampler 'slice'; use blocked, collapsed"),
        (sc.HMM(2), {"draws": 0}, "4 chains, 0 draws"),
    ],
)
def test_what_cannot_be_sampled(model: Any, how: Any, says: str) -> None:
    with pytest.raises(sc.InputError, match=says):
        sc.sample_posterior(model, TEXT, **how)
