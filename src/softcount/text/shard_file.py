"""One file of a folder of shards: an Arrow IPC file whose record batches, called blocks, are read one at a time.

A folder is a path, whose files are memory-mapped, or a URI that `pyarrow.fs` knows (``s3://bucket/shards``), whose
files are read in pieces. Every block that is read is checked against the digest that the manifest has of it, and its
numbers against what the folder has (`text.shard_columns`).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.numbers.ragged import Array, Ragged, concatenate
from softcount.text.shard_columns import (
    COUNT,
    MOST_TOKENS,
    Columns,
    Limits,
    Unsound,
    check_columns,
    check_form,
    check_numbers,
    check_range,
)

AGAIN = "write the folder again with softcount shard"
SIDES = {"sentences": ("words",), "pairs": ("source", "target"), "documents": ("words",)}
LENGTHS = "lengths.arrow"

_checked: set[int] = set()  # blocks whose numbers have been looked at in this process


class Block(NamedTuple):
    """Where some rows are."""

    file: str
    number: int  # of the record batch in its file
    rows: int
    digest: str
    size: int  # bytes of the whole file
    limits: Limits


def is_uri(root: str) -> bool:
    return "://" in root


def place_of(root: str, name: str) -> str:
    """Of a file in the folder; of an address, for messages."""
    folder, mark, how = shown(root).partition("?") if is_uri(root) else (root, "", "")
    return f"{folder.rstrip('/')}/{name}{mark}{how}"


def shown(root: str) -> str:
    """An address without the keys that may be in it: s3://key:secret@bucket/shards."""
    return re.sub(r"://[^/?]*@", "://", root)


@lru_cache(maxsize=64)
def filesystem(root: str) -> tuple[Any, str]:
    """What reads and writes there, and what it calls the folder."""
    from pyarrow import fs

    if not is_uri(root):
        return fs.LocalFileSystem(), os.path.abspath(root)
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(root)
        return found
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{shown(root)}: cannot be reached ({_first(error)}); check the address") from None


@contextmanager
def reading(root: str, name: str) -> Iterator[Any]:
    """The file, to be read at any place; whatever is wrong with it becomes an InputError."""
    _check_ordinary(root, name)
    where = place_of(root, name)
    try:
        if is_uri(root):
            system, folder = filesystem(root)
            with system.open_input_file(place_of(folder, name)) as stream:
                yield stream
        else:
            with pa.memory_map(os.path.join(root, name)) as stream:
                yield stream
    except FileNotFoundError:
        raise InputError(f"{where}: no such file, though the manifest lists it; {AGAIN}") from None
    except PermissionError:
        raise InputError(f"{where}: no permission to read it; change the permissions") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: cannot be read ({_first(error)}); {AGAIN}") from None


def _check_ordinary(root: str, name: str) -> None:
    """A pipe that nobody writes to must not hold us up."""
    path = os.path.join(root, name)
    if not is_uri(root) and os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path}: not a regular file; {AGAIN}")


def read_block(root: str, block: Block) -> Columns:
    """The columns of a block, known to be what was written, and to be what they are taken for."""
    with reading(root, block.file) as stream:
        where = place_of(root, block.file)
        if stream.size() != block.size:  # before anything is mapped that is not there
            raise InputError(f"{where}: {stream.size():,} bytes instead of {block.size:,}; {AGAIN}")
        batch = pa.ipc.open_file(stream).get_batch(block.number)
        with _naming(f"{where}: block {block.number + 1}"):
            check_form(batch, block.rows, block.limits)
        found = columns_of(batch)
    if digest_of(found) != block.digest:
        raise InputError(f"{where}: block {block.number + 1} is damaged or changed: its digest differs; {AGAIN}")
    stands_for = hash((block.digest, block.limits))
    if stands_for not in _checked:
        with _naming(f"{where}: block {block.number + 1}"):
            check_numbers(found, block.limits, lambda: lengths_of(root, block.limits.kind, block.limits.lengths)[0])
        _checked.add(stands_for)
    return found


