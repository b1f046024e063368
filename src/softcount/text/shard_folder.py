"""A folder of shards: a corpus in files, written once by `softcount shard` and read piece by piece.

    manifest.json          kind, how the text was read, counts, digests; written last, so what has it is whole
    shard-00000.arrow …    the items as numbers of words, in blocks (`text.shard_file`)
    words.arrow            the vocabulary: every word, how often it occurs, …; of pairs two such files
    lengths.arrow          how many rows have how many words

| kind | columns of a shard |
|---|---|
| sentences | words; tags, where some are known |
| pairs | source, target |
| documents | words, counts; label and name, where there are such |
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.numbers.ragged import Array, offsets_of
from softcount.text.shard_file import AGAIN, Block, filesystem, is_uri, place_of, reading, shown
from softcount.text.source import CHUNK, name_of
from softcount.text.vocabulary import Vocabulary

MANIFEST, FORMAT = "manifest.json", "softcount shards"
VERSION = 1
SIDES = {"sentences": ("words",), "pairs": ("source", "target"), "documents": ("words",)}
NEEDS = ("kind", "rows", "reading", "sides", "shards", "digest")


class Folder:
    """What the manifest says; vocabularies and lengths are read when they are asked for."""

    def __init__(self, root: str | Path) -> None:
        self.root = os.fspath(root)
        self.manifest = _manifest(self.root)
        self.kind: str = self.manifest["kind"]
        self.rows: int = self.manifest["rows"]
        self.reading: dict[str, Any] = self.manifest["reading"]
        self.digest: str = self.manifest["digest"]
        self.blocks = [
            Block(shard["file"], number, rows, digest, shard["bytes"])
            for shard in self.manifest["shards"]
            for number, (rows, digest) in enumerate(shard["blocks"])
        ]

    @cached_property
    def firsts(self) -> Array:
        """The number of each block's first row, and of all rows."""
        return offsets_of([block.rows for block in self.blocks])

    @property
    def bytes(self) -> int:
        return sum(shard["bytes"] for shard in self.manifest["shards"])

    def names(self, what: str) -> tuple[str, ...]:
        """Of tags (`tagset`) or classes."""
        return tuple(self.manifest.get(what, ()))

    @cached_property
    def words(self) -> list[tuple[Vocabulary, Array, Array, Array]]:
        """Of every side its vocabulary; of each word how often it occurs, in how many documents, as which it came."""
        found = []
        for side in self.manifest["sides"]:
            table = self._table(side["file"], side["sha256"])
            counts, rows, came = (table.column(name).to_numpy().copy() for name in ("count", "rows", "came"))
            found.append((Vocabulary(table.column("word").to_pylist()), counts, rows, came))
        return found

    @cached_property
    def lengths(self) -> tuple[Array, Array]:
        """Distinct lengths of rows, [n, sides], sorted, and how many rows have each."""
        table = self._table("lengths.arrow", self.manifest["lengths"])
        counts = table.column("count").to_numpy().copy()
        sides = SIDES[self.kind]
        return np.stack([table.column(name).to_numpy() for name in sides], axis=1).astype(np.int64), counts

    def _table(self, name: str, digest: str) -> Any:
        """A small file, whole."""
        with reading(self.root, name) as stream:
            content = stream.read()
            if hashlib.sha256(content).hexdigest() != digest:
                where = place_of(self.root, name)
                raise InputError(f"{where}: damaged or changed: its digest differs; {AGAIN}")
            return pa.ipc.open_file(pa.BufferReader(content)).read_all().combine_chunks()


def is_shards(path: Any) -> bool:
    """Whether this names a folder of shards; all that has a scheme, s3://…, must be one."""
    if not isinstance(path, str | Path) or str(path) == "-":
        return False
    root = os.fspath(path)
    if is_uri(root):
        return True
    try:
        with open(os.path.join(root, MANIFEST), "rb") as file:
            return FORMAT.encode() in file.read(100)
    except (OSError, ValueError):
        return False


def check_files(folder: Folder) -> None:
    """Every bit of every file, some megabytes at a time."""
    _ = folder.words, folder.lengths
    for shard in folder.manifest["shards"]:
        sha = hashlib.sha256()
        with reading(folder.root, shard["file"]) as stream:
            while piece := stream.read(CHUNK):
                sha.update(piece)
        if sha.hexdigest() != shard["sha256"]:
            where = place_of(folder.root, shard["file"])
            raise InputError(f"{where}: damaged or changed: its digest differs; {AGAIN}")


def loaded(stored: Any) -> Any:
    """The items themselves, for those who read a text as a whole."""
    return stored.loaded("this command", "give a part of it")


def sealed(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as a file has it: what it is first, and its own digest last."""
    body = {FORMAT: VERSION, **manifest}
    return (json.dumps({**body, "sha256": _seal(body)}, ensure_ascii=False) + "\n").encode()


def _seal(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _manifest(root: str) -> dict[str, Any]:
    where, content = name_of(place_of(root, MANIFEST)), _content(root)
    try:
        found = json.loads(content)
    except ValueError:
        raise InputError(f"{where}: no JSON; {AGAIN}") from None
    if not isinstance(found, dict) or FORMAT not in found:
        raise InputError(f"{where}: not that of a folder of shards; give a folder that softcount shard wrote")
    if found[FORMAT] != VERSION:
        raise InputError(f"{where}: written by another version of softcount; {AGAIN}")
    sha = found.pop("sha256", "")
    if _seal(found) != sha or not all(name in found for name in NEEDS):
        raise InputError(f"{where}: damaged or changed: its digest differs; {AGAIN}")
    return found


def _content(root: str) -> bytes:
    if not is_uri(root):
        with open(os.path.join(root, MANIFEST), "rb") as file:
            return file.read()
    system, folder = filesystem(root)
    try:
        with system.open_input_stream(place_of(folder, MANIFEST)) as stream:
            content: bytes = stream.read()
            return content
    except (pa.ArrowException, OSError):
        raise InputError(
            f"{shown(root)}: no folder of shards, or an unfinished one: it has no manifest; {AGAIN}"
        ) from None
