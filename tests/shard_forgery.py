"""Folders of shards whose digests are all right, whatever is in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from softcount.numbers.ragged import Ragged
from softcount.text.shard_file import batch_of, columns_of, digest_of
from softcount.text.shard_manifest import MANIFEST, sealed

Batches = Callable[[Any], Any]  # a record batch → the forged one
Patch = Callable[[bytes], bytes]  # a file → the forged one


def forge(
    folder: Path, out: Path, block: Batches | None = None, tables: Mapping[str, Batches] | None = None,
    about: Callable[[dict[str, Any]], None] | None = None, patch: Patch | None = None,
) -> Path:  # fmt: skip
    """A copy: `block` forges the first block, `patch` its file, `tables` small files, `about` the manifest."""
    out.mkdir()
    manifest = json.loads((folder / MANIFEST).read_text())
    for name in sorted(path.name for path in folder.glob("*.arrow")):
        (out / name).write_bytes((folder / name).read_bytes())
    shard = manifest["shards"][0]
    content = (folder / shard["file"]).read_bytes()
    if block is not None:
        content = _file([block(batch) if k == 0 else batch for k, batch in enumerate(_batches(content))])
    if patch is not None:
        content = patch(content)
    (out / shard["file"]).write_bytes(content)
    shard["bytes"], shard["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    with suppress(ValueError, TypeError, AttributeError, IndexError, OSError, pa.ArrowException):
        shard["blocks"][0][1] = digest_of(columns_of(_batches(content)[0]))
    for name, change in (tables or {}).items():
        content = _file([change(batch) for batch in _batches((folder / name).read_bytes())])
        (out / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        if name == "lengths.arrow":
            manifest["lengths"] = digest
        for side in manifest["sides"]:
            if side["file"] == name:
                side["sha256"] = digest
    if about is not None:
        about(manifest)
    manifest.pop("sha256")
    manifest = {name: value for name, value in manifest.items() if name != "softcount shards"}
    (out / MANIFEST).write_bytes(sealed(manifest))
    return out


def _batches(content: bytes) -> list[Any]:
    file = pa.ipc.open_file(content)
    return [file.get_batch(k) for k in range(file.num_record_batches)]


def _file(batches: list[Any]) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def values(name: str, place: int, value: float) -> Batches:
    """One number of a column is another."""

    def change(batch: Any) -> Any:
        columns = columns_of(batch)
        numbers = columns[name].values if isinstance(columns[name], Ragged) else columns[name]
        numbers[place] = value
        return batch_of(columns)

    return change


def offsets(name: str, place: int, value: int) -> Patch:
    """One offset of a column of lists is another; the values stay. Arrow would not write it."""

    def change(content: bytes) -> bytes:
        batch = pa.ipc.open_file(content).get_batch(0)
        lists = [other for other in batch.schema.names if pa.types.is_list(batch.column(other).type)]
        buffers = {other: batch.column(other).offsets.to_numpy() for other in lists}
        found, before = buffers[name], list(buffers)[: list(buffers).index(name)]
        forged = found.copy()
        forged[place] = value
        start = 0
        for _ in range(1 + sum(np.array_equal(buffers[other], found) for other in before)):
            start = content.index(found.tobytes(), start + 1)
        return content[:start] + forged.tobytes() + content[start + found.nbytes :]

    return change


def as_type(name: str, dtype: Any) -> Batches:
    """The same bits, called something else."""

    def change(batch: Any) -> Any:
        columns = columns_of(batch)
        column = columns[name]
        columns[name] = (
            column.with_values(column.values.view(dtype)) if isinstance(column, Ragged) else column.view(dtype)
        )
        return batch_of(columns)

    return change


def emptied(name: str) -> Batches:
    """A column with an empty cell, which Arrow calls null."""

    def change(batch: Any) -> Any:
        k = batch.schema.names.index(name)
        cells = batch.column(k).to_pylist()
        cells[0] = None
        return batch.set_column(k, name, pa.array(cells, batch.column(k).type))

    return change


def without(name: str) -> Batches:
    return lambda batch: batch.drop_columns([name])


def fewer_rows(batch: Any) -> Any:
    return batch.slice(0, batch.num_rows - 1)


def row_of(name: str, place: int, value: int) -> Batches:
    """One number of a small file."""

    def change(batch: Any) -> Any:
        k = batch.schema.names.index(name)
        found = batch.column(k).to_numpy().astype(np.int64)
        found[place] = value
        return batch.set_column(k, name, pa.array(found))

    return change
