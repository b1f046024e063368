"""HTML as values: text is escaped unless it is Html already, so that no word of a corpus can be markup.

el("td", "a < b", cls="number")      <td class="number">a &lt; b</td>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Html(str):
    """Text that is markup."""


def el(name: str, *children: Any, **attributes: Any) -> Html:
    """An element; of attributes None and False are left away, and `cls` is class, `aria_label` aria-label."""
    return Html(f"<{name}{_attributes(attributes)}>{joined(children)}</{name}>")


def void(name: str, **attributes: Any) -> Html:
    """An element that holds nothing, such as a line of a drawing."""
    return Html(f"<{name}{_attributes(attributes)}/>")


def joined(children: Iterable[Any]) -> Html:
    return Html("".join(child if isinstance(child, Html) else escape(str(child)) for child in children))


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str, numbers: Sequence[int] = ()) -> Html:
    """A table whose first column names its rows; the columns in `numbers` stand to the right."""
    heads = [el("th", cell, scope="col", cls="number" if k in numbers else None) for k, cell in enumerate(head)]
    return el(
        "div",
        el(
            "table",
            el("caption", caption),
            el("thead", el("tr", *heads)),
            el("tbody", *(_row(row, numbers) for row in rows)),
        ),
        cls="scroll",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def _row(row: Sequence[Any], numbers: Sequence[int]) -> Html:
    first, *rest = row
    cells = [el("td", cell, cls="number" if k in numbers else None) for k, cell in enumerate(rest, 1)]
    return el("tr", el("th", first, scope="row"), *cells)


def breakable(words: str) -> Html:
    """A name without blanks, such as annealed(start=1,stop=2):9, that may go on in another line behind a mark, but not
    behind a hyphen: 2-grams."""
    return Html(re.sub(r"([(,=])(?=\S)", r"\1<wbr>", escape(words)).replace("-", "-&#8288;"))


def minus(number: str) -> str:
    """A number with the sign that is as wide as its digits."""
    return number.replace("-", "−")


def bar(share: float, greatest: float) -> Html:
    """A share as a bar whose length is seen and whose number stands beside it."""
    width = 100.0 * share / greatest if greatest > 0.0 else 0.0
    return el("span", el("span", "", cls="bar", style=f"width:{width:.1f}%"), cls="track", aria_hidden="true")


def _attributes(attributes: dict[str, Any]) -> str:
    given = ((_name(name), value) for name, value in attributes.items() if value is not None and value is not False)
    return "".join(f" {name}" if value is True else f' {name}="{escape(str(value))}"' for name, value in given)


def _name(name: str) -> str:
    return "class" if name == "cls" else name.replace("_", "-")
