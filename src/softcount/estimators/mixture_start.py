"""Where document classes start: counts of documents whose classes are known, or those of k-means on tf-idf rows.

    P(class) ∝ documents of the class + 1            P(word | class) ∝ times it occurs there + 0.1

Never without smoothing: under every criterion a zero lasts for ever.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softcount.criteria.criterion import log_weights, maximize
from softcount.engines import Engine
from softcount.estimators.kmeans import KMeans
from softcount.families.penalty import Pseudo
from softcount.loop.estep import EStep
from softcount.loop.start import uniform_start
from softcount.machine import stage
from softcount.models.mixture import Mixture, MixtureTables
from softcount.numbers.attribute import SUM
from softcount.numbers.tables import Tables
from softcount.text.documents import Documents
from softcount.text.stored import in_memory
from softcount.text.tfidf import directions

SMOOTHING = MixtureTables(Pseudo(1.0), Pseudo(0.1))
CRITERION = "hard:20"  # of k-means


def counted(model: Mixture, labelled: Documents, engine: Engine) -> Tables:
    """Smoothed relative frequencies of documents whose classes are all known."""
    flat = uniform_start(model.layout)
    counts = EStep(model, labelled, engine)(log_weights(model.layout, flat), SUM).counts
    return maximize(model.layout, counts, SMOOTHING, flat)


def clustered(model: Mixture, data: Documents, seed: tuple[int, int], n_jobs: int | None, engine: Engine) -> Tables:
    """As if the clusters of k-means were known classes."""
    chance = int(np.random.default_rng(list(seed)).integers(2**31))
    data = in_memory(data, "the start from k-means", "use another start: --start random")
    means = KMeans(model.n_clusters, criterion=CRITERION, n_jobs=n_jobs, random_state=chance)
    with stage.towards("start, clusters of documents"):
        found = means.fit(directions(data), sample_weight=data.weights).labels_
    return counted(model, replace(data, labels=found.astype(np.int32)), engine)
