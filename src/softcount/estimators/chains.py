"""The posterior of a trained model, by several chains of Gibbs sampling (loop/chains.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.criteria.sampling import SAMPLERS, Sampling
from softcount.errors import InputError
from softcount.estimators.base import LoopEstimator
from softcount.families.layout import per_table
from softcount.loop.chains import Task, sampled
from softcount.loop.diagnostics import Chains
from softcount.models.plsa import PLSA as Topics
from softcount.models.plsa import PLSATables

KINDS = ("hmm", "naive bayes mixture", "plsa")


def sample_posterior(
    model: LoopEstimator, X: Any, y: Any = None, *, sampler: str = "blocked", chains: int = 4, draws: int = 200,
    burn: int = 100, thin: int = 1, prior: Any = None, anneal: float = 1.0, random_state: int = 0,
) -> Chains:  # fmt: skip
    """Posterior means of parameters, hidden values and tags.

    Read more in the :doc:`guide to Gibbs sampling </background/criteria/gibbs>`.

    >>> from softcount import HMM, sample_posterior
    >>> text = ["the dog runs", "a cat runs", "the cat sleeps", "a dog sleeps"]
    >>> model = HMM(3, random_state=0).fit(text)
    >>> found = sample_posterior(model, text, chains=2, draws=20, burn=10)
    >>> found.posteriors[0].shape, found.n_draws
    ((3, 3), 40)

    Parameters
    ----------
    model : HMM, NaiveBayesMixture or PLSA
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
    asked, items, _ = model._arrived(X, y, None)
    parameters = model.parameters_
    if model.kind == "plsa":
        asked = Topics(len(items), len(parameters.word), items.n_words)
        parameters = PLSATables(model.transform(items), np.asarray(parameters.word, np.float64))
    layout = asked.layout
    alpha = per_table(layout, model.prior if prior is None else prior, 0.1)
    sampling = Sampling(sampler, chains, burn + draws * thin, burn, thin, anneal, 1.0, burn + 1)
    with model._engine() as engine:
        return sampled(Task(asked, items, parameters, layout, alpha, engine), sampling, random_state)[0]


def _check(model: Any, sampler: str, chains: int, draws: int, burn: int, thin: int, anneal: float) -> None:
    if getattr(model, "kind", None) not in KINDS:
        instead = "use a criterion with chains=, such as gibbs(chains=4)"
        raise InputError(
            f"sample_posterior needs HMM, NaiveBayesMixture or PLSA, not {type(model).__name__}; {instead}"
        )
    if sampler not in SAMPLERS:
        raise InputError(f"sampler={sampler!r}: unknown; use {', '.join(SAMPLERS)}")
    if min(chains, draws, thin) < 1 or burn < 0 or not 0.0 < anneal <= 1.0:
        wrong = f"{chains} chains, {draws} draws, thin {thin}, burn {burn}, anneal {anneal}"
        raise InputError(
            f"{wrong}: invalid; use at least one chain and one draw, and an inverse temperature above 0 and at most 1"
        )