@contextmanager
def _naming(what: str) -> Iterator[None]:
    """What a check finds, in a line that says where."""
    try:
        yield
    except Unsound as error:
        raise InputError(f"{what} {error}; {AGAIN}") from None


@lru_cache(maxsize=64)
def lengths_of(root: str, kind: str, digest: str) -> tuple[Array, Array]:
    """Distinct lengths of rows, [n, sides], sorted, and how many rows have each."""
    sides = SIDES[kind]
    table = read_table(root, LENGTHS, digest, dict.fromkeys((*sides, "count"), COUNT))
    columns = [table.column(name).to_numpy().astype(np.int64) for name in (*sides, "count")]
    with _naming(f"{place_of(root, LENGTHS)}:"):
        for column in columns:
            check_range("length", column, 0, MOST_TOKENS)
    return np.stack(columns[:-1], axis=1), columns[-1]


def read_table(root: str, name: str, digest: str, forms: dict[str, Any]) -> Any:
    """A small file, whole: a record batch with these columns."""
    where = place_of(root, name)
    with reading(root, name) as stream:
        content = stream.read()
        if hashlib.sha256(content).hexdigest() != digest:
            raise InputError(f"{where}: damaged or changed: its digest differs; {AGAIN}")
        found = pa.ipc.open_file(pa.BufferReader(content)).get_batch(0)
        with _naming(f"{where}:"):
            check_columns(found, forms, forms.keys())
        return found


def columns_of(batch: Any) -> Columns:
    """As arrays of their own: what a kernel is given must be writable memory, and must outlive the file."""
    return {name: _column(batch.column(name)) for name in batch.schema.names}


def _column(array: Any) -> Any:
    if pa.types.is_string(array.type):
        return array.to_pylist()
    if not pa.types.is_list(array.type):
        return array.to_numpy().copy()
    offsets = array.offsets.to_numpy().astype(np.int64)
    return Ragged(offsets - offsets[0], array.values.to_numpy()[offsets[0] : offsets[-1]].copy())


def batch_of(columns: Columns) -> Any:
    return pa.record_batch({name: _array(column) for name, column in columns.items()})


def _array(column: Any) -> Any:
    if isinstance(column, Ragged):
        return pa.ListArray.from_arrays(pa.array(column.offsets.astype(np.int32)), pa.array(column.values))
    return pa.array(column, pa.string()) if isinstance(column, list) else pa.array(column)


def digest_of(columns: Columns) -> str:
    """sha256 of what the columns hold, however it lies in a file."""
    sha = hashlib.sha256()
    for name, column in columns.items():
        sha.update(name.encode() + b"\0")
        for part in _bytes_of(column):
            sha.update(part)
    return sha.hexdigest()


def _bytes_of(column: Any) -> Iterator[Any]:
    if isinstance(column, list):
        yield "\n".join(column).encode("utf-8", "surrogatepass")
    else:
        arrays: tuple[Array, ...] = tuple(column) if isinstance(column, Ragged) else (column,)
        yield from (np.ascontiguousarray(array).data for array in arrays)


def joined(parts: list[Columns]) -> Columns:
    """The rows of all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]

    def join(columns: list[Any]) -> Any:
        if isinstance(columns[0], Ragged):
            return concatenate(columns)
        return list(chain(*columns)) if isinstance(columns[0], list) else np.concatenate(columns)

    return {name: join([part[name] for part in parts]) for name in parts[0]}


def rows_of(columns: Columns, start: int, stop: int) -> Columns:
    return {
        name: column.slice(start, stop) if isinstance(column, Ragged) else column[start:stop]
        for name, column in columns.items()
    }


def _first(error: Exception) -> str:
    return str(error).split("\n")[0].split(". Detail:")[0]
