"""The words that topics are shown by: softcount's beside those of NMF, LDA, tomotopy and gensim.

SOFTCOUNT_WRITE=1 python bench/bench_topic_words.py [--topics 20] [--seeds 4] [--texts TEXT …] [--tools TOOL …]

NPMI of the ten words of each topic in the documents that it was trained on, diversity (different words among all that
are shown), and the share of the shown words that are in over a quarter of the documents. Every tool shows its words as
it does (others by their weight in the topic), and once more by class tf-idf (BERTopic's: the frequency of a word in a
topic's documents times log(1 + words of a class / frequency of the word)), alike for all. Each is a process of its own
with one thread; CPU seconds are from its start to its last byte. Text is as it is: no word is left out, nor stemmed.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path
from typing import Any

import bench_documents
import numpy as np
from bench_documents import COMMAND, as_text, run
from corpora import folder, shell_line
from measured import Measured
from scipy import sparse

from softcount import load
from softcount.evaluate.topics import TOP, diversity, npmi, relevance
from softcount.text.document_reader import read_documents
from softcount.text.documents import Documents, documents

COMMON = 0.25
PLAIN = "softcount topics --background none, by relevance (0.2)"
OURS = "softcount topics"
TOOLS = (OURS, PLAIN, "NMF, tf-idf", "scikit-learn LDA, batch", "tomotopy LDA, 200 steps", "gensim LDA, 10 passes")
SIDES = {
    "Hansards, French": ("hansards-en-fr", "train.tgt"), "Hansards, English": ("hansards-en-fr", "train.src"),
    "Europarl, Spanish": ("europarl-en-es", "train.tgt"), "Europarl, English": ("europarl-en-es", "train.src"),
}  # fmt: skip
BY_FILE = {"Brown": "pos-brown-en", "WSJ": "pos-wsj-sample-en"}
SENTENCES, SHORT = 20, range(9, 13)  # sentences of a document; words of a short one


def text(name: str) -> Documents | None:
    """The documents of a text; `name, short`: those of one sentence of 9 to 12 words."""
    if name in ("AP", "20 Newsgroups"):
        path = folder("docs-ap-en" if name == "AP" else "docs-20news-en")
        return path and read_documents(path / ("ap.ldac" if name == "AP" else "train.txt"))
    if name in BY_FILE:
        path = folder(BY_FILE[name])
        return path and documents(by_file(path))
    short = name.endswith(", short")
    place, file = SIDES[name.removesuffix(", short")]
    path = folder(place)
    if path is None:
        return None
    lines = [line.split() for line in (path / file).read_text(encoding="utf-8").split("\n")]
    if short:
        return documents([line for line in lines if len(line) in SHORT])
    parts = ([w for line in lines[k : k + SENTENCES] for w in line] for k in range(0, len(lines), SENTENCES))
    return documents([part for part in parts if part])


def by_file(path: Path) -> list[list[str]]:
    ids, lines = ((path / f"all.{kind}").read_text(encoding="utf-8").split("\n") for kind in ("fileid", "tok"))
    groups = itertools.groupby(zip(ids, lines, strict=True), key=lambda pair: pair[0])
    found = [[word for _, line in group for word in line.split()] for _, group in groups]
    return [document for document in found if document]


def class_tfidf(data: Documents, topic: np.ndarray) -> np.ndarray:
    classes = sparse.csr_matrix((np.ones(len(data)), topic.argmax(axis=1), np.arange(len(data) + 1)), shape=topic.shape)
    counts = np.asarray((classes.T @ data.matrix()).todense())
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return share * np.log1p(counts.sum() / len(counts) / np.maximum(counts.sum(axis=0), 1e-300))


def shown(data: Documents, rank: np.ndarray) -> tuple[float, float, float]:
    tops = np.argsort(-rank, axis=1, kind="stable")[:, :TOP]
    common = (data.document_frequencies[tops] > COMMON * len(data)).mean()
    return float(npmi(data, tops).mean()), diversity(tops), float(common)


def measured(data: Documents, tool: str, train: Path, n_topics: int, seed: int) -> list[float]:
    if tool not in (OURS, PLAIN):
        topic, word, seconds, _ = run(tool, train, n_topics, seed)
        return [*shown(data, word), *shown(data, class_tfidf(data, topic))[:2], seconds]
    more = ["--background", "none"] if tool == PLAIN else []
    topic, word, seconds, _ = run(COMMAND, train, n_topics, seed, *more)
    model: Any = load(train.with_name("out.model"))
    rank = np.zeros(word.shape)
    own = relevance(model.word_, model.prevalence_) if tool == PLAIN else model._rank()
    rank[:, [int(name) for name in model.vocabulary_.words]] = own
    return [*shown(data, rank), *shown(data, class_tfidf(data, topic))[:2], seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--texts", nargs="*", default=["20 Newsgroups", "AP", *SIDES, *BY_FILE])
    parser.add_argument("--tools", nargs="*", default=list(TOOLS))
    options = parser.parse_args()
    print(shell_line())
    name = "topic-words" if options.topics == 20 else f"topic-words-{options.topics}"
    kept = Measured(name, {"text": "", "tool": "", "seeds": "", "NPMI": ".3f", "diversity": ".2f",
                           "words in over 25 %": ".2f", "NPMI, class tf-idf": ".3f", "diversity, class tf-idf": ".2f",
                           "CPU s": ".1f"}, keys=2)  # fmt: skip
    for title in options.texts:
        data = text(title)
        if data is None:
            continue
        with tempfile.TemporaryDirectory() as work:
            train = Path(work) / "train.npz"
            sparse.save_npz(train, sparse.csr_matrix(data.matrix()))
            as_text(data, train.with_suffix(".ldac"))
            for tool in options.tools:
                seeds = options.seeds if tool == OURS else 1
                found = [measured(data, tool, train, options.topics, seed) for seed in range(seeds)]
                kept.add(title, tool, seeds, *np.mean(found, axis=0))


if __name__ == "__main__":
    bench_documents.warnings.simplefilter("ignore")
    main()
