"""Every number of a few steps of EM on a handful of documents, written out, as on paper.

mixture: responsibility[d, k] ∝ cluster[k] ∏ word[k, w]^count      plsa: P(h | d, w) ∝ topic[d, h] · word[h, w]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.machine.streams import put
from softcount.numbers.ragged import Array
from softcount.report.columns import show, six_digits
from softcount.text.documents import Documents

MOST = 60  # documents or words; beyond, nobody checks by hand


def explain_mixture(data: Documents, n_clusters: int, steps: int, pseudo: float, seed: int) -> dict[str, Any]:
    counts, words = _small(data)
    cluster, word = mixture_start(data, n_clusters, seed).values()
    shown = []
    for _ in range(steps):
        with np.errstate(divide="ignore"):
            scores = np.log(cluster) + counts @ np.log(np.maximum(word, 1e-300)).T
        log_p = np.logaddexp.reduce(scores, axis=1)
        share = np.exp(scores - log_p[:, None])
        expected = share.T @ counts
        shown.append(
            {
                "parameters": {"cluster": cluster.tolist(), "word": _named(word, words)},
                "responsibilities": share.tolist(),
                "counts": {"cluster": share.sum(axis=0).tolist(), "word": _named(expected, words)},
                "log_likelihood": float(log_p.sum()),
                "bound": _bound(share, scores),
            }
        )
        cluster, word = share.mean(axis=0), _normalized(expected + pseudo, word)
    return {"model": "mixture", "words": words, "documents": counts.tolist(), "steps": shown}


def explain_plsa(data: Documents, n_topics: int, steps: int, pseudo: float, seed: int) -> dict[str, Any]:
    counts, words = _small(data)
    topic, word = plsa_start(data, n_topics, seed).values()
    cells = np.argwhere(counts > 0)
    shown = []
    for _ in range(steps):
        joint = topic[cells[:, 0]] * word[:, cells[:, 1]].T  # a handful of documents: small enough to write out
        total = joint.sum(axis=1)
        share = joint / np.maximum(total, 1e-300)[:, None]
        weighted = share * counts[cells[:, 0], cells[:, 1]][:, None]
        by_topic, by_word = np.zeros_like(topic), np.zeros_like(word)
        np.add.at(by_topic, cells[:, 0], weighted)
        np.add.at(by_word.T, cells[:, 1], weighted)
        n = counts[cells[:, 0], cells[:, 1]]
        shown.append(
            {
                "parameters": {"topic": topic.tolist(), "word": _named(word, words)},
                "responsibilities": [
                    {"document": int(d) + 1, "word": words[w], "share": row.tolist()}
                    for (d, w), row in zip(cells, share, strict=True)
                ],
                "counts": {"topic": by_topic.tolist(), "word": _named(by_word, words)},
                "log_likelihood": float(n @ np.log(total)),
                "bound": _bound(share, np.log(np.maximum(joint, 1e-300)), n),
            }
        )
        topic, word = _normalized(by_topic + pseudo, topic), _normalized(by_word + pseudo, word)
    return {"model": "plsa", "words": words, "documents": counts.tolist(), "steps": shown}


def mixture_start(data: Documents, n_clusters: int, seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {"cluster": np.full(n_clusters, 1.0 / n_clusters), "word": _random(rng, n_clusters, data.n_words)}


def plsa_start(data: Documents, n_topics: int, seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {"topic": _random(rng, len(data), n_topics), "word": _random(rng, n_topics, data.n_words)}


def _bound(share: Array, scores: Array, weights: Array | None = None) -> float:
    """Σ q (log p(x, z) − log q): equals the log-likelihood, because q is the posterior."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share > 0, share * (scores - np.log(share)), 0.0).sum(axis=1)
    return float(terms.sum() if weights is None else weights @ terms)


def _small(data: Documents) -> tuple[Array, list[str]]:
    if len(data) > MOST or data.n_words > MOST:
        raise InputError(
            f"{data.source}: {len(data)} documents and {data.n_words} words, but explain shows at "
            f"most {MOST} of each; use fewer"
        )
    words = [str(v) for v in range(data.n_words)] if data.vocabulary is None else list(data.vocabulary.words)
    return np.asarray(data.matrix().toarray()), words


def _random(rng: np.random.Generator, rows: int, columns: int) -> Array:
    return _normalized(1.0 + rng.random((rows, columns)), np.ones((rows, columns)))


def _normalized(counts: Array, old: Array) -> Array:
    totals = counts.sum(axis=1, keepdims=True)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), old)


def _named(table: Array, words: list[str]) -> list[dict[str, float]]:
    return [dict(zip(words, row, strict=True)) for row in table.tolist()]


def print_documents(result: dict[str, Any], hidden: str) -> None:
    """What `explain_mixture` and `explain_plsa` found, step by step; `hidden` is what a hidden value is called."""
    for number, step in enumerate(result["steps"], 1):
        put(f"Step {number}: log-likelihood {step['log_likelihood']:.6f}, bound {step['bound']:.6f}\n")
        _show_tables("Parameters", step["parameters"], hidden, result["words"])
        _show_responsibilities(step["responsibilities"], hidden)
        _show_tables("Expected counts", step["counts"], hidden, result["words"])


def _show_tables(title: str, tables: dict[str, Any], hidden: str, words: list[str]) -> None:
    rows = [["all", *six_digits(tables["cluster"])]] if "cluster" in tables else [
        [f"document {d}", *six_digits(row)] for d, row in enumerate(tables["topic"], 1)
    ]  # fmt: skip
    before = len(rows)
    rows += [[word, *six_digits([row[word] for row in tables["word"]])] for word in words]
    show(title, ["", *(f"{hidden} {k}" for k in range(len(tables["word"])))], rows, breaks=(before,))


def _show_responsibilities(rows: list[Any], hidden: str) -> None:
    shares = [row["share"] if isinstance(row, dict) else row for row in rows]
    names = [
        f"document {row['document']}, {row['word']}" if isinstance(row, dict) else f"document {number}"
        for number, row in enumerate(rows, 1)
    ]
    lines = [[name, *six_digits(share)] for name, share in zip(names, shares, strict=True)]
    show("Responsibilities", ["", *(f"{hidden} {k}" for k in range(len(shares[0])))], lines)
