"""Word classes on real text: the start (k-means), the exchange, and a few steps of the hidden Markov model from there.

    python bench/bench_classes.py --corpus wsj ewt brown --seeds 3

Cells: many-to-one, one-to-one, VI in bits, V-measure, mean over seeds ± s.d., and CPU seconds of training and tagging.
EM, VB and EM + MRE from random starts, and more steps from the classes, stand beside with --hmm, GIZA++'s mkcls with
--mkcls PROGRAM. --classes 0: as many as the corpus has tags.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from corpora import folder, shell_line

from softcount import HMM, Corpus, WordClasses, read
from softcount.evaluate import TagScores, score_tags

CORPORA = {
    "wsj": ("pos-wsj-sample-en", "all"),
    "ewt": ("pos-ewt-en", "train"),
    "brown": ("pos-brown-en", "all"),
}  # fmt: skip
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


def classes(n: int, **settings: Any) -> Method:
    return lambda gold, seed: timed(gold, lambda text: WordClasses(n, random_state=seed, **settings).fit(text))


def hmm(n: int, criterion: str, start: str) -> Method:
    settings: dict[str, Any] = {"criterion": criterion, "start": start, "n_jobs": 1, "tolerance": 0}
    return lambda gold, seed: timed(gold, lambda text: HMM(n, random_state=seed, **settings).fit(text))


def methods(n: int, options: argparse.Namespace) -> Iterator[tuple[str, Method]]:
    yield "classes, start alone", classes(n, criterion="exchange:0")
    yield "classes, start and exchange", classes(n, criterion="exchange:4")
    yield "classes (start, exchange, frames)", classes(n)
    yield "classes, start by k-means++", classes(n, start="k-means++")
    yield "classes, one step of VB (`tag`)", hmm(n, "vb:1", "classes")
    if options.hmm:
        yield "classes, 10 steps of EM", hmm(n, "em:10", "classes")
        yield "classes, 10 steps of MRE", hmm(n, "mre:10", "classes")
        yield "EM 100 from a random start", hmm(n, "em:100", "random")
        yield "VB 100 from a random start", hmm(n, "vb:100", "random")
        yield "EM 100, MRE 50 from a random start", hmm(n, "em:100,mre:50", "random")
    if options.mkcls:
        yield "mkcls -n2", lambda gold, seed: mkcls(options.mkcls, gold, n)


def row(name: str, results: list[Result]) -> str:
    numbers = np.array([list(scores[:4]) for scores, _ in results])
    seconds = np.mean([seconds for _, seconds in results])
    cells = (
        f"{mean:.3f} ±{spread:.3f}" for mean, spread in zip(numbers.mean(axis=0), numbers.std(axis=0), strict=True)
    )
    return f"| {name} | {' | '.join(cells)} | {seconds:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=CORPORA, nargs="+", default=["wsj", "ewt", "brown"])
    parser.add_argument("--classes", type=int, default=45)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--hmm", action="store_true", help="also EM, VB and EM + MRE from random starts")
    parser.add_argument("--mkcls", help="the program mkcls, to measure beside")
    options = parser.parse_args()
    print(shell_line())
    WordClasses(2).fit(["a b", "b a"])  # compiles
    for name in options.corpus:
        gold = load(name)
        if gold is None:
            continue
        n = options.classes or len(gold.tagset)
        print(f"\n{gold!r}, {n} classes, {options.seeds} seeds\n")
        print("| | many-to-one | one-to-one | VI bits | V | CPU s |\n|---|---|---|---|---|---|")
        for title, method in methods(n, options):
            print(row(title, [method(gold, seed) for seed in range(options.seeds)]), flush=True)
            print(title, file=sys.stderr)


if __name__ == "__main__":
    main()
