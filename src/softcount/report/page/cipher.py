"""The sections of a key: which plain letter is written how, and lines of a text beside what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from softcount.report.page.element import Html, el
from softcount.report.page.element import joined as html
from softcount.report.page.frame import Section
from softcount.report.page.heat import heat
from softcount.text.characters import BLANK, joined

LINES = 40  # of a text that are shown
TOLD = "Rows: plaintext letters; columns: cipher symbols; numbers: P(symbol | letter) in %."


def sections(model: Any, data: Any, gold: Any = None) -> Iterator[Section]:
    silent = model.blanks_ == "unknown"
    rows = [k for k, letter in enumerate(model.letters_) if not (silent and letter == BLANK)]
    table = np.asarray(model.emission_)[rows]
    columns = np.argsort(table.argmax(axis=0), kind="stable")  # so that what is sure lies on a line
    names = [model.vocabulary_.words[v] for v in columns]
    grid = heat(
        [model.letters_[k] for k in rows], names, table[:, columns], "P(cipher symbol | plaintext letter)", TOLD
    )
    yield Section("key", "Key", grid if data is None else html([_key(model, data), grid]))
    if data is not None:
        yield Section("text", "Text", _text(model, data))


def _key(model: Any, data: Any) -> Html:
    """Every cipher letter of the text with the plain letter that it most probably stands for there."""
    best = dict[str, Any]()
    for entry in model.key(data):  # of each the likeliest comes first
        best.setdefault(entry.cipher, entry)
    items = [el("li", f"{one.cipher} → {one.plain}", el("small", f"{one.probability:.0%}")) for one in best.values()]
    told = "Each cipher symbol with its plaintext letter and the probability of that letter."
    return html([el("p", told, cls="hint"), el("ul", *items, cls="tagged key-list")])


def _text(model: Any, data: Any) -> Html:
    pairs = zip((data.tokens(i) for i in range(len(data))), model.predict(data), strict=True)
    rows = [el("tr", el("td", joined(cipher)), el("td", plain)) for cipher, plain in list(pairs)[:LINES] if plain]
    head = el("tr", el("th", "cipher", scope="col"), el("th", "plain", scope="col"))
    return el(
        "table", el("caption", "Lines of the ciphertext and their plaintext"), el("thead", head), el("tbody", *rows)
    )
