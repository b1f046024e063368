"""MLE, MRE and the CRF autoencoder in the shape of Tables 1 to 4 of Cheng, Liu and Xu (AAAI 2017).

    python bench/bench_mre_tables.py --corpus wsj --states 10 20 30 40 50 --seeds 3
    python bench/bench_mre_tables.py --corpus brown --one-of 3 --seeds 1 --methods MLE MRE     # every third sentence
    python bench/bench_mre_tables.py --corpus wsj --states 50 --sizes 0.2 0.4 0.6 0.8 1        # by size instead

By number of states and by size of the text (--sizes, shares of it): many-to-one accuracy, VI in nats, as there, and the
mean log-probability per sentence that it is made again from what the model makes of it (published: −105 by MLE, −84 by
MRE); then the state that holds most past-tense verbs. MLE is 100 steps of EM from a random start, MRE 50 more from
there, the CRF autoencoder the default of `softcount.CRFAutoencoder`.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any, NamedTuple

import numpy as np
from bench_induction import part
from bench_tagging import CORPORA, load, measure, verb_state
from corpora import shell_line
from measured import Measured

from softcount import HMM, Corpus
from softcount.evaluate import TagScores
from softcount.report.hmm_json import NamedHMM

METHODS = ("MLE", "MRE", "CRF autoencoder")
COLUMNS = {
    "method": "", "states": ",.0f", "sentences": ",.0f", "seeds": "", "many-to-one": "", "VI, nats": "",
    "log reconstruction": ".1f", "CPU s": ".0f",
}  # fmt: skip


class Run(NamedTuple):
    scores: TagScores
    reconstruction: float  # mean log-probability per sentence
    seconds: float


def trained(method: str, text: Corpus, states: int, seed: int, before: dict[str, Any]) -> Any:
    """MRE goes on from the MLE that was trained just before."""
    common: dict[str, Any] = {"tolerance": 0, "random_state": seed, "n_jobs": 1}
    if method == "CRF autoencoder":
        from softcount import CRFAutoencoder

        return CRFAutoencoder(states, start="random", **common).fit(text)
    if method == "MLE" or "MLE" not in before:
        before["MLE"] = HMM(states, criterion="em:100", start="random", **common).fit(text)
    if method == "MLE":
        return before["MLE"]
    em = before["MLE"]
    start = NamedHMM(em.states_, list(em.vocabulary_.words), em.parameters_, False)
    return HMM(criterion="mre:50", start=start, **common).fit(text)


def runs(methods: list[str], gold: Corpus, states: int, seed: int) -> tuple[dict[str, Run], dict[str, Any]]:
    text = Corpus(gold.sentences, gold.vocabulary, source=gold.source)
    found, models = {}, dict[str, Any]()
    for method in methods:
        began = time.process_time()
        models[method] = trained(method, text, states, seed, models)
        scores, seconds = measure(models[method], text, gold), time.process_time() - began
        found[method] = Run(scores, models[method].reconstruction_score(text) / len(text), seconds)
    return found, models


def add(table: Measured, method: str, states: int, n: int, found: list[Run]) -> None:
    accuracy = np.array([run.scores.many_to_one for run in found])
    vi = np.array([run.scores.vi_bits for run in found]) * math.log(2)
    again, seconds = (np.mean([getattr(run, name) for run in found]) for name in ("reconstruction", "seconds"))
    table.add(method, states, n, len(found), _mean(accuracy, 3), _mean(vi, 2), again, seconds)


def _mean(values: np.ndarray, digits: int) -> str:
    spread = f" ±{values.std():.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{spread}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=CORPORA, nargs="+", default=["wsj"])
    parser.add_argument("--states", type=int, nargs="+", default=[10, 20, 30, 40, 50])
    parser.add_argument(
        "--sizes", type=float, nargs="*", default=[], help="shares of the corpus, at the last number of states"
    )
    parser.add_argument("--one-of", type=int, default=1, help="of so many sentences one is taken")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    options = parser.parse_args()
    print(shell_line())
    for name in options.corpus:
        whole = load(name)
        if whole is None:
            continue
        corpus = part(whole, options.one_of)
        last, by = options.states[-1], "-sizes" if options.sizes else ""
        table = Measured(f"mre-{name}{by}", COLUMNS, keys=3)
        cases = [(last, round(len(corpus) * share)) for share in options.sizes]
        cases = cases or [(states, len(corpus)) for states in options.states]
        shown: dict[str, Any] = {}
        for states, n in cases:
            by_seed: list[dict[str, Run]] = []
            for seed in range(options.seeds):
                found, models = runs(options.methods, corpus.slice(0, n), states, seed)
                shown = models if seed == 0 and (states, n) == (last, len(corpus)) else shown
                by_seed.append(found)
                for method in options.methods:  # after every seed, so that a run that is stopped keeps what it has
                    add(table, method, states, n, [one[method] for one in by_seed])
        if not options.sizes:
            verb_state(f"mre-{name}", corpus, shown)


if __name__ == "__main__":
    main()
