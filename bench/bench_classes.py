"""Word classes on real text: the start, the exchange, and steps of the hidden Markov model from there and from nowhere.

    python bench/bench_classes.py --corpus wsj ewt brown --seeds 3
    python bench/bench_classes.py --corpus brown --rows random --seeds 1        # a part of it

Cells: many-to-one, one-to-one, VI in bits, V-measure, mean over seeds ± s.d., and CPU seconds of training and tagging.
--rows: `classes` and `tag` by default, `steps` of other criteria from the classes, `random` starts for EM, VB and EM +
MRE, `constrained` EM and VB, and the CRF `autoencoder`. Brown clusters stand beside with --brown, GIZA++'s mkcls with
--mkcls PROGRAM. --classes 0: as many as the corpus has tags.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from corpora import folder, shell_line
from measured import Measured

from softcount import HMM, Corpus, CRFAutoencoder, WordClasses, read
from softcount.evaluate import TagScores, score_tags

CORPORA = {
    "wsj": ("pos-wsj-sample-en", "all"),
    "ewt": ("pos-ewt-en", "train"),
    "brown": ("pos-brown-en", "all"),
}  # fmt: skip
SCORED = {"": "", "many-to-one": "", "one-to-one": "", "VI, bits": "", "V-measure": "", "seeds": "", "CPU s": ".1f"}
Result = tuple[TagScores, float]
Method = Callable[[Corpus, int], Result]


def load(name: str) -> Corpus | None:
    where, part = CORPORA[name]
    path = folder(where)
    return None if path is None else read(path / f"{part}.tok", tags=path / f"{part}.tag")


def unlabelled(gold: Corpus) -> Corpus:
    return Corpus(gold.sentences, gold.vocabulary, source=gold.source)


def scored(gold: Corpus, tags: list[list[int]]) -> TagScores:
    return score_tags(gold.labels.values, np.concatenate([np.asarray(line, dtype=np.int64) for line in tags]))


def timed(gold: Corpus, train: Callable[[Corpus], Any]) -> Result:
    began = time.process_time()
    tags = train(unlabelled(gold)).predict(unlabelled(gold))
    return scored(gold, tags), time.process_time() - began


def mkcls(program: str, gold: Corpus, n_classes: int) -> Result:
    """mkcls of GIZA++ (F. J. Och 1999): exchange by contexts alone."""
    with tempfile.TemporaryDirectory() as place:
        text, classes = Path(place) / "text", Path(place) / "classes"
        text.write_text("".join(" ".join(gold.tokens(i)) + "\n" for i in range(len(gold))))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, f"-c{n_classes}", "-n2", f"-p{text}", f"-V{classes}", "opt"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        of = dict(line.rsplit("\t", 1) for line in classes.read_text().splitlines())
    ids = np.array([int(of.get(word, 0)) for word in gold.vocabulary.words])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return score_tags(gold.labels.values, ids[gold.sentences.values]), seconds


def brown(gold: Corpus, n_classes: int) -> Result:
    """Clusters of P. F. Brown et al. 1992, merged from the most frequent words on, by the package brown-clustering."""
    from brown_clustering import BigramCorpus, BrownClustering

    sentences, began = [list(gold.tokens(i)) for i in range(len(gold))], time.process_time()
    found = BrownClustering(BigramCorpus(sentences), m=n_classes).train()
    seconds = time.process_time() - began
    of = {word: k for k, words in enumerate(found) for word in words}
    ids = np.array([of[word] for word in gold.vocabulary.words])
    return score_tags(gold.labels.values, ids[gold.sentences.values]), seconds


def classes(n: int, **settings: Any) -> Method:
    return lambda gold, seed: timed(gold, lambda text: WordClasses(n, random_state=seed, **settings).fit(text))


def hmm(n: int, criterion: str, start: str) -> Method:
    settings: dict[str, Any] = {"criterion": criterion, "start": start, "n_jobs": 1, "tolerance": 0}
    return lambda gold, seed: timed(gold, lambda text: HMM(n, random_state=seed, **settings).fit(text))


def crf(n: int, start: str) -> Method:
    settings: dict[str, Any] = {"start": start, "n_jobs": 1, "tolerance": 0}
    return lambda gold, seed: timed(gold, lambda text: CRFAutoencoder(n, random_state=seed, **settings).fit(text))


def methods(n: int, options: argparse.Namespace) -> Iterator[tuple[str, Method]]:
    for rows in options.rows:
        yield from ((title, method) for title, method in ROWS[rows](n) if options.only in title)
    if options.brown:
        yield "Brown clusters (brown-clustering)", lambda gold, seed: brown(gold, n)
    if options.mkcls:
        yield "mkcls -n2", lambda gold, seed: mkcls(options.mkcls, gold, n)


def of_classes(n: int) -> Iterator[tuple[str, Method]]:
    yield "classes, start alone", classes(n, criterion="exchange:0")
    yield "classes, start and exchange", classes(n, criterion="exchange:4")
    yield "classes (start, exchange, frames)", classes(n)
    yield "classes, start by k-means++", classes(n, start="k-means++")
    yield "classes, one step of VB (`tag`)", hmm(n, "vb:1", "classes")


def of_steps(n: int) -> Iterator[tuple[str, Method]]:
    yield "classes, 10 steps of VB", hmm(n, "vb:10", "classes")
    yield "classes, 10 steps of EM", hmm(n, "em:10", "classes")
    yield "classes, 10 steps of MRE", hmm(n, "mre:10", "classes")


def of_chance(n: int) -> Iterator[tuple[str, Method]]:
    yield "EM 100 from a random start", hmm(n, "em:100", "random")
    yield "VB 100 from a random start", hmm(n, "vb:100", "random")
    yield "EM 100, MRE 50 from a random start", hmm(n, "em:100,mre:50", "random")


def of_constraints(n: int) -> Iterator[tuple[str, Method]]:
    yield "EM 30, constrained EM 20 from a random start", hmm(n, "em:30,constrained(em):20", "random")
    yield "classes, 5 steps of constrained EM", hmm(n, "constrained(em):5", "classes")
    yield "classes, 3 steps of constrained VB", hmm(n, "constrained(vb):3", "classes")


def of_autoencoders(n: int) -> Iterator[tuple[str, Method]]:
    for start, title in (("random", "a random start"), ("classes", "the classes")):
        yield f"CRF autoencoder from {title}", crf(n, start)


ROWS = {
    "classes": of_classes, "steps": of_steps, "random": of_chance, "constrained": of_constraints,
    "autoencoder": of_autoencoders,
}  # fmt: skip


def cells(results: list[Result]) -> Iterator[str | float]:
    numbers = np.array([list(scores[:4]) for scores, _ in results])
    for mean, spread in zip(numbers.mean(axis=0), numbers.std(axis=0), strict=True):
        yield f"{mean:.3f}" if len(results) == 1 else f"{mean:.3f} ±{spread:.3f}"
    yield len(results)
    yield float(np.mean([seconds for _, seconds in results]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=CORPORA, nargs="+", default=["wsj", "ewt", "brown"])
    parser.add_argument("--classes", type=int, default=45)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", choices=ROWS, nargs="*", default=list(ROWS))
    parser.add_argument("--only", default="", help="only rows with this in their titles")
    parser.add_argument("--brown", action="store_true", help="also Brown clusters, by the package brown-clustering")
    parser.add_argument("--mkcls", help="the program mkcls, to measure beside")
    options = parser.parse_args()
    print(shell_line())
    WordClasses(2).fit(["a b", "b a"])  # compiles
    for name in options.corpus:
        gold = load(name)
        if gold is None:
            continue
        n = options.classes or len(gold.tagset)
        print(f"\n{gold!r}, {n} classes")
        kept = Measured(f"classes-{name}-{n}", SCORED)
        for title, method in methods(n, options):
            kept.add(title, *cells([method(gold, seed) for seed in range(options.seeds)]))


if __name__ == "__main__":
    main()
