"""Features of words: what they are, how they begin and end, how they are written, how long they are; and your own.

    Walking  →  word=Walking  ends=g  ends=ng  ends=ing  begins=w  begins=wa  begins=wal  shape=initial capital  …

`words` is all of these, `identity` the first alone; a file has lines ``word<TAB>feature feature=2.5 …``. Several are
joined by commas: ``words,classes.tsv``. As in T. Berg-Kirkpatrick, A. Bouchard-Côté, J. DeNero, D. Klein, "Painless
unsupervised learning with features", NAACL 2010; endings and shapes are those of `text/word_form.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from softcount.errors import InputError
from softcount.text.features import Features, given_matrix, joined, tabulated
from softcount.text.source import check_word_or_file, lines, name_of, quoted
from softcount.text.word_form import NO_LETTERS, WHOLE, word_form

IDENTITY, WORDS = "identity", "words"
SHARED = 2  # words that a feature needs to be one, but for a word's identity
LENGTHS = ((4, "1-3"), (7, "4-6"), (10, "7-9"))  # shorter than the first have as many letters as the second says


def identity(word: str) -> Iterator[str]:
    yield f"word={word}"


def spelling(word: str) -> Iterator[str]:
    """How a word is written: letters at both ends, shape, hyphen, length."""
    *endings, shape, hyphen = word_form(word)
    *beginnings, _, _ = word_form(word, backwards=True)
    if endings[0] != NO_LETTERS:
        yield from dict.fromkeys(f"ends={letters}" for letters in endings)
        yield from (f"begins={letters[::-1]}" for letters in beginnings if letters[0] != WHOLE)
    yield f"shape={shape}"
    if hyphen != "none":
        yield "hyphen"
    yield f"letters={next((name for least, name in LENGTHS if len(word) < least), '10+')}"


def word_features(words: Sequence[str], what: Any = WORDS) -> Features:
    """Of these words, a row each.

    what : "words", "identity", a file, several of them joined by commas; a function from a word to the names of its
        features, or to a mapping from names to values; a sparse matrix [words, features]; or a list of any of these
    """
    if isinstance(what, Features):
        return given_matrix(what.matrix, len(words), what.names)
    parts = what.split(",") if isinstance(what, str) else what
    if isinstance(parts, list | tuple):
        if not parts:
            raise InputError("features: empty; use words, identity, or a file of lines word<TAB>feature …")
        return joined([_part(words, part.strip() if isinstance(part, str) else part) for part in parts])
    return _part(words, parts)


def _part(words: Sequence[str], what: Any) -> Features:
    if isinstance(what, Features):
        return given_matrix(what.matrix, len(words), what.names)
    if callable(what):
        return tabulated(words, what)
    if not isinstance(what, str | Path):
        return given_matrix(what, len(words))
    if what == IDENTITY:
        return tabulated(words, identity)
    if what == WORDS:
        return joined([tabulated(words, identity), tabulated(words, spelling).shared(SHARED)])
    check_word_or_file(what, "a kind of features", f"{WORDS}, {IDENTITY}, or a file of lines word<TAB>feature …")
    return _read(words, what)


def _read(words: Sequence[str], path: str | Path) -> Features:
    listed = read_features(path)
    if not any(word in listed for word in words):
        raise InputError(
            f"{name_of(path)}: contains none of the text's words; check that it is the same language and tokenization"
        )
    return tabulated(words, lambda word: listed.get(word, {}))


def read_features(path: str | Path) -> dict[str, dict[str, float]]:
    """From word to its features and their values."""
    name = name_of(path)
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(lines(path).to_pylist(), 1):
        if not line.strip():
            continue
        word, tab, rest = line.partition("\t")
        if not tab or not word or not rest.strip():
            raise InputError(
                f"{name}:{number}: the line is not word, tab and features; write word<TAB>feature feature=2.5 …"
            )
        if word in found:
            raise InputError(f"{name}:{number}: the word {quoted(word)} occurs twice; write its features on one line")
        found[word] = dict(_valued(feature, f"{name}:{number}") for feature in rest.split())
    if not found:
        raise InputError(f"{name}: empty file; give at least one line word<TAB>feature feature=2.5 …")
    return found


def _valued(text: str, where: str) -> tuple[str, float]:
    """``ends=ly`` is a name, ``length=2.5`` a name and a number."""
    name, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        return text, 1.0
    if not name:
        return text, 1.0
    if not abs(value) <= 1e6:
        raise InputError(f"{where}: {quoted(text)} has a value beyond a million; scale it")
    return name, value
