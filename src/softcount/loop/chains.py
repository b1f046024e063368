"""Several chains of Gibbs sampling, with signs of whether to trust them.

    z, θ ~ P(z, θ | x, α)        E[θ], P(z_t | x) and the tags: means over the draws of all chains, after the burn-in

*blocked* draws every item's structure given θ, then θ (as one chain of the criterion `gibbs`); *collapsed* draws one
hidden value at a time, with θ integrated out. What one draw says is noise; means are not. R̂ compares chains with one
another (near one: they agree), the effective sample size says how many independent draws all of them are worth
(trust.py).

Where nothing tells hidden values apart, chains may number them differently: each is renamed to agree best with the
first, token by token, before they are averaged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from softcount.criteria.criterion import log_weights
from softcount.criteria.gibbs import GibbsState, gibbs
from softcount.criteria.posterior import Conjugate, posteriors
from softcount.criteria.sampling import Sampling
from softcount.engines.engine import Engine
from softcount.errors import InputError
from softcount.families.categorical import Categorical
from softcount.families.family import SoundFamily
from softcount.families.layout import by_table, named, total
from softcount.loop.diagnostics import Chains
from softcount.loop.estep import Answers, EStep
from softcount.loop.trace import Step
from softcount.loop.weighted import Weighted
from softcount.machine import stage as seen
from softcount.machine.signals import obey
from softcount.models.collapsed_walk import Alpha, Kind, kind_of
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Tables, each, like, values
from softcount.text.stored import in_memory

APART = 0.5  # standard deviation of the noise, in logs, by which the starts of chains differ


class Task(NamedTuple):
    """What chains are drawn of."""

    model: Any
    items: Any
    parameters: Tables  # where they begin, each a little apart
    layout: Tables  # with what is held
    prior: Tables
    engine: Engine

    @property
    def families(self) -> Tables:
        return posteriors(self.layout, self.prior)


class Drawn(NamedTuple):
    """One draw of a chain."""

    log_joint: float  # log P(x, z | α), the parameters integrated out
    mean: Callable[[], Tables]  # E[θ | z]
    nodes: Callable[[], Array]  # P(z_t | x, θ), or, collapsed, which one was drawn


class Averaged(NamedTuple):
    """Over the draws of one chain."""

    mean: Tables
    nodes: Array
    log_joint: list[float]


def sampled(
    task: Task, sampling: Sampling, seed: int, name: str = "gibbs", on_step: Callable[[Step], None] | None = None
) -> tuple[Chains, list[Step]]:
    """`name` is what the steps are called."""
    kind = kind_of(task.model)
    if kind is None:
        raise InputError(f"{name}: multiple chains are not supported for this model; omit chains= and sampler=")
    if isinstance(task.items, Weighted):
        raise InputError(f"{name}: chains do not support weights; omit the weights")
    task = task._replace(items=in_memory(task.items, "chains of Gibbs sampling", "use gibbs without chains="))
    steps: list[Step] = []
    seen.begin(name, sampling.chains * sampling.sweeps, "steps")

    def record(chain: int, sweep: int, drawn: Drawn, seconds: float) -> None:
        parts = {"chain": float(chain + 1), "hardness": sampling.hardness(sweep)}
        steps.append(Step(0, name, chain * sampling.sweeps + sweep + 1, drawn.log_joint, None, parts, seconds))
        seen.reach(len(steps), steps[-1])
        if on_step:
            on_step(steps[-1])

    found = [
        _averaged(task, sampling, np.random.default_rng([seed, chain]), lambda *done, c=chain: record(c, *done))
        for chain in range(sampling.chains)
    ]
    return _joined(task, kind, found), steps


def _averaged(task: Task, sampling: Sampling, rng: np.random.Generator, record: Callable[..., None]) -> Averaged:
    """One chain."""
    run = (_blocked if sampling.sampler == "blocked" else _collapsed)(task, sampling, rng)
    sums: Any = None
    log_joint: list[float] = []
    for sweep in range(sampling.sweeps):
        obey()
        began = time.perf_counter()
        drawn = next(run)
        if sampling.counts(sweep):
            log_joint.append(drawn.log_joint)
            last, nodes = drawn.mean(), drawn.nodes()
            sums = (last, nodes) if sums is None else (each(np.add, sums[0], last), sums[1] + nodes)
        record(sweep, drawn, time.perf_counter() - began)
    n = sampling.draws
    return Averaged(_sound(task.layout, each(lambda table: table / n, sums[0]), last), sums[1] / n, log_joint)


def _sound(layout: Tables, mean: Tables, last: Tables) -> Tables:
    """Where entries follow from others, they have no mean: there the last draw's."""

    def of(spec: Any, table: Any, drawn: Any) -> Any:
        return table if not isinstance(spec.family, SoundFamily) or spec.family.sound(table) else drawn

    return by_table(layout, of, mean, last)


