"""The encoder of a word aligner: what is known of word pairs before it is trained, and what it says of them after.

A stage before it counts how often each word pair is linked; these counts, and spelling, are the features of the pair.
Afterwards all that a pair's features come to is one number, which is what a model keeps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # whose `sparse` is loaded when first used

from softcount.errors import InputError
from softcount.estimators.featured import PAIRS, named_weights, shared_features
from softcount.models.link_crf import DIAGONAL, EMPTY, LinkCRF, one_number
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext import Bitext
from softcount.text.features import joined
from softcount.text.pair_features import association


class Encoder(NamedTuple):
    model: LinkCRF
    names: tuple[str, ...]  # of the features

    def folded(self, found: Any) -> Any:
        """A trained direction with one number of each pair in place of its features, and a remark on their weights."""
        weights = found.parameters.pair
        found.trace.remarks += (self.remark(weights, found.parameters.alignment),)
        tables = (tables._replace(pair=np.ones(1)) for tables in (found.parameters, found.log_weights))
        model = self.model._replace(features=one_number(self.model.features @ weights))
        return found._replace(model=model, parameters=next(tables), log_weights=next(tables))

    def remark(self, weights: Array, alignment: Array) -> str:
        names = (*self.names, "empty word", "distance from the diagonal")
        return named_weights(names, np.append(weights, alignment[[EMPTY, DIAGONAL]]))


def encoding(settings: Any, items: Bitext, rows: Ragged, counts: Any, null: float) -> Encoder:
    """`settings` are the aligner's; `counts` those of the stage before."""
    if not 0.0 < settings.variance < float("inf"):
        raise InputError(f"variance is {settings.variance}; it must be positive")
    spelt = shared_features(rows, items, settings.features or PAIRS)
    known = joined([association(rows, counts.translation.values), spelt])
    words = np.arange(len(rows.values)) >= rows.offsets[1]  # the empty word has no features
    features = scipy.sparse.csr_matrix(scipy.sparse.diags(words.astype(np.float64)) @ known.matrix)
    n_targets, classes = len(items.target.vocabulary), items.lengths.pairs
    return Encoder(LinkCRF(rows, n_targets, classes, features, 1.0 / settings.variance, null), known.names)
