"""Text files of any number and size → rows of word numbers, piece by piece: what `softcount shard` reads.

Lines, of one file or of two in step, are read some megabytes at a time. CoNLL-U, tables, TMX and XLIFF are read one
file at a time, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from softcount.errors import InputError
from softcount.numbers.ragged import Array, Ragged
from softcount.text.bitext_reader import SIDE_COLUMN, cut_lines, has_languages, mark_of, sides_of
from softcount.text.document_reader import check_lines, format_of
from softcount.text.growing_vocabulary import Growing
from softcount.text.named_documents import files_of_folder
from softcount.text.packing import unpacked_name
from softcount.text.preparation import Preparation, note_uncut, prepared
from softcount.text.reader import FORMATS, Text, is_conllu, read, tagged_text, text_of_table
from softcount.text.shard_columns import Columns
from softcount.text.source import line_pieces, name_of, read_text, split_tokens
from softcount.text.text_check import check_running_text
from softcount.text.text_column import column_text, columns_of, names_of_rows, only_text_column
from softcount.text.vocabulary import lowered
from softcount.text.xml_pairs import is_xml

FILES = 1000  # of a folder, read together
Piece = tuple[Array, Any]  # offsets and tokens of some rows


class How(NamedTuple):
    """How text is read; what is not as by default, a manifest keeps."""

    lowercase: bool = False
    prepare: Preparation = Preparation()
    format: str = "auto"
    column: str = "upos"
    text_column: str | None = None
    id_column: str | None = None

    def settings(self) -> dict[str, Any]:
        return ({"lowercase": True} if self.lowercase else {}) | self.prepare.settings()


class Names(NamedTuple):
    """What is numbered on the way."""

    sides: tuple[Growing, ...]
    labels: Growing  # tags of tokens, or classes of documents


# --- sentences --------------------------------------------------------------------------------------------------------


def sentences(paths: Sequence[str], how: How, names: Names) -> Iterator[Columns]:
    for path in paths:
        n_rows = n_tokens = n_bytes = 0
        for offsets, tokens, tags, _ in _texts(path, how):
            tokens = lowered(tokens) if how.lowercase else tokens
            found: Columns = {"words": numbered((offsets, tokens), names.sides[0])}
            found["tags"] = Ragged(offsets, _tag_ids(tags, len(tokens), names.labels))
            n_rows, n_tokens, n_bytes = n_rows + len(offsets) - 1, n_tokens + len(tokens), n_bytes + tokens.nbytes
            yield found
        if not n_rows:
            raise InputError(f"{name_of(path)}: empty file; give at least one line")
        note_uncut(n_rows, n_tokens, n_bytes - 8 * n_tokens, name_of(path))


def _texts(path: str, how: How) -> Iterator[Text]:
    if how.format not in FORMATS:
        raise InputError(f"format {how.format!r} is not known; choose one of {', '.join(FORMATS)}")
    table = text_of_table(path, how.text_column, how.format)
    pieces = line_pieces(path) if table is None else iter([(0, table)])
    for before, piece in pieces:
        if how.format == "conllu" or (how.format == "auto" and not before and _looks_like_conllu(path, piece)):
            yield _whole(path, how)
            return
        if how.format == "auto" and not before and table is None:
            check_running_text(piece, name_of(path), "plain")
        if how.format == "tagged":
            _check_uncut(path, how)
            yield tagged_text(path, prepared(piece, how.prepare), before)
        else:
            yield Text(*split_tokens(prepared(piece, how.prepare)), None, str)


def _looks_like_conllu(path: str, piece: bytes) -> bool:
    return unpacked_name(path).endswith(".conllu") or is_conllu(piece)


def _check_again(path: str, what: str) -> None:
    """Files of some forms are read from their beginning once more."""
    if path == "-":
        raise InputError(f"<stdin>: {what} must be read as a whole; give a file")


def _check_uncut(path: str, how: How) -> None:
    if how.prepare.tokenize:
        raise InputError(f"{name_of(path)}: a text with tags is already tokenized; omit --tokenize")


def _whole(path: str, how: How) -> Text:
    _check_uncut(path, how)
    _check_again(path, "CoNLL-U")
    text = read(path, format="conllu", column=how.column, prepare=how.prepare)
    words = text.vocabulary.strings(text.sentences.values)
    return Text(text.sentences.offsets, words, None if text.labels is None else text._tag_strings(), str)


def _tag_ids(tags: Any, n_tokens: int, names: Growing) -> Array:
    """−1 where none is known."""
    if tags is None:
        return np.full(n_tokens, -1, np.int32)
    ids = names.encode(tags)
    unknown = [names.ids[none] for none in ("_", "") if none in names.ids]
    return np.where(np.isin(ids, unknown), np.int32(-1), ids).astype(np.int32)


# --- pairs ------------------------------------------------------------------------------------------------------------


def pairs(sources: Sequence[str], targets: Sequence[str], how: How, names: Names) -> Iterator[Columns]:
    """Of files beside one another, or, where there are no targets, of files that have both sides."""
    if targets and len(sources) != len(targets):
        n, m = len(sources), len(targets)
        raise InputError(
            f"{n} source file{'s' * (n != 1)}, but {m} of --target; give the same number, in the same order"
        )
    for number, source in enumerate(sources):
        if targets:
            both = _in_step(_side(source, how, names.sides[0]), _side(targets[number], how, names.sides[1]),
                            name_of(source), name_of(targets[number]))  # fmt: skip
        else:
            both = _of_one_file(source, how, names)
        for one, other in both:
            yield {"source": one, "target": other}


def _side(path: str, how: How, words: Growing) -> Iterator[Ragged]:
    table = text_of_table(path, None, instead=SIDE_COLUMN)
    empty = True
    for _, piece in line_pieces(path) if table is None else [(0, table)]:
        empty = False
        yield _cut(piece, how, words)
    if empty:
        raise InputError(f"{name_of(path)}: empty file; give at least one line")


def _cut(piece: bytes, how: How, words: Growing) -> Ragged:
    offsets, tokens = split_tokens(prepared(piece, how.prepare))
    return numbered((offsets, lowered(tokens) if how.lowercase else tokens), words)


def _in_step(one: Iterator[Ragged], two: Iterator[Ragged], name: str, other: str) -> Iterator[tuple[Ragged, Ragged]]:
    rows, a, b = 0, next(one, None), next(two, None)
    while a is not None and b is not None:
        n = min(a.n_rows, b.n_rows)
        yield a.slice(0, n), b.slice(0, n)
        rows += n
        a = a.slice(n, a.n_rows) if n < a.n_rows else next(one, None)
        b = b.slice(n, b.n_rows) if n < b.n_rows else next(two, None)
    for rest, stream, shorter, longer in ((a, one, other, name), (b, two, name, other)):
        if rest is not None:
            more = rest.n_rows + sum(piece.n_rows for piece in stream)
            raise InputError(f"{shorter}: {rows} lines, {more} fewer than {longer}; give the same number of lines")


def _of_one_file(path: str, how: How, names: Names) -> Iterator[tuple[Ragged, Ragged]]:
    one, two = names.sides
    if has_languages(path):
        both = sides_of(path, (None, None), "any")
        yield _cut(both[0], how, one), _cut(both[1], how, two)
        return
    mark = b""
    for before, piece in line_pieces(path):
        if not before and is_xml(piece):
            _check_again(path, "XML")
            both = sides_of(path, (None, None), "any")
            yield _cut(both[0], how, one), _cut(both[1], how, two)
            return
        mark = mark or (mark_of(piece, name_of(path)) if piece.strip() else b"")
        left, right = cut_lines(piece, mark or b"\t", name_of(path), before)
        yield _cut(left, how, one), _cut(right, how, two)
    if not mark:
        raise InputError(f"{name_of(path)}: no pairs, only spaces; give at least one pair")


# --- documents --------------------------------------------------------------------------------------------------------


def documents(paths: Sequence[str], how: How, names: Names) -> Iterator[Columns]:
    for path in paths:
        found = False
        for offsets, tokens, labels, called in _document_pieces(path, how):
            found = True
            tokens = lowered(tokens) if how.lowercase else tokens
            ids = names.sides[0].encode(tokens)
            table = sparse.csr_matrix((np.ones(len(ids)), ids, offsets), shape=(len(offsets) - 1, len(names.sides[0])))
            table.sum_duplicates()
            words, bounds = table.indices.astype(np.int32), table.indptr.astype(np.int64)
            names.sides[0].count(words, table.data)
            known = np.full(len(bounds) - 1, -1, np.int32) if labels is None else names.labels.encode(labels)
            yield {"words": Ragged(bounds, words), "counts": Ragged(bounds, table.data), "label": known, "name": called}
        if not found:
            raise InputError(f"{name_of(path)}: empty file; give at least one line")


def _document_pieces(path: str, how: How) -> Iterator[tuple[Array, Any, Any, list[str]]]:
    """Offsets, tokens, classes and names of some documents."""
    kind = "table" if how.text_column or how.id_column else format_of(path)
    if kind == "folder":
        yield from _files(path, how)
    elif kind == "table":
        table = columns_of(path)
        text = column_text(table, how.text_column or only_text_column(table))
        called = [] if how.id_column is None else list(names_of_rows(table, how.id_column))
        offsets, tokens = split_tokens(prepared(text, how.prepare))
        yield offsets, tokens, None, called or [""] * (len(offsets) - 1)
    elif kind == "lines":
        for before, piece in line_pieces(path):
            if how.format == "auto" and not before:
                check_lines(path, piece)
            offsets, tokens = split_tokens(prepared(piece, how.prepare))
            yield offsets, tokens, None, [""] * (len(offsets) - 1)
    else:
        raise InputError(f"{name_of(path)}: tables of counts are not supported in shards; give documents as text")


def _files(path: str, how: How) -> Iterator[tuple[Array, Any, Any, list[str]]]:
    files = files_of_folder(Path(path))
    for start in range(0, len(files), FILES):
        some = files[start : start + FILES]
        text = "".join(read_text(file).decode().replace("\n", " ") + "\n" for file, _ in some)
        labels = [label for _, label in some] if any(label for _, label in files) else None
        called = [str(file.relative_to(path)) for file, _ in some]
        yield *split_tokens(prepared(text.encode(), how.prepare)), labels, called


def numbered(piece: Piece, words: Growing) -> Ragged:
    """Rows of tokens as rows of numbers, counted."""
    offsets, tokens = piece
    ids = words.encode(tokens)
    words.count(ids)
    return Ragged(offsets, ids)
