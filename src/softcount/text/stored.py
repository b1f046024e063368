"""Items that are in files: known here by where they are, and opened by whoever computes on them.

    Shards(folder) ── slice ──▸ Part: files and ranges of rows ── opened, on a worker ──▸ Corpus, Bitext or Documents

What training asks of a corpus as a whole (words and their frequencies, lengths, digest) the folder knows. Words that
are read in another way (lower case, a model's vocabulary, rare words as one) are a table from numbers to numbers, which
every part applies when it is opened. A corpus is cut where it would be cut in memory, so sums have the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.memory import available
from softcount.numbers.ragged import Array, Ragged
from softcount.text.shard import spread
from softcount.text.shard_columns import Columns
from softcount.text.shard_file import SIDES, Block, is_uri, joined, read_block, rows_of, shown
from softcount.text.shard_folder import Folder
from softcount.text.vocabulary import UNKNOWN, Vocabulary, lowered

TIMES = 8  # as much as the files' bytes, what starts need that look at all of the text


class Unnamed:
    """A vocabulary of which a worker need not know more than its size."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n


class Opening(Protocol):
    """How the columns of some rows become items; `first` is the number of the first row."""

    def __call__(self, columns: Columns, first: int) -> Any: ...


@dataclass(frozen=True)
class Part:
    """Consecutive rows of a folder."""

    root: str
    first: int
    pieces: tuple[tuple[Block, int, int], ...]  # of each block the range of its rows
    opening: Opening

    def __len__(self) -> int:
        return sum(stop - start for _, start, stop in self.pieces)

    def __reduce__(self) -> tuple[Any, ...]:
        """Who gets it elsewhere may stand in another folder."""
        root = self.root if is_uri(self.root) else os.path.abspath(self.root)
        return Part, (root, self.first, self.pieces, self.opening)

    def opened(self) -> Any:
        found = [rows_of(read_block(self.root, block), start, stop) for block, start, stop in self.pieces]
        return self.opening(joined(found), self.first)


def opened(items: Any) -> Any:
    """What a part holds; items that are here already, as they are."""
    return items.opened() if isinstance(items, Part) else items


@dataclass(frozen=True, eq=False)
class StoredText:
    """What is known of one side's words without looking at the text."""

    column: str
    vocabulary: Vocabulary
    frequencies: Array  # int64: how often each word occurs
    rows: Array  # int64: in how many documents, where it is of documents
    came: Array  # int64: in which order they first occur
    source: str
    codes: Array | None = None  # number in the files → number in the vocabulary, or −1
    n_unknown: int = 0  # tokens that are −1

    @property
    def n_tokens(self) -> int:
        return int(self.frequencies.sum()) + self.n_unknown

    def recoded(self, codes: Array, vocabulary: Vocabulary) -> StoredText:
        """`codes`: from the numbers of words now to those in the vocabulary; −1 for none."""
        known = codes >= 0
        counts, rows = (
            np.bincount(codes[known], numbers[known], len(vocabulary)).astype(np.int64)
            for numbers in (self.frequencies, self.rows)
        )
        came = np.full(len(vocabulary), np.iinfo(np.int64).max)
        np.minimum.at(came, codes[known], self.came[known])
        lost = self.n_unknown + int(self.frequencies[~known].sum())
        whole = (codes if self.codes is None else np.append(codes, -1)[self.codes]).astype(np.int32)
        return StoredText(self.column, vocabulary, counts, rows, came, self.source, whole, lost)

    def lowered(self) -> StoredText:
        """Words that differ by case alone as one."""
        names = lowered(self.vocabulary.words).to_pylist()
        return self if names == self.vocabulary.words else self._renamed(names, self.vocabulary.unknown)

    def without_rare(self, min_count: int) -> StoredText:
        """Words that occur less often as one unknown word."""
        rare = (self.frequencies < min_count).tolist()
        if not any(rare):
            return self
        words = zip(self.vocabulary.words, rare, strict=True)
        return self._renamed([UNKNOWN if few else word for word, few in words], UNKNOWN)

    def _renamed(self, names: list[str], unknown: str | None) -> StoredText:
        """Words of one name as one, numbered as `Vocabulary.build` does: by frequency, then as they came."""
        found: dict[str, int] = {}
        groups = np.array([found.setdefault(name, len(found)) for name in names])
        merged = self.recoded(groups, Vocabulary(list(found)))
        order = np.lexsort((merged.came, -merged.frequencies))
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order))
        listed = list(found)
        return self.recoded(rank[groups], Vocabulary([listed[k] for k in order.tolist()], unknown))


