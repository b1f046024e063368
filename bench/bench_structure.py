"""Arcs learned from samples of known networks, by structural EM, beside the true arcs under the same score.

    python bench/bench_structure.py

BIC is log P(rows) − ½ log N · free entries, greater is better; "same links" says whether the arcs join the same pairs,
whichever way they point. In some rows a tenth of the cells is missing. The best of three searches.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from corpora import folder
from measured import Measured

import softcount as sc
from softcount.estimators.network_search import Search, completed

NETWORKS = ("cancer", "earthquake", "asia")
SIZES = (500, 5000)
MISSING = (0.0, 0.1)
RESTARTS = 3


def arcs_of(net: sc.Network, names: list[str]) -> Any:
    found = net._structure
    return tuple(frozenset(names.index(parent) for parent, _ in found.of(name)) for name in names)


def links(arcs: Any) -> set[frozenset[int]]:
    return {frozenset((u, v)) for v, above in enumerate(arcs) for u in above}


def measure(truth: sc.Network, n: int, missing: float) -> tuple[Any, ...]:
    """BIC of the true arcs and of those found, how many there are, whether they join the same, CPU seconds."""
    names, values = list(truth.values_), truth.values_
    columns = truth.sample(n, random_state=1)
    cells = np.array([[values[name].index(v) for v in columns[name]] for name in names]).T
    cells[np.random.default_rng(0).random(cells.shape) < missing] = -1
    data = completed(cells, np.ones(n), tuple(len(values[name]) for name in names))
    began = time.process_time()
    searches = (Search(data, np.random.default_rng(seed)).run((frozenset(),) * len(names)) for seed in range(RESTARTS))
    found = max(searches, key=lambda one: one.bic)
    seconds = time.process_time() - began
    true = arcs_of(truth, names)
    even = data.weights[data.row] / np.bincount(data.row)[data.row]
    bic = Search(data, np.random.default_rng(0)).fitted(true, even)[1]
    n_arcs = sum(map(len, found.parents))
    return bic, found.bic, sum(map(len, true)), n_arcs, "yes" if links(true) == links(found.parents) else "no", seconds


def main() -> None:
    path = folder("networks-bif")
    if path is None:
        return
    columns = {"network": "", "rows": ",d", "missing": ".0%", "BIC of the true arcs": ",.1f", "BIC found": ",.1f",
               "true arcs": "d", "arcs found": "d", "same links": "", "CPU s": ".1f"}  # fmt: skip
    table = Measured("network-structure", columns, keys=3)
    for name in NETWORKS:
        truth = sc.Network(next(str(p) for p in sorted(path.rglob(f"{name}.bif*")))).as_given()
        for n in SIZES:
            for missing in MISSING:
                table.add(name, n, missing, *measure(truth, n, missing))


if __name__ == "__main__":
    main()
