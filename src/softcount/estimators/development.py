"""Which of several restarts is best, by a text that is kept for that: `dev`, given to `fit`.

Many-to-one accuracy where the text has tags, else its log-likelihood.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softcount.engines import Engine
from softcount.errors import InputError
from softcount.estimators.hmm_answers import logs_of
from softcount.evaluate.clustering import contingency, many_to_one
from softcount.loop.estep import Answers
from softcount.numbers.attribute import MAX
from softcount.numbers.ragged import concatenate
from softcount.numbers.tables import Tables
from softcount.text.corpus import Corpus


def development_score(model: Any, dev: Corpus, n_states: int, engine: Engine) -> Callable[[Tables], float]:
    """A function from parameters to how well they do on `dev`, which is in the model's words."""
    if not dev.n_tokens:
        raise InputError(f"{dev.source}: no tokens for choosing the restart; give at least one word")
    untagged = Corpus(dev.sentences, dev.vocabulary, source=dev.source)

    def score(parameters: Tables) -> float:
        log_weights, answers = logs_of(parameters), Answers(model, untagged, engine)
        if dev.labels is None:
            return answers.log_norm(log_weights)
        predicted = concatenate([labels for _, labels in answers.labels(log_weights, MAX)])
        known = dev.labels.values >= 0
        gold, found = dev.labels.values[known], predicted.values[known]
        return many_to_one(contingency(gold, found, len(dev.tagset), n_states))

    return score
