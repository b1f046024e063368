"""Habits of wording that readers stumble over, as patterns; `python tests/plain_words.py` lists where they are.

`find_habits` reads a sentence. `find_in_help`, `find_in_title` and `find_in_page` know what else is asked of help of
an option, of headings and captions, and of pages. `literals` yields the strings of a source.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from prose import ROOT, for_users, pages, paragraphs

Patterns = dict[str, tuple[str, str]]  # name → (what is looked for, what to write instead)
HABITS: Patterns = {
    "points at another line": (
        r"\b(so many|likewise|as everywhere|the same here|which ones|else \d|if neither)\b",
        "name the number N, repeat the noun",
    ),
    "denies existence": (
        r"(?<!there )\bis (none|no [a-z]+)\b|(?<!there )\bis (not )?there\b|\bof no use\b|\bthat there is\b",
        "unknown, invalid, not found, already exists, is empty",
    ),
    "leave away": (r"\ble(ave|aves|aving|ft)\b[^.;]{0,40}\baway\b", "remove, omit, do not combine with"),
    "a table that acts": (
        r"\b(leans?|leaning|leant|wish(es)?|foretells?|foretold|foresees?|heeds?|witness(es)?|vouch(es)?|believes?)\b"
        r"|\b(speaks? for|tells? most|telling words|gold says|knocks?|soft brother|narrow door)\b",
        "back off, prefer, predict, estimate, assign, select, score",
    ),
    "late relative": (
        r"\bof (which|whom|whose)\b|\bthat of\b|\bthose (that|of)\b",
        "at most one relative clause per sentence; X with Y",
    ),
    "not used so": (
        r"\b(behind (a|the|its|his|their) \w+'s|blanks?|anew|likeliest|per cent|kept aside|made again|makes again)\b"
        r"|\bmanners\b|\bpacked (files?|models?|text|or)\b|, packed\b",
        "space, compressed, again, most likely, %, held out, reconstructed, conventions",
    ),
    "distributive a": (
        r"\b(one|a|each) [\w-]+ an? (line|model|pair|word|row|topic|document|step)\b",
        "per, or each",
    ),
    "default as a clause": (r"\bif not given\b|; else\b", "Default: X"),
}
HELP: Patterns = {
    "a clause in the place of a noun": (
        r"^(What|How|Who|Which|Where|Whether|Of|With|By|Likewise|And|Then|It|So many|From)\b",
        "begin with the noun that the value is, or with an imperative",
    ),
    "semicolons": (r";[^;]*;", "one sentence, then the choices as a list, then Default: X"),
}
TITLE: Patterns = {"riddle for a title": (r"\?|\b(that|which|nobody|whom)\b", "what a reader would type to search")}
PAGE: Patterns = {
    "inside of the project": (
        r"\bas it was\b|\b(a|no) test\b(?! set)",
        "state behavior; proofs stand under Development",
    )
}


class Habit(NamedTuple):
    name: str
    found: str
    advice: str
    at: int  # its place in the text


def find_habits(text: str, *more: Patterns) -> list[Habit]:
    """Of HABITS and what is named besides: HELP, TITLE, PAGE. Code between backticks and addresses are not read."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda code: "`" * len(code[0]), text)
    return [
        Habit(name, match[0], advice, match.start())
        for patterns in (HABITS, *more)
        for name, (pattern, advice) in patterns.items()
        for match in re.finditer(pattern, text, re.I)
    ]


def find_in_help(text: str) -> list[Habit]:
    """Of the help of an option or a command, which also ends in a period."""
    ends = text.rstrip().endswith((".", ":", "…"))
    return find_habits(text, HELP) + [Habit("no period", text[-10:], "end in a period", len(text))] * (not ends)


def find_in_title(text: str) -> list[Habit]:
    """Of a heading, a caption, or the first line of a docstring."""
    return find_habits(text, TITLE)


def find_in_page(text: str, for_users: bool = True) -> Iterator[tuple[int, Habit]]:
    """(line, habit) of headings and paragraphs of a Markdown page."""
    for paragraph in paragraphs(text):
        lines = [line for _, line in paragraph]
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        more = TITLE if lines[0].startswith("#") else PAGE if for_users else {}
        for habit in find_habits(" ".join(lines), more):
            yield paragraph[bisect_right(starts, habit.at) - 1][0], habit


def find_in_pages() -> Iterator[tuple[Path, int, Habit]]:
    """Of all pages but Development."""
    for page in pages():
        if page.parent != ROOT / "docs" / "development":
            found = find_in_page(page.read_text(encoding="utf-8"), for_users(page))
            yield from ((page, line, habit) for line, habit in found)


def literals(source: str, calls: Container[str] | None = None) -> Iterator[tuple[int, str]]:
    """(line, string) of a Python source, docstrings left out; of an f-string each part in braces is `…`.

    With `calls`, of the arguments of these functions alone: literals(source, {"InputError", "note"}).
    """
    tree = ast.parse(source)
    seen = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    roots = (
        (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) in calls) if calls else [tree]
    )
    for node in (node for root in roots for node in ast.walk(root) if id(node) not in seen):
        if isinstance(node, ast.JoinedStr) and id(node) not in seen:
            seen |= {id(part) for part in ast.walk(node)}
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in seen:
            seen.add(id(node))
            yield node.lineno, node.value


def script_literals(source: str) -> Iterator[str]:
    """Strings of a JavaScript source, comments left out; of a template each part in braces stays as it is written."""
    for found in re.finditer(r'"([^"\n]*)"|`([^`]*)`', re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)):
        yield found[1] if found[1] is not None else found[2]


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


if __name__ == "__main__":
    for page, line, habit in find_in_pages():
        print(f"{page.relative_to(ROOT)}:{line}: {habit.name}: {habit.found!r}; write: {habit.advice}")
