"""Noisy bitext: a tenth of the target lines shuffled among themselves; how well a score per pair finds them.

ROC AUC: the probability that a right pair scores above a wrong one. Every tool trains on the noisy text and scores it.
eflomal's score is the mean of both directions, as its users filter with it; FastAlign's the log-probability of the best
alignment, per word, of both directions; that of `softcount rank` is the pair score. A shuffled line that is the same as
the line that it replaces is right.

    python bench/bench_filter.py [--sets Europarl Hansards] [--seeds 2] [--pairs N] [--fast] [--no-eflomal]
        [--no-fast-align]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
from collections.abc import Iterator

import numpy as np
from corpora import shell_line
from gold_sets import SETS, GoldSet, gold_sets
from measured import Measured

WRONG = 0.1


def shuffled(target: list[str], seed: int) -> tuple[list[str], np.ndarray]:
    """(the noisy lines, which of them are wrong): chosen lines take the place of the next in a random circle."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(rng.choice(len(target), int(WRONG * len(target)), replace=False))
    noisy = list(target)
    for here, there in zip(chosen.tolist(), np.roll(chosen, 1).tolist(), strict=True):
        noisy[here] = target[there]
    return noisy, np.array([one != other for one, other in zip(noisy, target, strict=True)])


def auc(scores: np.ndarray, wrong: np.ndarray) -> float:
    """The share of (right, wrong) pairs that are in order; ties count half."""
    from scipy.stats import rankdata

    ranks, right = rankdata(scores), ~wrong
    n = right.sum()
    return float((ranks[right].sum() - n * (n + 1) / 2) / (n * wrong.sum()))


def by_softcount(source: list[str], target: list[str], **settings: object) -> Iterator[tuple[str, np.ndarray]]:
    from softcount import WordAligner
    from softcount.text.bitext import bitext

    data = bitext(source, target)
    model = WordAligner(n_jobs=1, **settings).fit(data)
    name = "softcount" + (", fast" if settings else "")
    yield f"{name} rank: pair score", model.pair_scores(data)
    lengths = [np.maximum(side.sentences.lengths, 1) for side in (data.target, data.source)]
    logs = np.nan_to_num(model.scores(data), neginf=-1e9)
    yield f"{name}: log P per word, both ways", logs[:, 0] / lengths[0] + logs[:, 1] / lengths[1]


def by_eflomal(source: list[str], target: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    from eflomal import Aligner

    with tempfile.TemporaryDirectory() as folder:
        files = {f"scores_filename_{way}": f"{folder}/{way}" for way in ("fwd", "rev")}
        links = {f"links_filename_{way}": f"{folder}/links.{way}" for way in ("fwd", "rev")}
        Aligner().align(source, target, **files, **links)
        costs = [np.loadtxt(path) for path in files.values()]
    yield "eflomal: mean of both directions", -(costs[0] + costs[1])


def by_fast_align(source: list[str], target: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    from align_tools import fast_align_models

    sides = [[line.split() for line in text] for text in (source, target)]
    total = np.zeros(len(source))
    for model, first, second in fast_align_models(*sides):
        logs = [model.get_best_alignment(f, s)[0] if f and s else -1e9 for f, s in zip(first, second, strict=True)]
        total += np.array(logs) / np.maximum([len(s) for s in second], 1)
    yield "FastAlign: log P per word, both ways", total


def compare(table: Measured, found: GoldSet, seed: int, options: argparse.Namespace) -> None:
    target, wrong = shuffled(found.target, seed)
    tools = [by_softcount(found.source, target)]
    tools += [by_softcount(found.source, target, preset="fast")] if options.fast else []
    tools += [by_eflomal(found.source, target)] if options.eflomal else []
    tools += [by_fast_align(found.source, target)] if options.fast_align else []
    for tool in tools:
        for name, scores in tool:
            below = [(scores[which] < 0.5).mean() if name.endswith("pair score") else None for which in (wrong, ~wrong)]
            table.add(found.name, len(target), seed, name, auc(scores, wrong), *below)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", nargs="+", default=["Europarl", "Hansards"], choices=SETS)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--no-eflomal", dest="eflomal", action="store_false")
    parser.add_argument("--no-fast-align", dest="fast_align", action="store_false")
    parser.add_argument("--pairs", type=int, default=10**9, help="the first so many of a set")
    options = parser.parse_args()
    if options.eflomal and not importlib.util.find_spec("eflomal"):
        print("eflomal is not installed: pip install 'softcount[bench]'")
        options.eflomal = False
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(shell_line())
    shares = {"of the wrong below .5": ".3f", "of the right": ".3f"}  # what a threshold of a half makes of a pair score
    table = Measured(
        "align-filter", {"text": "", "pairs": ",.0f", "seed": "", "score": "", "AUC": ".4f", **shares}, keys=4
    )
    for found in gold_sets(*options.sets):
        found = found._replace(source=found.source[: options.pairs], target=found.target[: options.pairs])
        for seed in range(1, options.seeds + 1):
            compare(table, found, seed, options)


if __name__ == "__main__":
    main()
