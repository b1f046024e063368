"""20 Newsgroups: PLSA beside enstop and NMF, k-means beside scikit-learn's, Naive Bayes beside a sparse product.

python bench/bench_documents.py [folder with train.txt, train.label, test.txt] [--quick] [--topics 20 100]

CPU seconds of one thread, the least of several rounds in which all take turns, so that a busy machine is unkind to all.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from threadpoolctl import threadpool_limits

from softcount import PLSA, KMeans, NaiveBayesMixture
from softcount.engines import Threads
from softcount.estep import EStep
from softcount.evaluate.clustering import cluster_scores, contingency
from softcount.evaluate.topics import npmi
from softcount.models.mixture import Mixture
from softcount.start import random_start
from softcount.text.document_reader import read_documents
from softcount.text.documents import pruned, recoded
from softcount.text.tfidf import directions

FOLDER = "/work/shared/data/docs-20news-en"
STEPS, ROUNDS, FITTED = 10, 5, 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(FOLDER))
    parser.add_argument("--quick", action="store_true", help="two rounds, and no full run of NMF")
    parser.add_argument("--topics", type=int, nargs="*", default=[20, 100])
    options = parser.parse_args()
    folder = options.folder
    if not (folder / "train.txt").exists():
        print(f"skipped: no {folder / 'train.txt'}; give the folder of docs-20news-en")
        return
    train = pruned(read_documents(folder / "train.txt"), 8, 0.1, ENGLISH_STOP_WORDS)
    test = recoded(read_documents(folder / "test.txt"), train.vocabulary)
    gold = np.unique((folder / "train.label").read_text().split(), return_inverse=True)[1]
    print(f"train {train}\ntest  {test}\nheld-out perplexity of the unigram: {unigram(train, test):,.0f}\n")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = enstop_kernels()
        for n_topics in options.topics:
            topic_models(train, test, gold, n_topics, options.quick, peer)
        k_means(train, gold)
        naive_bayes(train, gold)


def unigram(train, test) -> float:
    p = (np.bincount(train.words, train.counts, train.n_words) + 0.01) / (train.n_tokens + 0.01 * train.n_words)
    return float(np.exp(-(test.counts @ np.log(p[test.words])) / test.counts.sum()))


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


def enstop_kernels():
    """enstop.plsa without the package's __init__, which asks for more; None where enstop is not installed."""
    spec = find_spec("enstop")
    if spec is None:
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


def topic_models(train, test, gold, n_topics: int, quick: bool, peer) -> None:
    X = train.matrix().astype(np.float32)
    coo = X.tocoo()
    rng = np.random.default_rng(0)
    topic = rng.dirichlet(np.ones(n_topics), len(train)).astype(np.float32)
    word = rng.dirichlet(np.ones(train.n_words), n_topics).astype(np.float32)
    arrays = (coo.row.astype(np.int32), coo.col.astype(np.int32), coo.data)
    ones = np.ones(len(train), np.float32)

    def ours(steps, dtype="float32", criterion="em"):
        return PLSA(n_topics, criterion=f"{criterion}:{steps}", tolerance=0.0, dtype=dtype, random_state=0).fit(train)

    def nmf(steps, dtype=np.float32):
        model = NMF(n_topics, init="random", solver="mu", beta_loss="kullback-leibler", max_iter=steps, tol=0.0,
                    random_state=0)  # fmt: skip
        return model.fit(X.astype(dtype))

    def enstop(steps):
        return peer.plsa_fit_inner(*arrays, word.copy(), topic.copy(), ones, steps, 10, 0.0)

    # Two lengths of run, subtracted: what a run costs once is not what an iteration costs.
    tasks = {}
    for steps in (2, 2 + STEPS):
        tasks |= {("softcount float32", steps): lambda steps=steps: ours(steps)}
        tasks |= {("softcount float64", steps): lambda steps=steps: ours(steps, "float64")}
        if peer:
            tasks |= {("enstop", steps): lambda steps=steps: enstop(steps)}
        tasks |= {("NMF KL float32", steps): lambda steps=steps: nmf(steps)}
        tasks |= {("NMF KL float64", steps): lambda steps=steps: nmf(steps, np.float64)}
    times = in_turns(tasks, 2 if quick else ROUNDS)
    names = dict.fromkeys(name for name, _ in tasks)
    each = {name: (times[name, 2 + STEPS] - times[name, 2]) / STEPS for name in names}
    if not peer:
        print("enstop is not installed: left out (pip install --no-deps enstop)")
    print(f"{n_topics} topics        ms of CPU per iteration    × softcount")
    for name, seconds in each.items():
        print(f"  {name:18} {seconds * 1e3:10.1f} {seconds / each['softcount float32']:20.1f}")
    reference = ours(FITTED)
    models = {
        "softcount EM": reference,
        "softcount tempered 0.8": ours(FITTED, criterion="annealed(start=0.8,stop=0.8)"),
    }
    if peer:
        found_topic, found_word = enstop(FITTED)
        models["enstop"] = as_plsa(reference, found_word, found_topic)
    if not quick:
        factor = NMF(n_topics, init="random", solver="mu", beta_loss="kullback-leibler", max_iter=FITTED, tol=0.0,
                     random_state=0)  # fmt: skip
        activity = factor.fit_transform(X)
        models["NMF KL"] = as_plsa(reference, factor.components_, activity * factor.components_.sum(axis=1))
    print(f"\n{n_topics} topics, {FITTED} iterations   perplexity     NPMI      NMI")
    for name, model in models.items():
        tops = np.argsort(-model.components_, axis=1)[:, :10]
        table = contingency(gold, model.topic_.argmax(axis=1), 20, n_topics)
        scores = model.perplexity(test), npmi(train, tops).mean(), cluster_scores(table)["nmi"]
        print(f"  {name:24} {scores[0]:10,.0f} {scores[1]:8.3f} {scores[2]:8.3f}")
    print(flush=True)


