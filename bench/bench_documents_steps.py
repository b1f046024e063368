"""20 Newsgroups: PLSA beside enstop and NMF, k-means beside scikit-learn's, Naive Bayes beside a sparse product.

python bench/bench_documents.py [folder of docs-20news-en] [--topics 20 100] [--rounds 4] [--seeds 2]

CPU seconds of one thread, the least of several rounds in which all take turns, so that a busy machine is unkind to all.
Perplexity, NPMI and NMI are means over seeds. A whole default run of `softcount topics` is
timed as its user waits for it. It ends with the bars, and whether each is met.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import newsgroups
import numpy as np
import whole
from corpora import folder, shell_line
from measured import Measured
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.decomposition import NMF
from threadpoolctl import threadpool_limits

from softcount import PLSA, KMeans, NaiveBayesMixture
from softcount.engines import Threads
from softcount.evaluate.clustering import cluster_scores, contingency
from softcount.evaluate.topics import npmi
from softcount.loop.estep import EStep
from softcount.loop.start import random_start
from softcount.models.mixture import Mixture
from softcount.text.tfidf import directions

STEPS, ROUNDS, FITTED, SEEDS = 10, 4, 100, 2
TEMPERED = "annealed(start=0.8,stop=0.8)"
SMOOTHED = {"topic": 0.0, "word": 0.02}
PLAIN, DEFAULT, SMOOTH, TEMPERED_SMOOTH = (
    f"softcount {what}" for what in ("EM", "EM, 200 steps (default)", "EM, 200, words + 0.02", "tempered, words + 0.02")
)
# × less CPU than enstop, than NMF in float32 and in float64; perplexity of EM and of tempered EM on another matrix
BARS = {20: (4.0, 8.0, 8.0, 2800, 2700), 100: (9.0, 8.0, 8.0, 2430, 2250)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of timing; the least counts")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of which perplexity, NPMI and NMI are the means")
    parser.add_argument("--topics", type=int, nargs="*", default=[20, 100])
    options = parser.parse_args()
    data = newsgroups.read(options.folder)
    if data is None:
        return
    print(f"{shell_line()}\ntrain {data.train}\ntest  {data.test}")
    print(f"held-out perplexity of the unigram: {newsgroups.unigram(data.train, data.test):,.0f}\n", flush=True)
    bars = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n_topics in options.topics:
            peers = Peers(data.train, n_topics)
            bars += topic_bars(n_topics, speed(peers, options.rounds), quality(data, peers, range(options.seeds)))
        bars += k_means(data.train, data.gold)
        naive_bayes(data.train, data.gold)
    whole.table("topics", (options.folder or folder("docs-20news-en")) / "train.txt", "--topics", 20, steps=2 * FITTED)
    print("\nbar" + " " * 83 + "measured        bar   met")
    for text, value, sign, bar in bars:
        met = value >= bar if sign == "≥" else value <= bar
        shown = (f"{v:,.2f}" if v < 100 else f"{v:,.0f}" for v in (value, bar))
        print("{:84} {:>10} {} {:>8}   {}".format(text, next(shown), sign, next(shown), "yes" if met else "NO"))


class Peers:
    """The same training by each library: softcount's estimator, enstop's kernels, scikit-learn's NMF."""

    def __init__(self, train, n_topics: int) -> None:
        self.train, self.n_topics = train, n_topics
        self.counts = train.matrix().astype(np.float32)
        self.kernels = enstop_kernels()

    def softcount(self, steps: int, seed: int = 0, criterion: str = "em", **settings) -> PLSA:
        model = PLSA(self.n_topics, criterion=f"{criterion}:{steps}", tolerance=0.0, random_state=seed, **settings)
        return model.fit(self.train)

    def nmf(self, steps: int, seed: int = 0, dtype=np.float32):
        """(document × topic, topic × word)"""
        model = NMF(self.n_topics, init="random", solver="mu", beta_loss="kullback-leibler", max_iter=steps, tol=0.0,
                    random_state=seed)  # fmt: skip
        activity = model.fit_transform(self.counts.astype(dtype, copy=False))
        return activity * model.components_.sum(axis=1), model.components_

    def enstop(self, steps: int, seed: int = 0):
        coo, rng = self.counts.tocoo(), np.random.default_rng(seed)
        topic = rng.dirichlet(np.ones(self.n_topics), len(self.train)).astype(np.float32)
        word = rng.dirichlet(np.ones(self.train.n_words), self.n_topics).astype(np.float32)
        cells = (coo.row.astype(np.int32), coo.col.astype(np.int32), coo.data)
        return self.kernels.plsa_fit_inner(*cells, word, topic, np.ones(len(self.train), np.float32), steps, 10, 0.0)


