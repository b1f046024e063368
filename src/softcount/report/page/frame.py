"""The page around the sections: head, style, contents, script. Everything is inside, so that it opens anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

from softcount.report.page.element import Html, el


class Section(NamedTuple):
    key: str  # its place in the address, and in the data
    title: str
    body: Html
    data: Any = None  # what the script of the page needs of it


NOTHING = Html("")

# Nothing may be fetched: the page says so to the browser too.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(
    title: str, told: str, sections: Iterable[Section], scripts: Sequence[str] = ("script.js",),
    before: Html = NOTHING, more: Mapping[str, Any] = MappingProxyType({}),
) -> str:  # fmt: skip
    """`scripts` are files of this folder, which become one script in this order; `before` stands before the sections,
    and `more` is data besides theirs."""
    listed = [section for section in sections if section.body]
    data = {section.key: section.data for section in listed if section.data is not None} | dict(more)
    head = el(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        el("title", title),
        el("style", Html(_resource("style.css"))),
    )
    contents = [el("li", el("a", section.title, href=f"#{section.key}")) for section in listed]
    body = el(
        "body",
        el("a", "Skip to the content", href="#main", cls="skip"),
        el("header", el("h1", title), el("p", told, cls="told")),
        el("nav", el("ul", *contents), aria_label="Sections"),
        el("main", before, *map(_section, listed), id="main"),
        _pictures(),
        el("script", _json(data), type="application/json", id="data"),
        el("script", Html(_script([*scripts, "pictures.js"]))),
    )
    return "<!DOCTYPE html>\n" + el("html", head, body, lang="en") + "\n"


def _pictures() -> Html:
    """Where each picture can be saved; its script fills it, and hides it where there is none."""
    said = {kind: f"Save as {kind.upper()}" for kind in ("svg", "png")}
    buttons = [el("button", text, type="button", value=kind, aria_label=text) for kind, text in said.items()]
    return el("footer", el("label", "Picture ", el("select", "")), *buttons, id="pictures", cls="toolbar", hidden=True)


def _section(section: Section) -> Html:
    heading = el("h2", section.title, id=f"{section.key}-title")
    return el("section", heading, section.body, id=section.key, aria_labelledby=f"{section.key}-title")


def _json(data: Mapping[str, Any]) -> Html:
    """No word of the data can end the script that it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Html(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _script(names: Sequence[str]) -> str:
    """One script, whose names stay inside; no word of it may end the element that it stands in."""
    text = "\n".join(map(_resource, names))
    assert "</" not in text, "write <\\/ in scripts"
    return f'"use strict";\n(() => {{\n{text}}})();'


def _resource(name: str) -> str:
    return files("softcount.report.page").joinpath(name).read_text(encoding="utf-8")
