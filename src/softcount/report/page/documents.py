"""Topics and clusters on the page: words and sizes, a map of topics, the documents of each, and a box to ask in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.report.overview import overview
from softcount.report.page import points
from softcount.report.page.across import across
from softcount.report.page.element import Html, bar, el, joined, table
from softcount.report.page.frame import Section

if TYPE_CHECKING:
    from softcount.evaluate.topics import Coherence
    from softcount.text.documents import Documents

TYPICAL = 12  # words of a topic
ASKED = 2000  # words that the page can be asked about
DOCUMENTS = 5  # of each topic
BEGINNING = 12  # words of a document that are shown
NAMED = 15  # topics of a map that are named there
SPREAD = 0.5  # how much of a place on the map is its rank: one topic apart from all must not push these into a corner
MAP, LETTER = (520, 340), 6.3  # the size of the map, and of a letter on it


RANKS = {
    "documents": "ranked by the share of their documents in the topic",
    "relevance": "ranked by relevance (more frequent in the topic than elsewhere)",
}


def topic_sections(
    model: Any, data: Documents | None, by: Sequence[str] | None = None, coherence: Coherence | None = None
) -> Iterator[Section]:
    """`by` has a class or a time of every document."""
    seen = overview(model, TYPICAL, np.asarray(model.prevalence_))
    assert seen is not None
    tops = [group.words for group in seen.groups]
    names = [f"{h}: {' '.join(words[:3])}" for h, words in enumerate(tops)]
    yield Section("topics", "Topics", _topics(model, tops, coherence), _asked(model, names))
    if len(model.word_) > 2:
        yield Section("map", "Similar topics", _map(model, names))
    if data is not None:
        shares = model.transform(data)
        yield Section("documents", "Documents per topic", _documents(shares, names, data))
        if by is not None:
            yield Section("by", "Topics by class or time", across(np.asarray(shares), names, by, "topic"))


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
    head = ("cluster", "documents", "share", "", "distinctive words")
    told = "Number of documents per cluster, and the words that are more frequent in it than elsewhere."
    body = joined([el("p", told, cls="hint"), table(head, rows, "By size", numbers=(1, 2))])
    yield Section("clusters", "Clusters", body)
    if data is not None and labels is not None:
        named = {group.name: f"{group.name}: {' '.join(group.words[:3])}" for group in groups}
        yield Section("documents", "Documents per cluster", _members(labels, named, data))
        if by is not None:
            shares = np.array([[float(label == name) for name in named] for label in labels])
            yield Section("by", "Clusters by class or time", across(shares, list(named.values()), by, "cluster"))


def _topics(model: Any, tops: Sequence[Sequence[str]], coherence: Coherence | None) -> Html:
    order = np.argsort(-np.asarray(model.prevalence_), kind="stable").tolist()
    greatest = float(np.max(model.prevalence_))
    scores = _scores(coherence)
    rows = [
        (str(h), f"{model.prevalence_[h]:.1%}", bar(float(model.prevalence_[h]), greatest),
         *(f"{score[h]:.3f}" for score in scores.values()), " ".join(tops[h]))
        for h in order
    ]  # fmt: skip
    head = ("topic", "share of tokens", "", *scores, "top words")
    box = Html('<input type="search" id="query" autocomplete="off" spellcheck="false">')
    ask = [
        el("h3", "Classify a text"),
        el("label", "Type a text to see its topics; they are computed on this page. ", box),
        el("p", "", id="query-answer", role="status", cls="found"),
    ]
    told = f"Each topic's share of all tokens, and its top words, {RANKS[model.ranked_by_]}."
    if not model._ranks_documents:
        told += " This model was saved by an earlier version; train it again to rank words by documents."
    if coherence is not None:
        from softcount.evaluate.topics import TOP

        told += f" Coherence of its top {TOP} words: {', '.join(scores)}; mean over all topics: "
        told += " and ".join(f"{score.mean():.3f}" for score in scores.values())
        told += f". Topic diversity: {coherence.diversity:.0%} of these words are distinct."
    numbers = (1, *range(3, 3 + len(scores)))
    return joined([el("p", told, cls="hint"), table(head, rows, "By size", numbers=numbers), *ask])


def _scores(coherence: Coherence | None) -> dict[str, Array]:
    """Columns of the table of topics."""
    if coherence is None:
        return {}
    return {"NPMI": coherence.npmi} | ({} if coherence.c_v is None else {"C_V": coherence.c_v})


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
    """Topics in the plane that keeps most of their distances (classical scaling of √P(w|h): Hellinger's distance),
    pushed apart where their circles would cover one another."""
    at, share = _plane(np.sqrt(np.asarray(model.word_)))
    radius = _radii(np.asarray(model.prevalence_))
    at = apart(at, radius)
    shown = []
    for h, (x, y) in enumerate(at):
        dot = el("circle", el("title", names[h]), cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius[h]:.1f}")
        shown += [dot, el("text", str(h), x=f"{x:.1f}", y=f"{y + 4:.1f}", text_anchor="middle")]
    if len(names) <= NAMED:
        told_by = [name.partition(": ")[2] for name in names]
        places = label_places(at, radius, told_by)
        shown += [el("text", said, x=f"{at[0]:.1f}", y=f"{at[1]:.1f}")
                  for said, at in zip(told_by, places, strict=True) if at]  # fmt: skip
    said = f"Map of {len(names)} topics; nearby topics use similar words"
    svg = el("svg", *shown, viewBox=f"0 0 {MAP[0]} {MAP[1]}", role="img", aria_label=said)
    told = (
        f"Nearby topics use similar words (two dimensions explain {share:.0%} of the variance); the area "
        "of a circle is the topic's share."
    )
    told += " Point at a circle to see its words."
    return joined([el("p", told, cls="hint"), el("figure", svg, cls="map")])


def _radii(shares: Array) -> Array:
    """By the share of each, smaller where there are many."""
    most = min(22.0, 90.0 / np.sqrt(len(shares)))
    return np.asarray(9 + (most - 4) * np.sqrt(shares / shares.max()))


def apart(at: Array, radius: Array, rounds: int = 200) -> Array:
    """Circles that cover one another push each other away, each by half, until they only touch; all stay on the map."""
    turn = np.arange(len(at))
    at = np.asarray(at, dtype=float) + 0.01 * np.column_stack([np.cos(turn), np.sin(turn)])  # none on top of another
    edge = np.array(MAP) - radius[:, None]
    for _ in range(rounds):
        way = at[:, None, :] - at[None, :, :]
        far = np.sqrt((way**2).sum(axis=2)) + np.eye(len(at))
        lack = np.maximum(radius[:, None] + radius[None, :] + 2 - far, 0.0) * (1 - np.eye(len(at)))
        if not lack.any():
            break
        at = np.clip(at + 0.5 * ((lack / far)[:, :, None] * way).sum(axis=1), radius[:, None], edge)
    return at


def label_places(at: Array, radius: Array, words: Sequence[str]) -> list[tuple[float, float] | None]:
    """Where the words of each circle begin: beside, below or above it, where they meet no circle and no other words;
    nowhere, if there is no such place."""
    taken = [(x - r, y - r, x + r, y + r) for (x, y), r in zip(at.tolist(), radius.tolist(), strict=True)]
    found = list[tuple[float, float] | None]()
    for (x, y), r, said in zip(at.tolist(), radius.tolist(), words, strict=True):
        wide = LETTER * len(said)
        middle = min(max(x - wide / 2, 2), MAP[0] - wide - 2)
        sides = ((x + r + 4, y + 4), (x - r - 4 - wide, y + 4), (middle, y + r + 13), (middle, y - r - 5))
        boxes = [(a, b - 10, a + wide, b + 3) for a, b in sides]
        free = [k for k, box in enumerate(boxes) if _on_map(box) and not any(_meet(box, other) for other in taken)]
        taken += [boxes[k] for k in free[:1]]
        found.append(sides[free[0]] if free else None)
    return found


def _on_map(box: tuple[float, ...]) -> bool:
    return box[0] >= 0 and box[2] <= MAP[0] and box[1] >= 0 and box[3] <= MAP[1]


def _meet(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _plane(rows: Array) -> tuple[Array, float]:
    centred = rows - rows.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    at = u[:, :2] * s[:2] if len(s) > 1 else np.column_stack([u[:, 0] * s[0], np.zeros(len(rows))])
    span = np.maximum(np.ptp(at, axis=0), 1e-12)
    shares = (at - at.min(axis=0)) / span
    ranks = np.argsort(np.argsort(at, axis=0, kind="stable"), axis=0) / max(len(at) - 1, 1)
    spread = (1 - SPREAD) * shares + SPREAD * ranks if len(at) > 2 else shares
    return 40 + spread * np.array([440.0, 260.0]), float((s[:2] ** 2).sum() / max((s**2).sum(), 1e-300))


def _documents(shares: Array, names: Sequence[str], data: Any) -> Html:
    parts, words = [], _telling(data)
    for h in np.argsort(-shares.sum(axis=0), kind="stable").tolist():
        best = np.argsort(-shares[:, h], kind="stable")[:DOCUMENTS]
        items = [el("li", f"{shares[d, h]:.0%} · {_called(data, d)}: {words(d)}") for d in best]
        parts.append(el("div", el("h3", names[h]), el("ul", *items), cls="topic"))
    told = (
        "Documents with the largest share of the topic, with the words that are more frequent in them than elsewhere."
    )
    return joined([el("p", told, cls="hint"), *parts])


def _members(labels: Sequence[str], named: dict[str, str], data: Any) -> Html:
    parts, words = [], _telling(data)
    for name, called in named.items():
        members = [d for d, label in enumerate(labels) if label == name][:DOCUMENTS]
        items = [el("li", f"{_called(data, d)}: {words(d)}") for d in members]
        parts.append(el("div", el("h3", called), el("ul", *items), cls="topic"))
    told = "The first documents of each cluster, with the words that are more frequent in them than elsewhere."
    return joined([el("p", told, cls="hint"), *parts])


def _called(data: Any, d: int) -> str:
    return str(data.names[d]) if data.names else f"document {d + 1}"


def _telling(data: Any) -> Callable[[int], str]:
    """Of a document the words that tell it from the others, since documents are counts, and their order is gone: by
    P(w|d) · log(P(w|d) / P(w)), and by their number where it has no others beside it."""
    if data.vocabulary is None:
        return lambda d: ""
    seen = data.words >= 0
    totals = np.bincount(data.words[seen], data.counts[seen], minlength=len(data.vocabulary.words))
    everywhere = totals / max(totals.sum(), 1e-300)

    def told(d: int) -> str:
        words, counts = (column[data.offsets[d] : data.offsets[d + 1]] for column in (data.words, data.counts))
        words, counts = words[words >= 0], counts[words >= 0]
        share = counts / max(counts.sum(), 1e-300)
        best = np.lexsort((-counts, -(share * np.log(share / everywhere[words])).round(12)))[:BEGINNING]
        return " ".join(data.vocabulary.words[words[k]] for k in best)

    return told
