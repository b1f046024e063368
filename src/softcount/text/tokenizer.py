"""A small tokenizer for writing with blanks: what is a word, what stands beside it.

Between blanks, from left to right, the first of these that fits is a token:

1. an address (https://…, www.…, a@b.c), up to its last letter, digit or slash
2. letters with periods between them (U.S.A., e.g.), with the last period
3. digits with . , : / or ’ between them (3.14, 1,000, 12:30), and a % or ° behind them apart
4. an elided word of French or Italian with its apostrophe (l’ d’ qu’ dell’), where a letter follows
5. letters, marks and digits, with hyphens and apostrophes between them (well-known, don't, 4th); a period behind
   belongs to it where the word is one capital letter (J.), or where a small letter follows the next blank (etc. and)
6. the same sign repeated (... -- !!)
7. any other sign alone

No language is asked for and no list of abbreviations is kept. Scripts without blanks (Chinese, Japanese, Thai) stay in
one piece between signs: for these there are tokenizers that know words (`text.preparation`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

ELIDED = "[cdjlmnstCDJLMNST]|[Qq]u|[Jj]usqu|[Ll]orsqu|[Pp]uisqu|(?:[Dd]e|[Nn]e|[Aa]|[Dd]a|[Ss]u|[Qq]ue|[Bb]e)ll|[Uu]n"
INNER_SIGNS = ".+-"  # within the name of an address, but not at its beginning
SCANNED = 0x20000  # beyond there are no marks and no small letters but a few that nobody writes


class _Patterns(NamedTuple):
    token: re.Pattern[str]  # the rules, but for addresses with an @; of these,
    before: re.Pattern[str]  # what stands before the @, as far back as it may go,
    behind: re.Pattern[str]  # and behind it


def tokenize(line: str) -> str:
    """The same line with one blank between tokens."""
    return " ".join(_tokens(line))


def _tokens(line: str) -> Iterator[str]:
    """A rule for addresses with an @ among the others would look for one from every word on, up to the next blank."""
    token, at = _patterns().token, 0
    for begin, sign, end in _addresses(line) if "@" in line else ():
        for found in token.finditer(line, at) if at < sign else ():
            at = found.start()
            if at >= sign:
                break
            if at >= begin and line[at] not in INNER_SIGNS and found.lastgroup != "web":
                yield line[at:end]
                at = end
                break
            yield found[0]
            at = found.end()
    for found in token.finditer(line, at):
        yield found[0]


def _addresses(line: str) -> Iterator[tuple[int, int, int]]:
    """(where the earliest beginning is, where the @ is, where the end is)"""
    _, before, behind = _patterns()
    for name in before.finditer(line):
        host = behind.match(line, name.end() + 1) if line.startswith("@", name.end()) else None
        if host:
            yield name.start(), name.end(), host.end()


@cache
def _patterns() -> _Patterns:
    found = _ranges()
    marks = found["M"] + "\u200c\u200d"  # with the joiners of Indic and Persian writing
    letter, inner = rf"(?:[^\W\d_]|[{marks}])", rf"[\w{marks}]"
    word = rf"{inner}+(?:[-‐'’]{inner}+)*"
    rules = (
        r"(?P<web>(?:https?://|ftp://|www\.)[^\s<>\"]*[\w/])",
        rf"(?:{letter}\.){{2,}}",
        rf"\d+(?:[.,:/’']\d+)*(?!{inner})",
        rf"(?:{ELIDED})['’](?={letter})",
        rf"[{found['Lu']}]\.(?=\s+[{found['Lu']}])",
        rf"{word}\.(?=\s+[{found['Ll']}])",
        word,
        r"(?P<sign>[^\w\s])(?P=sign)+",
        r"\S",
    )
    name, host = rf"[\w{INNER_SIGNS}]+", rf"{inner}+(?:[.-]{inner}+)+"
    return _Patterns(*map(re.compile, ("|".join(rules), name, host)))


def _ranges() -> dict[str, str]:
    """Marks, capital letters and small letters as the insides of character classes, which `re` does not name."""
    spans: dict[str, list[list[int]]] = {"M": [], "Lu": [], "Ll": []}
    for code in range(SCANNED):
        category = unicodedata.category(chr(code))
        found = spans.get("M" if category[0] == "M" else category)
        if found is not None:
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return {name: "".join(f"{chr(a)}-{chr(b)}" for a, b in rows) for name, rows in spans.items()}
