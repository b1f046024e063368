"""What a word's translations may lean on: classes of words that are likely forms of one word.

    5,3            the first five letters, and of those the first three
    suffix-free    the word without its ending, and of that the first three letters (text/word_endings.py)
    letters        words that share pieces of letters (text/letter_classes.py)
    FILE.tsv       classes that somebody gives (text/given_classes.py), of both languages, or ONE.tsv,OTHER.tsv of each
    none           nothing

From fine to coarse; a class lies in one coarser class. Of words that training never saw: the same first letters, the
longest known stem before a known ending, the most similar leader, or what the file says of them.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.text.claim import check_path, is_there
from softcount.text.digest import content_digest
from softcount.text.given_classes import Given, given_classes
from softcount.text.letter_classes import lead_words, led_by
from softcount.text.spelling import nested
from softcount.text.word_endings import cut_words, stems_of_new

PREFIXES, SUFFIX_FREE, LETTERS, GIVEN = "prefixes", "suffix-free", "letters", "given"
COARSE = 3  # letters of a stem without its ending
FEW = 0.5  # of a side's words, below which a remark says how few have given classes


class Stems(NamedTuple):
    """What the setting says."""

    kind: str = PREFIXES
    lengths: tuple[int, ...] = ()  # of prefixes
    given: tuple[Any, ...] = ()  # paths or mappings: of both sides, or of each

    def __bool__(self) -> bool:
        return self.kind != PREFIXES or bool(self.lengths)

    @property
    def text(self) -> str:
        """For signatures; classes by their digest."""
        if self.kind == GIVEN:
            found = [sorted(given_classes(one, False).items()) for one in self.given]
            return content_digest(found)
        return (",".join(map(str, self.lengths)) or "none") if self.kind == PREFIXES else self.kind


class Classes(NamedTuple):
    """Of one side, what its words' classes are: cuts, leaders, or the numbers of given classes, −1 for none."""

    kind: str
    table: Array  # int32 [words, numbers of each]
    beyond: tuple[str, ...] = ()  # words behind those of the text that have given classes


def parse_stems(given: Any) -> Stems:
    if isinstance(given, Mapping):
        return Stems(GIVEN, given=(given,))
    if isinstance(given, str) and given in (SUFFIX_FREE, LETTERS):
        return Stems(given)
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, os.PathLike) else list(given)
    parts = [part for part in parts if part not in ("", "none")]
    try:
        return Stems(PREFIXES, _falling(given, tuple(int(part) for part in parts)))
    except (TypeError, ValueError):
        return Stems(GIVEN, given=_files(given, parts))


def _falling(given: Any, lengths: tuple[int, ...]) -> tuple[int, ...]:
    if any(length < 1 for length in lengths) or list(lengths) != sorted(set(lengths), reverse=True):
        raise InputError(f"stems {given!r}: invalid; give decreasing prefix lengths such as 5,3, or none")
    return lengths


def _files(given: Any, parts: Sequence[Any]) -> tuple[Any, ...]:
    whole = isinstance(given, str) and is_there(given)
    found = [given] if whole else parts
    if len(found) not in (1, 2) or not all(isinstance(one, str | Path | Mapping) for one in found):
        raise InputError(
            f"stems {given!r}: invalid; use 5,3 (prefix lengths), suffix-free, letters, a file of classes, or none"
        )
    return tuple(found)


def check_there(stems: Stems) -> None:
    """Before training: afterwards nobody needs the files."""
    for one in stems.given:
        check_path(one)
        if not isinstance(one, Mapping) and not is_there(one):
            kinds = "use 5,3 (prefix lengths), suffix-free, letters, a file of classes, or none"
            raise InputError(f"stems {str(one)!r}: unknown, and not a file; {kinds}")


# --- learned ----------------------------------------------------------------------------------------------------------


def learn_classes(
    stems: Stems, words: tuple[Sequence[str], Sequence[str]], frequencies: tuple[Array, Array], lowercase: bool
) -> tuple[Classes, Classes] | None:
    """Of both sides; of first letters there is nothing to learn."""
    if stems.kind == PREFIXES:
        return None
    if stems.kind == GIVEN:
        files = [given_classes(one, lowercase) for one in stems.given]
        one, two = (_given(files[min(side, len(files) - 1)], words[side]) for side in (0, 1))
        return one, two
    one, two = (_learned(stems.kind, words[side], frequencies[side]) for side in (0, 1))
    return one, two


def _learned(kind: str, words: Sequence[str], frequencies: Array) -> Classes:
    return Classes(kind, cut_words(words)[:, None] if kind == SUFFIX_FREE else lead_words(words, frequencies))


def _given(found: Given, words: Sequence[str]) -> Classes:
    """Of the words of the text, and of those others whose class some word of the text has."""
    depth = len(next(iter(found.values())))
    numbers: list[dict[str, int]] = [{} for _ in range(depth)]
    rows = [_numbered(found.get(word), numbers) for word in words]
    seen = set(numbers[0])
    inside = set(words)
    beyond = [word for word, classes in found.items() if classes[0] in seen and word not in inside]
    rows += [_numbered(found[word], numbers) for word in beyond]
    return Classes(GIVEN, np.array(rows, np.int32).reshape(-1, depth), tuple(beyond))


