"""20 Newsgroups with few labels: λ fixed, and λ as NaiveBayesMixture chooses it by cross-validation of the labels.

    python bench/bench_unlabelled_weight.py --seeds 3

3,000 documents by chance of some newsgroups, raw but for words of one document; some of them are labelled, all else is
as by default. Accuracy on the test documents of the same newsgroups. The weights to choose among, the steps and the
folds were settled on every other newsgroup from the first on; the others, and all of them, settled nothing.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount import NaiveBayesMixture
from softcount.estimators.unlabelled_weight import WEIGHTS
from softcount.text.document_reader import read_documents
from softcount.text.documents import Documents, pruned, recoded

DOCUMENTS, SIZES = 3_000, (50, 100, 300, 1_000)
NEWSGROUPS = {"every other newsgroup": range(0, 20, 2), "the others": range(1, 20, 2), "all": range(20)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    path = folder("docs-20news-en")
    if path is None:
        return
    print(shell_line(), flush=True)
    sides = [(read_documents(path / f"{side}.txt"), (path / f"{side}.label").read_text().split())
             for side in ("train", "test")]  # fmt: skip
    classes = sorted(set(sides[0][1]))
    form = {"newsgroups": "", "labelled": ""} | {f"λ = {w:g}": ".1f" for w in WEIGHTS}
    form |= {"chosen": ".1f", "best of each seed": ".1f", "worst of each seed": ".1f", "CPU s, λ = 1": ".1f"}
    table = Measured("unlabelled-weight", form | {"CPU s, chosen": ".1f"}, keys=2)
    for name, which in NEWSGROUPS.items():
        of = {classes[k] for k in which}
        (train, gold), (test, truth) = (some(data, labels, of) for data, labels in sides)
        for size in options.sizes:
            rows = [split(train, gold, test, truth, size, seed) for seed in range(options.seeds)]
            right, cpu = (np.array(column) for column in zip(*rows, strict=True))
            fixed = right[:, :-1]
            ends = 100 * fixed.max(axis=1).mean(), 100 * fixed.min(axis=1).mean()
            table.add(name, size, *(100 * right.mean(axis=0)), *ends, *cpu.mean(axis=0))


def some(data: Documents, labels: list[str], classes: set[str]) -> tuple[Documents, np.ndarray]:
    rows = np.array([d for d, label in enumerate(labels) if label in classes])
    return replace(data.take(rows), rows=None), np.array(labels)[rows]


def split(train, gold, test, truth, size: int, seed: int) -> tuple[list[float], tuple[float, float]]:
    """Accuracy by each weight and by that which is chosen; CPU seconds of the weight 1 and of choosing."""
    rows = np.random.default_rng([seed, size]).permutation(len(gold))[:DOCUMENTS]
    data = pruned(replace(train.take(rows), rows=None), 2, 1.0, ())
    y = np.where(np.arange(len(rows)) < size, gold[rows], "")
    other = recoded(test, data.vocabulary)
    found, seconds = [], []
    for weight in (*WEIGHTS, None):
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = NaiveBayesMixture(unlabelled_weight=weight, n_jobs=1, random_state=seed).fit(data, y)
        seconds.append(time.process_time() - began)
        found.append(model.score(other, truth))
    return found, (seconds[0], seconds[-1])


if __name__ == "__main__":
    main()
