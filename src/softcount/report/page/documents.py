"""Topics and clusters on the page: words and sizes, a map of topics, the documents of each, and a box to ask in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.report.overview import overview
from softcount.report.page import points
from softcount.report.page.across import across
from softcount.report.page.element import Html, bar, el, joined, table
from softcount.report.page.frame import Section

if TYPE_CHECKING:
    from softcount.text.documents import Documents

TYPICAL = 12  # words of a topic
ASKED = 2000  # words that the page can be asked about
DOCUMENTS = 5  # of each topic
BEGINNING = 12  # words of a document that are shown
NAMED = 15  # topics of a map that are named there
MAP, LETTER = (520, 340), 6.3  # the size of the map, and of a letter on it


def topic_sections(model: Any, data: Documents | None, by: Sequence[str] | None = None) -> Iterator[Section]:
    """`by` has a class or a time of every document."""
    tops = model.top_words(TYPICAL)
    names = [f"{h}: " + " ".join(str(word) for word, _ in tops[h][:3]) for h in range(len(model.word_))]
    yield Section("topics", "Topics", _topics(model, tops), _asked(model, names))
    if len(model.word_) > 2:
        yield Section("map", "Which topics are alike", _map(model, names))
    if data is not None:
        shares = model.transform(data)
        yield Section("documents", "Documents of each topic", _documents(shares, names, data))
        if by is not None:
            yield Section("by", "Topics by column", across(np.asarray(shares), names, by, "topic"))


def cluster_sections(model: Any, data: Documents | None, by: Sequence[str] | None = None) -> Iterator[Section]:
    labels = None if data is None else [str(label) for label in model.predict(data)]
    if getattr(model, "vocabulary_", None) is None and model.kind != "naive bayes mixture":
        yield from points.sections(model, data)
        return
    names = model.classes_.tolist() if model.kind == "naive bayes mixture" else range(model.n_clusters)
    found = Counter(labels or ())
    seen = overview(model, TYPICAL, None if labels is None else np.array([found[str(name)] for name in names]))
    assert seen is not None
    groups = sorted(seen.groups, key=lambda group: (-group.share, group.name))
    greatest = max((group.share for group in groups), default=0.0)
    rows = [(g.name, f"{g.size:,}", f"{g.share:.1%}", bar(g.share, greatest), " ".join(g.words)) for g in groups]
    head = ("name", "documents", "share", "", "words that tell it from the others")
    told = "How many documents each has, and the words that they have more often than others."
    body = joined([el("p", told, cls="hint"), table(head, rows, "By size", numbers=(1, 2))])
    yield Section("clusters", "Clusters", body)
    if data is not None and labels is not None:
        listed = [group.name for group in groups]
        yield Section("documents", "Documents of each cluster", _members(labels, listed, data))
        if by is not None:
            shares = np.array([[float(label == name) for name in listed] for label in labels])
            yield Section(
                "by", "Clusters by column", across(shares, [f"cluster {name}" for name in listed], by, "cluster")
            )


def _topics(model: Any, tops: dict[int, list[tuple[Any, float]]]) -> Html:
    order = np.argsort(-np.asarray(model.prevalence_), kind="stable").tolist()
    greatest = float(np.max(model.prevalence_))
    rows = [
        (str(h), f"{model.prevalence_[h]:.1%}", bar(float(model.prevalence_[h]), greatest), _words(tops[h]))
        for h in order
    ]
    head = ("topic", "prevalence", "", "words")
    box = Html('<input type="search" id="query" autocomplete="off" spellcheck="false">')
    ask = [
        el("h3", "Ask it"),
        el("label", "Type a text; its topics are computed here, in the page. ", box),
        el("p", "", id="query-answer", role="status", cls="found"),
    ]
    told = "Which share of all words each has, and its most probable words."
    return joined([el("p", told, cls="hint"), table(head, rows, "By prevalence", numbers=(1,)), *ask])


def _words(top: Sequence[tuple[Any, float]]) -> str:
    return " ".join(str(word) for word, _ in top)


def _asked(model: Any, names: Sequence[str]) -> dict[str, Any]:
    """P(w|h) of the most frequent words that topics are told by, in three digits."""
    words = np.asarray(model.word_)
    best = np.argsort(-(model.prevalence_ @ words), kind="stable")[:ASKED]
    listed = [str(name) for name in model._names(None)]
    return {
        "words": [listed[v] for v in best],
        "table": [[float(f"{p:.3g}") for p in row] for row in words[:, best]],
        "prior": [round(float(p), 6) for p in model.prevalence_],
        "names": list(names),
    }


def _map(model: Any, names: Sequence[str]) -> Html:
    """Topics in the plane that keeps most of their distances (classical scaling of √P(w|h): Hellinger's distance)."""
    at, share = _plane(np.sqrt(np.asarray(model.word_)))
    radius = 6 + 22 * np.sqrt(model.prevalence_ / np.max(model.prevalence_))
    shown = []
    for h, (x, y) in enumerate(at):
        dot = el("circle", el("title", names[h]), cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius[h]:.1f}")
        shown += [dot, el("text", str(h), x=f"{x:.1f}", y=f"{y + 4:.1f}", text_anchor="middle")]
    if len(names) <= NAMED:
        told_by = [name.partition(": ")[2] for name in names]
        places = label_places(at, radius, told_by)
        shown += [el("text", said, x=f"{x:.1f}", y=f"{y:.1f}") for said, (x, y) in zip(told_by, places, strict=True)]
    said = f"A map of {len(names)} topics; near ones use like words"
    svg = el("svg", *shown, viewBox=f"0 0 {MAP[0]} {MAP[1]}", role="img", aria_label=said)
    told = f"Near topics use like words; the plane keeps {share:.0%} of what there is. Sizes are prevalences."
    return joined([el("p", told, cls="hint"), el("figure", svg, cls="map")])


def label_places(at: Array, radius: Array, words: Sequence[str]) -> list[tuple[float, float]]:
    """Where the words of each circle begin: beside, below or above it, where they meet the fewest circles and words."""
    taken = [(x - r, y - r, x + r, y + r) for (x, y), r in zip(at.tolist(), radius.tolist(), strict=True)]
    found = []
    for (x, y), r, said in zip(at.tolist(), radius.tolist(), words, strict=True):
        wide = LETTER * len(said)
        middle = min(max(x - wide / 2, 2), MAP[0] - wide - 2)
        sides = ((x + r + 4, y + 4), (x - r - 4 - wide, y + 4), (middle, y + r + 13), (middle, y - r - 5))
        boxes = [(a, b - 10, a + wide, b + 3) for a, b in sides]
        outside = [10 * (box[0] < 0 or box[2] > MAP[0]) for box in boxes]
        best = min(range(4), key=lambda k: outside[k] + sum(_meet(boxes[k], other) for other in taken))
        taken.append(boxes[best])
        found.append(sides[best])
    return found


def _meet(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _plane(rows: Array) -> tuple[Array, float]:
    centred = rows - rows.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    at = u[:, :2] * s[:2] if len(s) > 1 else np.column_stack([u[:, 0] * s[0], np.zeros(len(rows))])
    span = np.maximum(np.ptp(at, axis=0), 1e-12)
    placed = 40 + (at - at.min(axis=0)) / span * np.array([440.0, 260.0])
    return placed, float((s[:2] ** 2).sum() / max((s**2).sum(), 1e-300))


def _documents(shares: Array, names: Sequence[str], data: Any) -> Html:
    parts = []
    for h, name in enumerate(names):
        best = np.argsort(-shares[:, h], kind="stable")[:DOCUMENTS]
        items = [el("li", f"{shares[d, h]:.0%} · {_called(data, d)}: {_beginning(data, d)}") for d in best]
        parts.append(el("div", el("h3", name), el("ul", *items), cls="topic"))
    told = "Those with the largest share of it, by their most frequent words."
    return joined([el("p", told, cls="hint"), *parts])


def _members(labels: Sequence[str], names: Sequence[str], data: Any) -> Html:
    parts = []
    for name in names:
        members = [d for d, label in enumerate(labels) if label == name][:DOCUMENTS]
        items = [el("li", f"{_called(data, d)}: {_beginning(data, d)}") for d in members]
        parts.append(el("div", el("h3", f"cluster {name}" if name.isdigit() else name), el("ul", *items), cls="topic"))
    told = "The first of each, by their most frequent words."
    return joined([el("p", told, cls="hint"), *parts])


def _called(data: Any, d: int) -> str:
    return str(data.names[d]) if data.names else f"document {d + 1}"


def _beginning(data: Any, d: int) -> str:
    """Its most frequent words: documents are counts, their order is gone."""
    if data.vocabulary is None:
        return ""
    words, counts = (column[data.offsets[d] : data.offsets[d + 1]] for column in (data.words, data.counts))
    known = np.flatnonzero(words >= 0)
    best = known[np.argsort(-counts[known], kind="stable")[:BEGINNING]]
    return " ".join(data.vocabulary.words[words[k]] for k in best)
