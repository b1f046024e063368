"""Part-of-speech induction by every way to train a tagger without labels, each from random and from word classes.

    python bench/bench_induction.py --corpora wsj ewt brown --seeds 3
    python bench/bench_induction.py --corpora ewt --methods default features --starts classes --seeds 1
    python bench/bench_induction.py --dictionary --corpora wsj ewt

A method is a row of METHODS: an estimator and its settings by start, so that another criterion is another line. Of
each, mean ± standard deviation over seeds of many-to-one, one-to-one, VI and V-measure, and CPU s, of 45 states. The
word classes themselves are the same for every seed, so that from them seeds differ by little. Tags are what the model
decodes; of chains of Gibbs sampling those that most of their draws have.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from corpora import folder, shell_line
from measured import Measured

import softcount as sc
from softcount.evaluate import score_tags
from softcount.text.corpus import corpus

CORPORA = {  # folder, file, and of how many sentences one is taken
    "wsj": ("pos-wsj-sample-en", "all", 1), "ewt": ("pos-ewt-en", "train", 1), "brown": ("pos-brown-en", "all", 1),
    "brown/4": ("pos-brown-en", "all", 4),
}  # fmt: skip
STATES = 45
FORM = ".4f"  # of scores: methods that start from the same classes differ by little
WORDS = {"features": "words"}
CHAINS = "gibbs(chains=2,sampler=collapsed)"


class Method(NamedTuple):
    """How a method trains from each start; from classes few steps, as more undo them."""

    random: Mapping[str, Any] | None
    classes: Mapping[str, Any] | None
    estimator: Any = sc.HMM


METHODS: dict[str, Method] = {
    "default": Method(None, {}),
    "EM": Method({"criterion": "em:100"}, {"criterion": "em:5"}),
    "EM + MRE": Method({"criterion": "em:100,mre:50"}, {"criterion": "em:1,mre:5"}),
    "VB, prior 0.001": Method({"criterion": "vb:100"}, {"criterion": "vb:5"}),
    "Gibbs, prior 0.001": Method({"criterion": "gibbs:200"}, {"criterion": "gibbs:20"}),
    "Gibbs averaged": Method({"criterion": f"annealed({CHAINS},start=0.2):200"}, {"criterion": f"{CHAINS}:60"}),
    "L0": Method(
        {"criterion": "em:100", "sparse": {"transition": (80, 0.05)}},
        {"criterion": "em:5", "sparse": {"transition": (80, 0.05)}},
    ),
    "features": Method({**WORDS, "criterion": "em:60"}, WORDS),
    "features, EM": Method(None, {**WORDS, "criterion": "em:1"}),
    "features, VB": Method(None, {**WORDS, "criterion": "vb:1"}),
    "features, direct": Method(
        {**WORDS, "criterion": "direct:12"}, {**WORDS, "criterion": "direct(iterations=2):1"}
    ),
    "features + MRE": Method({**WORDS, "criterion": "em:40,mre:10"}, {**WORDS, "criterion": "em:1,mre:1"}),
    "constrained": Method(
        {"criterion": "em:30,constrained(em):20"}, {"criterion": "constrained(em):5"}
    ),
    "CRF autoencoder": Method({"start": "random"}, {}, getattr(sc, "CRFAutoencoder", None)),
}  # fmt: skip

# With the full dictionary of a text: from random, from the words that have one tag, and from classes, as the default.
LISTED: dict[str, Mapping[str, Any]] = {
    "default": {},
    "EM": {"criterion": "em:100"},
    "EM, 30 steps": {"criterion": "em:30"},
    "annealed EM": {"criterion": "annealed(em):100"},
    "L0 of transitions": {"criterion": "em:100", "sparse": {"transition": (80, 0.05)}},
    "L0 of transitions, annealed": {"criterion": "annealed(em):100", "sparse": {"transition": (80, 0.05)}},
    "VB, prior 0.001": {"criterion": "vb:100"},
    "Gibbs, prior 0.001": {"criterion": "gibbs:200"},
    "features": {**WORDS, "criterion": "em:30"},
    "features, L0 of transitions": {**WORDS, "criterion": "em:30", "sparse": {"transition": (80, 0.05)}},
}


def load(name: str) -> tuple[Any, Any, Path] | None:
    """With tags, without, and where they are."""
    where, stem, one_of = CORPORA[name]
    path = folder(where)
    if path is None:
        return None
    gold = part(sc.read(path / f"{stem}.tok", tags=path / f"{stem}.tag"), one_of)
    return gold, sc.Corpus(gold.sentences, gold.vocabulary, source=gold.source), path


def part(gold: Any, one_of: int) -> Any:
    """One of so many sentences, with the words that they have."""
    if one_of == 1:
        return gold
    words, tags, at = np.array(gold.vocabulary.words), np.array(gold.tagset), gold.sentences.offsets
    taken = [slice(at[i], at[i + 1]) for i in range(0, len(gold), one_of)]
    tokens = [words[gold.sentences.values[one]].tolist() for one in taken]
    return corpus(tokens, labels=[tags[gold.labels.values[one]].tolist() for one in taken])


def tagged(model: Any, text: Any) -> Any:
    """The tag of every token, one after the other."""
    chains = getattr(model, "chains_", None)
    if chains is None:
        return np.concatenate([np.asarray(line) for line in model.predict(text)])
    return np.asarray(model._row_names())[np.concatenate(chains.labels)]


def spread(rows: list[list[float]], form: str) -> list[str]:
    """Of every column mean ± standard deviation; of one row what it says."""
    means, deviations = np.mean(rows, axis=0), np.std(rows, axis=0)
    several = len(rows) > 1
    return [f"{m:{form}}" + f" ± {d:{form}}" * several for m, d in zip(means, deviations, strict=True)]


def induce(name: str, methods: list[str], starts: list[str], seeds: int, threads: int) -> None:
    found = load(name)
    if found is None:
        return
    gold, text, _ = found
    names = ("text", "method", "start", "seeds", "many-to-one", "one-to-one", "VI, bits", "V-measure")
    table = Measured("induction", {**dict.fromkeys(names, ""), "CPU s": ".0f"}, keys=3)
    for method in methods:
        for start in starts:
            given = getattr(METHODS[method], start)
            if given is None or METHODS[method].estimator is None:
                continue
            rows, cost = [], []
            for seed in range(seeds):
                began = time.process_time()
                more = {"start": start, "tolerance": 0, "random_state": seed, "n_jobs": threads, **given}
                model = METHODS[method].estimator(STATES, **more).fit(text)
                s = score_tags(gold.labels.values, tagged(model, text).astype(np.int64))
                rows.append([s.many_to_one, s.one_to_one, s.vi_bits, s.v_measure])
                cost.append(time.process_time() - began)
                # after every seed, so that a run that is stopped keeps what it has
                table.add(name, method, start, seed + 1, *spread(rows, FORM), np.mean(cost))


def listed(name: str, methods: list[str], starts: list[str], seeds: int, threads: int) -> None:
    """With the full dictionary, accuracy: many-to-one is of no interest where tags have their names."""
    found = load(name)
    if found is None:
        return
    gold, text, _ = found
    tags, dictionary = np.array(gold.tagset)[gold.labels.values], full_dictionary(gold)
    columns = {"text": "", "method": "", "start": "", "seeds": "", "accuracy": ".3f", "±": ".3f", "CPU s": ".0f"}
    table = Measured("induction-dictionary", columns, keys=3)
    for start in starts:
        for method in methods:
            rows = []
            for seed in range(seeds):
                began = time.process_time()
                more = {"start": start, "tolerance": 0, "random_state": seed, "n_jobs": threads, **LISTED[method]}
                model = sc.HMM(dictionary=dictionary, **more).fit(text)
                rows.append([(tagged(model, text) == tags).mean(), time.process_time() - began])
                accuracy, seconds = np.mean(rows, axis=0)
                table.add(name, method, start, seed + 1, accuracy, np.std(rows, axis=0)[0], seconds)


def full_dictionary(gold: Any) -> dict[str, list[str]]:
    """Every tag that a word has in the text."""
    words, tags = gold.vocabulary.words, gold.tagset
    pairs = np.unique(np.stack([gold.sentences.values, gold.labels.values]), axis=1)
    found: dict[str, list[str]] = {}
    for word, tag in pairs.T.tolist():
        found.setdefault(words[word], []).append(tags[tag])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=["wsj", "ewt", "brown"])
    parser.add_argument("--methods", nargs="+", choices=[*METHODS, *LISTED], metavar="METHOD")
    parser.add_argument("--starts", nargs="+", choices=("random", "classes", "known"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dictionary", action="store_true", help="with the full dictionary of each text instead")
    given = parser.parse_args()
    print(shell_line())
    known, run = (LISTED, listed) if given.dictionary else (METHODS, induce)
    methods = given.methods or list(known)
    starts = given.starts or ["random", "known" if given.dictionary else "classes"]
    for wrong in {*methods} - {*known} | ({*starts} & {"known"} if run is induce else set()):
        parser.error(f"{wrong}: not with{'' if given.dictionary else 'out'} --dictionary")
    for name in given.corpora:
        run(name, methods, starts, given.seeds, given.threads)


if __name__ == "__main__":
    main()