def enstop_kernels():
    """enstop.plsa without the package's __init__, which asks for more; None where enstop is not installed."""
    if "enstop.plsa" in sys.modules:
        return sys.modules["enstop.plsa"]
    spec = find_spec("enstop")
    if spec is None:
        print("enstop is not installed: left out (pip install --no-deps enstop)")
        return None
    package = types.ModuleType("enstop")
    package.__path__ = list(spec.submodule_search_locations or [])
    sys.modules["enstop"] = package
    try:
        import enstop.plsa
        import numba

        numba.set_num_threads(1)
        return enstop.plsa
    except Exception as error:
        print(f"enstop does not load: {error}")
        return None


def cpu(task) -> float:
    began = time.process_time()
    task()
    return time.process_time() - began


def in_turns(tasks: dict, rounds: int = ROUNDS) -> dict:
    """The least CPU time of each task; all take turns."""
    for task in tasks.values():
        task()  # compiles
    found = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            found[name].append(cpu(task))
    return {name: min(times) for name, times in found.items()}


def speed(peers: Peers, rounds: int) -> dict:
    """CPU seconds per iteration: two lengths of run, subtracted, as what a run costs once is not an iteration's."""
    runs = {
        "softcount float32": peers.softcount,
        "softcount float64": partial(peers.softcount, dtype="float64"),
        "enstop": peers.enstop,
        "NMF KL float32": peers.nmf,
        "NMF KL float64": partial(peers.nmf, dtype=np.float64),
    }
    if not peers.kernels:
        del runs["enstop"]
    tasks = {(name, n): partial(run, n) for n in (2, 2 + STEPS) for name, run in runs.items()}
    times = in_turns(tasks, rounds)
    each = {name: (times[name, 2 + STEPS] - times[name, 2]) / STEPS for name in runs}
    table = Measured("plsa-speed", {"topics": "", "": "", "ms of CPU per iteration": ".1f", "×": ".1f"}, keys=2)
    for name, seconds in each.items():
        table.add(peers.n_topics, name, seconds * 1e3, seconds / each["softcount float32"])
    return each


def quality(data, peers: Peers, seeds: range) -> dict:
    """Each library's topics in our evaluator."""
    makers = {
        PLAIN: lambda seed: peers.softcount(FITTED, seed),
        DEFAULT: lambda seed: peers.softcount(2 * FITTED, seed),
        SMOOTH: lambda seed: peers.softcount(2 * FITTED, seed, pseudo=SMOOTHED),
        "softcount tempered 0.8": lambda seed: peers.softcount(FITTED, seed, TEMPERED),
        TEMPERED_SMOOTH: lambda seed: peers.softcount(FITTED, seed, TEMPERED, pseudo=SMOOTHED),
        "enstop": lambda seed: peers.enstop(FITTED, seed),
        "NMF KL": lambda seed: peers.nmf(FITTED, seed),
    }
    if not peers.kernels:
        del makers["enstop"]
    means = {}
    for name, make in makers.items():
        found = [scores_of(as_plsa(data.train, make(seed), peers.n_topics), data) for seed in seeds]
        means[name] = np.mean(found, axis=0)
    print(f"\n{peers.n_topics} topics, {FITTED} iterations, {len(seeds)} seed(s)")
    form = {"topics": "", "": "", "perplexity": ",.0f", "NPMI": ".3f", "NMI with the newsgroups": ".3f"}
    table = Measured("plsa-steps", form, keys=2)
    for name, row in means.items():
        table.add(peers.n_topics, name, *row)
    return {name: row[0] for name, row in means.items()}


def as_plsa(train, tables, n_topics: int) -> PLSA:
    """Anybody's tables in our evaluator: the same folding in, the same prior, the same tokens."""
    if isinstance(tables, PLSA):
        return tables
    topic, word = (np.asarray(table, float) for table in tables)
    model = PLSA(n_topics, criterion="em:0").fit(train)
    model.components_ = word / np.maximum(word.sum(axis=1, keepdims=True), 1e-300)
    model.topic_ = topic / np.maximum(topic.sum(axis=1, keepdims=True), 1e-300)
    model.prevalence_ = train.totals() @ model.topic_ / train.n_tokens
    return model


