"""A grammar on the page: its rules by their probabilities, and the best trees of some sentences, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from softcount.report.page.element import Html, bar, el, joined, table, void
from softcount.report.page.frame import Section
from softcount.text.trees import Tree

SHOWN, LONGEST = 20, 20  # trees, and words of a sentence whose tree is drawn
RULES = 400  # the most probable of each symbol come first
LETTER, GAP, DOWN = 8.2, 16, 44  # a letter, between words, from level to level; in units of the drawing
COLUMN = 500  # a drawing that is wider has both columns of the page


def sections(model: Any, data: Any = None, gold: Any = None) -> Iterator[Section]:
    yield Section("rules", "Rules", _rules(model))
    if data is not None:
        yield Section("trees", "Trees", _trees(model, data))


def _rules(model: Any) -> Html:
    values = np.asarray(model.parameters_.rule.values)
    texts = list(model.rules_.texts())
    order = sorted(range(len(texts)), key=lambda r: (texts[r].split(" -> ")[0], -values[r]))
    rows = [(texts[r], f"{values[r]:.4f}", bar(float(values[r]), 1.0)) for r in order if values[r] > 0][:RULES]
    more = f", the first {RULES:,} of {len(texts):,}" if len(texts) > RULES else ""
    box = Html('<input type="search" data-search="rules" autocomplete="off" spellcheck="false">')
    found = el("p", "", cls="found", role="status", id="rules-found")
    search = el("label", "Search rules by symbol or word ", box)
    return joined([search, found, table(("rule", "probability", ""), rows, f"By symbol{more}", numbers=(1,))])


def _trees(model: Any, data: Any) -> Html:
    fit = np.flatnonzero((data.sentences.lengths > 0) & (data.sentences.lengths <= LONGEST))
    chosen = fit[np.linspace(0, len(fit) - 1, min(SHOWN, len(fit))).round().astype(int)]
    sentences = [data.tokens(int(s)) for s in chosen]
    trees = model.parse(sentences) if sentences else []
    shown = (_article(int(s), words, tree) for s, words, tree in zip(chosen, sentences, trees, strict=True))
    some = f"{len(chosen)} of {len(data):,} sentences, evenly spread" if len(chosen) < len(data) else "All sentences"
    told = f"{some}, each with its most probable tree."
    return joined([el("p", told, cls="hint"), el("div", *shown, cls="columns")])


def _article(s: int, words: Sequence[str], tree: Tree | None) -> Html:
    shown = el("p", f"{' '.join(words)}: no parse") if tree is None else drawing(tree)
    wide = tree is not None and sum(_widths(tree)) > COLUMN
    return el("article", el("h3", f"Sentence {s + 1}"), shown, cls="pair wide" if wide else "pair", data_row=True)


def drawing(tree: Tree) -> Html:
    """Words on a line at the bottom, each node above the middle of what is under it."""
    widths = _widths(tree)
    levels = tree.folded(lambda _, heights: 1 + max(heights), lambda _: 0)
    places = iter((np.cumsum(widths) - np.asarray(widths) / 2).tolist())
    drawn = tree.folded(lambda node, parts: _node(node, parts, levels), lambda word: _word(word, next(places), levels))
    height, width = DOWN * levels + 26, sum(widths)
    box = {"viewBox": f"0 0 {width:.0f} {height}", "role": "img", "aria_label": str(tree)}
    svg = el("svg", *drawn.marks, **box, style=f"width:{width:.0f}px;max-width:none")
    return el("div", svg, cls="scroll", tabindex="0", role="region", aria_label=f"Tree of {' '.join(tree.words())}")


def _widths(tree: Tree) -> list[float]:
    return [max(LETTER * len(word), 22.0) + GAP for word in tree.words()]


class _Drawn(NamedTuple):
    """A node, or a word, with all that is under it: what is drawn, where its middle is, how high it stands."""

    marks: list[Html]
    x: float
    height: int


def _word(word: str, x: float, levels: int) -> _Drawn:
    return _Drawn([el("text", word, x=f"{x:.1f}", y=_down(0, levels), text_anchor="middle", cls="word")], x, 0)


def _node(node: Tree, parts: Sequence[_Drawn], levels: int) -> _Drawn:
    height = 1 + max(part.height for part in parts)
    middle, y = (parts[0].x + parts[-1].x) / 2, _down(height, levels)
    at, below = f"{middle:.1f}", [(f"{part.x:.1f}", _down(part.height, levels) - 14) for part in parts]
    lines = [void("line", x1=at, y1=y + 5, x2=x, y2=end, cls="link") for x, end in below]
    name = el("text", node.label, x=at, y=y, text_anchor="middle", cls="name")
    return _Drawn([*lines, *chain.from_iterable(part.marks for part in parts), name], middle, height)


def _down(height: int, levels: int) -> int:
    return 18 + DOWN * (levels - height)
