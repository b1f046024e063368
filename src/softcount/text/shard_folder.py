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

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.numbers.ragged import Array, offsets_of
from softcount.text.claim import check_path, claimed
from softcount.text.shard_columns import MOST_TOKENS, WORDS, Limits, Unsound, check_range
from softcount.text.shard_file import (
    AGAIN,
    LENGTHS,
    Block,
    is_uri,
    lengths_of,
    place_of,
    read_table,
)
from softcount.text.shard_manifest import MANIFEST, NAME, read_manifest
from softcount.text.vocabulary import Vocabulary

NUMBER = 4  # bytes of a word's number


class Folder:
    """What the manifest says; vocabularies and lengths are read when they are asked for."""

    def __init__(self, root: str | Path) -> None:
        self.root = os.fspath(root)
        self.manifest = read_manifest(self.root)
        self.kind: str = self.manifest["kind"]
        self.rows: int = self.manifest["rows"]
        where = place_of(self.root, MANIFEST)
        self.reading = {name: claimed(value, where, name) for name, value in self.manifest["reading"].items()}
        self.digest: str = self.manifest["digest"]
        limits = self._limits()
        self.blocks = [
            Block(shard["file"], number, rows, digest, shard["bytes"], limits)
            for shard in self.manifest["shards"]
            for number, (rows, digest) in enumerate(shard["blocks"])
        ]
        if sum(block.rows for block in self.blocks) != self.rows or any(block.rows < 0 for block in self.blocks):
            raise self.unsound(MANIFEST, "the rows of the blocks do not add up")

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
        return [self._words(side) for side in self.manifest["sides"]]

    def _words(self, side: dict[str, Any]) -> tuple[Vocabulary, Array, Array, Array]:
        table = read_table(self.root, side["file"], side["sha256"], WORDS)
        counts, rows, came = (table.column(name).to_numpy().copy() for name in ("count", "rows", "came"))
        try:
            check_range("frequency", counts, 1, MOST_TOKENS)
            check_range("number of documents", rows, 0, self.rows + 1)
            check_range("place", came, 0, len(counts))
        except Unsound as error:
            raise self.unsound(side["file"], str(error)) from None
        if (len(counts), counts.sum(dtype=np.float64)) != (side["words"], side["tokens"]):
            raise self.unsound(side["file"], "its words are not as many as the manifest says")
        return Vocabulary(table.column("word").to_pylist()), counts, rows, came

    @cached_property
    def lengths(self) -> tuple[Array, Array]:
        """Distinct lengths of rows, [n, sides], sorted, and how many rows have each."""
        lengths, counts = lengths_of(self.root, self.kind, self.manifest["lengths"])
        room = self.bytes / NUMBER  # more numbers than the files have room for nobody needs tables for
        if counts.sum(dtype=np.float64) != self.rows or (counts.astype(np.float64) @ lengths).sum() > room:
            raise self.unsound(LENGTHS, "its rows do not match the folder in number or length")
        return lengths, counts

    def _limits(self) -> Limits:
        n_labels = len(self.names("tagset" if self.kind == "sentences" else "classes"))
        n_words = tuple(side["words"] for side in self.manifest["sides"])
        return Limits(self.kind, n_words, n_labels, self.manifest["lengths"] if self.kind == "pairs" else "")

    def unsound(self, name: str, what: str) -> InputError:
        return InputError(f"{place_of(self.root, name)}: {what}; {AGAIN}")


def is_shards(path: Any) -> bool:
    """Whether this names a folder of shards; all that has a scheme, s3://…, must be one."""
    if not isinstance(path, str | Path) or str(path) == "-":
        return False
    check_path(path)
    root = os.fspath(path)
    if is_uri(root):
        return True
    try:
        with open(os.path.join(root, MANIFEST), "rb") as file:
            return NAME.encode() in file.read(100)
    except (OSError, ValueError):
        return False


def loaded(stored: Any) -> Any:
    """The items themselves, for those who read a text as a whole."""
    return stored.loaded("this command", "give a part of it")
