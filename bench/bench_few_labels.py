"""Tagging from few labels, on EWT with its 17 universal tags: 50 tagged sentences, a short dictionary, both.

    python bench/bench_few_labels.py --seeds 2

Accuracy on all tokens behind the first 50 sentences. The dictionary has the most frequent words of the text with every
tag that makes up a hundredth of their tokens or that the 50 sentences show. Beside `softcount tag` as it is by default
stand plain EM from the same labels, 100 steps from counts of what is known, and a model counted from the 50 sentences
alone (an unknown word may have every tag; it is tagged by its neighbours).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount import HMM, Corpus, read

TAGGED = 50  # sentences
DICTIONARIES = (0, 100, 1_000)  # words
SCORED = {"": "", "accuracy": ".3f", "± s.d.": ".3f", "seeds": "", "CPU s": ".1f"}


def dictionary(gold: Corpus, n_words: int) -> dict[str, list[str]] | None:
    """Of the words that are most frequent, and their tags."""
    counts = _counted(gold)
    shown, words = _counted(_first(gold)), gold.vocabulary.words  # ids fall with frequency
    enough = {v: 0.01 * counts[v].total() for v in range(n_words)}
    listed = {
        words[v]: [gold.tagset[tag] for tag, n in counts[v].items() if n >= least or tag in shown[v]]
        for v, least in enough.items()
    }
    return listed or None


def _counted(gold: Corpus) -> dict[int, Counter[int]]:
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for word, tag in zip(gold.sentences.values.tolist(), gold.labels.values.tolist(), strict=True):
        counts[word][tag] += 1
    return counts


def _first(gold: Corpus) -> Corpus:
    return gold.slice(0, TAGGED)


def labelled(gold: Corpus, known: bool) -> Corpus:
    """The text with the tags of its first sentences, or with none."""
    if not known:
        return Corpus(gold.sentences, gold.vocabulary, source=gold.source)
    ids = gold.labels.values.copy()
    ids[gold.sentences.offsets[TAGGED] :] = -1
    return replace(gold, labels=gold.labels.with_values(ids))


def accuracy(model: HMM, text: Corpus, gold: Corpus) -> float:
    found = [tag for line in model.predict(Corpus(text.sentences, text.vocabulary)) for tag in line]
    begin = int(gold.sentences.offsets[TAGGED])
    right = [gold.tagset[t] == tag for t, tag in zip(gold.labels.values[begin:], found[begin:], strict=True)]
    return float(np.mean(right))


def row(
    table: Measured, name: str, gold: Corpus, tagged: bool, n_words: int, settings: dict[str, Any], seeds: int
) -> None:
    text, listed, began = labelled(gold, tagged), dictionary(gold, n_words), time.process_time()
    found = []
    for seed in range(seeds):
        model = HMM(dictionary=listed, random_state=seed, n_jobs=1, **settings).fit(text)
        found.append(accuracy(model, text, gold))
    seconds = (time.process_time() - began) / seeds
    table.add(name, np.mean(found), np.std(found) if seeds > 1 else None, seeds, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    path = folder("pos-ewt-en")
    if path is None:
        return
    gold = read(path / "train.tok", tags=path / "train.utag")
    print(f"{shell_line()}\n{gold!r}, the first {TAGGED} sentences tagged")
    table = Measured("few-labels", SCORED)
    alone = HMM(criterion="em:0", start="known", pseudo=0.0, random_state=0).fit(_first(gold))
    table.add(f"a model of the {TAGGED} sentences alone", accuracy(alone, gold, gold), None, 1, None)
    for tagged in (True, False):
        for n_words in DICTIONARIES:
            if not (tagged or n_words):
                continue
            names = [f"{TAGGED} sentences"] * tagged + [f"a dictionary of {n_words:,} words"] * bool(n_words)
            given = " and ".join(names)
            row(table, f"`tag`: {given}", gold, tagged, n_words, {}, options.seeds)
            plain = {"start": "known", "criterion": "em:100", "tolerance": 0}
            row(table, f"plain EM: {given}", gold, tagged, n_words, plain, 1)


if __name__ == "__main__":
    main()
