"""The four normalization forms of Unicode, in time proportional to the text.

A letter may carry any number of combining marks. `unicodedata.normalize` puts them in canonical order by insertion,
which takes the square of their number: minutes for a megabyte of them. Long runs are sorted here first. Canonical
reordering gives a canonically equivalent text, which has the same normal forms (Unicode Standard Annex #15).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

LONG = 64  # marks in a row; no writing has so many
SCANNED = 0x20000  # no character from here on has a mark in its decomposition


def normalize(form: str, text: str) -> str:
    """What `unicodedata.normalize` returns."""
    if len(text) >= LONG and not text.isascii():
        text = _runs().sub(lambda run: _sort_marks(run[0], form), text)
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


@cache
def _runs() -> re.Pattern[str]:
    marks = [character for code in range(SCANNED) if _only_marks(character := chr(code))]
    return re.compile(f"[{''.join(marks)}]{{{LONG},}}")


def _only_marks(character: str) -> bool:
    """Whether the character stands for combining marks alone, in one of the forms at least."""
    decomposed = unicodedata.decomposition(character)
    if not decomposed:
        return unicodedata.combining(character) > 0
    return all(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))


def _sort_marks(run: str, form: str) -> str:
    """The run decomposed, the marks between two characters that are none in canonical order."""
    decomposed, stretch, keyed = form.replace("C", "D"), 0, []
    for character in run:
        for mark in unicodedata.normalize(decomposed, character):  # type: ignore[arg-type]
            order = unicodedata.combining(mark)
            stretch += order == 0
            keyed.append((stretch, order, mark))
    return "".join(mark for *_, mark in sorted(keyed, key=lambda key: key[:2]))
