"""How many hidden values? What each way of choosing finds where the number is known, and its tables on real text.

    python bench/bench_auto.py --seeds 10
    python bench/bench_auto.py --corpora EWT      # a part of it; also Brown, WSJ and "20 Newsgroups"
    python bench/bench_auto.py --corpora "20 Newsgroups" --of clusters --documents 4000
    python bench/bench_auto.py --corpora Brown --sentences 57340 --methods evidence      # all of it; an hour or more

Sentences of a hidden Markov model, documents of one class each, and documents that mix topics
(`softcount.synthetic.hidden`), all with the same number of classes; and documents that repeat their words, as real ones
do, ten times as much as those of 20 Newsgroups. "within 1" counts the seeds on which the number
found is off by one at most. How strongly values lean on the text's words was chosen on EWT; Brown confirms it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import newsgroups
import numpy as np
from corpora import folder
from measured import Measured

import softcount as sc
from softcount.estimators.how_many import METHODS
from softcount.synthetic import hidden

NEWS = "20 Newsgroups"
KINDS: dict[str, tuple[Any, Any]] = {
    "HMM": (hidden.sequences, sc.HMM),
    "Naive Bayes mixture": (hidden.documents, sc.NaiveBayesMixture),
    "Naive Bayes mixture, words repeated": (partial(hidden.documents, repeats=0.05), sc.NaiveBayesMixture),
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


OF = ("states", "clusters", "topics")
TAGS = {"Brown": ("pos-brown-en", "all"), "WSJ": ("pos-wsj-sample-en", "all"), "EWT": ("pos-ewt-en", "train")}


def real(names: list[str], of_what: list[str], methods: list[str], n_sentences: int, n_documents: int) -> None:
    """A random part of each text, or all of it: what is chosen, and what was tried on the way."""
    columns = {"text": "", "of": "", "choose": "", "chosen": "d", "tried": "", "CPU s": ".0f"}
    chosen = Measured("auto-chosen", columns, keys=3)
    tried = Measured("auto-corpora", {"text": "", "size": "d", "score": ",.0f", "used": "d"}, keys=2)
    for text, of, model, items in settings(names, n_sentences, n_documents):
        for method in methods if of in of_what else ():
            began = time.process_time()
            model.set_params(choose=method, random_state=0).fit(items)
            seconds = time.process_time() - began
            sizes = " ".join(str(one.size) for one in model.tried_)
            chosen.add(text, of, method, model._size, sizes, seconds)
            if method == "evidence":
                for one in model.tried_:
                    tried.add(f"{text}, {of}", one.size, one.score, one.used)


def settings(names: list[str], n_sentences: int, n_documents: int) -> Iterator[tuple[str, str, Any, Any]]:
    """(text, of what, model, items) of every text that is here."""
    for name, (where, stem) in TAGS.items():
        found = folder(where) if name in names else None
        if found is not None:
            text = sc.read(found / f"{stem}.tok", lowercase=True)
            yield f"{name}, {n_sentences:,} sentences", "states", sc.HMM("auto", min_count=2), part(text, n_sentences)
    news = newsgroups.read(None) if NEWS in names else None
    if news is not None:
        some, name = part(news.train, n_documents), f"{NEWS}, {n_documents:,} documents"
        yield name, "clusters", sc.NaiveBayesMixture("auto"), some
        yield name, "topics", sc.PLSA("auto"), some


def part(items: Any, n: int) -> Any:
    return items.take(np.sort(np.random.default_rng(0).permutation(len(items))[:n]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--models", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, help="all, and of real text evidence and held-out")
    parser.add_argument("--corpora", nargs="+", choices=[*TAGS, NEWS], default=[])
    parser.add_argument("--of", nargs="+", choices=OF, default=OF)
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--documents", type=int, default=600)
    options = parser.parse_args()
    if options.corpora:
        methods = options.methods or ["evidence", "held-out"]
        real(options.corpora, options.of, methods, options.sentences, options.documents)
    else:
        known(options.classes, options.items, options.seeds, options.models, options.methods or list(METHODS))


if __name__ == "__main__":
    main()