def as_plsa(reference, word, topic):
    """A peer's tables in our evaluator: the same folding in, the same tokens."""
    model = PLSA(reference.n_topics)
    model.__dict__.update(reference.__dict__)
    model.components_ = np.asarray(word, float) / np.maximum(np.sum(word, axis=1, dtype=float)[:, None], 1e-300)
    model.topic_ = topic / np.maximum(topic.sum(axis=1, keepdims=True), 1e-30)
    model.prevalence_ = model.topic_.mean(axis=0, dtype=float)
    return model


def k_means(train, gold) -> None:
    X = directions(train)
    rng = np.random.default_rng(0)
    start = X[rng.choice(len(train), 20, replace=False)].toarray()
    found = {}

    def ours():
        found["softcount"] = KMeans(20, start=start, criterion="hard:20").fit(X)

    def sklearn():
        found["scikit-learn"] = SklearnKMeans(20, init=start, n_init=1, max_iter=20, tol=0, algorithm="lloyd").fit(X)

    times = in_turns({"softcount": ours, "scikit-learn": sklearn}, 3)
    print("k-means, tf-idf, 20 clusters   CPU s   steps     inertia      NMI   purity")
    for name, model in found.items():
        scores = cluster_scores(contingency(gold, model.labels_, 20, 20))
        row = (
            f"{times[name]:6.2f} {model.n_iter_:7} {model.inertia_:11,.2f} {scores['nmi']:8.3f} {scores['purity']:8.3f}"
        )
        print(f"  {name:26} {row}")
    print(flush=True)


def naive_bayes(train, gold) -> None:
    model = Mixture(20, train.n_words)
    X, share = train.matrix(), np.random.default_rng(0).random((len(train), 20))
    layout = model.layout
    tables = random_start(layout, (0,))
    weights = type(layout)(*(spec.family.log_weights(t) for spec, t in zip(layout, tables, strict=True)))
    by_word = np.ascontiguousarray(weights.word.T)
    transposed = X.T.tocsr()
    with Threads(1) as engine:
        data = EStep(model, train, engine)
        times = in_turns({"E-step": lambda: data(weights), "products": lambda: (X @ by_word, transposed @ share)})
    print(f"Naive Bayes, 20 classes: E-step {times['E-step'] * 1e3:.1f} ms of CPU; scipy's two sparse products alone")
    print(f"  (X @ W and Xᵀ @ R, without the posteriors between them) {times['products'] * 1e3:.1f} ms")
    print("mixture of 20                  NMI   purity")
    for start in ("kmeans", "random"):
        scores = []
        for seed in range(3):
            found = NaiveBayesMixture(20, start=start, random_state=seed).fit(train)
            scores.append(cluster_scores(contingency(gold, found.labels_, 20, 20)))
        nmi, purity = (np.mean([s[key] for s in scores]) for key in ("nmi", "purity"))
        print(f"  from {start:20} {nmi:8.3f} {purity:8.3f}   (3 seeds)")


if __name__ == "__main__":
    main()
