"""The digest of a corpus that is never in memory: the same as `Corpus.digest` and `Documents.digest` say of it there.

They hash one array behind the other, so the rows are gone through once for each array.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from softcount.numbers.ragged import Array, Ragged
from softcount.text.source import bytes_of

Rows = Callable[[], Iterator[Ragged]]  # all rows from the first on, as often as it is called


def sentences_digest(n_rows: int, words: Rows, strings: Any, tags: Rows | None = None, tag_strings: Any = None) -> str:
    """`strings` makes the words of numbers, as `Vocabulary.strings` does."""
    sha = hashlib.sha256(np.array([n_rows, tags is not None]).data)
    _feed(sha, _ends(rows.lengths for rows in words()))
    for texts, rows in ((strings, words), (tag_strings, tags)):
        if rows is not None:
            _feed(sha, _ends(np.diff(bytes_of(texts(piece.values))[0]) for piece in rows()))
            _feed(sha, (bytes_of(texts(piece.values))[1] for piece in rows()))
    return sha.hexdigest()


def documents_digest(words: Rows, counts: Rows, labels: Iterable[Array] | None, names: Sequence[str]) -> str:
    sha = hashlib.sha256()
    _feed(sha, _ends(rows.lengths for rows in words()))
    _feed(sha, (rows.values for rows in words()))
    _feed(sha, (rows.values for rows in counts()))
    _feed(sha, labels or ())
    sha.update("\n".join(names).encode("utf-8", "surrogatepass"))
    return sha.hexdigest()


def _feed(sha: Any, arrays: Iterable[Array]) -> None:
    for array in arrays:
        sha.update(np.ascontiguousarray(array).data)


def _ends(lengths: Iterable[Array]) -> Iterator[Array]:
    """Offsets, piece by piece."""
    yield np.zeros(1, np.int64)
    done = 0
    for piece in lengths:
        yield done + np.cumsum(piece, dtype=np.int64)
        done += int(piece.sum())
