"""A language model's page: its n-grams, what it makes up, and of a text how surprising every word is.

surprise of a word in bits = −log₂ P(word | words before)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from softcount.report.page.element import Html, el, joined, table
from softcount.report.page.frame import Section

MADE_UP = 12
SENTENCES, LONGEST = 60, 60
MUCH = 16.0  # bits of surprise that have the full colour


def sections(model: Any, data: Any, gold: Any = None) -> Iterator[Section]:
    yield Section("orders", "N-grams", _orders(model))
    yield Section("sample", "Samples", _made_up(model))
    if data is not None and len(data):
        yield Section("sentences", "Surprisal of a text", _surprise(model, data))


def _orders(model: Any) -> Html:
    D = [[f"{d:.3f}" for d in row] for row in model.discounts_] or [["–"] * 3] * len(model.orders_)
    rows = [(f"{n}", f"{len(grams.keys):,}", *D[n - 1]) for n, grams in enumerate(model.orders_, 1)]
    told = (
        "Number of distinct n-grams, and the discounts of n-grams that occur once, twice, or three "
        "times and more; the discounted probability goes to unseen n-grams."
    )
    head = ("n", "n-grams", "off 1", "off 2", "discount 3+")
    return joined([el("p", told, cls="hint"), table(head, rows, "By length", numbers=(1, 2, 3, 4))])


def _made_up(model: Any) -> Html:
    told = "Sentences sampled from the model word by word; higher orders and more text make them more natural."
    return joined([el("p", told, cls="hint"), el("ul", *(el("li", line) for line in model.sample(MADE_UP, 0)))])


def _surprise(model: Any, data: Any) -> Html:
    logs, found = model.log_probabilities(data), model.fluency(data)
    fit = np.flatnonzero((data.sentences.lengths > 0) & (data.sentences.lengths <= LONGEST))
    chosen = fit[np.linspace(0, len(fit) - 1, min(SENTENCES, len(fit))).round().astype(int)].tolist()
    told = (
        f"Perplexity {found.perplexity:,.1f}, {found.bits / found.tokens:.2f} bits per word, for "
        f"{found.tokens:,} words and ends of sentences; {found.unknown:,} are unknown."
    )
    how = (
        "Under each word its surprisal in bits, −log₂ P(word | previous words); stronger color means higher surprisal."
    )
    box = Html('<input type="search" data-search="sentences" autocomplete="off" spellcheck="false">')
    search = [
        el("label", "Search sentences by word ", box),
        el("p", "", cls="found", role="status", id="sentences-found"),
    ]
    return joined([el("p", told), el("p", how, cls="hint"), *search, *(_sentence(data, logs, s) for s in chosen)])


def _sentence(data: Any, logs: Any, s: int) -> Html:
    bits = (-logs.row(s) / np.log(2)).tolist()
    words = [*data.tokens(s), "end"]
    items = [
        el("li", word, el("small", f"{b:.1f}"), style=f"background:rgba(var(--mark),{0.5 * min(b / MUCH, 1):.2f})")
        for word, b in zip(words, bits, strict=True)
    ]
    return el("article", el("ul", *items, cls="tagged plain"), cls="sentence", data_row=True)
