"""Files and folders → Documents.

| format | known by | a document |
|---|---|---|
| lines | any other name | a line; words between ASCII blanks |
| uci | ``docword…`` | lines ``document word count`` after three lines of sizes; words named in ``vocab…`` beside it |
| ldac | ``.ldac``, ``.lda-c`` | ``n word:count …``, words from 0; named in ``vocab.txt`` or ``….vocab`` beside it |
| svmlight | ``.svm``, ``.svmlight``, ``.libsvm`` | ``label word:value …``, words numbered from 1 (from 0 if 0 occurs) |
| folder | a folder | a text file; the sub-folder that holds it is its class |
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from softcount.errors import InputError
from softcount.text.documents import MOST_TOKENS, Documents, documents, from_matrix
from softcount.text.source import lines, name_of, quoted, read_text
from softcount.text.vocabulary import Vocabulary

FORMATS = ("auto", "lines", "uci", "ldac", "svmlight", "folder")
LARGEST = 1 << 24  # tables have a row for every number up to the highest, so a small file may not use one beyond this
_DIGITS = re.compile(r"[0-9]{1,18}")
ENDINGS = {".ldac": "ldac", ".lda-c": "ldac", ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight"}


def read_documents(path: str | Path, format: str = "auto", lowercase: bool = False) -> Documents:
    """Documents of a file, packed (``.gz``) or not, of a folder, or of standard input (``-``)."""
    if format not in FORMATS:
        raise InputError(f"format {format!r} is not known; choose one of {', '.join(FORMATS)}")
    kind = _format(path) if format == "auto" else format
    if kind == "folder":
        return _folder(Path(path), lowercase)
    if kind == "lines":
        return _lines(path, lowercase)
    return {"uci": _uci, "ldac": _ldac, "svmlight": _svmlight}[kind](path)


def _format(path: str | Path) -> str:
    if str(path) != "-" and Path(path).is_dir():
        return "folder"
    name = Path(path).name.lower().removesuffix(".gz")
    return "uci" if name.startswith("docword") else ENDINGS.get(Path(name).suffix, "lines")


def _lines(path: str | Path, lowercase: bool) -> Documents:
    rows = lines(path).to_pylist()
    if not rows:
        raise InputError(f"{name_of(path)}: empty file; give at least one line")
    if lowercase:
        rows = [row.lower() for row in rows]
    data = documents(rows, source=name_of(path))
    if not data.n_words:
        raise InputError(f"{name_of(path)}: no words, only blanks; give at least one word")
    return data


def _folder(path: Path, lowercase: bool) -> Documents:
    texts, labels = [], []
    if not path.is_dir():
        raise InputError(f"{name_of(path)}: not a folder; give one with a sub-folder per class, or another --format")
    for folder in sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith(".")):
        for file in sorted(entry for entry in folder.rglob("*") if entry.is_file() and not entry.name.startswith(".")):
            text = read_text(file).decode().replace("\n", " ")
            texts.append(text.lower() if lowercase else text)
            labels.append(folder.name)
    if not texts:
        raise InputError(f"{name_of(path)}: no text files in sub-folders; make one folder per class, or give a file")
    return documents(texts, labels=labels, source=name_of(path))


def _uci(path: str | Path) -> Documents:
    rows = lines(path).to_pylist()
    where = name_of(path)
    if not rows:
        raise InputError(f"{where}: empty file; give at least one line")
    if len(rows) < 3:
        raise InputError(f"{where}: {len(rows)} lines; UCI bag-of-words begins with three sizes, one a line")
    n_documents, n_words, n_counts = (_number(row, f"{where}:{i}", "a size") for i, row in enumerate(rows[:3], 1))
    body = rows[3:]
    if len(body) != n_counts:
        raise InputError(f"{where}: {len(body)} counts, but line 3 says {n_counts}; the file is cut, or joined")
    cells = np.zeros((len(body), 3), dtype=np.int64)
    for i, row in enumerate(body):
        fields = row.split()
        if len(fields) != 3:
            raise InputError(f"{where}:{i + 4}: {len(fields)} numbers; write document, word and count")
        cells[i] = [_number(field, f"{where}:{i + 4}", "a number") for field in fields]
    for column, size, what in ((0, n_documents, "document"), (1, n_words, "word")):
        wrong = np.flatnonzero((cells[:, column] < 1) | (cells[:, column] > size))
        if len(wrong):
            at = int(wrong[0])
            raise InputError(f"{where}:{at + 4}: {what} {cells[at, column]} is not between 1 and {size}; correct it")
        _check_numbering(size, len(body), where, f"{what}s")
    plain = Path(path).name.removesuffix(".gz")
    beside = plain.replace("docword", "vocab", 1)
    names = None if beside == plain else _vocabulary(Path(path).parent / beside, n_words)
    shape = (n_documents, n_words if names is None else len(names))
    counts = cells[:, 2].astype(np.float64)  # whose sums do not wrap around
    matrix = sparse.coo_matrix((counts, (cells[:, 0] - 1, cells[:, 1] - 1)), shape=shape)
    return from_matrix(matrix.tocsr(), names, source=where)


def _ldac(path: str | Path) -> Documents:
    heads, offsets, words, counts = _pairs(path)
    for i, (head, size) in enumerate(zip(heads, np.diff(offsets).tolist(), strict=True), 1):
        if head != str(size):
            raise InputError(f"{name_of(path)}:{i}: says {quoted(head)} words but has {size}; correct the first number")
    n_words = 1 + max(words, default=-1)
    _check_numbering(n_words, len(words), name_of(path), "words")
    stem = Path(path).name.removesuffix(".gz").rsplit(".", 1)[0]
    for candidate in (f"{stem}.vocab", "vocab.txt"):
        names = _vocabulary(Path(path).parent / candidate, n_words)
        if names is not None:
            n_words = len(names)
            break
    matrix = sparse.csr_matrix((counts, words, offsets), shape=(len(heads), n_words))
    return from_matrix(matrix, names, source=name_of(path))


def _svmlight(path: str | Path) -> Documents:
    heads, offsets, words, counts = _pairs(path)
    ids = np.asarray(words, dtype=np.int64)
    _check_numbering(int(ids.max(initial=0)), len(ids), name_of(path), "words")
    first = 0 if len(ids) and ids.min() == 0 else 1
    shape = (len(heads), int(ids.max(initial=first - 1)) + 1 - first)
    data = from_matrix(sparse.csr_matrix((counts, ids - first, offsets), shape=shape), source=name_of(path))
    classes = tuple(sorted(set(heads)))
    numbers = {name: i for i, name in enumerate(classes)}
    return replace(data, labels=np.array([numbers[head] for head in heads], np.int32), classes=classes)


def _pairs(path: str | Path) -> tuple[list[str], list[int], list[int], list[float]]:
    """(first field, offsets, ids, values) of lines ``first id:value id:value …``."""
    heads: list[str] = []
    offsets, words, counts, seen = [0], [], [], False
    for where, line in _numbered(path):
        seen = True
        fields = line.split("#", 1)[0].split()
        if not fields:
            continue
        heads.append(fields[0])
        for field in fields[1:]:
            if field.startswith("qid:"):
                continue
            word, colon, count = field.partition(":")
            if not colon or not _DIGITS.fullmatch(word):
                raise InputError(f"{where}: {quoted(field)} is not word:count; write numbers on both sides")
            words.append(int(word))
            counts.append(_count(count, where))
        offsets.append(len(words))
    if not heads:
        wrong = "no documents, only blank lines" if seen else "empty file"
        raise InputError(f"{name_of(path)}: {wrong}; give at least one line")
    return heads, offsets, words, counts


def _numbered(path: str | Path) -> Iterator[tuple[str, str]]:
    name = name_of(path)
    return ((f"{name}:{i}", line) for i, line in enumerate(lines(path).to_pylist(), 1))


def _count(text: str, where: str) -> float:
    try:
        count = float(text)
    except ValueError:
        count = float("nan")
    if not 0.0 <= count <= MOST_TOKENS:
        raise InputError(f"{where}: count {quoted(text)}; write a number from 0 to 2^53")
    return count


def _number(text: str, where: str, what: str) -> int:
    if not _DIGITS.fullmatch(text.strip()):
        raise InputError(f"{where}: {quoted(text)} is not {what}; write a whole number that is not negative")
    return int(text)


def _check_numbering(highest: int, n_counts: int, where: str, what: str) -> None:
    if highest > max(LARGEST, 100 * n_counts):
        raise InputError(f"{where}: {highest:,} {what} in a file of {n_counts:,} counts; number them without gaps")


def _vocabulary(path: Path, n_words: int) -> Vocabulary | None:
    """The words named in a file beside the counts, one a line; None where there is no such file."""
    if not os.path.exists(path):
        return None
    words: list[Any] = lines(path).to_pylist()
    if len(words) < n_words:
        raise InputError(f"{name_of(path)}: {len(words)} words, but the counts use {n_words}; give one word a line")
    if len(set(words)) < len(words):
        raise InputError(f"{name_of(path)}: a word is listed twice; list every word once")
    return Vocabulary(words)
