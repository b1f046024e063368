"""Networks: answers beside pgmpy's, what EM makes of hidden and missing cells, CPU seconds per EM iteration.

    python bench/bench_network.py --rows 10000

Standard networks with known tables. (1) Marginals and likelihoods under random evidence, beside pgmpy's
VariableElimination. (2) Rows drawn from the true tables, with one variable hidden or a fifth of all cells gone: the
likelihood of other rows, in which nothing or as much is missing, under what was learned and under the truth. (3) CPU
seconds per EM iteration, one thread, beside pgmpy's, which runs where single variables are hidden.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount import Network

NAMES = ("cancer", "earthquake", "asia", "insurance", "alarm")
HIDDEN = {"cancer": "Cancer", "earthquake": "Alarm", "asia": "either", "insurance": "Accident", "alarm": "LVEDVOLUME"}

LEARNED = {"network": "", "variables": "", "missing": "", "log P of a new row, learned": ".4f", "true": ".4f",
           "difference": "+.2%", "CPU s per iteration": ".4f", "iterations": ""}  # fmt: skip


def missing(rows: dict[str, list[Any]], share: float, seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    return {
        name: [None if gone else v for v, gone in zip(column, rng.random(len(column)) < share, strict=True)]
        for name, column in rows.items()
    }


def without(rows: dict[str, list[Any]], name: str) -> dict[str, list[Any]]:
    return {other: column for other, column in rows.items() if other != name}


# --- beside pgmpy -----------------------------------------------------------------------------------------------------


def agreement(path: Path, n: int) -> tuple[float, float]:
    """The greatest differences of marginals, and, relatively, of the probability of evidence, over n random cases."""
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    peer = BIFReader(str(path)).get_model()
    for table in peer.get_cpds():  # some rows in the files sum to 0.99999999; softcount makes that one as it reads them
        table.normalize()
    engine, mine, rng = VariableElimination(peer), Network(str(path)).as_given(), np.random.default_rng(0)
    names, worst, worst_row = list(mine.values_), 0.0, 0.0
    rows = mine.sample(n, random_state=1)
    for case in range(n):
        shown = rng.permutation(names)[: rng.integers(0, len(names))].tolist()
        evidence = {name: rows[name][case] for name in shown}
        for target in [name for name in names if name not in evidence][:3]:
            found = engine.query([target], evidence=evidence, show_progress=False)
            theirs = dict(zip(found.state_names[target], found.values, strict=True))
            ours = mine.query(target, evidence)
            worst = max(worst, *(abs(float(theirs[value]) - p) for value, p in ours.items()))
        if evidence:
            ours = mine.score({name: [value] for name, value in evidence.items()})
            worst_row = max(worst_row, abs(np.expm1(ours - _log_probability(engine, evidence))))
    return worst, worst_row


def _log_probability(engine: Any, evidence: dict[str, Any]) -> float:
    """log P(evidence), by the chain rule, so that no table grows with the number of variables."""
    total, given = 0.0, dict[str, Any]()
    for name, value in evidence.items():
        found = engine.query([name], evidence=dict(given), show_progress=False)
        total += float(np.log(found.values[found.state_names[name].index(value)]))
        given[name] = value
    return total


def peer_seconds(path: Path, rows: dict[str, list[Any]], hidden: str, steps: int) -> float:
    """CPU seconds of pgmpy's ExpectationMaximization, per iteration."""
    import pandas as pd
    from pgmpy.estimators import ExpectationMaximization
    from pgmpy.models import BayesianNetwork
    from pgmpy.readwrite import BIFReader

    known = BIFReader(str(path)).get_model()
    model = BayesianNetwork(known.edges(), latents={hidden})
    model.add_nodes_from(known.nodes())
    estimator = ExpectationMaximization(model, pd.DataFrame(without(rows, hidden)))
    began = time.process_time()
    estimator.get_parameters(
        latent_card={hidden: known.get_cardinality(hidden)},
        max_iter=steps,
        atol=0.0,
        n_jobs=1,
        show_progress=False,
        seed=0,
    )
    return (time.process_time() - began) / steps


# --- learning ---------------------------------------------------------------------------------------------------------


def learned(truth: Network, rows: dict[str, list[Any]], new: dict[str, list[Any]]) -> tuple[float, float, float, int]:
    """log P of a new row under what was learned and under the truth, CPU seconds per iteration, iterations."""
    values = {name: list(listed) for name, listed in truth.values_.items()}
    marks: list[float] = []
    net = Network(truth.structure_, values=values, criterion="em:100", pseudo=0.01, random_state=0, n_jobs=1)
    net.fit(rows, on_step=lambda step: marks.append(time.process_time()))
    mine, true = (model.score(new) / len(next(iter(new.values()))) for model in (net, truth))
    return mine, true, statistics.median(np.diff(marks)), net.n_iter_


def seconds(truth: Network, rows: dict[str, list[Any]], steps: int = 6) -> float:
    marks: list[float] = []
    values = {name: list(listed) for name, listed in truth.values_.items()}
    net = Network(truth.structure_, values=values, criterion=f"em:{steps}", tolerance=0, random_state=0, n_jobs=1)
    net.fit(rows, on_step=lambda step: marks.append(time.process_time()))
    return statistics.median(np.diff(marks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--peer-rows", type=int, default=500)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--networks", nargs="+", default=list(NAMES))
    options = parser.parse_args()
    data = folder("networks-bif")
    if data is None:
        return
    print(shell_line())
    table = Measured("network-learned", LEARNED, keys=3)
    for name in options.networks:
        path = data / f"{name}.bif"
        truth = Network(str(path)).as_given()
        rows, other = truth.sample(options.rows, random_state=1), truth.sample(options.rows, random_state=2)
        hidden = HIDDEN[name]
        cases = (
            (f"all of {hidden}", without(rows, hidden), without(other, hidden)),
            ("a fifth of all cells", missing(rows, 0.2, 3), other),
        )
        for what, seen, new in cases:
            mine, true, cpu, n = learned(truth, seen, new)
            table.add(name, len(truth.values_), what, mine, true, (mine - true) / abs(true), cpu, n)
    try:
        import pgmpy
    except ImportError:
        print("\npgmpy is not installed; nothing to compare with")
        return
    warnings.simplefilter("ignore")
    table = Measured("network-agreement", {"network": "", f"marginals differ from pgmpy {pgmpy.__version__} by": ".0e",
                                           "P(evidence), relatively": ".0e"})  # fmt: skip
    for name in options.networks:
        marginals, rows_differ = agreement(data / f"{name}.bif", options.cases)
        table.add(name, marginals, rows_differ)
    titles = {f"network, {options.peer_rows} rows": "", "hidden": "", "softcount, CPU s per iteration": ".5f"}
    table = Measured("network-speed", {**titles, f"pgmpy {pgmpy.__version__}": ".2f", "ratio": ",.0f"})
    for name in options.networks:
        truth = Network(str(data / f"{name}.bif")).as_given()
        rows = truth.sample(options.peer_rows, random_state=1)
        mine = seconds(truth, without(rows, HIDDEN[name]))
        theirs = peer_seconds(data / f"{name}.bif", rows, HIDDEN[name], 2)
        table.add(name, HIDDEN[name], mine, theirs, theirs / mine)


if __name__ == "__main__":
    main()
