"""How long to train, and from which start: documents kept aside say how good the topics of the others are.

    Σ n log Σ_h topic[d, h] · word[h, w]     over half of the tokens of each document d aside, folded in from the rest

T. Hofmann, "Unsupervised learning by probabilistic latent semantic analysis", Machine Learning 42, 2001, stops by
held-out data. They must be documents: tokens kept aside of the training documents ask how well those documents are
known, which ends much sooner (AP, 100 topics: best after 10 steps, where new documents gain until the 200th). What was
found is then done with all documents, so that nothing is lost by asking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from softcount.criteria.spec import Stage
from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.folding import folded, prevalence_of
from softcount.evaluate.topics import completion, split_tokens
from softcount.loop.trace import Step, Trace
from softcount.loop.train import Fit
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents


def set_aside(n_documents: int, share: float, seed: int) -> tuple[Array, Array]:
    """(rows to learn from, rows kept aside), at least one of each."""
    if n_documents < 2:
        raise InputError("held_out needs at least two documents; omit held_out")
    order = np.random.default_rng([seed, 11]).permutation(n_documents)
    n_aside = min(max(1, round(share * n_documents)), n_documents - 1)
    return np.sort(order[n_aside:]), np.sort(order[:n_aside])


def watch(
    learnt: Documents, aside: Documents, fold_pseudo: float, seed: int, engine: Engine
) -> Callable[[Tables], float]:
    """The log-likelihood of half of the tokens aside, of words that training sees, as a function of the tables."""
    seen = np.bincount(learnt.words, minlength=learnt.n_words) > 0
    given, asked = split_tokens(aside, 0.5, seed)
    asked = replace(asked, counts=asked.counts * seen[asked.words])
    if not asked.counts.sum() > 0.0:
        raise InputError("held_out: the held-out documents share no two words with the others; use a larger share")

    def measure(tables: Tables) -> float:
        word = np.asarray(tables.word, np.float64)
        prevalence = prevalence_of(learnt, tables.topic)
        return completion(folded(given, word, prevalence, fold_pseudo, engine), word, asked)[0]

    return measure


def best_steps(search: Fit, stages: Sequence[Stage]) -> list[int]:
    """After how many steps of each stage the measure was best, in the restart that was chosen."""
    found = iter(_by_stage(search))
    return [_best(next(found, [])) if stage.steps else 0 for stage in stages]


def _best(steps: list[Step]) -> int:
    measured = [step.parts.get("held_out", -np.inf) for step in steps]
    return int(np.argmax(measured)) + 1 if measured else 0


def _by_stage(fit: Fit) -> list[list[Step]]:
    groups: list[list[Step]] = []
    for step in fit.trace:
        if step.restart == fit.chosen:
            groups += [[]] if step.step == 1 else []
            groups[-1].append(step)
    return groups


def both(search: Fit, final: Fit) -> Fit:
    """The final fit, in the place of the restart that the search chose; its steps say what was measured at theirs."""
    trace = Trace(step for step in search.trace if step.restart != search.chosen)
    for asked, done in zip(_by_stage(search), _by_stage(final), strict=False):
        for old, new in zip(asked, done, strict=False):
            parts = {**new.parts, **{name: old.parts[name] for name in ("held_out",) if name in old.parts}}
            trace.append(new._replace(restart=search.chosen, parts=parts))
    trace.stopped, trace.remarks = search.trace.stopped, final.trace.remarks
    records = list(search.restarts)
    found = final.restarts[0]
    records[search.chosen] = records[search.chosen]._replace(objective=found.objective, steps=found.steps)
    return final._replace(trace=trace, restarts=records, chosen=search.chosen)
