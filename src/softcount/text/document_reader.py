"""Files and folders → Documents.

| format | known by | a document |
|---|---|---|
| lines | any other name | a line; words between ASCII blanks |
| uci | ``docword…`` | lines ``document word count`` after three lines of sizes; words named in ``vocab…`` beside it |
| ldac | ``.ldac``, ``.lda-c`` | ``n word:count …``; words named, from 0, in ``vocab.txt`` or ``….vocab`` beside it |
| svmlight | ``.svm``, ``.svmlight``, ``.libsvm`` | ``label word:value …`` |
| folder | a folder | a text file, called by its name; the sub-folder that holds it, if any does, is its class |
| table | ``.parquet``, ``.arrow``, ``.feather``; others where a column is named | a row (``text.named_documents``) |

Words that no file names are called by their numbers, as they stand in the counts: word 4 is "4" here and in any other
file, whichever numbers occur beside it and wherever they begin.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from softcount.errors import InputError
from softcount.numbers.ragged import Array
from softcount.text.corpus import Corpus, corpus
from softcount.text.documents import MOST_TOKENS, Documents, documents, from_matrix
from softcount.text.named_documents import Keep, no_matter, read_folder, read_rows
from softcount.text.packing import unpacked_name
from softcount.text.preparation import Preparation, preparation_of, prepared
from softcount.text.reader import NAME_COLUMN
from softcount.text.shard_folder import is_shards, loaded
from softcount.text.source import BLANKS, lines, name_of, quoted, read_text, split_lines
from softcount.text.table_file import is_binary_table, is_table
from softcount.text.text_check import check_no_table, check_running_text
from softcount.text.vocabulary import Vocabulary

FORMATS = ("auto", "lines", "uci", "ldac", "svmlight", "folder", "table")
LARGEST = 1 << 24  # a document that has no counts takes room too, so a small file may not have more than this
_DIGITS = re.compile(r"[0-9]{1,18}")
ENDINGS = {".ldac": "ldac", ".lda-c": "ldac", ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight"}


def read_documents(
    path: str | Path, format: str = "auto", lowercase: bool = False, prepare: Preparation | None = None,
    text_column: str | None = None, id_column: str | None = None,
    tokenize: str | None = None, normalize: str | None = None,
) -> Documents:  # fmt: skip
    """Read Documents from a file (plain or compressed), a folder, or standard input (``-``).

    Read more in the :doc:`guide to input </how-to/prepare-input>`.

    >>> from pathlib import Path
    >>> from softcount import read_documents
    >>> _ = Path("docs.txt").write_text("stars planets moon\\nbread butter jam\\n")
    >>> len(read_documents("docs.txt"))
    2

    Parameters
    ----------
    path : str or path
        The file, or a folder of files, each of which is a document.
    format : str, default "auto"
        "lines", "uci", "ldac", "svmlight", "folder" or "table"; "auto" goes by its name and its first lines.
    lowercase : bool, default False
        Whether text is lower-cased first.
    prepare : Preparation, optional
        What is done to raw text first, instead of the last two.
    text_column, id_column : str, optional
        Of a table (CSV, TSV, Parquet, Arrow), where the text of a row is, and what it is called.
    tokenize : str, optional
        "rules", a package ("sacremoses", "jieba", "mecab", "spacy"), or "pipe:COMMAND", any command that reads lines.
    normalize : str, optional
        A form of Unicode, such as "NFC".

    Returns
    -------
    Documents
    """
    return _read(path, format, lowercase, prepare or preparation_of(tokenize, normalize), text_column, id_column)


def read_in_order(
    path: str | Path, format: str = "auto", lowercase: bool = False, prepare: Preparation | None = None,
    text_column: str | None = None, id_column: str | None = None,
) -> tuple[Documents, Corpus | None]:  # fmt: skip
    """The documents, and the same with the order of their words, which tables of counts and shards do not have."""
    texts: list[str] = []
    data = _read(path, format, lowercase, prepare, text_column, id_column, texts.extend)
    return data, corpus(texts, lowercase=lowercase) if texts else None


def _read(
    path: str | Path, format: str, lowercase: bool, prepare: Preparation | None, text_column: str | None,
    id_column: str | None, keep: Keep = no_matter,
) -> Documents:  # fmt: skip
    if format not in FORMATS:
        raise InputError(f"format {format!r}: unknown; use {', '.join(FORMATS)}")
    if is_shards(path):
        stored: Documents = loaded(documents(path, lowercase=lowercase))
        return stored
    kind = format_of(path) if format == "auto" else format
    if format == "auto" and (text_column is not None or id_column is not None):
        kind = "table"
    if kind == "table":
        return read_rows(path, lowercase, prepare, text_column, id_column, keep)
    if text_column is not None or id_column is not None:
        raise InputError(f"{name_of(path)}: read as {kind}, which has no columns; omit --text-column")
    if kind == "folder":
        return read_folder(Path(path), lowercase, prepare, keep)
    if kind == "lines":
        return _lines(path, lowercase, prepare, keep, noted=format == "auto")
    if prepare is not None and prepare.tokenize:
        raise InputError(f"{name_of(path)}: a table of counts is already tokenized; omit --tokenize")
    return {"uci": _uci, "ldac": _ldac, "svmlight": _svmlight}[kind](path)


def format_of(path: str | Path) -> str:
    if str(path) != "-" and Path(path).is_dir():
        return "folder"
    if is_binary_table(path):
        return "table"
    name = unpacked_name(Path(path).name)
    return "uci" if name.startswith("docword") else ENDINGS.get(Path(name).suffix, "lines")


def _lines(path: str | Path, lowercase: bool, prepare: Preparation | None, keep: Keep, noted: bool) -> Documents:
    content = read_text(path)
    if noted:
        check_lines(path, content)
    rows = split_lines(prepared(content, prepare)).to_pylist()
    if not rows:
        raise InputError(f"{name_of(path)}: empty file; give at least one line")
    keep(rows)
    data = documents(rows, source=name_of(path), lowercase=lowercase)
    if not data.n_words:
        raise InputError(f"{name_of(path)}: no words, only spaces; give at least one word")
    return data


def check_lines(path: str | Path, content: bytes) -> None:
    """Refuse what can be read as lines but cannot be meant so; of a table that has one column only, warn."""
    check_no_table(path, NAME_COLUMN)
    check_running_text(content, name_of(path), "lines")
    if is_table(path):
        wrong = "read as lines, although its name suggests a table; --text-column reads a column of it"
        warnings.warn(f"{name_of(path)}: {wrong}", UserWarning, stacklevel=4)


def _uci(path: str | Path) -> Documents:
    where = name_of(path)
    rows = _without_blank_end(lines(path).to_pylist(), where)
    if len(rows) < 3:
        raise InputError(f"{where}: {len(rows)} lines; UCI bag-of-words begins with three lines of sizes")
    n_documents, n_words, n_counts = (_number(row, f"{where}:{i}", "a size") for i, row in enumerate(rows[:3], 1))
    cells = _cells(rows[3:], n_counts, where)
    _check_range(cells[:, 0], n_documents, where, "document")
    _check_range(cells[:, 1], n_words, where, "word")
    if n_documents > max(LARGEST, 100 * n_counts):
        wrong = f"{n_documents:,} documents in a file of {n_counts:,} counts"
        raise InputError(f"{where}: {wrong}; number them without gaps")
    names = _names_beside(path, "uci", n_words)
    return _counted(n_documents, cells[:, 0] - 1, cells[:, 1], cells[:, 2], names, where, first=1)


def _without_blank_end(rows: list[str], where: str) -> list[str]:
    n = len(rows)
    while n and not rows[n - 1].strip():
        n -= 1
    if not n:
        raise _nothing(where, blank=bool(rows))
    return rows[:n]


def _cells(body: list[str], n_counts: int, where: str) -> Array:
    """int64 [counts, 3]: document, word and count of each line."""
    if len(body) != n_counts:
        raise InputError(
            f"{where}: {len(body)} counts, but line 3 announces {n_counts}; the file is truncated or concatenated"
        )
    cells = np.zeros((n_counts, 3), dtype=np.int64)
    for i, row in enumerate(body):
        fields = row.split()
        if len(fields) != 3:
            raise InputError(f"{where}:{i + 4}: {len(fields)} numbers; write document, word and count")
        cells[i] = [_number(field, f"{where}:{i + 4}", "a number") for field in fields]
    return cells


def _check_range(numbers: Array, size: int, where: str, what: str) -> None:
    wrong = np.flatnonzero((numbers < 1) | (numbers > size))
    if len(wrong):
        at = int(wrong[0])
        raise InputError(f"{where}:{at + 4}: {what} {numbers[at]} is not between 1 and {size}; correct it")


def _ldac(path: str | Path) -> Documents:
    heads, lengths, words, counts = _pairs(path)
    for i, (head, size) in enumerate(zip(heads, lengths, strict=True), 1):
        if head != str(size):
            raise InputError(f"{name_of(path)}:{i}: says {quoted(head)} words but has {size}; correct the first number")
    names = _names_beside(path, "ldac", 1 + max(words, default=-1))
    return _counted(len(heads), np.repeat(np.arange(len(heads)), lengths), words, counts, names, name_of(path))


def _svmlight(path: str | Path) -> Documents:
    heads, lengths, words, counts = _pairs(path)
    data = _counted(len(heads), np.repeat(np.arange(len(heads)), lengths), words, counts, None, name_of(path))
    classes = tuple(sorted(set(heads)))
    numbers = {name: i for i, name in enumerate(classes)}
    return replace(data, labels=np.array([numbers[head] for head in heads], np.int32), classes=classes)


def _counted(
    n_documents: int, rows: Array, words: Any, counts: Any, names: Vocabulary | None, where: str, first: int = 0
) -> Documents:
    """Documents of (row, word, count); `first` is the number that the first of the names has in the file."""
    ids, values = np.asarray(words, dtype=np.int64), np.asarray(counts, np.float64)  # whose sums do not wrap around
    if names is None:
        occurs = values > 0.0
        numbers, columns = np.unique(ids[occurs], return_inverse=True)
        rows, values, names = rows[occurs], values[occurs], Vocabulary([str(n) for n in numbers.tolist()])
    else:
        columns = ids - first
    table = sparse.coo_matrix((values, (rows, columns)), shape=(n_documents, len(names)))
    return from_matrix(table.tocsr(), names, source=where)


def _pairs(path: str | Path) -> tuple[list[str], list[int], list[int], list[float]]:
    """(first field, number of pairs, ids, values) of lines ``first id:value id:value …``."""
    heads: list[str] = []
    ends, words, counts, seen = [0], [], [], False
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
        ends.append(len(words))
    if not heads:
        raise _nothing(name_of(path), blank=seen)
    return heads, np.diff(ends).tolist(), words, counts


def _nothing(where: str, blank: bool) -> InputError:
    wrong = "no documents, only empty lines" if blank else "empty file"
    return InputError(f"{where}: {wrong}; give at least one line")


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
    digits = text.strip(BLANKS.decode())  # str.strip alone takes more for blanks than int does
    if not _DIGITS.fullmatch(digits):
        raise InputError(f"{where}: {quoted(text)} is not {what}; write a whole number of at least 0")
    return int(digits)


def files_beside(path: str | Path, format: str = "auto") -> list[Path]:
    """Where the names of a count table's words may lie, the first that is there counting."""
    kind = format_of(path) if format == "auto" else format
    name = Path(path).name
    name = name[: len(unpacked_name(name))]
    if kind == "ldac":
        return [Path(path).parent / vocabulary for vocabulary in (f"{name.rsplit('.', 1)[0]}.vocab", "vocab.txt")]
    named = name.replace("docword", "vocab", 1)
    return [Path(path).parent / named] if kind == "uci" and named != name else []


def _names_beside(path: str | Path, format: str, n_words: int) -> Vocabulary | None:
    found = (_vocabulary(file, n_words) for file in files_beside(path, format))
    return next((names for names in found if names is not None), None)


def _vocabulary(path: Path, n_words: int) -> Vocabulary | None:
    """The words named in a file beside the counts, one a line; None where there is no such file."""
    if not os.path.exists(path):
        return None
    words: list[Any] = lines(path).to_pylist()
    if len(words) < n_words:
        raise InputError(f"{name_of(path)}: {len(words)} words, but the counts use {n_words}; give one word per line")
    if len(set(words)) < len(words):
        raise InputError(f"{name_of(path)}: a word is listed twice; list every word once")
    return Vocabulary(words)
