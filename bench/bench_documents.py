"""Topics by default: whole runs of softcount beside NMF, LDA and tomotopy, on two corpora.

python bench/bench_documents.py [--topics 20] [--seeds 1] [--corpora ap 20news 20news-all]

Every run is a process of its own that reads the same table and writes its topics: CPU seconds (user and system, one
thread) and peak memory are from start-up to the last byte. `softcount topics` is the command as one types it, which
reads the table as text; the others, softcount.PLSA among them, are programs in Python that load it ready. Perplexity,
NPMI and NMI are by one evaluator: the same folding in with the same prior, the same held-out tokens, words ranked by
probability and by relevance alike for all. `20news-all` is 20 Newsgroups with all of its words, stop words too. It ends
with the bars. Single steps are timed by `bench_documents_steps.py`.
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

from softcount import PLSA, load
from softcount.evaluate.clustering import cluster_scores, contingency
from softcount.evaluate.topics import npmi, relevance
from softcount.text.document_reader import read_documents
from softcount.text.documents import Documents

OURS, COMMAND, HELD_OUT = "softcount (default)", "softcount topics (the command)", 0.2
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
    parser.add_argument("--peers", nargs="*", default=[COMMAND, *PEERS])
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
        as_text(corpus.train, train.with_suffix(".ldac"))
        run(OURS, train, n_topics, 0)  # compiles
        for peer in peers:
            found = [scored(corpus, *run(peer, train, n_topics, seed)) for seed in range(seeds)]
            table[peer] = Run(*np.mean(found, axis=0))
            numbers = table[peer]._asdict().items()
            kept.add(peer, *(x for field, x in numbers if corpus.gold is not None or not field.startswith("nmi")))
    return table


def as_text(train: Documents, path: Path) -> None:
    """The table in the format of lda-c, words being named by their columns."""
    rows = sparse.csr_matrix(train.matrix())
    lines = []
    for d in range(rows.shape[0]):
        cells = slice(rows.indptr[d], rows.indptr[d + 1])
        pairs = [f"{w}:{n:.0f}" for w, n in zip(rows.indices[cells], rows.data[cells], strict=True)]
        lines.append(f"{len(pairs)} {' '.join(pairs)}\n")
    path.write_text("".join(lines))
    path.with_name("vocab.txt").write_text("".join(f"{w}\n" for w in range(train.n_words)))


def run(peer: str, train: Path, n_topics: int, seed: int, *more: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """(topic, word, CPU seconds, MB)"""
    out, model = train.with_name("out.npz"), train.with_name("out.model")
    one = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
    command = [sys.executable, Path(__file__).with_name("topic_peer.py"), peer, train, out, str(n_topics), str(seed)]
    if peer == COMMAND:
        command = [sys.executable, "-m", "softcount", "topics", train.with_suffix(".ldac"), "--topics", str(n_topics)]
        command += ["--seed", str(seed), "--threads", "1", "--save", model, *more]
    child = subprocess.Popen(command, env={**os.environ, **one}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{peer} failed")
    seconds = used.ru_utime + used.ru_stime
    if peer == COMMAND:  # nobody within it looks at its memory
        learned = load(model)
        word = np.zeros((n_topics, sparse.load_npz(train).shape[1]))  # it leaves out columns in which nothing is
        word[:, [int(name) for name in learned.vocabulary_.words]] = learned.word_
        return learned.topic_, word, seconds, float("nan")
    with np.load(out) as found:
        return found["topic"], found["word"], seconds, float(found["memory"])


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
    for name in (OURS, COMMAND):
        if name not in table or not others:
            continue
        ours = table[name]
        best = min(run.perplexity for run in others.values())
        times = {other: run.cpu / ours.cpu for other, run in others.items()}
        print(f"\n{name}: perplexity by the best of the others {ours.perplexity / best:.3f}, bar ≤ {WITHIN}: "
              f"{'met' if ours.perplexity <= WITHIN * best else 'NOT MET'}")  # fmt: skip
        print(f"CPU of the others by ours, bar ≥ {CHEAPER:g}: " +
              "; ".join(f"{other} {x:.1f}" for other, x in times.items()), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
