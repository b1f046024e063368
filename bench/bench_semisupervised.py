"""20 Newsgroups with few labels: Naive Bayes from the labelled documents alone, and by EM with the rest, weighted by λ.

python bench/bench_semisupervised.py [folder with train.txt, train.label, test.txt, test.label] [--splits 3] [--plot F]

Accuracy on the test documents, mean of several splits. λ = 0 is supervised Naive Bayes. As in Nigam et al. 2000 there
is a stop list, words of one document are left out, and documents are scaled to one length.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from softcount import NaiveBayesMixture
from softcount.text.document_reader import read_documents
from softcount.text.documents import pruned, recoded

FOLDER = "/work/shared/data/docs-20news-en"
SIZES = (20, 40, 100, 300, 1000, 5000)
WEIGHTS = (0.0, 0.05, 0.2, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(FOLDER))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    if not (options.folder / "train.txt").exists():
        print(f"skipped: no {options.folder / 'train.txt'}; give the folder of docs-20news-en")
        return
    train = pruned(read_documents(options.folder / "train.txt"), 2, 1.0, ENGLISH_STOP_WORDS)
    test = recoded(read_documents(options.folder / "test.txt"), train.vocabulary)
    names = (options.folder / "train.label").read_text().split()
    classes, gold = np.unique(names, return_inverse=True)
    truth = np.searchsorted(classes, (options.folder / "test.label").read_text().split())
    print(f"train {train}; test {len(test):,} documents; smoothing 0.1, at most 20 steps, {options.splits} splits\n")
    print("| labelled | " + " | ".join(f"λ = {weight:g}" for weight in WEIGHTS) + " |\n|---|" + "---|" * len(WEIGHTS))
    curve = []
    began = time.process_time()
    for size in SIZES:
        rows = [
            [accuracy(train, gold, test, truth, size, w, split) for w in WEIGHTS] for split in range(options.splits)
        ]
        curve.append(np.mean(rows, axis=0))
        spread = np.std(rows, axis=0)
        cells = (f"{100 * m:.1f} ± {100 * s:.1f}" for m, s in zip(curve[-1], spread, strict=True))
        print(f"| {size} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{time.process_time() - began:.0f} s of CPU")
    if options.plot:
        plot(np.array(curve), options.plot)


def accuracy(train, gold, test, truth, size: int, weight: float, split: int) -> float:
    y = np.full(len(gold), -1)
    chosen = labelled(gold, size, np.random.default_rng([split, size]))
    y[chosen] = gold[chosen]
    model = NaiveBayesMixture(
        unlabelled_weight=weight, document_length=100.0, criterion="em:20", tolerance=1e-5, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.mean(model.fit(train, y).predict(test) == truth))


def labelled(gold, size: int, rng: np.random.Generator):
    """As many of each class, as far as it goes."""
    order = rng.permutation(len(gold))
    rank = np.empty(len(gold), dtype=int)
    for k in np.unique(gold):
        mine = order[gold[order] == k]
        rank[mine] = np.arange(len(mine))
    return np.argsort(rank + rng.random(len(gold)))[:size]


def plot(curve, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for weight, line in zip(WEIGHTS, curve.T, strict=True):
        name = "labelled alone (λ = 0)" if weight == 0 else f"with EM, λ = {weight:g}"
        axes.plot(SIZES, 100 * line, marker="o", markersize=4, label=name)
    axes.set(xscale="log", xlabel="labelled documents", ylabel="test accuracy, %")
    axes.set_title("20 Newsgroups: what unlabelled documents add")
    axes.set_xticks(SIZES, [f"{s:,}" for s in SIZES])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
