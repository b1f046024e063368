"""Topics by default: whole runs of softcount beside NMF, LDA and tomotopy, on two corpora.

python bench/bench_documents.py [--topics 20] [--seeds 1] [--corpora ap 20news 20news-all]

Every run is a process of its own that reads the same table and writes its topics: CPU seconds (user and system, one
thread) and peak memory are from start-up to the last byte. Perplexity, NPMI and NMI are by one evaluator: the same
folding in with the same prior, the same held-out tokens, words ranked by probability and by relevance alike for all.
`20news-all` is 20 Newsgroups with all of its words, stop words too. It ends with the bars. Single steps are timed by
`bench_documents_steps.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import newsgroups
import numpy as np
from corpora import folder, shell_line
from measured import Measured
from scipy import sparse
from topic_peer import PEERS

from softcount import PLSA
from softcount.evaluate.clustering import cluster_scores, contingency
from softcount.evaluate.topics import npmi, relevance
from softcount.text.document_reader import read_documents
from softcount.text.documents import Documents

OURS, HELD_OUT = "softcount (default)", 0.2
WITHIN, CHEAPER = 1.01, 3.0  # the bars: of the best perplexity, and times less CPU than each other library
SCORED = {"": "", "perplexity": ",.0f", "NPMI": ".3f", "NPMI, ranked by relevance": ".3f", "NMI": ".3f",
          "NMI, with a background": ".3f", "CPU s": ".1f", "MB": ".0f"}  # fmt: skip
OTHERS = ("NMF", "scikit", "tomotopy")


class Corpus(NamedTuple):
    train: Documents
    test: Documents
    gold: np.ndarray | None = None


class Run(NamedTuple):
    perplexity: float
    npmi: float  # of the ten most probable words
    npmi_ranked: float  # of the ten most relevant
    nmi: float  # of the documents' main topics with the labels
    nmi_background: float  # the same, folded in with a background
    cpu: float
    memory: float  # MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--corpora", nargs="*", default=["ap", "20news"])
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    options = parser.parse_args()
    print(shell_line())
    for name in options.corpora:
        corpus = CORPORA[name]()
        if corpus is not None:
            table = measured(name, corpus, options.topics, options.seeds, options.peers)
            bars(table)


def ap() -> Corpus | None:
    path = folder("docs-ap-en")
    if path is None:
        return None
    data = read_documents(path / "ap.ldac")
    order = np.random.default_rng(0).permutation(len(data))
    n = round(HELD_OUT * len(data))
    test, train = (replace(data.take(np.sort(part)), rows=None) for part in (order[:n], order[n:]))
    return Corpus(train, test)


def news(**pruning) -> Corpus | None:
    data = newsgroups.read(None, **pruning)
    return None if data is None else Corpus(data.train, data.test, data.gold)


CORPORA = {"ap": ap, "20news": news, "20news-all": lambda: news(max_share=1.0, min_letters=1, stop_words=())}


def measured(name: str, corpus: Corpus, n_topics: int, seeds: int, peers: list[str]) -> dict[str, Run]:
    """{library: means over seeds}, printed as it goes."""
    print(f"\n{name}: {corpus.train}, test {len(corpus.test):,} documents; {n_topics} topics, {seeds} seed(s)\n")
    table, kept = {}, Measured(f"documents-{name}", SCORED if corpus.gold is not None else {
        title: form for title, form in SCORED.items() if "NMI" not in title})  # fmt: skip
    with tempfile.TemporaryDirectory() as work, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train = Path(work) / "train.npz"
        sparse.save_npz(train, sparse.csr_matrix(corpus.train.matrix()))
        run(OURS, train, n_topics, 0)  # compiles
        for peer in peers:
            found = [scored(corpus, *run(peer, train, n_topics, seed)) for seed in range(seeds)]
            table[peer] = Run(*np.mean(found, axis=0))
            kept.add(peer, *(x for x in table[peer] if x == x))
    return table


def run(peer: str, train: Path, n_topics: int, seed: int) -> tuple[np.ndarray, np.ndarray, float, float]:
    """(topic, word, CPU seconds, MB)"""
    out = train.with_name("out.npz")
    one = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    command = [sys.executable, Path(__file__).with_name("topic_peer.py"), peer, train, out, str(n_topics), str(seed)]
    child = subprocess.Popen(command, env={**os.environ, **one}, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{peer} failed")
    with np.load(out) as found:
        return found["topic"], found["word"], used.ru_utime + used.ru_stime, float(found["memory"])


def scored(corpus: Corpus, topic: np.ndarray, word: np.ndarray, cpu: float, memory: float) -> Run:
    """Anybody's tables in our evaluator: the same folding in, the same prior, the same tokens."""
    model = PLSA(len(word), criterion="em:0", start="uniform").fit(corpus.train)
    topic, word = (np.asarray(table, float) for table in (topic, word))
    model.components_ = word / np.maximum(word.sum(axis=1, keepdims=True), 1e-300)
    topic /= np.maximum(topic.sum(axis=1, keepdims=True), 1e-300)
    model.prevalence_ = corpus.train.totals() @ topic / corpus.train.n_tokens
    coherence = [
        npmi(corpus.train, np.argsort(-rank, axis=1)[:, :10]).mean()
        for rank in (model.components_, relevance(model.components_, model.prevalence_))
    ]
    nmi = [float("nan")] * 2
    if corpus.gold is not None:
        best = (model.transform(corpus.train).argmax(axis=1), model.predict(corpus.train))
        nmi = [cluster_scores(contingency(corpus.gold, b, corpus.gold.max() + 1, len(word)))["nmi"] for b in best]
    return Run(model.perplexity(corpus.test), *coherence, *nmi, cpu, memory)


def bars(table: dict[str, Run]) -> None:
    others = {name: run for name, run in table.items() if name.startswith(OTHERS)}
    if OURS not in table or not others:
        return
    ours = table[OURS]
    best = min(run.perplexity for run in others.values())
    cheapest = min(others, key=lambda name: others[name].cpu)
    factor = others[cheapest].cpu / ours.cpu
    print(f"\nperplexity by the best of the others: {ours.perplexity / best:.3f}, bar ≤ {WITHIN}: "
          f"{'met' if ours.perplexity <= WITHIN * best else 'NOT MET'}")  # fmt: skip
    print(f"the cheapest of the others ({cheapest}) takes {factor:.1f} times our CPU, bar ≥ {CHEAPER:g}: "
          f"{'met' if factor >= CHEAPER else 'NOT MET'}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
