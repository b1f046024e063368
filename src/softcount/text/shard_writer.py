"""Writes a folder of shards in bounded memory, in two passes: words are ranked only when all of them have been seen.

    1. text → numbers in order of first appearance, spooled to one file beside the folder; every word is counted
    2. spool → numbers by rank → shards, blocks with digests; then vocabularies, lengths and, last, the manifest

What must fit into memory is the vocabulary, and some megabytes of text.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.atomic import whole_folder
from softcount.numbers.ragged import Array, Ragged
from softcount.text.growing_vocabulary import Growing
from softcount.text.preparation import note_forms
from softcount.text.shard import shards
from softcount.text.shard_columns import Columns
from softcount.text.shard_digest import documents_digest, sentences_digest
from softcount.text.shard_file import (
    SIDES,
    batch_of,
    columns_of,
    digest_of,
    filesystem,
    is_uri,
    joined,
    place_of,
    rows_of,
    shown,
)
from softcount.text.shard_input import Names
from softcount.text.shard_manifest import MANIFEST, sealed
from softcount.text.vocabulary import Vocabulary
from softcount.version import VERSION

BLOCK = 1 << 18  # numbers of words in a block: what a worker has in memory at a time, or a few of them
FILE = 64 << 20  # bytes of a shard, from which on the next one begins
SPOOL = "spool.arrows"


class Ranked(NamedTuple):
    """What the first pass has found of the words of a side."""

    words: Vocabulary
    counts: Array
    rows: Array
    came: Array  # in which order
    rank: Array  # number of the first pass → rank


def write_shards(
    out: str, kind: str, columns: Iterable[Columns], names: Names, reading: Mapping[str, Any], source: Sequence[str],
    block: int = BLOCK, file_bytes: int = FILE,
) -> dict[str, Any]:  # fmt: skip
    """The manifest of the folder that was written. `source` is what the text of each side is called."""
    check_out(out)
    with _folder(out) as (root, spool):
        n_rows = _spool(spool, columns, block)
        second = _Second(kind, spool, n_rows, names)
        if not any(len(side.words) for side in second.sides):
            raise InputError(f"{source[0]}: no words, only spaces; give at least one word")
        manifest = second.write(root, reading, source, file_bytes)
        os.unlink(spool)
        _put(root, MANIFEST, sealed(manifest))
    return manifest


def check_out(out: str) -> None:
    """Before hours of work: nothing may be there yet."""
    if is_uri(out):
        from pyarrow import fs

        system, folder = filesystem(out)
        if any(True for _ in system.get_file_info(fs.FileSelector(folder, allow_not_found=True))):
            raise InputError(f"{shown(out)}: is not empty; give another place, or empty it first")
        return
    path = Path(out)
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"{out}: already exists; give another folder, or remove it first")
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InputError(f"{out}: folder {str(path.parent)!r} not found; create it first")


@contextmanager
def _folder(out: str) -> Iterator[tuple[str, str]]:
    """(where the files go, where the spool goes)."""
    try:
        if is_uri(out):
            with _store_folder(out), tempfile.TemporaryDirectory() as local:
                yield out, os.path.join(local, SPOOL)
        else:
            with whole_folder(Path(out)) as temporary:
                yield str(temporary), str(temporary / SPOOL)
    except OSError as error:
        reason = error.strerror or str(error).split("\n")[0]
        raise InputError(
            f"{shown(out)}: cannot be written ({reason}); free some space, or give another place"
        ) from None


@contextmanager
def _store_folder(out: str) -> Iterator[None]:
    """Where nothing can be renamed: what was written goes again if the writing fails."""
    from pyarrow import fs

    system, folder = filesystem(out)
    new = system.get_file_info(folder).type == fs.FileType.NotFound
    system.create_dir(folder, recursive=True)
    try:
        yield
    except BaseException:
        with suppress(OSError, pa.ArrowException):
            if system.get_file_info(place_of(folder, MANIFEST)).type == fs.FileType.NotFound:  # another's is whole
                system.delete_dir(folder) if new else system.delete_dir_contents(folder)
        raise


# --- the first pass ---------------------------------------------------------------------------------------------------


def _spool(path: str, pieces: Iterable[Columns], block: int) -> int:
    """Rows as they come, in blocks of about equal size; how many there are."""
    rows, writer = 0, None
    with pa.OSFile(path, "wb") as stream:
        for columns in _blocks(pieces, block):
            batch = batch_of(columns)
            writer = writer or pa.ipc.new_stream(stream, batch.schema)
            writer.write_batch(batch)
            rows += batch.num_rows
        if writer:
            writer.close()
    return rows


def _blocks(pieces: Iterable[Columns], block: int) -> Iterator[Columns]:
    waiting: list[Columns] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += _sizes(piece).sum()
        if size >= 4 * block:
            whole = joined(waiting)
            *ranges, last = shards(_sizes(whole), block)
            yield from (rows_of(whole, *bounds) for bounds in ranges)
            waiting = [rows_of(whole, *last)]
            size = _sizes(waiting[0]).sum()
    if waiting:
        whole = joined(waiting)
        yield from (rows_of(whole, *bounds) for bounds in shards(_sizes(whole), block))


def _sizes(columns: Columns) -> Array:
    """Of every row its words, on all sides."""
    return np.asarray(sum(columns[name].lengths for name in ("words", "source", "target") if name in columns) + 1)


# --- the second pass --------------------------------------------------------------------------------------------------


class _Second:
    def __init__(self, kind: str, spool: str, n_rows: int, names: Names) -> None:
        self.kind, self.spool, self.n_rows = kind, spool, n_rows
        self.sides = [ranked(side) for side in names.sides]
        known = sorted(name for name in names.labels.ids if name not in ("_", ""))
        self.labels = known  # as text that is read as a whole numbers its tags: in the order of the alphabet
        place = {name: k for k, name in enumerate(known)}
        self.label_of = np.array([*(place.get(name, -1) for name in names.labels.ids), -1], np.int32)
        self.named = False

    def blocks(self) -> Iterator[Columns]:
        """All blocks, by rank."""
        with pa.OSFile(self.spool) as stream:  # not mapped: what is mapped and read counts as memory
            for batch in pa.ipc.open_stream(stream):
                yield self._ranked(columns_of(batch))

    def _ranked(self, columns: Columns) -> Columns:
        for name, side in zip(SIDES[self.kind], self.sides, strict=True):
            columns[name] = columns[name].with_values(side.rank[columns[name].values])
        if self.kind == "documents":
            columns = _in_order(columns)
            columns["label"] = self.label_of[columns["label"]]
        elif self.kind == "sentences":
            columns["tags"] = columns["tags"].with_values(self.label_of[columns["tags"].values])
        if not self.labels:
            columns.pop("label", None), columns.pop("tags", None)
        if not self.named and "name" in columns:
            columns.pop("name")
        return columns

    def write(self, root: str, reading: Mapping[str, Any], source: Sequence[str], file_bytes: int) -> dict[str, Any]:
        if self.kind == "documents":
            self.named = True
            self.named = any(any(columns["name"]) for columns in self.blocks())
        stage.begin("writing shards", self.n_rows, "rows")
        lengths: dict[tuple[int, ...], int] = {}
        written = list(_shards(root, counting(self.blocks(), SIDES[self.kind], lengths), file_bytes))
        digest, sides = self._digest(), []
        for name, side, text in zip(SIDES[self.kind], self.sides, source, strict=True):
            columns = {"word": side.words.words, "count": side.counts, "rows": side.rows, "came": side.came}
            note_forms(side.words.words, text)
            sha = _put(root, f"{name}.arrow", _table(columns))
            counted = {"tokens": int(side.counts.sum()), "words": len(side.words)}
            sides.append({"side": name, "file": f"{name}.arrow", "sha256": sha, **counted, "source": text})
        keys = np.array(sorted(lengths), np.int64).reshape(len(lengths), -1)
        table = dict(zip(SIDES[self.kind], keys.T, strict=True))
        counts = np.array([lengths[key] for key in sorted(lengths)], np.int64)
        named = {"tagset" if self.kind == "sentences" else "classes": self.labels} if self.labels else {}
        return {
            "softcount": VERSION, "kind": self.kind, "rows": self.n_rows, "reading": dict(reading), "sides": sides,
            **named, "lengths": _put(root, "lengths.arrow", _table({**table, "count": counts})),
            "digest": digest, "shards": written,
        }  # fmt: skip

    def _rows(self, name: str) -> Callable[[], Iterator[Ragged]]:
        return lambda: (columns[name] for columns in self.blocks())

    def _digest(self) -> str:
        stage.begin("digest of the text")
        if self.kind == "documents":
            labels = (columns["label"] for columns in self.blocks()) if self.labels else None
            return documents_digest(self._rows("words"), self._rows("counts"), labels, self.sides[0].words.words)
        if self.kind == "pairs":
            both = [
                sentences_digest(self.n_rows, self._rows(name), side.words.strings)
                for name, side in zip(SIDES["pairs"], self.sides, strict=True)
            ]
            return hashlib.sha256("".join(both).encode()).hexdigest()
        tags = (self._rows("tags"), Vocabulary([*self.labels, "_"], "_").strings) if self.labels else (None, None)
        return sentences_digest(self.n_rows, self._rows("words"), self.sides[0].words.strings, *tags)


def ranked(side: Growing) -> Ranked:
    words, *columns = side.ranked()
    return Ranked(Vocabulary(words), *columns)


def _in_order(columns: Columns) -> Columns:
    """Each document's words in the order of their numbers."""
    words, counts = columns["words"], columns["counts"]
    row = np.repeat(np.arange(words.n_rows), words.lengths)
    order = np.lexsort((words.values, row))
    sorted_ = {"words": words.with_values(words.values[order]), "counts": counts.with_values(counts.values[order])}
    return {**columns, **sorted_}


