"""Text files → Corpus.

| format | a sentence | a tag |
|---|---|---|
| plain | a line; tokens between ASCII blanks | on the same line of a second file, if there is one |
| tagged | a line of ``word/TAG`` | after the last slash |
| conllu | a block of lines, one word a line | column UPOS or XPOS, or none |

A tag ``_`` is not known. In lines, an empty line is an empty sentence. What nobody names is CoNLL-U if its name ends so
or its first line of words is a line of CoNLL-U, else plain.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.text.characters import spaced
from softcount.text.corpus import Corpus, assemble, corpus, encode_tags
from softcount.text.packing import unpacked_name
from softcount.text.preparation import Preparation, note_forms, note_uncut, preparation_of, prepared
from softcount.text.shard_folder import is_shards, loaded
from softcount.text.source import (
    bytes_of,
    check_stdin,
    line_of,
    name_of,
    quoted,
    read_text,
    split_lines,
    split_tokens,
    strings,
)
from softcount.text.table_file import is_binary_table
from softcount.text.text_check import check_no_table, check_running_text
from softcount.text.text_column import column_text, columns_of, only_text_column
from softcount.text.vocabulary import Vocabulary, lowered

FORMATS = ("auto", "plain", "tagged", "conllu")
CONLLU_COLUMNS = 10
BY_CONTENT = "read as CoNLL-U because of its lines; use --format plain if it is plain text"
NAME_COLUMN = "give its text column with --text-column (text_column=), or rename the file if its lines are the text"
BEGINNING = 1 << 20  # bytes in which the first line of words is looked for
TAG_COLUMNS = {"upos": 3, "xpos": 4, "none": -1}
_WORD_ID, _SKIPPED_ID = re.compile(r"[0-9]+"), re.compile(r"[0-9]+[-.][0-9]+")


class Text(NamedTuple):
    offsets: Array
    tokens: Any
    tags: Any | None
    where: Callable[[int], str]  # the place of a token, for messages


def read(
    path: str | Path,
    format: str = "auto",
    tags: str | Path | None = None,
    vocabulary: Vocabulary | None = None,
    min_count: int = 1,
    column: str = "upos",
    tagset: Sequence[str] | None = None,
    lowercase: bool = False,
    content: bytes | None = None,
    prepare: Preparation | None = None,
    text_column: str | None = None,
    tokenize: str | None = None,
    normalize: str | None = None,
) -> Corpus:
    """Read a Corpus from a file (plain or compressed), or from standard input (``-``).

    Read more in the :doc:`guide to input </how-to/prepare-input>`.

    >>> from pathlib import Path
    >>> from softcount import read
    >>> _ = Path("text.txt").write_text("the dog runs\\na dog\\n")
    >>> read("text.txt")
    Corpus(2 sentences, 5 tokens, 4 words, 0 tags, source='text.txt')

    Of a folder of shards all of it is read, where there is room; `softcount.Shards` leaves it there.

    Parameters
    ----------
    path : str or path
        The file.
    format : str, default "auto"
        "plain", "tagged" or "conllu"; "auto" goes by the name and the first lines.
    tags : str or path, optional
        A file of tags in step with it, line by line.
    vocabulary : Vocabulary, optional
        Whose numbers are used, as new text is read by an old model; then `min_count` has no say.
    min_count : int, default 1
        Words that occur less often are one unknown word.
    column : str, default "upos"
        Of CoNLL-U, the column that has the tags.
    tagset : list of str, optional
        The tags, in the order of their numbers.
    lowercase : bool, default False
        Whether text is lower-cased first.
    content : bytes, optional
        The content of the file, where it has been read before.
    prepare : Preparation, optional
        What is done to raw text first, instead of the next two.
    tokenize : str, optional
        "rules", a package ("sacremoses", "jieba", "mecab", "spacy"), or "pipe:COMMAND", any command that reads lines.
    normalize : str, optional
        A form of Unicode, such as "NFC".
    text_column : str, optional
        Of a table (CSV, TSV, Parquet, Arrow), the column whose cells are the sentences.

    Returns
    -------
    Corpus
    """
    if is_shards(path):
        stored: Corpus = loaded(corpus(path, vocabulary, min_count, tagset=tagset, lowercase=lowercase))
        return stored
    prepare = prepare or preparation_of(tokenize, normalize)
    if content is None:
        content = text_of_table(path, text_column, format)
    format, content = _format(path, format, tags, content)
    if prepare is not None and prepare != (None, None):
        if prepare.tokenize and (format != "plain" or tags is not None):
            raise InputError(f"{name_of(path)}: a text with tags is already tokenized; omit --tokenize")
        content = prepared(read_text(path) if content is None else content, prepare)
    text = _read(path, format, tags, column, content)
    if lowercase:
        text = text._replace(tokens=lowered(text.tokens))
    note_uncut(len(text.offsets) - 1, len(text.tokens), text.tokens.nbytes - 8 * len(text.tokens), name_of(path))
    found = assemble(text.offsets, text.tokens, text.tags, text.where, vocabulary, min_count, tagset, name_of(path))
    note_forms(found.vocabulary.words, name_of(path))
    return found


def read_characters(
    path: str | Path, lowercase: bool = False, prepare: Preparation | None = None, content: bytes | None = None
) -> Corpus:
    """A Corpus of a file whose characters are the words; a blank is ``▁`` (`text.characters`)."""
    lines = (
        prepared(read_text(path) if content is None else content, prepare or Preparation(None, None))
        .decode()
        .removesuffix("\n")
        .split("\n")
    )
    content = "\n".join(map(spaced, lines)).encode()
    return read(path, format="plain", lowercase=lowercase, content=content + b"\n" if lines != [""] else b"")


def text_of_table(
    path: str | Path, text_column: str | None, format: str = "auto", instead: str = NAME_COLUMN
) -> bytes | None:
    """The lines of a column; None where the file is no table, by its name, and no column is named."""
    if text_column is None and not is_binary_table(path):
        if format == "auto":
            check_no_table(path, instead)
        return None
    table = columns_of(path)
    return column_text(table, only_text_column(table) if text_column is None else text_column)


def read_labels(path: str | Path, column: str | None = None) -> tuple[Ragged, tuple[str, ...]]:
    """Lines of tags, or with a ``column`` that of CoNLL-U: (int32 ids, names); ``_`` is −1."""
    content = read_text(path)
    if column and is_conllu(content):
        text = _conllu(path, column, content)
        tags = text.tags
    else:
        text = _plain(path, content)
        tags = text.tokens
    ids, names = encode_tags(tags, text.where)
    return Ragged(text.offsets, ids), names


def _format(path: str | Path, format: str, tags: str | Path | None, content: bytes | None) -> tuple[str, bytes | None]:
    """(the format, the text where it had to be read to know)."""
    if format not in FORMATS:
        raise InputError(f"format {format!r}: unknown; use {', '.join(FORMATS)}")
    check_stdin(text=path, tags=tags)
    if format == "auto":
        format = "conllu" if unpacked_name(str(path)).endswith(".conllu") else "plain"
        content = read_text(path) if format == "plain" and content is None else content
        if format == "plain" and content is not None and is_conllu(content):
            warnings.warn(f"{name_of(path)}: {BY_CONTENT}", UserWarning, stacklevel=3)
            format = "conllu"
        elif format == "plain" and content is not None:
            check_running_text(content, name_of(path), "plain")
    if tags is not None and format != "plain":
        raise InputError(f"{name_of(path)}: {format} text has its own tags; omit the tag file")
    return format, content


def is_conllu(text: bytes) -> bool:
    """By the first line that is neither empty nor a remark: a word number, and ten columns."""
    rows = (row.strip(b"\r") for row in text[:BEGINNING].split(b"\n"))
    fields = next((row.split(b"\t") for row in rows if row.strip() and not row.startswith(b"#")), [b""])
    return len(fields) == CONLLU_COLUMNS and re.fullmatch(rb"1|1-[0-9]+|0\.1", fields[0]) is not None


def _read(path: str | Path, format: str, tags: str | Path | None, column: str, content: bytes | None) -> Text:
    if format == "conllu":
        return _conllu(path, column, content)
    if format == "tagged":
        return tagged_text(path, content)
    return _plain(path, content) if tags is None else _parallel(path, tags, content)


def _plain(path: str | Path, content: bytes | None = None, before: int = 0) -> Text:
    """`before`: how many lines of the file came before its content."""
    name = name_of(path)
    offsets, tokens = split_tokens(read_text(path) if content is None else content)
    if len(offsets) == 1:
        raise _empty(name)
    return Text(offsets, tokens, None, lambda token: f"{name}:{before + line_of(offsets, token)}")


def _parallel(path: str | Path, tags_path: str | Path, content: bytes | None) -> Text:
    text, tags = _plain(path, content), _only_tags(tags_path)
    try:
        _check_in_step(text.offsets, tags.offsets, name_of(path), name_of(tags_path))
    except InputError:
        if len(tags.tokens) and all("/" in tag for tag in tags.tokens.to_pylist()):
            raise _has_words(tags_path, "word/TAG") from None
        raise
    return Text(text.offsets, text.tokens, tags.tokens, tags.where)


def _only_tags(path: str | Path) -> Text:
    """Lines of tags; a file that has words as well is labelled text of its own."""
    content = read_text(path)
    if is_conllu(content):
        raise _has_words(path, "CoNLL-U")
    return _plain(path, content)


def _has_words(path: str | Path, what: str) -> InputError:
    instead = "give lines of tags, or labelled sentences as --labelled FILE (labelled=… of fit in Python)"
    return InputError(f"{name_of(path)}: {what}, which has words besides tags; {instead}")


def _check_in_step(tokens: Array, tags: Array, name: str, tags_name: str) -> None:
    """Both are offsets: as many lines, and as many items on every line?"""
    common = min(len(tokens), len(tags))
    wrong = np.flatnonzero(tokens[:common] != tags[:common])
    if len(tokens) != len(tags):
        (n, shorter), (m, longer) = sorted([(len(tokens) - 1, name), (len(tags) - 1, tags_name)])
        place = f", and line {wrong[0]} is the first with other counts" if len(wrong) else ""
        raise InputError(f"{shorter}: {n} lines, {m - n} fewer than {longer}{place}; give the same number of lines")
    if len(wrong):
        line = int(wrong[0])
        n_tokens, n_tags = tokens[line] - tokens[line - 1], tags[line] - tags[line - 1]
        counts = f"{n_tokens} tokens, but {n_tags} tags in {tags_name}:{line}"
        raise InputError(f"{name}:{line}: {counts}; give every token one tag (_ if unknown)")


def tagged_text(path: str | Path, content: bytes | None, before: int = 0) -> Text:
    """Cuts every token at its last slash, if it has one; the word ``/`` alone is a word without a tag."""
    text = _plain(path, content, before)
    offsets, data = bytes_of(text.tokens)
    starts, ends = offsets[:-1], offsets[1:]
    slashes = np.concatenate([[-1], np.flatnonzero(data == ord("/"))])
    last = slashes[np.searchsorted(slashes, ends) - 1]
    cuts = np.where((last < starts) | (ends - starts == 1), ends, last)
    if (cuts == starts).any():
        i = int(np.argmax(cuts == starts))
        token = quoted(text.tokens[i].as_py())
        raise InputError(f"{text.where(i)}: no word before the slash of {token}; write word/TAG, // for the word /")
    pieces = np.stack([cuts - starts, np.minimum(1, ends - cuts), np.maximum(ends - cuts - 1, 0)], axis=1)
    return text._replace(tokens=_piece(data, pieces, 0), tags=_piece(data, pieces, 2))


def _piece(data: Array, pieces: Array, which: int) -> Any:
    """One column of the pieces (their lengths) into which the data are cut."""
    keep = np.repeat(np.tile(np.arange(pieces.shape[1]) == which, len(pieces)), pieces.ravel())
    return strings(data[keep], pieces[:, which])


def _conllu(path: str | Path, column: str, content: bytes | None = None) -> Text:
    if column not in TAG_COLUMNS:
        raise InputError(f"column {column!r}: unknown; use {', '.join(TAG_COLUMNS)}")
    name = name_of(path)
    rows = split_lines(read_text(path) if content is None else content).to_pylist()
    if not rows:
        raise _empty(name)
    words: list[tuple[int, str, str]] = []
    lengths = [0]  # the last sentence is the one being read
    for number, row in enumerate(rows, 1):
        if not row.strip(" \t"):
            lengths += [0] if lengths[-1] else []
        elif not row.startswith("#"):
            fields = _fields(row, f"{name}:{number}")
            if not _SKIPPED_ID.fullmatch(fields[0]):
                words.append((number, fields[1], "_" if column == "none" else fields[TAG_COLUMNS[column]]))
                lengths[-1] += 1
    return _words(words, offsets_of(lengths if lengths[-1] else lengths[:-1]), name)


def _words(words: list[tuple[int, str, str]], offsets: Array, name: str) -> Text:
    numbers, forms, tags = zip(*words, strict=True) if words else ((), (), ())
    string = pa.large_string()
    return Text(offsets, pa.array(forms, string), pa.array(tags, string), lambda token: f"{name}:{numbers[token]}")


def _fields(row: str, where: str) -> list[str]:
    fields = row.split("\t")
    if len(fields) < CONLLU_COLUMNS:
        raise InputError(f"{where}: {len(fields)} columns; CoNLL-U has {CONLLU_COLUMNS}, separated by tabs")
    if not (_WORD_ID.fullmatch(fields[0]) or _SKIPPED_ID.fullmatch(fields[0])):
        wrong = f"invalid word number {quoted(fields[0])}"
        raise InputError(f"{where}: {wrong}; write 1, 2, …, 1-2 or 1.1 in the first column")
    if not fields[1]:
        raise InputError(f"{where}: the word is empty; write it in the second column")
    return fields


def _empty(name: str) -> InputError:
    return InputError(f"{name}: empty file; give at least one line")