def _spread(task: Task, rng: np.random.Generator) -> Tables:
    """The log-parameters with noise, so that chains begin apart."""

    def of(spec: Any, table: Any) -> Any:
        logs = spec.family.log_weights(table)
        if not isinstance(spec.family, Categorical):
            return logs
        noise = APART * rng.standard_normal(np.shape(values(logs)))
        return like(table, values(logs) + np.where(np.isfinite(values(logs)), noise, 0.0))

    return by_table(task.layout, of, task.parameters)


# --- both ways to draw ------------------------------------------------------------------------------------------------


def _blocked(task: Task, sampling: Sampling, rng: np.random.Generator) -> Iterator[Drawn]:
    model, items, engine = task.model, task.items, task.engine
    criterion = gibbs(task.layout, task.prior, (int(rng.integers(2**31)),), burn=2**31)  # its mean is of one draw alone
    data = EStep(model, items, engine, (int(rng.integers(2**31)),))
    answers = Answers(model, items, engine)
    state = GibbsState(_spread(task, rng), task.parameters, 0)
    for sweep in range(sampling.sweeps):
        beta = sampling.hardness(sweep)
        hot = state if beta == 1.0 else state._replace(log_weights=each(lambda w, b=beta: w * b, state.log_weights))
        state, progress = criterion.step(hot, data)
        yield _blocks(state, progress.objective, answers)


def _blocks(state: GibbsState, log_joint: float, answers: Answers) -> Drawn:
    return Drawn(log_joint, lambda: state.mean, lambda: _flat(answers.posteriors(state.log_weights)))


def _flat(blocks: Iterator[Any]) -> Array:
    return np.concatenate([b.matrices.values if hasattr(b, "matrices") else b for b in blocks])


def _collapsed(task: Task, sampling: Sampling, rng: np.random.Generator) -> Iterator[Drawn]:
    kind, families = kind_of(task.model), task.families
    assert kind is not None
    prior = by_table(families, _alpha, task.prior)
    walk = kind.walk(task.model, task.items, _spread(task, rng), prior, rng)

    def evidence(spec: Conjugate, count: Any, alpha: Any) -> float:
        return float(spec.family.log_evidence(count, alpha))

    def mean(spec: Conjugate, count: Any, alpha: Any) -> Any:
        return spec.family.mean(spec.family.posterior(count, alpha))

    for sweep in range(sampling.sweeps):
        walk.sweep(sampling.hardness(sweep), rng)
        log_joint = total(families, evidence, walk.counts, task.prior)
        yield Drawn(log_joint, lambda: by_table(families, mean, walk.counts, task.prior), walk.nodes)


def _alpha(spec: Conjugate, prior: Any) -> Alpha:
    """α of every entry; of what is held at zero none, and no other may be held."""
    family = spec.family
    if not isinstance(family, Categorical):
        return Alpha(None)
    if family.held is not None and family.held.any():
        raise InputError("collapsed sampling does not support fixed tables; use sampler=blocked")
    return Alpha(family.posterior(family.table(np.zeros(family.size())), prior), family.beyond)


# --- several as one ---------------------------------------------------------------------------------------------------


def _joined(task: Task, kind: Kind, chains: list[Averaged]) -> Chains:
    if kind.renamed is not None and _alike(task):
        chains = [chains[0], *(_renamed(kind.renamed, chain, chains[0]) for chain in chains[1:])]
    n = len(chains)
    parameters, nodes = chains[0].mean, sum(chain.nodes for chain in chains) / n
    for chain in chains[1:]:
        parameters = each(np.add, parameters, chain.mean)
    parameters = _sound(task.layout, each(lambda table: table / n, parameters), chains[0].mean)
    rows = list(Ragged(kind.offsets(task.items), np.asarray(nodes)).rows())
    labels = [row.argmax(axis=1).tolist() for row in rows] if np.ndim(nodes) == 2 else []
    return Chains(parameters, rows, labels, np.array([chain.log_joint for chain in chains]))


def _alike(task: Task) -> bool:
    """Whether nothing tells hidden values apart: no label, no entry that is held, priors that are the same for all."""
    if getattr(task.items, "labels", None) is not None or task.items.potentials is not None:
        return False
    tables = named(task.layout, task.prior)
    return all(getattr(spec.family, "free", None) is None and np.ndim(alpha) == 0 for _, spec, alpha in tables)


def _renamed(rename: Callable[[Tables, Array], Tables], chain: Averaged, first: Averaged) -> Averaged:
    """With its hidden values in the order in which they agree with the first chain's best."""
    from scipy.optimize import linear_sum_assignment

    order = linear_sum_assignment(first.nodes.T @ chain.nodes, maximize=True)[1]
    return chain._replace(mean=rename(chain.mean, order), nodes=chain.nodes[:, order])


def decoding(task: Task, found: Chains) -> Tables:
    """The log-weights of the means."""
    return log_weights(task.layout, found.parameters)
