"""20 Newsgroups with few labels: Naive Bayes from the labelled documents alone, and by EM with the rest, weighted by λ.

python bench/bench_semisupervised.py [folder with train.txt, train.label, test.txt, test.label] [--splits 3] [--plot F]
    [--sizes 20 100 300 1000]

Accuracy on the test documents, mean of several splits. λ = 0 is supervised Naive Bayes. As in Nigam et al. 2000 there
is a stop list, and words of one document are left out. The pseudo-count and the length that documents are scaled to are
chosen by cross-validation on labelled training documents; test documents choose nothing.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import newsgroups
import numpy as np
from corpora import shell_line
from measured import Measured

from softcount import NaiveBayesMixture

SIZES = (20, 40, 100, 300, 1000, 5000, 9000)
WEIGHTS = (0.0, 0.05, 0.2, 1.0)
LENGTHS, PSEUDO = (None, 50.0, 100.0, 200.0), (0.01, 0.1)
CHOOSING, FOLDS = 300, 5  # labelled documents to choose the settings by


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    data = newsgroups.read(options.folder, min_documents=2, max_share=1.0, min_letters=1, min_tokens=0)
    if data is None:
        return
    began = time.process_time()
    print(f"{shell_line()}\ntrain {data.train}; test {len(data.test):,} documents; at most 20 steps\n")
    settings = chosen(data)
    print(f"chosen: {settings}")
    table = Measured("semisupervised", {"documents": "", "labelled": ""} | {f"λ = {w:g}": "" for w in WEIGHTS}, keys=2)
    curve = measured(table, data, settings, options.sizes, options.splits)
    measured(table, data, {}, options.sizes, options.splits)
    print(f"\n{time.process_time() - began:.0f} s of CPU")
    if options.plot:
        plot(curve, options.sizes, options.plot)


def measured(table: Measured, data, settings: dict, sizes: Sequence[int], splits: int) -> np.ndarray:
    """[sizes, weights]: accuracy in percent, mean and deviation of the splits; without settings, by the defaults."""
    length = settings.get("document_length")
    kind = f"scaled to {length:g} words" if length else "as they are, all defaults"
    curve = []
    for size in sizes:
        rows = [[tested(data, settings, size, w, split) for w in WEIGHTS] for split in range(splits)]
        curve.append(np.mean(rows, axis=0))
        spread = np.std(rows, axis=0)
        table.add(kind, size, *(f"{100 * m:.1f} ± {100 * s:.1f}" for m, s in zip(curve[-1], spread, strict=True)))
    return np.array(curve)


def chosen(data) -> dict:
    """The settings under which EM labels held-out folds of labelled training documents best."""
    rng = np.random.default_rng(99)
    known = rng.permutation(labelled(data.gold, CHOOSING, rng))
    found = {}
    for length, pseudo in product(LENGTHS, PSEUDO):
        settings = {"document_length": length, "pseudo": {"cluster": 0.0, "word": pseudo}}
        right = []
        for fold in range(FOLDS):
            aside = known[fold::FOLDS]
            model = trained(data, settings, np.setdiff1d(known, aside), 1.0)
            right.append(model.score(data.train.take(aside), data.gold[aside]))
        found[length, pseudo] = float(np.mean(right))
        print(
            f"cross-validated: {length or 'all'} words a document, pseudo {pseudo}: {100 * np.mean(right):.1f}",
            flush=True,
        )
    length, pseudo = max(found, key=found.get)
    return {"document_length": length, "pseudo": {"cluster": 0.0, "word": pseudo}}


def tested(data, settings: dict, size: int, weight: float, split: int) -> float:
    known = labelled(data.gold, size, np.random.default_rng([split, size]))
    return float(np.mean(trained(data, settings, known, weight).predict(data.test) == data.truth))


def trained(data, settings: dict, known, weight: float) -> NaiveBayesMixture:
    y = np.full(len(data.gold), -1)
    y[known] = data.gold[known]
    steps = {"criterion": "em:20", "tolerance": 1e-5} if settings else {}
    model = NaiveBayesMixture(unlabelled_weight=weight, n_jobs=1, random_state=0, **steps, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data.train, y)


def labelled(gold, size: int, rng: np.random.Generator):
    """As many of each class, as far as it goes."""
    order = rng.permutation(len(gold))
    rank = np.empty(len(gold), dtype=int)
    for k in np.unique(gold):
        mine = order[gold[order] == k]
        rank[mine] = np.arange(len(mine))
    return np.argsort(rank + rng.random(len(gold)))[:size]


def plot(curve, sizes: Sequence[int], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for weight, line in zip(WEIGHTS, curve.T, strict=True):
        name = "labelled alone (λ = 0)" if weight == 0 else f"with EM, λ = {weight:g}"
        axes.plot(sizes, 100 * line, marker="o", markersize=4, label=name)
    axes.set(xscale="log", xlabel="labelled documents", ylabel="test accuracy, %")
    axes.set_title("20 Newsgroups: what unlabelled documents add")
    axes.set_xticks(sizes, [f"{s:,}" for s in sizes])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
