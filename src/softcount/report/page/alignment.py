"""An aligner's page: sentence pairs with their links, the glossary, and where the two directions disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.evaluate.links import LinkCounts, count_links, link_scores, total
from softcount.links.glossary import Entry, glossary, joined
from softcount.numbers.ragged import Array
from softcount.report.page.element import Html, el, table
from softcount.report.page.element import joined as html
from softcount.report.page.frame import Section

if TYPE_CHECKING:
    from softcount.links.pharaoh import PairLinks
    from softcount.text.bitext import Bitext

SHOWN = 60  # pairs on the page
LONGEST = 40  # words on a side of a pair that is shown
LEAST = 0.03  # posteriors below are not worth their bytes
ENTRIES = 1000  # of the glossary
DISAGREE = ERRORS = 30
KEPT = "\N{WORD JOINER}\N{NO-BREAK SPACE}"  # a bar would let a line end behind it
SHARES = (f"p(target |{KEPT}source)", f"p(source |{KEPT}target)")
APART = 0.5  # posteriors of the two directions that are no more alike


def sections(model: Any, data: Bitext | None, gold: Sequence[PairLinks] | None = None) -> Iterator[Section]:
    if data is None:
        yield Section("glossary", "Glossary", _lexicon(model))
        return
    rows = _chosen(model, data, gold)
    pairs = [_pair(model, data, s, gold[s] if gold else None) for s in rows]
    yield Section("pairs", "Sentence pairs", _pairs(rows, pairs, len(data), gold is not None), pairs)
    if gold is not None:
        yield Section("errors", "Comparison with gold links", _errors(model, data, gold))
    yield Section("glossary", "Glossary", _glossary(glossary(joined(model.blocks(data)), data)))
    if len(model.directions_) == 2:
        yield Section("disagreement", "Disagreements between the two directions", _disagreement(rows, pairs))


def _chosen(model: Any, data: Bitext, gold: Sequence[Any] | None) -> list[int]:
    """Evenly spread, of those that have words on both sides and fit the page; beside gold, half of those shown, and the
    first, are pairs with an error."""
    l, m = data.source.sentences.lengths, data.target.sentences.lengths
    fit = np.flatnonzero((np.minimum(l, m) > 0) & (np.maximum(l, m) <= LONGEST))
    if gold is None:
        return _spread(fit, SHOWN)
    fit = fit[fit < len(gold)]
    found = model.align(data)
    off = [_errs(set(found[s]), gold[s]) for s in fit.tolist()]
    wrong = _spread(fit[np.array(off, dtype=bool)], SHOWN // 2)
    return wrong + [s for s in _spread(fit, SHOWN) if s not in wrong][: SHOWN - len(wrong)]


def _errs(found: set[tuple[int, int]], right: PairLinks) -> bool:
    """Whether a link is neither sure nor possible, or a sure one is not there."""
    return bool(set(right.sure) - found or found - set(right.sure) - set(right.possible))


def _spread(rows: Array, most: int) -> list[int]:
    return [int(s) for s in rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(int)]]


def _pair(model: Any, data: Bitext, s: int, gold: Any) -> dict[str, Any]:
    """What the page needs to draw a pair: words, links (i, j, p), posteriors (i, j, forward, reverse), gold."""
    pair = data.slice(s, s + 1)
    found = {
        "source": pair.source.tokens(0),
        "target": pair.target.tokens(0),
        "links": [[i, j, round(p, 3)] for i, j, p in model.align(pair, probabilities=True)[0]],
        "shares": _shares(model.posteriors(pair)[0]),
    }
    if gold is not None:
        found |= {"sure": sorted(map(list, gold.sure)), "possible": sorted(map(list, gold.possible))}
    return found


def _shares(matrices: dict[str, Array]) -> list[list[float]]:
    parts = [matrix[1:] if name == "forward" else matrix[1:].T for name, matrix in matrices.items()]
    where = np.argwhere(np.max(parts, axis=0) > LEAST).tolist()
    return [[i, j, *(round(float(part[i, j]), 2) for part in parts)] for i, j in where]


def _pairs(rows: Sequence[int], pairs: Sequence[dict[str, Any]], n: int, gold: bool) -> Html:
    if not rows:
        return el("p", f"No pair has words on both sides and at most {LONGEST} on each.")
    told = (
        "Lines connect words that translate each other. Point at a word, or reach it with the Tab "
        "key, to see the posterior probabilities of"
    )
    told += " both directions."
    if len(rows) < n:
        told += f" {len(rows)} of {n:,} pairs are shown, evenly spread{'; pairs with errors come first' * gold}."
    lines = list[Html]()
    if gold:
        keys = {"wrong": "wrong link (not in gold)", "missed": "missed link (sure in gold)"}
        lines = [el("p", *(el("span", said, cls=f"key {kind}") for kind, said in keys.items()), cls="hint")]
    search = _search("pairs", "Search pairs by word")
    return html(
        [el("p", told, cls="hint"), *lines, search, *(_article(s, pair) for s, pair in zip(rows, pairs, strict=True))]
    )


def _search(what: str, label: str) -> Html:
    box = Html(f'<input type="search" data-search="{what}" autocomplete="off" spellcheck="false">')
    return html([el("label", label, " ", box), el("p", "", cls="found", role="status", id=f"{what}-found")])


def _article(s: int, pair: dict[str, Any]) -> Html:
    words = [
        el("ul", *(el("li", el("button", word, type="button", data_side=side)) for word in pair[side]), cls="words")
        for side in ("source", "target")
    ]
    drawing = el("div", el("div", *words, cls="drawing"), cls="scroll")
    grid = el("details", el("summary", "Posterior probabilities as a grid"), el("div", "", cls="scroll grid"))
    return el("article", el("h3", f"Pair {s + 1}"), drawing, grid, cls="pair", id=f"pair-{s + 1}", data_row=True)


def _glossary(entries: list[Entry]) -> Html:
    rows = [(e.source, e.target, f"{e.links:,}", f"{e.forward:.2f}", f"{e.reverse:.2f}") for e in entries[:ENTRIES]]
    more = (
        f" Of {len(entries):,} entries, the {ENTRIES:,} with the most links are shown."
        if len(entries) > ENTRIES
        else ""
    )
    head = ("source", "target", "links", *SHARES)
    told = "Linked words, most frequent first; probabilities are shares of the word's links." + more
    return html([el("p", told, cls="hint"), _search("glossary", "Search for a word on either side"),
                 table(head, rows, "Glossary", numbers=(2, 3, 4))])  # fmt: skip


def _lexicon(model: Any) -> Html:
    """Without a text there are no links to count: what the model says of its words."""
    found = sorted(model.lexicon(0.1), key=lambda entry: (-min(entry[2:]), entry[:2]))[:ENTRIES]
    rows = [(e, f, f"{p:.2f}", f"{q:.2f}") for e, f, p, q in found]
    head = ("source", "target", *SHARES)
    return html(
        [_search("glossary", "Search for a word on either side"), table(head, rows, "Glossary", numbers=(2, 3))]
    )


def _errors(model: Any, data: Bitext, gold: Sequence[PairLinks]) -> Html:
    """Of all pairs, not of those shown alone: scores, and the words that were wrongly linked or missed most often."""
    counts, wrong, missed = list[LinkCounts](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for s, (links, right) in enumerate(zip(model.align(data), gold, strict=True)):
        found, sure = set(links), set(right.sure)
        counts.append(count_links(found, sure, right.possible))
        words = data.source.tokens(s), data.target.tokens(s)
        for errors, kept in ((found - sure - set(right.possible), wrong), (sure - found, missed)):
            kept.update((words[0][i], words[1][j]) for i, j in errors if i < len(words[0]) and j < len(words[1]))
    scores = link_scores(total(counts))
    three = f"AER {scores.aer:.3f}, precision {scores.precision:.3f}, recall {scores.recall:.3f}"
    told = (
        f"{three} on all {len(counts):,} pairs. AER (alignment error rate) is the share of wrong or "
        "missing links; 0 is best."
    )
    tables = [
        table(
            ("source", "target", "times"),
            [(e, f, f"{n:,}") for (e, f), n in kept.most_common(ERRORS)],
            name,
            numbers=(2,),
        )
        for name, kept in (("Wrong links (not in gold)", wrong), ("Missed links (sure in gold)", missed))
        if kept
    ]
    return html([el("p", told), el("div", *(el("div", one, cls="card") for one in tables), cls="columns")])


def _disagreement(rows: Sequence[int], pairs: Sequence[dict[str, Any]]) -> Html:
    cells = [
        (abs(p - q), s, pair["source"][i], pair["target"][j], p, q)
        for s, pair in zip(rows, pairs, strict=True)
        for i, j, p, q in pair["shares"]
        if abs(p - q) >= APART
    ]
    if not cells:
        return el("p", "No disagreements were found in the pairs above.")
    most = sorted(cells, key=lambda cell: -cell[0])[:DISAGREE]
    lines = [
        (f"{e} – {f}", el("a", f"{s + 1}", href=f"#pair-{s + 1}"), f"{p:.2f}", f"{q:.2f}") for _, s, e, f, p, q in most
    ]
    told = (
        "Words in the pairs above whose link has a high probability in one direction and a low one in "
        "the other; check these first."
    )
    head = ("words", "pair", "forward", "reverse")
    return html(
        [el("p", told, cls="hint"), table(head, lines, "Posterior probabilities of both directions", numbers=(1, 2, 3))]
    )