def coded(rows: Ragged, codes: Array | None) -> Ragged:
    """Numbers of the files as numbers of the vocabulary; −1 stays −1."""
    return rows if codes is None else rows.with_values(np.append(codes, np.int32(-1))[rows.values])


@dataclass(frozen=True, eq=False)
class Stored:
    """A corpus in a folder; kinds of items say how they are opened."""

    folder: Folder
    sides: tuple[StoredText, ...]

    def __len__(self) -> int:
        return self.folder.rows

    def opening(self, named: bool = False) -> Opening:
        """`named`: with the words themselves, which only their numbers are needed of where sums are computed."""
        raise NotImplementedError

    @property
    def amount(self) -> float:
        """How much data there is, as items have sizes."""
        raise NotImplementedError

    @property
    def text(self) -> StoredText:
        return self.sides[0]

    @property
    def name(self) -> str:
        """How messages call it."""
        return shown(self.folder.root)

    def digest(self) -> str:
        """Of the text, as of one that is read as a whole; of words that are read in another way, one of its own."""
        import hashlib

        changed = [side for side in self.sides if side.codes is not None]
        if not changed:
            return self.folder.digest
        sha = hashlib.sha256(self.folder.digest.encode())
        for side in changed:
            assert side.codes is not None
            sha.update(side.codes.tobytes())
            sha.update("\n".join(side.vocabulary.words).encode("utf-8", "surrogatepass"))
        return sha.hexdigest()

    def slice(self, start: int, stop: int, named: bool = False) -> Part:
        firsts = self.folder.firsts
        first = int(np.searchsorted(firsts, start, side="right")) - 1
        last = int(np.searchsorted(firsts, stop, side="left"))
        pieces = tuple(
            (self.folder.blocks[k], max(start - int(firsts[k]), 0), min(stop, int(firsts[k + 1])) - int(firsts[k]))
            for k in range(first, max(last, first + 1))
        )
        return Part(self.folder.root, start, pieces, self.opening(named))

    def take(self, rows: Array) -> Any:
        raise InputError(
            f"{self.name}: a folder is read from its first item to its last, and each counts once; weights, labels of "
            "your own and held-out items need it in memory: Shards(…).loaded()"
        )

    weighted = take

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """(number of the first item, items), a block at a time."""
        for start, stop in pairwise(self.folder.firsts.tolist()):
            yield start, self.slice(start, stop, named=True).opened()

    def cut(self, costs: Callable[[Any], Array], target: int) -> list[tuple[int, int]]:
        """As `text.shard.shards` of the costs of all items, of which a block is looked at, at a time."""
        sums = np.array([int(costs(items).sum()) for _, items in self.blocks()], np.int64)
        total, ends = int(sums.sum()), np.cumsum(sums)
        n = max(1, min(-(-total // target), len(self)))
        wanted = total * np.arange(1, n) / n
        where = np.searchsorted(ends, wanted)
        cuts = np.empty(n - 1, np.int64)
        for k in np.unique(where).tolist():
            first, stop = self.folder.firsts[k : k + 2].tolist()
            each = np.asarray(costs(self.slice(first, stop).opened()), np.int64)
            middles = ends[k] - sums[k] + np.cumsum(each) - each / 2
            cuts[where == k] = first + np.searchsorted(middles, wanted[where == k])
        bounds = [0, *spread(cuts, len(self)).tolist(), len(self)]
        return list(pairwise(bounds))

    def loaded(self, what: str = "reading all of it", instead: str = "iterate over its blocks()") -> Any:
        """All items in memory, for `what` looks at all of the text at once; where there is no room, do `instead`."""
        need, room = TIMES * self.folder.bytes, available()
        if need > room:
            raise InputError(
                f"{self.name}: {what} needs the whole text in memory, about {need / 1e9:,.1f} GB, but "
                f"{room / 1e9:,.1f} GB are free; {instead}"
            )
        stage.begin(f"reading {self.name}")
        return self.slice(0, len(self), named=True).opened()


def in_memory(items: Any, what: str, instead: str) -> Any:
    """The items themselves; those of a folder are read, where there is room for them."""
    return items.loaded(what, instead) if isinstance(items, Stored) else items


def stored_texts(folder: Folder) -> tuple[StoredText, ...]:
    sides = zip(SIDES[folder.kind], folder.words, folder.manifest["sides"], strict=True)
    return tuple(StoredText(column, *words, about["source"]) for column, words, about in sides)