def counting(blocks: Iterable[Columns], sides: Sequence[str], lengths: dict[tuple[int, ...], int]) -> Iterator[Columns]:
    """The same blocks; how many rows have which lengths is counted on the way."""
    done = 0
    for columns in blocks:
        rows, counts = np.unique(
            np.stack([columns[side].lengths for side in sides], axis=1), axis=0, return_counts=True
        )
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            lengths[tuple(row)] = lengths.get(tuple(row), 0) + count
        yield columns
        done += columns[sides[0]].n_rows
        stage.reach(done)


def _shards(root: str, blocks: Iterable[Columns], file_bytes: int) -> Iterator[dict[str, Any]]:
    """Writes the files, and says of each what the manifest keeps."""
    file: _File | None = None
    number = 0
    for columns in blocks:
        batch = batch_of(columns)
        if file is None:
            file = _File(root, f"shard-{number:05}.arrow", batch.schema)
            number += 1
        file.add(batch, digest_of(columns))
        if file.out.size >= file_bytes:
            yield file.finished()
            file = None
    if file is not None:
        yield file.finished()


class _File:
    def __init__(self, root: str, name: str, schema: Any) -> None:
        self.name, self.blocks, self.out = name, list[tuple[int, str]](), _Hashed(root, name)
        self.writer = pa.ipc.new_file(pa.PythonFile(self.out, mode="w"), schema)

    def add(self, batch: Any, digest: str) -> None:
        self.writer.write_batch(batch)
        self.blocks.append((batch.num_rows, digest))

    def finished(self) -> dict[str, Any]:
        self.writer.close()
        self.out.close()
        rows = sum(n for n, _ in self.blocks)
        about = {"file": self.name, "bytes": self.out.size, "sha256": self.out.sha.hexdigest()}
        return {**about, "rows": rows, "blocks": self.blocks}


class _Hashed:
    """A file that knows its digest when it is written."""

    def __init__(self, root: str, name: str) -> None:
        system, folder = filesystem(root)
        self.stream = system.open_output_stream(f"{folder}/{name}")
        self.sha, self.size, self.closed = hashlib.sha256(), 0, False

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self.sha.update(view)
        self.stream.write(data)
        self.size += view.nbytes
        return view.nbytes

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        self.stream.flush()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.stream.close()


def _table(columns: Mapping[str, Any]) -> bytes:
    sink = pa.BufferOutputStream()
    batch = batch_of(dict(columns))
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _put(root: str, name: str, content: bytes) -> str:
    """Its digest."""
    out = _Hashed(root, name)
    out.write(content)
    out.close()
    return out.sha.hexdigest()