def _numbered(classes: tuple[str, ...] | None, numbers: list[dict[str, int]]) -> list[int]:
    if classes is None:
        return [-1] * len(numbers)
    return [known.setdefault(name, len(known)) for name, known in zip(classes, numbers, strict=True)]


def few_given(stems: Stems, classes: tuple[Classes, Classes] | None, words: tuple[Any, Any]) -> Iterator[str]:
    """Remarks on sides of which few words have given classes."""
    if classes is None or stems.kind != GIVEN:
        return
    for side, name in enumerate(("source", "target")):
        n, source = len(words[side]), stems.given[min(side, len(stems.given) - 1)]
        there = int((classes[side].table[:n, 0] >= 0).sum())
        if n and there < FEW * n:
            what = "stems" if isinstance(source, Mapping) else str(source)
            yield f"{what}: classes for {there:,} of {n:,} {name} words; the others do not back off"


def check_classes(classes: Classes, words: Sequence[str]) -> None:
    """Of a file: numbers that can be meant, of as many words; ValueError otherwise."""
    table, n = classes.table, len(words) + len(classes.beyond)
    if classes.kind not in (SUFFIX_FREE, LETTERS, GIVEN) or (classes.beyond and classes.kind != GIVEN):
        raise ValueError("no such classes")
    if table.dtype != np.int32 or table.ndim != 2 or len(table) != n or not 1 <= table.shape[1] <= 9:
        raise ValueError("classes of other words")
    longest = np.array([len(word) for word in words], np.int32)[:, None] if classes.kind == SUFFIX_FREE else n - 1
    if (table < (-1 if classes.kind == GIVEN else 0)).any() or (table > longest).any():
        raise ValueError("classes that there are not")
    if classes.kind == SUFFIX_FREE and table.shape[1] != 1:
        raise ValueError("a word has one stem")
    if classes.kind == LETTERS and (table[table[:, 0]] != table).any():
        raise ValueError("a word that does not lead itself")


# --- of words, old and new --------------------------------------------------------------------------------------------


def class_numbers(classes: Classes | None, lengths: Sequence[int], words: Sequence[str]) -> list[Array]:
    """Classes of words, classes of those classes, and so on; in the order in which they are met, so that further
    words behind change no number."""
    if classes is None:
        return nested(words, lengths)
    named: dict[str, Any] = {SUFFIX_FREE: _stems, LETTERS: _leaders, GIVEN: _numbers}
    found = numbered(named[classes.kind](classes, words))
    return found or [np.empty(0, np.int32)]


def numbered(rows: Sequence[Sequence[Hashable]]) -> list[Array]:
    """`rows`: of every word the names of its classes, from fine to coarse."""
    result = []
    for depth in range(len(rows[0]) if len(rows) else 0):
        found: dict[Hashable, int] = {}
        first: dict[Hashable, Sequence[Hashable]] = {}
        result.append(np.array([found.setdefault(row[depth], len(found)) for row in rows], np.int32))
        for row in rows:
            first.setdefault(row[depth], row)
        rows = list(first.values())
    return result


def _stems(classes: Classes, words: Sequence[str]) -> list[tuple[str, str]]:
    n = len(classes.table)
    stems = [word[:cut] for word, cut in zip(words, classes.table[:, 0].tolist(), strict=False)]
    if len(words) > n:
        endings = {word[len(stem) :] for word, stem in zip(words, stems, strict=False)}
        stems += stems_of_new(words[n:], set(stems), endings)
    return [(stem, stem[:COARSE]) for stem in stems]


def _leaders(classes: Classes, words: Sequence[str]) -> list[tuple[int, ...]]:
    n, table = len(classes.table), classes.table
    rows = [tuple(row) for row in table.tolist()]
    if len(words) > n:
        leaders = np.unique(table[:, 0])
        led = led_by(words[n:], [words[k] for k in leaders.tolist()])
        alone = n + np.arange(len(led))
        rows += [
            rows[leaders[k]] if k >= 0 else (int(own),) * table.shape[1] for k, own in zip(led, alone, strict=True)
        ]
    return rows


def _numbers(classes: Classes, words: Sequence[str]) -> list[tuple[Hashable, ...]]:
    """Words that have no class are one by themselves, on every level."""
    n = len(classes.table) - len(classes.beyond)
    behind = dict(zip(classes.beyond, classes.table[n:].tolist(), strict=True))
    rows = [*classes.table[:n].tolist(), *(behind.get(word, [-1]) for word in words[n:])]
    depth = classes.table.shape[1]
    return [(word,) * depth if row[0] < 0 else tuple(row) for word, row in zip(words, rows, strict=True)]
