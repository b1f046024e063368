"""How many hidden values? What each way of choosing finds where the number is known, and its tables on real text.

    python bench/bench_auto.py --seeds 10
    python bench/bench_auto.py --corpora          # 20 Newsgroups and Brown, a part of each

Sentences of a hidden Markov model, documents of one class each, and documents that mix topics
(`softcount.synthetic.hidden`), all with the same number of classes; "within 1" counts the seeds on which the number
found is off by one at most.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import newsgroups
import numpy as np
from corpora import folder
from measured import Measured

import softcount as sc
from softcount.estimators.how_many import METHODS
from softcount.synthetic import hidden

KINDS: dict[str, tuple[Any, Any]] = {
    "HMM": (hidden.sequences, sc.HMM),
    "Naive Bayes mixture": (hidden.documents, sc.NaiveBayesMixture),
    "PLSA": (hidden.mixed, sc.PLSA),
}


def known(n_classes: int, n_items: int, seeds: int, models: list[str], methods: list[str]) -> None:
    form = {"model": "", "choose": "", "true": "d", "found": "", "within 1": "", "CPU s": ".1f"}
    table = Measured("auto-known", form, keys=3)
    for name in models:
        make, kind = KINDS[name]
        for method in methods:
            found, began = [], time.process_time()
            for seed in range(seeds):
                model = kind("auto", choose=method, random_state=seed).fit(make(n_items, n_classes, seed=seed).items)
                found.append(model._size)
            right = sum(abs(k - n_classes) <= 1 for k in found)
            seconds = (time.process_time() - began) / seeds
            table.add(name, method, n_classes, " ".join(map(str, found)), f"{right} of {seeds}", seconds)


def real(n_sentences: int, n_documents: int) -> None:
    """A random part of each text, for the time that it takes."""
    columns = {"text": "", "choose": "", "size": "d", "score": ",.3f", "used": "d", "seconds": ".0f", "chosen": ""}
    table, rng = Measured("auto-corpora", columns, keys=3), np.random.default_rng(0)
    brown, news = folder("pos-brown-en"), newsgroups.read(None)
    settings: list[tuple[str, Any, Any]] = []
    if brown is not None:
        text = sc.read(brown / "all.tok", lowercase=True)
        part = text.take(np.sort(rng.permutation(len(text))[:n_sentences]))
        settings.append((f"Brown, {n_sentences:,} sentences: states", sc.HMM("auto", min_count=2), part))
    if news is not None:
        part = news.train.take(np.sort(rng.permutation(len(news.train))[:n_documents]))
        settings.append((f"20 Newsgroups, {n_documents:,} documents: clusters", sc.NaiveBayesMixture("auto"), part))
        settings.append((f"20 Newsgroups, {n_documents:,} documents: topics", sc.PLSA("auto"), part))
    for name, model, items in settings:
        for method in METHODS:
            model.set_params(choose=method, random_state=0).fit(items)
            for one in {tried.size: tried for tried in sorted(model.tried_, key=lambda t: t.score)}.values():
                chosen = "←" if one.size == model._size else ""
                table.add(name, method, one.size, one.score, one.used, one.seconds, chosen)
            print(f"{name}: {model.history_.remarks[0]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--models", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--corpora", action="store_true")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--documents", type=int, default=1500)
    options = parser.parse_args()
    if options.corpora:
        real(options.sentences, options.documents)
    else:
        known(options.classes, options.items, options.seeds, options.models, options.methods)


if __name__ == "__main__":
    main()
