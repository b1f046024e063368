"""What the columns of a block may hold: kernels take the numbers in them for places in tables, so every one is checked.

A digest says that a block is what the manifest describes, not that it can be meant: whoever forges one computes the
other. The form of the columns is checked whenever a block is read, and its numbers once per process, which their digest
stands for from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from softcount.numbers.ragged import Array, Ragged

Columns = dict[str, Any]  # by name: Ragged of lists, an array of numbers, or a list of strings

MOST_TOKENS = 2**53  # beyond, floats do not count in ones
MOST_KEYS = 1 << 22  # of which a table is made
NAMES, NUMBERS, COUNTS, NUMBER = pa.string(), pa.list_(pa.int32()), pa.list_(pa.float64()), pa.int32()
FORMS = {
    "sentences": {"words": NUMBERS, "tags": NUMBERS},
    "pairs": {"source": NUMBERS, "target": NUMBERS},
    "documents": {"words": NUMBERS, "counts": COUNTS, "label": NUMBER, "name": NAMES},
}
OPTIONAL = ("tags", "label", "name")
COUNT = pa.int64()
WORDS = {"word": NAMES, "count": COUNT, "rows": COUNT, "came": COUNT}


class Unsound(ValueError):
    """What is wrong with a block, to follow the block's name."""


class Limits(NamedTuple):
    """What a folder has, to which the numbers in its blocks are held."""

    kind: str
    n_words: tuple[int, ...]  # of each side
    n_labels: int  # tags, or classes
    lengths: str  # digest of the file that has the distinct lengths of rows


# --- form -------------------------------------------------------------------------------------------------------------


def check_form(batch: Any, n_rows: int, limits: Limits) -> None:
    """Raises Unsound unless the batch has the columns of its kind, and every one of them is where its lengths say."""
    forms = FORMS[limits.kind]
    needed = {name for name in forms if name not in OPTIONAL}
    if limits.n_labels:
        needed |= {"tags", "label"} & forms.keys()
    if batch.num_rows != n_rows:
        raise Unsound(f"has {batch.num_rows:,} rows, not {n_rows:,} as the manifest says")
    check_columns(batch, forms, needed)


def check_columns(batch: Any, forms: dict[str, Any], needed: Collection[str]) -> None:
    """Only these columns, each of its type, without nulls, in buffers that are as long as they say."""
    if not set(needed) <= set(batch.schema.names):
        raise Unsound("lacks a column")
    for field in batch.schema:
        if forms.get(field.name) != field.type:
            raise Unsound("has a column of another name or type")
    if len(set(batch.schema.names)) != len(batch.schema.names):
        raise Unsound("has two columns of the same name")
    try:
        batch.validate()  # Arrow reads what its lengths say, whether it is there or not
        for column in batch.columns:
            if pa.types.is_string(column.type):
                column.validate(full=True)
    except pa.ArrowException:
        raise Unsound("has a column that is not where its lengths say") from None
    if any(column.null_count or _inner(column).null_count for column in batch.columns):
        raise Unsound("has empty cells")


def _inner(column: Any) -> Any:
    return column.values if pa.types.is_list(column.type) else column


# --- numbers ----------------------------------------------------------------------------------------------------------


def check_numbers(columns: Columns, limits: Limits, lengths: Callable[[], Array]) -> None:
    """Raises Unsound unless every number of the block can be what it is taken for. One look at each, and no copies.

    `lengths` are the distinct lengths of pairs, [n, 2], of which tables of positions are made.
    """
    for column in columns.values():
        if isinstance(column, Ragged):
            check_offsets(column)
    if limits.kind == "documents":
        _check_documents(columns, limits)
        return
    sides = ("source", "target") if limits.kind == "pairs" else ("words",)
    for name, n_words in zip(sides, limits.n_words, strict=True):
        check_range("word number", columns[name].values, 0, n_words)
    if "tags" in columns:
        check_range("tag number", columns["tags"].values, -1, limits.n_labels)
        _check_same_offsets(columns["words"], columns["tags"])
    if limits.kind == "pairs":
        _check_lengths(columns["source"].lengths, columns["target"].lengths, lengths())


def _check_documents(columns: Columns, limits: Limits) -> None:
    words, counts = columns["words"], columns["counts"]
    check_range("word number", words.values, 0, limits.n_words[0])
    _check_same_offsets(words, counts)
    rising = words.values[1:] > words.values[:-1]
    rising[words.offsets[(words.offsets > 0) & (words.offsets < len(words.values))] - 1] = True  # the next row's first
    if not rising.all():
        raise Unsound("has a document whose words are not in the order of their numbers, each once")
    if len(counts.values) and not (counts.values.min() > 0.0 and counts.values.sum() <= MOST_TOKENS):
        raise Unsound("has a count that is not a positive number, or more than 2^53 words")
    if "label" in columns:
        check_range("class number", columns["label"], -1, limits.n_labels)


def check_offsets(rows: Ragged) -> None:
    """Of lists: from the first value to the last, and never back."""
    offsets = rows.offsets
    if offsets[0] != 0 or offsets[-1] != len(rows.values) or not (offsets[1:] >= offsets[:-1]).all():
        raise Unsound("has rows that are not where their offsets say")


def check_range(what: str, numbers: Array, least: int, below: int) -> None:
    if not len(numbers):
        return
    smallest, largest = int(numbers.min()), int(numbers.max())
    if smallest < least or largest >= below:
        wrong = smallest if smallest < least else largest
        raise Unsound(f"has the {what} {wrong}, which is not from {least} to {below - 1}")


def _check_same_offsets(one: Ragged, other: Ragged) -> None:
    if not np.array_equal(one.offsets, other.offsets):
        raise Unsound("has rows with more values in one column than in another")


def _check_lengths(sources: Array, targets: Array, known: Array) -> None:
    height, width = (int(side.max(initial=0)) + 1 for side in known.T)
    beyond = int(sources.max(initial=0)) >= height or int(targets.max(initial=0)) >= width
    if beyond or not _are_among(sources * width + targets, known @ (width, 1), height * width):
        raise Unsound("has a pair of sentences whose lengths are not in lengths.arrow")


def _are_among(keys: Array, known: Array, below: int) -> bool:
    if below > MOST_KEYS:
        return bool(np.isin(keys, known).all())
    table = np.zeros(below, bool)
    table[known] = True
    return bool(table[keys].all())
