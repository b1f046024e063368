"""All of a folder of shards, looked at: what `softcount info` does before it calls one intact."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from softcount.machine import stage
from softcount.numbers.ragged import Array
from softcount.text.shard_columns import Columns
from softcount.text.shard_file import LENGTHS, SIDES, read_block, reading
from softcount.text.shard_folder import Folder
from softcount.text.shard_writer import counting
from softcount.text.source import CHUNK


def check_files(folder: Folder) -> None:
    """Every bit of every file, a piece at a time, every number, and whether the text is what is counted of it."""
    stage.begin(f"checking {folder.root}", folder.bytes, "bytes")
    _ = folder.words, folder.lengths
    _check_digests(folder)
    stage.begin(f"checking the numbers in {folder.root}", folder.rows, "rows")
    _check_counts(folder)


def _check_digests(folder: Folder) -> None:
    done = 0
    for shard in folder.manifest["shards"]:
        sha = hashlib.sha256()
        with reading(folder.root, shard["file"]) as stream:
            while piece := stream.read(CHUNK):
                sha.update(piece)
                done += len(piece)
                stage.reach(done)
        if sha.hexdigest() != shard["sha256"]:
            raise folder.unsound(shard["file"], "damaged or changed: its digest differs")


def _check_counts(folder: Folder) -> None:
    """Whether the blocks hold what the small files say of them."""
    sides, told = SIDES[folder.kind], folder.words
    counts = [np.zeros(len(words)) for words, *_ in told]
    rows = [np.zeros(len(words), np.int64) for words, *_ in told]  # of pairs nothing is said
    lengths: dict[tuple[int, ...], int] = {}
    for columns in counting((read_block(folder.root, block) for block in folder.blocks), sides, lengths):
        _add_counts(columns, sides, counts)
        if folder.kind == "documents":
            rows[0] += np.bincount(columns["words"].values, minlength=len(rows[0]))
    for side, found, each, (_, frequencies, in_rows, _) in zip(
        folder.manifest["sides"], counts, rows, told, strict=True
    ):
        if not np.array_equal(found, frequencies) or not np.array_equal(each, in_rows):
            raise folder.unsound(side["file"], "its frequencies do not match the text")
    keys, numbers = folder.lengths
    if lengths != dict(zip(map(tuple, keys.tolist()), numbers.tolist(), strict=True)):
        raise folder.unsound(LENGTHS, "its lengths do not match the text")


def _add_counts(columns: Columns, sides: Sequence[str], counts: Sequence[Array]) -> None:
    times = columns["counts"].values if "counts" in columns else None
    for side, count in zip(sides, counts, strict=True):
        count += np.bincount(columns[side].values, times, len(count))
