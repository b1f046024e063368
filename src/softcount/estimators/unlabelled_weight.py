"""What an unlabelled document should count beside a labelled one, by cross-validation of the labelled documents.

In each fold some of the labelled documents are left out altogether; a model of all other documents, trained by a few
steps, says their classes. The weight is the one by which most of them are right, and of several the greatest. K. Nigam,
A. McCallum, S. Thrun, T. Mitchell, "Text classification from labeled and unlabeled documents using EM", Machine
Learning 39, 2000, choose λ so, leaving one out at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from softcount.machine import stage
from softcount.numbers.ragged import Array
from softcount.text.documents import Documents

WEIGHTS = (1.0, 0.3, 0.1, 0.0)
FOLDS, STEPS = 5, 10
FEWEST = 20  # documents that can be left out; with fewer their number right says nothing
USUAL = 1.0  # where labels are too few: few labels gain most from the other documents


class Weighed(NamedTuple):
    weight: float
    why: str


def n_trainings() -> int:
    return FOLDS * len(WEIGHTS)


def choose_weight(
    data: Documents, labels: Array, counts: Array, make: Callable[[float, str], Any], seed: int
) -> Weighed:
    """`labels` are numbers of classes, −1 where not known; `counts` is what each document counts; `make` gives an
    estimator with this weight and this criterion."""
    fold = folds(labels, np.random.default_rng([seed, 11]))
    n = int((fold >= 0).sum())
    if n < FEWEST:
        known = int((labels >= 0).sum())
        few = f"{n} of the {known} labelled documents have another one of their class, but {FEWEST} are needed"
        return Weighed(USUAL, f"there are too few labels for cross-validation ({few})")
    right, of = np.zeros(len(WEIGHTS)), 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes that collapse: such a weight is not chosen
        for k in range(FOLDS):
            aside, rest = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
            learnt, left_out = (replace(data.take(part), rows=None) for part in (rest, aside))
            of += float(counts[aside].sum())
            for i, weight in enumerate(WEIGHTS):
                with stage.towards("choosing unlabelled_weight", n_trainings() - k * len(WEIGHTS) - i - 1):
                    model = make(weight, f"em:{STEPS}").fit(learnt, labels[rest], counts[rest])
                right[i] += float(counts[aside] @ (model.predict(left_out) == labels[aside]))
    best = int(right.argmax())
    told = ", ".join(
        f"{weight:g}: {100 * hits / max(of, 1e-300):.1f} %" for weight, hits in zip(WEIGHTS, right, strict=True)
    )
    return Weighed(WEIGHTS[best], f"chosen by {FOLDS}-fold cross-validation of {n:,} labelled documents ({told} right)")


def folds(labels: Array, rng: np.random.Generator) -> Array:
    """In which fold each document is left out; −1: never, since it has no label, or is alone in its class. Of each
    class the folds have as many as they can, and the rest of it is always trained on."""
    fold, at = np.full(len(labels), -1), 0
    for k in np.unique(labels[labels >= 0]).tolist():
        mine = rng.permutation(np.flatnonzero(labels == k))
        if len(mine) > 1:
            fold[mine] = (at + np.arange(len(mine))) % FOLDS
            at += len(mine)
    return fold
