"""The posterior of a trained model, by several chains of Gibbs sampling, with signs of whether to trust them.

    z, θ ~ P(z, θ | x, α)        E[θ], P(z_t | x) and the tags: means over the draws of all chains, after the burn-in

*blocked* draws every item's structure given θ, then θ (as the criterion `gibbs`); *collapsed* draws one hidden value
at a time, with θ integrated out. What one draw says is noise; means are not. R̂ compares chains with one another (near
one: they agree), the effective sample size says how many independent draws all of them are worth: A. Vehtari,
A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner, Bayesian Analysis 16(2), 2021; computed by ArviZ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.gibbs import GibbsState, gibbs
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator
from softcount.estimators.sampling import draw
from softcount.families.layout import by_table, per_table, total
from softcount.loop.estep import Answers, EStep
from softcount.machine.signals import obey
from softcount.models.collapsed import sweep_hmm, sweep_mixture
from softcount.models.hmm import HMMTables, counted
from softcount.models.mixture import MixtureTables
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Tables, each

SAMPLERS = ("blocked", "collapsed")
KINDS = ("hmm", "naive bayes mixture")
APART = 0.5  # standard deviation of the noise, in logs, by which the starts of chains differ


class Drawn(NamedTuple):
    """One draw of a chain."""

    log_joint: float  # log P(x, z | α), the parameters integrated out
    mean: Tables  # E[θ | z]
    posteriors: Array  # [nodes, values]: P(z_t | x, θ), or, collapsed, which one was drawn


class Chains(NamedTuple):
    """Means over all draws that count, and what tells how good they are."""

    parameters: Tables
    posteriors: list[Array]  # of every item [tokens, values]; of documents [1, values]
    labels: list[list[int]]  # the most probable value of each
    log_joint: Array  # [chains, draws]

    @property
    def n_draws(self) -> int:
        return int(self.log_joint.size)

    @property
    def r_hat(self) -> float:
        return float(_arviz().rhat(np.atleast_2d(self.log_joint)))

    @property
    def ess(self) -> float:
        """How many independent draws the chains are worth."""
        return float(_arviz().ess(np.atleast_2d(self.log_joint)))


def sample_posterior(
    model: LoopEstimator, X: Any, y: Any = None, *, sampler: str = "blocked", chains: int = 4, draws: int = 200,
    burn: int = 100, thin: int = 1, prior: Any = None, anneal: float = 1.0, random_state: int = 0,
) -> Chains:  # fmt: skip
    """Posterior means of parameters, hidden values and tags.

    Parameters
    ----------
    model : HMM or NaiveBayesMixture
        Trained, by whatever criterion: chains begin near its parameters, so that its states keep their numbers.
    X, y
        The data, as `fit` takes them; what is known of hidden values stays.
    sampler : str, default "blocked"
        "blocked" or "collapsed".
    chains, draws : int, default 4 and 200
        How many chains, and how many draws of each count.
    burn, thin : int, default 100 and 1
        How many draws before do not count, and which of the others do: every `thin`-th.
    prior : number or mapping, optional
        Dirichlet prior by table; where it is not given, the model's.
    anneal : float, default 1.0
        The hardness of the first draw, below one softer; it reaches one within the burn-in.
    random_state : int, default 0
        The seed.

    Returns
    -------
    Chains
    """
    _check(model, sampler, chains, draws, burn, thin, anneal)
    _, items, _ = model._arrived(X, y, None)
    sums: Any = None
    log_joint = np.empty((chains, draws))
    for chain in range(chains):
        rng = np.random.default_rng([random_state, chain])
        run = (_blocked if sampler == "blocked" else _collapsed)(model, items, prior, _heat(anneal, burn), rng)
        for step, drawn in zip(range(burn + draws * thin), run, strict=False):
            obey()
            kept, rest = divmod(step - burn, thin)
            if step >= burn and rest == thin - 1:
                log_joint[chain, kept] = drawn.log_joint
                new = (drawn.mean, drawn.posteriors)
                sums = new if sums is None else (each(np.add, sums[0], new[0]), sums[1] + new[1])
    n = chains * draws
    nodes = _by_item(model, items, sums[1] / n)
    labels = [rows.argmax(axis=1).tolist() for rows in nodes]
    return Chains(each(lambda table: table / n, sums[0]), nodes, labels, log_joint)


def _heat(start: float, burn: int) -> Iterator[float]:
    """From `start` to one, geometrically, and then one."""
    for step in range(burn):
        yield float(start ** (1.0 - step / burn))
    while True:
        yield 1.0


def _spread(model: Any, rng: np.random.Generator) -> Tables:
    """The model's log-parameters with noise, so that chains begin apart."""
    with np.errstate(divide="ignore"):
        return each(lambda table: np.log(table) + APART * rng.standard_normal(np.shape(table)), model.parameters_)


