"""Chains of Gibbs sampling: posterior means against sums over all hidden structures of tiny data."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, run

import softcount as sc
from softcount.criteria.gibbs import gibbs
from softcount.criteria.posterior import posteriors
from softcount.criteria.sampling import Sampling
from softcount.criteria.spec import parse
from softcount.families.layout import by_table, per_table, total
from softcount.loop.diagnostics import effective_size, r_hat
from softcount.models.collapsed_walk import link_offsets
from softcount.models.hmm import HMM, HMMTables, counted
from softcount.models.ibm import IBMTables
from softcount.models.mixture import MixtureTables
from softcount.models.plsa import PLSATables
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import Expectation, values

PRIOR = 0.5
TEXT = [["a", "b", "a", "c"], ["b", "a"], ["c", "c"]]
TAGS = [["0", None, None, "1"], [None, None], [None, "1"]]  # what is known tells the states apart
DOCS = [["a", "a", "b"], ["b", "c"], ["c", "c", "a"], ["a"]]
TOPICS = [["a", "a", "b"], ["b", "c"], ["c"]]
PAIRS = (["the house", "house", "a book"], ["das haus", "haus", "buch"])
CLASSES = np.array([0, None, 1, None], dtype=object)


def weighed(layout: Any, every: Any, prior: Any = PRIOR) -> tuple[Any, Any]:
    """Over all structures, as (counts, one-hot nodes), E[θ | x] and P(z | x)."""
    alpha = per_table(layout, prior)
    layout = posteriors(layout, alpha)
    logs = np.array([total(layout, lambda s, c, a: s.family.log_evidence(c, a), c, alpha) for c, _ in every])
    share = np.exp(logs - logs.max())
    share /= share.sum()
    means = [by_table(layout, lambda s, c, a: s.family.mean(s.family.posterior(c, a)), c, alpha) for c, _ in every]
    tables = [sum(w * values(m[k]) for w, m in zip(share, means, strict=True)) for k in range(len(layout))]
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


SWEEPS = {"blocked": 600, "collapsed": 2500}
HOW = {"blocked": (300, 0.05), "collapsed": (1500, 0.015)}  # draws of each chain, and how near they come


@pytest.mark.sampled(2)
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize("sampler", HOW)
def test_topics_have_their_posterior_means(sampler: str) -> None:
    """Latent Dirichlet allocation of six words, of which one is a seed, so that topics can be told apart."""
    how = f"gibbs(chains=2,sampler={sampler},burn=50):{SWEEPS[sampler]}"
    model = sc.PLSA(2, prior=PRIOR, criterion=how, seed_words={0: ["a"]}, seed_weight=2.0, random_state=0)
    model.fit(TOPICS)
    words = [(d, model.vocabulary_.words.index(word)) for d, line in enumerate(TOPICS) for word in line]
    every = []
    for z in product(range(2), repeat=len(words)):
        topic, word = np.zeros((3, 2)), np.zeros((2, 3))
        for (d, w), h in zip(words, z, strict=True):
            topic[d, h] += 1.0
            word[h, w] += 1.0
        every.append((PLSATables(topic, word), topic / topic.sum(axis=1, keepdims=True)))
    tables, nodes = weighed(model._model.layout, every, {"topic": PRIOR, "word": PRIOR + 2.0 * model._seeds()})
    assert np.concatenate(model.chains_.posteriors) == pytest.approx(nodes, abs=2 * HOW[sampler][1])
    for table, truth in zip(model.parameters_, tables, strict=True):
        assert np.asarray(table) == pytest.approx(truth, abs=HOW[sampler][1])
    assert model.chains_.r_hat < 1.05 and len(model.chains_.labels) == 3


@pytest.mark.sampled(4)
@pytest.mark.parametrize("whole", ["vocabulary", "cooccurring"])
@pytest.mark.parametrize("sampler", HOW)
def test_model_1_has_its_posterior_means(sampler: str, whole: str) -> None:
    how = f"em:1,gibbs(chains=2,sampler={sampler},burn=50):{SWEEPS[sampler]}"
    aligner = sc.WordAligner("ibm1", criterion=how, alpha=PRIOR, prior_over=whole, direction="forward").fit(*PAIRS)
    found = aligner.directions_["forward"]
    items, entries = aligner._whole(*PAIRS), found.model.entries
    source, target = items.source.sentences, items.target.sentences
    every = []
    for a in product(*(range(n + 1) for n, m in zip(source.lengths, target.lengths, strict=True) for _ in range(m))):
        counts, nodes, places = np.zeros(len(entries.values)), np.zeros(link_offsets(items)[-1]), iter(a)
        for s, first in enumerate(link_offsets(items)[:-1]):
            for j, word in enumerate(target.row(s)):
                i = next(places)
                row = 0 if i == 0 else source.row(s)[i - 1] + 1
                counts[entries.offsets[row] + np.searchsorted(entries.row(row), word)] += 1.0
                nodes[first + i * target.lengths[s] + j] = 1.0
        every.append((IBMTables(entries.with_values(counts), np.zeros(3)), nodes))
    tables, nodes = weighed(found.model.layout, every)
    assert np.concatenate(found.chains.posteriors) == pytest.approx(nodes, abs=2 * HOW[sampler][1])
    assert found.parameters.translation.values == pytest.approx(tables[0], abs=HOW[sampler][1])


def test_chains_that_number_states_differently_are_renamed() -> None:
    """Two states that words tell apart: whichever is called 0 in a chain, the mean is of one and of the other."""
    text = [["a", "b"] * 6, ["b", "a"] * 6] * 4
    model = sc.HMM(2, prior=0.1, start="random", criterion="gibbs(chains=6,sampler=collapsed):40", random_state=3)
    model.fit(text)
    assert np.sort(model.emission_, axis=1)[:, 1].min() > 0.9 and (model.initial_ > 0.2).all()
    assert model.predict(text)[0] in ([0, 1] * 6, [1, 0] * 6)


def test_a_dictionary_holds_in_every_draw() -> None:
    allowed = {"a": ["N"], "b": ["N", "V"], "c": ["V"]}
    how = "gibbs(chains=2,sampler=collapsed):20"
    model = sc.HMM(dictionary=allowed, prior=PRIOR, criterion=how, random_state=0).fit(TEXT)
    place = {name: k for k, name in enumerate(model.states_)}
    rows = np.concatenate(model.chains_.posteriors)
    words = [word for line in TEXT for word in line]
    for word, row in zip(words, rows, strict=True):
        assert row[[place[tag] for tag in allowed[word]]].sum() == pytest.approx(1.0)
    assert model.emission_[place["N"], model.vocabulary_.words.index("c")] == 0.0


def test_chains_that_disagree_are_found_out() -> None:
    apart = np.random.default_rng(0).normal(size=(3, 100)) + np.array([[0.0], [5.0], [10.0]])
    chains = sc.Chains(None, [], [], apart)
    assert chains.r_hat > 1.5 and chains.ess < 30 and "the chains have not converged, use more sweeps" in chains.told()
    assert "it needs two chains of four different draws" in sc.Chains(None, [], [], apart[:1]).told()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.95, 1.0, -0.6])
@pytest.mark.parametrize("shape", [(4, 100), (2, 21), (3, 8), (1, 50), (2, 3)])
def test_trust_is_what_arviz_says(memory: float, shape: tuple[int, int]) -> None:
    arviz = pytest.importorskip("arviz")
    draws = np.random.default_rng(shape).normal(size=shape)
    for t in range(1, shape[1]):
        draws[:, t] += memory * draws[:, t - 1]
    draws = np.round(draws, 1)  # some of them tied
    assert r_hat(draws) == pytest.approx(float(arviz.rhat(draws)), rel=1e-12, nan_ok=True)
    assert effective_size(draws) == pytest.approx(float(arviz.ess(draws)), rel=1e-9, nan_ok=True)


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


def test_burn_in_and_thinning_by_their_definition() -> None:
    how = Sampling("blocked", 1, sweeps=20, burn=5, thin=4, start=0.25, stop=1.0, over=3)
    assert [sweep for sweep in range(20) if how.counts(sweep)] == [5, 9, 13, 17] and how.draws == 4
    assert how._replace(sweeps=18).draws == 4 and how._replace(sweeps=17).draws == 3
    assert [how.hardness(sweep) for sweep in range(5)] == pytest.approx([0.25, 0.5, 1.0, 1.0, 1.0])
    assert how._replace(over=1).hardness(0) == 0.25 and how._replace(over=1).hardness(1) == 1.0


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
        (sc.GaussianMixture(2), {}, "needs HMM, NaiveBayesMixture or PLSA, not GaussianMixture"),
        (sc.HMM(2), {"sampler": "slice"}, "sampler='slice': unknown; use blocked, collapsed"),
        (sc.HMM(2), {"draws": 0}, "4 chains, 0 draws"),
    ],
)
def test_what_cannot_be_sampled(model: Any, how: Any, says: str) -> None:
    with pytest.raises(sc.InputError, match=says):
        sc.sample_posterior(model, TEXT, **how)


WRONG = [
    ("gibbs(chains=2):5,em:3", "chains are averaged at the end of training"),
    ("gibbs(sampler=slice):5", "unknown sampler 'slice'; use blocked, collapsed"),
    ("gibbs(chains=2,burn=5):5", "use more sweeps or a smaller burn"),
    ("gibbs(chains=0):5", ": chains must be greater than 0"),
]


@pytest.mark.parametrize(("criterion", "says"), WRONG)
def test_criteria_that_are_no_chains(criterion: str, says: str) -> None:
    with pytest.raises(sc.InputError, match=says):
        sc.HMM(2, criterion=criterion).fit(TEXT)


def test_what_chains_do_not_go_with() -> None:
    chains = {"criterion": "gibbs(chains=2,sampler=collapsed):4", "random_state": 0}
    with pytest.raises(sc.InputError, match="collapsed sampling does not support fixed tables"):
        sc.HMM(2, fixed="initial", **chains).fit(TEXT)
    with pytest.raises(sc.InputError, match="chains do not support weights"):
        sc.HMM(2, **chains).fit(TEXT, sample_weight=[1.0, 2.0, 1.0])
    with pytest.raises(sc.InputError, match="multiple chains are not supported for this model"):
        sc.GaussianMixture(2, **chains).fit(np.eye(4))
    with pytest.raises(sc.InputError, match="neither held-out data nor features"):
        sc.HMM(2, features="words", **chains).fit(TEXT)
    with pytest.raises(sc.InputError, match="collapsed sampling of links needs IBM Model 1"):
        sc.WordAligner("ibm2", criterion=chains["criterion"]).fit(*PAIRS)
    with pytest.raises(sc.InputError, match="collapsed sampling needs integer word counts"):
        sc.PLSA(2, **chains).fit(np.array([[0.5, 1.0], [1.0, 2.0]]))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("text", TEXT), ("docs", DOCS), ("source", PAIRS[0]), ("target", PAIRS[1])):
        Path(name).write_text("".join((line if isinstance(line, str) else " ".join(line)) + "\n" for line in lines))


HOW_DRAWN = "--criterion em:2,gibbs:20 --chains 2 --burn-in 8 --thin 3 --collapsed --json -q --threads 1"
CRITERION = "em:2,gibbs(chains=2,burn=8,thin=3,sampler=collapsed):20"


@pytest.mark.usefixtures("files")
def test_the_command_line_draws_and_averages() -> None:
    said = {}
    for name, line in (("tag", "tag text --states 2 --prior 0.5"), ("cluster", "cluster docs --clusters 2"),
                       ("topics", "topics docs --topics 2 --prior topic=0.5,word=0.1 --rows rows.tsv"),
                       ("align", "align source target --model ibm1 --alpha 0.1")):  # fmt: skip
        ran = run(f"{line} {HOW_DRAWN}")
        assert ran.code == 0, ran.err
        said[name] = json.loads(ran.out)
        about = said[name]["chains"]
        assert all(one["chains"] == 2 and one["draws"] == 4 for one in (about.values() if name == "align" else [about]))
        assert CRITERION in said[name]["signature"]
    model = sc.HMM(2, prior=0.5, criterion=CRITERION, random_state=0).fit(TEXT)
    assert said["tag"]["tags"] == model.chains_.labels and said["tag"]["signature"].endswith(" tags=averaged")
    assert said["tag"]["chains"]["r_hat"] == pytest.approx(model.chains_.r_hat)
    topics = sc.PLSA(2, prior={"topic": 0.5, "word": 0.1}, criterion=CRITERION, random_state=0).fit(DOCS)
    rows = [list(map(float, line.split("\t")[1:])) for line in Path("rows.tsv").read_text().splitlines()[1:]]
    assert np.array(rows) == pytest.approx(topics.topic_, abs=1e-5)
    assert len(said["cluster"]["clusters"]) == 4


@pytest.mark.usefixtures("files")
def test_a_checkpoint_has_the_stages_before_the_chains(monkeypatch: Any) -> None:
    line = "tag text --states 2 --prior 0.5 --criterion em:3,gibbs:12 --chains 2 --checkpoint kept -q --threads 1"
    first = run(line)
    assert first.code == 0 and Path("kept").exists()
    assert run(line) == first
    refused(run(line.replace("--chains 2", "--chains 3")), "kept: ")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("tag text --states 2 --chains 2", "--chains needs Gibbs sampling, which is not the default criterion; add"),
        ("topics docs --collapsed", "--collapsed needs Gibbs sampling, which is not the default criterion; add --"),
        ("align source target --criterion em:3 --thin 2", "--thin needs Gibbs sampling, not em:3; add"),
        ("tag text --states 2 --criterion gibbs:9 --burn-in 9", "use more sweeps or a smaller burn"),
        ("cluster docs --clusters 2 --method kmeans --criterion gibbs:9 --chains 2", "chains need --method nb"),
        ("tag text --states 2 --fix initial --criterion gibbs:9 --collapsed", "does not support fixed tables"),
    ],
)  # fmt: skip
def test_what_the_command_line_refuses(line: str, says: str) -> None:
    ran = run(f"{line} -q")
    assert ran.code == 2 and ran.out == "" and len(ran.said) == 1 and says in ran.said[0]
