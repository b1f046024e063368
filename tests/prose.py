"""The running prose of the pages, without code, tables and comments: `python tests/prose.py` counts its words.

Pages for users have a budget: README, Home, Install, tutorials, how-to guides and background. Reference, glossary and
development are counted apart; what is generated is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUDGET = 22_000  # words of running prose for users
APART = ("reference", "development")
FENCE = re.compile(r"^[ >]*(?P<fence>`{3,}|:{3,}|~{3,})(?P<info>.*)$")
NO_PROSE = re.compile(r"    |\s*(\||$|:[\w-]+:|\{[.#][^}]*\}$|-{3,}$|\(\S+\)=$)")  # code, tables, options of directives
COMMENT = re.compile(r"<!-- table .*?<!-- end of table -->|<!--.*?-->", re.S)  # kept tables with their origins, too
LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\([^)]*\)")
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
READABLE = ("grid", "grid-item-card", "note", "tip", "warning", "important")  # directives whose body is prose


def pages() -> list[Path]:
    """README.md and all of docs/ that is written by hand."""
    docs = ROOT / "docs"
    made = (docs / "reference" / "api", docs / "_made", docs / "_templates")
    return [ROOT / "README.md", *(page for page in sorted(docs.rglob("*.md")) if not set(made) & set(page.parents))]


def for_users(page: Path) -> bool:
    """Whether it counts toward the budget."""
    return page.relative_to(ROOT).parts[:2] not in {("docs", shelf) for shelf in APART}


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """(line number, text) of headings and sentences. Code spans stay, marked by their backticks."""
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)  # lines keep their numbers
    open_fences: list[tuple[str, bool]] = []  # and whether what they enclose is prose
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and open_fences and not fence["info"].strip() and fence["fence"] == open_fences[-1][0]:
            open_fences.pop()
        elif fence:
            directive = re.match(r"\s*\{([\w-]+)\}", fence["info"])
            open_fences.append((fence["fence"], directive is not None and directive[1] in READABLE))
        elif all(is_prose for _, is_prose in open_fences) and not NO_PROSE.match(line):
            yield number, line.strip()


def paragraphs(text: str) -> Iterator[list[tuple[int, str]]]:
    """Lines that belong together; a heading and an entry of a list stand alone."""
    paragraph: list[tuple[int, str]] = []
    for number, line in prose_lines(text):
        if paragraph and (
            paragraph[-1][0] != number - 1 or re.match(r"#|[-*:] |\d+\. ", line) or paragraph[0][1][0] == "#"
        ):
            yield paragraph
            paragraph = []
        paragraph.append((number, line))
    if paragraph:
        yield paragraph


def count_words(text: str) -> int:
    """Words of running prose; an address counts as its text, a picture not at all."""
    words = 0
    for _, line in prose_lines(text):
        plain = LINK.sub(lambda match: match["text"], PICTURE.sub("", line))
        words += sum(any(map(str.isalnum, word)) for word in plain.split())
    return words


def count_pages() -> dict[Path, int]:
    return {page: count_words(page.read_text(encoding="utf-8")) for page in pages()}


def main() -> None:
    counts = count_pages()
    for page, words in counts.items():
        print(f"{words:6,}  {page.relative_to(ROOT)}{'' if for_users(page) else '  (apart)'}")
    users = sum(words for page, words in counts.items() if for_users(page))
    print(f"{users:6,}  for users, of {BUDGET:,}\n{sum(counts.values()) - users:6,}  reference and development")


if __name__ == "__main__":
    main()