def _blocked(model: Any, items: Any, prior: Any, heat: Iterator[float], rng: np.random.Generator) -> Iterator[Drawn]:
    layout = model._model.layout
    alpha = per_table(layout, model.prior if prior is None else prior, 0.1)
    criterion = gibbs(layout, alpha, (int(rng.integers(2**31)),), burn=2**31)  # its mean is that of one draw alone
    with model._engine() as engine:
        data, answers = (
            EStep(model._model, items, engine, (int(rng.integers(2**31)),)),
            Answers(model._model, items, engine),
        )
        state = GibbsState(_spread(model, rng), model.parameters_, 0)
        for beta in heat:
            hot = state._replace(log_weights=each(lambda w, b=beta: w * b, state.log_weights))
            state, progress = criterion.step(hot, data)
            shares = np.concatenate(list(answers.posteriors(state.log_weights)))
            yield Drawn(progress.objective, state.mean, shares)


def _collapsed(model: Any, items: Any, prior: Any, heat: Iterator[float], rng: np.random.Generator) -> Iterator[Drawn]:
    layout = model._model.layout
    alpha = per_table(layout, model.prior if prior is None else prior, 0.1)
    numbers = np.array([float(a) for a in alpha])
    with model._engine() as engine:
        shares = np.concatenate(list(Answers(model._model, items, engine).posteriors(_spread(model, rng))))
    hidden = draw(shares, np.arange(len(shares)), rng).astype(np.int32)
    sweep, counts = (_of_hmm if model.kind == "hmm" else _of_mixture)(model, items, hidden)

    def evidence(spec: Any, count: Any, a: Any) -> float:
        return float(spec.family.log_evidence(count, a))

    def mean(spec: Any, count: Any, a: Any) -> Any:
        return spec.family.mean(spec.family.posterior(count, a))

    for beta in heat:
        sweep(numbers, beta, rng.random(len(hidden)))
        means, log_joint = by_table(layout, mean, counts, alpha), total(layout, evidence, counts, alpha)
        yield Drawn(log_joint, means, np.eye(shares.shape[1])[hidden])


def _of_hmm(model: Any, items: Any, states: Array) -> tuple[Callable[[Array, float, Array], None], HMMTables]:
    """A sweep over all words, and the counts that it keeps up to date."""
    sentences = items.sentences
    tables = counted(model._model, sentences, Ragged(sentences.offsets, states))
    emission = np.ascontiguousarray(tables.emission.T)
    known = np.full(len(states), -1, np.int32) if items.labels is None else items.labels.values.astype(np.int32)
    words = sentences.values.astype(np.int32)

    def sweep(prior: Array, beta: float, uniforms: Array) -> None:
        sweep_hmm(
            sentences.offsets, words, known, prior, beta, uniforms, states, tables.initial, tables.transition, emission
        )

    return sweep, tables._replace(emission=emission.T)


def _of_mixture(model: Any, items: Any, classes: Array) -> tuple[Callable[[Array, float, Array], None], MixtureTables]:
    """A sweep over all documents, likewise."""
    K, known = len(model.classes_), np.full(len(items), -1, np.int32) if items.labels is None else items.labels
    word = np.zeros((items.n_words, K))
    rows = np.repeat(np.arange(len(items)), np.diff(items.offsets))
    np.add.at(word, (items.words, classes[rows]), items.counts)
    cluster = np.bincount(classes, minlength=K).astype(np.float64)
    offsets, words, counts = items.offsets - items.offsets[0], items.words, items.counts.astype(np.float64)

    def sweep(prior: Array, beta: float, uniforms: Array) -> None:
        sweep_mixture(offsets, words, counts, known, prior, beta, uniforms, classes, cluster, word)

    return sweep, MixtureTables(cluster, word.T)


def _by_item(model: Any, items: Any, shares: Array) -> list[Array]:
    offsets = items.sentences.offsets if model.kind == "hmm" else np.arange(len(items) + 1)
    return list(Ragged(offsets, shares).rows())


def _check(model: Any, sampler: str, chains: int, draws: int, burn: int, thin: int, anneal: float) -> None:
    if getattr(model, "kind", None) not in KINDS:
        raise InputError(f"sample_posterior takes HMM and NaiveBayesMixture, not {type(model).__name__}")
    if sampler not in SAMPLERS:
        raise InputError(f"no sampler {sampler!r}; use {', '.join(SAMPLERS)}")
    if min(chains, draws, thin) < 1 or burn < 0 or not 0.0 < anneal <= 1.0:
        wrong = f"{chains} chains, {draws} draws, thin {thin}, burn {burn}, anneal {anneal}"
        raise InputError(f"{wrong}; give at least one chain and draw, and a hardness above 0 and at most 1")


def _arviz() -> Any:
    try:
        import arviz
    except ImportError:
        raise ImportError("R-hat and effective sample size need ArviZ: pip install 'softcount[chains]'") from None
    return arviz