def scores_of(model: PLSA, data) -> tuple[float, float, float]:
    tops = np.argsort(-model.components_, axis=1)[:, :10]
    table = contingency(data.gold, model.topic_.argmax(axis=1), 20, model.n_topics)
    return model.perplexity(data.test), npmi(data.train, tops).mean(), cluster_scores(table)["nmi"]


def topic_bars(n_topics: int, times: dict, scores: dict) -> list:
    """(what, measured, ≥ or ≤, bar)"""
    if n_topics not in BARS:
        return []
    ours, rows = times["softcount float32"], []
    *factors, plain, tempered = BARS[n_topics]
    for peer, factor in zip(("enstop", "NMF KL float32", "NMF KL float64"), factors, strict=True):
        if peer in times:
            rows.append(
                (f"PLSA, {n_topics} topics: × less CPU per iteration than {peer}", times[peer] / ours, "≥", factor)
            )
    # An iteration of NMF updates one table and then the other: two E-steps, so it is held against twice as many steps.
    same_run = [("enstop", PLAIN), ("NMF KL", DEFAULT)]
    beside = [(ours, f"{peer}'s", scores[peer]) for peer, ours in same_run if peer in scores]
    elsewhere = [(SMOOTH, "another matrix's", plain), (TEMPERED_SMOOTH, "another matrix's", tempered)]
    for name, whose, bar in beside + elsewhere:
        rows.append((f"PLSA, {n_topics} topics: perplexity, {name}, {whose}", scores[name], "≤", bar))
    return rows


def k_means(train, gold) -> list:
    X = directions(train)
    # Means of ten documents each: single ones share no word with many others, and how a tie is rounded would decide.
    picked = np.random.default_rng(0).choice(len(train), (20, 10), replace=False)
    start = np.stack([np.asarray(X[rows].mean(axis=0)).ravel() for rows in picked])
    found = {}

    def ours():
        found["softcount"] = KMeans(20, start=start, criterion="hard:20").fit(X)

    def sklearn():
        found["scikit-learn"] = SklearnKMeans(20, init=start, n_init=1, max_iter=20, tol=0, algorithm="lloyd").fit(X)

    times = in_turns({"softcount": ours, "scikit-learn": sklearn})
    print("k-means, tf-idf, 20 clusters   CPU s   steps     inertia      NMI   purity")
    for name, model in found.items():
        scores = cluster_scores(contingency(gold, model.labels_, 20, 20))
        row = f"{times[name]:6.2f} {model.n_iter_:7} {model.inertia_:11,.2f}"
        print(f"  {name:26} {row} {scores['nmi']:8.3f} {scores['purity']:8.3f}")
    print(flush=True)
    same = found["softcount"].inertia_ / found["scikit-learn"].inertia_
    faster = times["scikit-learn"] / times["softcount"]
    return [
        ("k-means: scikit-learn's CPU by ours", faster, "≥", 1.0),
        ("k-means: our inertia by theirs", same, "≤", 1 + 1e-9),
    ]


def naive_bayes(train, gold) -> None:
    model = Mixture(20, train.n_words)
    X, share = train.matrix(), np.random.default_rng(0).random((len(train), 20))
    layout = model.layout
    tables = random_start(layout, (0,))
    weights = type(layout)(*(spec.family.log_weights(t) for spec, t in zip(layout, tables, strict=True)))
    by_word, transposed = np.ascontiguousarray(weights.word.T), X.T.tocsr()
    with Threads(1) as engine:
        data = EStep(model, train, engine)
        times = in_turns({"E-step": lambda: data(weights), "products": lambda: (X @ by_word, transposed @ share)})
    print(f"Naive Bayes, 20 classes: E-step {times['E-step'] * 1e3:.1f} ms of CPU; scipy's two sparse products alone")
    print(f"  (X @ W and Xᵀ @ R, without the posteriors between them) {times['products'] * 1e3:.1f} ms")
    print("mixture of 20                  NMI   purity")
    for start in ("kmeans", "random"):
        found = (NaiveBayesMixture(20, start=start, random_state=seed).fit(train) for seed in range(SEEDS))
        scores = [cluster_scores(contingency(gold, model.labels_, 20, 20)) for model in found]
        nmi, purity = (np.mean([s[key] for s in scores]) for key in ("nmi", "purity"))
        print(f"  from {start:20} {nmi:8.3f} {purity:8.3f}   ({SEEDS} seeds)", flush=True)


if __name__ == "__main__":
    main()
