"""Tagging accuracy on the WSJ sample with its full tag dictionary, by criterion, at equal cost.

    python bench/bench_dictionary.py --seeds 3

Every row spends about one hundred E-steps (MRE's steps cost two), so that restarts and annealing are compared with
plain EM fairly. Accuracy over all tokens, and over those whose word has more than one tag in the dictionary.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount import HMM, Corpus, read

ROWS = {
    "dictionary alone (uniform start, no training)": {"criterion": "em:0", "start": "uniform"},
    "EM, uniform start": {"criterion": "em:100", "start": "uniform"},
    "EM from the words with one tag": {"criterion": "em:100", "start": "known"},
    "the default: classes, and one step of VB": {"criterion": "vb:1", "start": None},
    "EM from the classes": {"criterion": "em:100", "start": "classes"},
    "EM": {"criterion": "em:100"},
    "EM, pseudo-count 0.1": {"criterion": "em:100", "pseudo": 0.1},
    "EM, best of 5 restarts of 20 steps": {"criterion": "em:20", "restarts": 5},
    "annealed EM, hardness 0.1 to 1": {"criterion": "annealed(em):100"},
    "annealed EM, hardness 0.5 to 1": {"criterion": "annealed(em,start=0.5):100"},
    "hard EM": {"criterion": "hard:100"},
    "VB, prior 0.1": {"criterion": "vb:100", "prior": 0.1},
    "VB, prior 0.001": {"criterion": "vb:100", "prior": 0.001},
    "Gibbs, prior 0.1": {"criterion": "gibbs:100", "prior": 0.1},
    "Gibbs, prior 0.001": {"criterion": "gibbs:100", "prior": 0.001},
    "stepwise EM, 10 mini-batches": {"criterion": "stepwise(em,batches=10):100"},
    "EM 50, MRE 25": {"criterion": "em:50,mre:25"},
    "EM 90, MRE 5": {"criterion": "em:90,mre:5"},
}


def accuracy(model: HMM, text: Corpus, gold: Corpus, ambiguous: np.ndarray) -> tuple[float, float]:
    states = {name: k for k, name in enumerate(gold.tagset)}
    predicted = np.array([states[tag] for line in model.predict(text) for tag in line])
    right = predicted == gold.labels.values
    return float(right.mean()), float(right[ambiguous].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=-1)
    options = parser.parse_args()
    path = folder("pos-wsj-sample-en")
    if path is None:
        return
    gold = read(path / "all.tok", tags=path / "all.tag")
    text = Corpus(gold.sentences, gold.vocabulary, source=gold.source)
    lines = (path / "tagdict.tsv").read_text(encoding="utf-8").splitlines()
    dictionary = {word: tags.split() for word, tags in (line.split("\t") for line in lines)}
    several = np.array([len(dictionary.get(word, [])) != 1 for word in gold.vocabulary.words])
    ambiguous = several[gold.sentences.values]
    print(f"{shell_line()}\n{gold!r}, {ambiguous.mean():.1%} of tokens ambiguous, {options.seeds} seeds\n")
    table = Measured("tagging-dictionary", {"": "", "accuracy": ".3f", "± s.d.": ".3f", "of ambiguous tokens": ".3f",
                                            "CPU s": ".0f"})  # fmt: skip
    for name, settings in ROWS.items():
        began, found = time.process_time(), []
        for seed in range(options.seeds):
            settings = {"start": "random", **settings}
            model = HMM(dictionary=dictionary, tolerance=0, random_state=seed, n_jobs=options.threads, **settings)
            found.append(accuracy(model.fit(text), text, gold, ambiguous))
        every, hard = np.array(found).T
        seconds = (time.process_time() - began) / options.seeds
        table.add(name, every.mean(), every.std(), hard.mean(), seconds)


if __name__ == "__main__":
    main()
