"""Scores with what they are made of: statistics of every item, and how far the scores would move on another sample.

    measure_links(gold, found)["aer"]   → Interval(score=0.21, low=0.18, high=0.25)

Every score is of the sum of its items' statistics, so that items can be drawn again (evaluate/interval.py) and so that
anybody can see which of them cost most. Items are sentence pairs for links, sentences for tags and trees, documents
for clusters, and topics for coherence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.errors import InputError
from softcount.evaluate.clustering import (
    ari,
    identify,
    lengths_of,
    many_to_one,
    nmi,
    one_to_one,
    v_measure,
    vi_bits,
)
from softcount.evaluate.interval import Interval, check_samples
from softcount.evaluate.links import Link, LinkCounts, count_links, link_scores
from softcount.numbers.ragged import Array

if TYPE_CHECKING:
    from softcount.evaluate.clustering import Labels
    from softcount.text.corpus import Corpus
    from softcount.text.documents import Documents
    from softcount.text.trees import Tree

Scores = Callable[[Array], dict[str, float]]  # of the sum of items' statistics

TAG_SCORES: dict[str, Callable[[Array], float]] = {
    "many_to_one": many_to_one,
    "one_to_one": one_to_one,
    "vi_bits": vi_bits,
    "v_measure": v_measure,
}
CLUSTER_SCORES: dict[str, Callable[[Array], float]] = {
    "nmi": nmi,
    "ari": ari,
    "vi_bits": vi_bits,
    "purity": many_to_one,
    "v_measure": v_measure,
}


@dataclass(frozen=True)
class Measured:
    """Scores with bootstrap confidence intervals, and the statistics of every item.

    Attributes
    ----------
    scores : mapping of str to Interval
        By name the score, and between which bounds it lies in the share `level` of the samples.
    statistics : mapping of str to array
        By name one number for every item, in the order of the items.
    level : float
        The share of the samples between the bounds.
    """

    scores: Mapping[str, Interval]
    statistics: Mapping[str, Array]
    level: float

    def __getitem__(self, name: str) -> Interval:
        return self.scores[name]

    def __str__(self) -> str:
        width = max(map(len, self.scores))
        rows = (f"{name:<{width}}  {s.score:.4f}  ({s.low:.4f} to {s.high:.4f})" for name, s in self.scores.items())
        n = len(next(iter(self.statistics.values())))
        return "\n".join([*rows, f"{n:,} items; the interval covers {self.level:.0%} of the bootstrap samples"])


def measure_links(
    gold: Sequence[Any], found: Sequence[Iterable[Link]], *, level: float = 0.95, samples: int = 1000,
    random_state: int = 0,
) -> Measured:  # fmt: skip
    """Measure word links against gold links: AER, precision, recall and F1.

    Parameters
    ----------
    gold : list
        Of every pair its links (i, j), or (sure links, possible links), as `softcount.links.pharaoh.read_links` gives.
    found : list
        Of every pair the links found, as `WordAligner.align` gives them.
    level, samples, random_state
        Of the intervals: see `bootstrap`.

    Returns
    -------
    Measured
        Statistics: found, sure, possible, found_sure, found_possible.
    """
    table, scores = link_table(gold, found)
    columns = dict(zip(LinkCounts._fields, table.T, strict=True))
    return Measured(_intervals(table, scores, level, samples, random_state), columns, level)


def link_table(gold: Sequence[Any], found: Sequence[Iterable[Link]]) -> tuple[Array, Scores]:
    """Of every pair a row of `LinkCounts`, and what their sums score."""
    _in_step(gold, found, "pairs")
    counts = [count_links(_plain(one), *_sure_and_possible(truth)) for truth, one in zip(gold, found, strict=True)]

    def scores(sums: Array) -> dict[str, float]:
        return link_scores(LinkCounts(*sums.tolist()))._asdict()

    return np.array(counts, dtype=np.float64).reshape(-1, len(LinkCounts._fields)), scores


def _sure_and_possible(truth: Any) -> tuple[Iterable[Link], Iterable[Link]]:
    """A pair of sets of links; or the links, all of them sure."""
    if isinstance(truth, tuple) and len(truth) == 2 and not any(isinstance(part, int) for part in truth):
        first = next(chain(*truth), None)
        if first is None or isinstance(first, tuple):
            return _plain(truth[0]), _plain(truth[1])
    return _plain(truth), ()


def _plain(links: Iterable[Any]) -> list[Link]:
    """Without probabilities, which `align` may give."""
    return [(int(link[0]), int(link[1])) for link in links]


def measure_tags(
    gold: Labels, predicted: Labels, *, level: float = 0.95, samples: int = 200, random_state: int = 0
) -> Measured:
    """Measure tags against gold tags: many-to-one and one-to-one accuracy, VI (bits) and V-measure.

    Parameters
    ----------
    gold, predicted : list
        Sentences of tags.
    level, samples, random_state
        Of the intervals: see `bootstrap`.

    Returns
    -------
    Measured
        Statistics of every sentence: tokens, and right, by the many-to-one names of the whole text.
    """
    return _labels(gold, predicted, lengths_of(gold), lengths_of(predicted), TAG_SCORES, level, samples, random_state)


def measure_clusters(
    gold: Sequence[Any], predicted: Sequence[Any], *, level: float = 0.95, samples: int = 200, random_state: int = 0
) -> Measured:
    """Measure clusters against gold classes: NMI, ARI, VI (bits), purity and V-measure.

    Parameters
    ----------
    gold, predicted : list or array
        The class, and the cluster, of every item.
    level, samples, random_state
        Of the intervals: see `bootstrap`.

    Returns
    -------
    Measured
        Statistics of every item: tokens, which is one, and right, whether its cluster is named after its class.
    """
    _in_step(gold, predicted, "items")
    ones = [1] * len(gold)
    return _labels(list(gold), list(predicted), ones, ones, CLUSTER_SCORES, level, samples, random_state)


def measure_trees(
    gold: Sequence[Tree], predicted: Sequence[Tree | None], *, level: float = 0.95, samples: int = 1000,
    random_state: int = 0,
) -> Measured:  # fmt: skip
    """Measure parse trees against gold trees: bracket precision, recall and F1 in EVALB's convention.

    Parameters
    ----------
    gold : list of Tree
    predicted : list of Tree or None
        None where a sentence has no tree.
    level, samples, random_state
        Of the intervals: see `bootstrap`.

    Returns
    -------
    Measured
        Statistics of every sentence: matched, predicted and gold brackets, and more.
    """
    from softcount.evaluate.trees import TreeCounts

    table, scores = tree_table(gold, predicted)
    columns = dict(zip(TreeCounts._fields, table.T, strict=True))
    return Measured(_intervals(table, scores, level, samples, random_state), columns, level)


def tree_table(
    gold: Sequence[Tree], predicted: Sequence[Tree | None], where: Callable[[int], str] = "sentence {}".format
) -> tuple[Array, Scores]:
    """Of every sentence a row of `TreeCounts`, and what their sums score; `where` names sentence 1, 2, …"""
    from softcount.evaluate.trees import TreeCounts, count_brackets, tree_scores

    _in_step(gold, predicted, "sentences")
    pairs = enumerate(zip(gold, predicted, strict=True), 1)
    counts = [count_brackets(truth, one, where(number)) for number, (truth, one) in pairs]

    def scores(sums: Array) -> dict[str, float]:
        return tree_scores(TreeCounts(*sums.astype(int).tolist()))._asdict()

    return np.array(counts, dtype=np.float64).reshape(-1, len(TreeCounts._fields)), scores


def measure_topics(
    tops: Any, documents: Documents | Any, *, level: float = 0.95, samples: int = 1000, random_state: int = 0
) -> Measured:
    """Measure topics: coherence (NPMI and C_V of their top words) and topic diversity.

    Parameters
    ----------
    tops : mapping or list
        Of every topic its words, as `PLSA.top_words` gives them, or word ids, [topics, words].
    documents : list of str, list of token lists, path, or Documents
        Where it is counted which words stand together; C_V needs their order, which Documents do not have.
    level, samples, random_state
        Of the intervals, for which topics are drawn again: see `bootstrap`.

    Returns
    -------
    Measured
        Statistics of every topic: npmi; distinct, the share of its words that no other topic has; diversity, its share
        of the different words of all topics; and c_v, where the order of words is known or no document has more than
        110 of them. Scores are their means.
    """
    from softcount.evaluate.topics import c_v, can_have_windows, npmi

    data, ordered = counted(documents)
    rows = _word_ids(tops, data)
    names, times = np.unique(np.concatenate(rows), return_counts=True)
    listed = dict(zip(names.tolist(), times.tolist(), strict=True))
    columns = {
        "npmi": np.concatenate([npmi(data, row[None]) for row in rows]),
        "distinct": np.array([np.mean([listed[v] == 1 for v in row.tolist()]) for row in rows]),
        "diversity": np.array([np.mean([1.0 / listed[v] for v in row.tolist()]) for row in rows]),
    }
    if can_have_windows(ordered):
        columns["c_v"] = np.concatenate([c_v(ordered, row[None]) for row in rows])
    table = np.column_stack([*columns.values(), np.ones(len(rows))])

    def scores(sums: Array) -> dict[str, float]:
        return {name: float(total / sums[-1]) for name, total in zip(columns, sums, strict=False)}

    return Measured(_intervals(table, scores, level, samples, random_state), columns, level)


def counted(documents: Any, lowercase: bool = False) -> tuple[Documents, Documents | Corpus]:
    """Documents, and the same with the order of their words, where it is known."""
    from softcount.text.corpus import corpus
    from softcount.text.document_reader import read_in_order
    from softcount.text.documents import Documents
    from softcount.text.documents import documents as counts_of

    if isinstance(documents, str | Path):
        data, ordered = read_in_order(documents, lowercase=lowercase)
        return data, data if ordered is None else ordered
    if isinstance(documents, Documents) or hasattr(documents, "read_as"):
        data = counts_of(documents, lowercase=lowercase)
        return data, data
    texts = list(documents)
    return counts_of(texts, lowercase=lowercase), corpus(texts, lowercase=lowercase)


def _word_ids(tops: Any, data: Documents) -> list[Array]:
    listed = list(tops.values()) if isinstance(tops, Mapping) else list(tops)
    if not listed or not all(len(row) for row in listed):
        raise InputError("a topic has no words; give at least one word per topic")
    rows = [[one[0] if isinstance(one, tuple) else one for one in row] for row in listed]
    if not isinstance(rows[0][0], str):
        return [np.asarray(row, dtype=np.int64) for row in rows]
    if data.vocabulary is None:
        raise InputError("the documents' columns have no names; give word ids, or documents with words")
    ids = [data.vocabulary.find(row) for row in rows]
    for row, found in zip(rows, ids, strict=True):
        for k in np.flatnonzero(found < 0).tolist():
            raise InputError(f"the documents have no word {row[k]!r}; use documents that contain the topics' words")
    return [found.astype(np.int64) for found in ids]


# --- within -----------------------------------------------------------------------------------------------------------


def _in_step(gold: Sequence[Any], found: Sequence[Any], what: str) -> None:
    if len(gold) != len(found):
        raise InputError(f"gold has {len(gold)} {what}, but found has {len(found)}; they must be parallel")


def _labels(
    gold: Labels, predicted: Labels, n_gold: Sequence[int], n_predicted: Sequence[int],
    by_name: Mapping[str, Callable[[Array], float]], level: float, samples: int, random_state: int,
) -> Measured:  # fmt: skip
    """Of every item the table of its gold and found labels, a row of a sparse table of all."""
    from scipy import sparse

    if list(n_gold) != list(n_predicted):
        wrong = next((i for i, (a, b) in enumerate(zip(n_gold, n_predicted, strict=False), 1) if a != b), None)
        raise InputError(f"{'' if wrong is None else f'sentence {wrong}: '}gold and predicted differ in length")
    (g, n_classes), (c, n_clusters) = identify(gold), identify(predicted)
    if not len(g):
        raise InputError("no labelled items to score; check that the file is not empty")
    rows = np.repeat(np.arange(len(n_gold)), n_gold)
    cells = g.astype(np.int64) * n_clusters + c
    shape = (n_classes, n_clusters)
    table = sparse.csr_matrix((np.ones(len(cells)), (rows, cells)), shape=(len(n_gold), n_classes * n_clusters))

    def scores(sums: Array) -> dict[str, float]:
        counts = np.rint(sums).astype(np.int64).reshape(shape)
        return {name: score(counts) for name, score in by_name.items()}

    names = np.asarray(table.sum(axis=0)).reshape(shape).argmax(axis=0)
    right = np.bincount(rows, names[c] == g, len(n_gold))
    columns = {"tokens": np.asarray(n_gold, dtype=np.float64), "right": right}
    return Measured(_intervals(table, scores, level, samples, random_state), columns, level)


def _intervals(table: Any, scores: Scores, level: float, samples: int, random_state: int) -> dict[str, Interval]:
    """Of every score by the same samples: a row of `table` for every item, dense or sparse."""
    n = table.shape[0]
    check_samples(n, level, samples)
    rng = np.random.default_rng(random_state)
    whole = scores(np.asarray(table.sum(axis=0)).ravel())
    drawn: dict[str, list[float]] = {name: [] for name in whole}
    for _ in range(samples):
        times = rng.multinomial(n, np.full(n, 1.0 / n))
        sums = np.asarray(times @ table).ravel()
        if not sums.any():
            continue
        for name, score in scores(sums).items():
            drawn[name].append(score)
    bounds = [0.5 - level / 2.0, 0.5 + level / 2.0]
    return {
        name: Interval(float(score), *(float(b) for b in np.nanquantile(drawn[name] or [score], bounds)))
        for name, score in whole.items()
    }
