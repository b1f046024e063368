"""Words ↔ ids. Ids fall with frequency, so that the rows used most lie side by side in every table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from softcount.errors import InputError
from softcount.numbers.ragged import Array

UNKNOWN = "<unk>"


class Vocabulary:
    """``words[i]`` has id i; ``unknown`` is the word that stands for all words not listed, or None."""

    def __init__(self, words: Sequence[str], unknown: str | None = None) -> None:
        self.words = list(words)
        self.unknown = unknown
        if len(self._ids) != len(self.words):
            raise InputError("vocabulary: a word is listed twice; list every word once")
        if unknown is not None and unknown not in self._ids:
            raise InputError(f"vocabulary: the unknown word {unknown!r} is not among the words; add it")

    @classmethod
    def build(cls, tokens: Any, min_count: int = 1, unknown: str = UNKNOWN) -> tuple[Vocabulary, Array]:
        """The vocabulary of these tokens and their ids (int32).

        Words seen fewer than ``min_count`` times become ``unknown``. If there are none, there is no unknown word:
        a word that training never sees would have no probability to give away.
        """
        encoded = computed("dictionary_encode", as_strings(tokens))
        words = np.array(encoded.dictionary.to_pylist(), dtype=object)
        codes = numbers_of(encoded.indices)
        counts = np.bincount(codes, minlength=len(words))
        rare = counts < min_count
        if rare.any():
            target = _merge(rare | (words == unknown), words, counts, unknown)
            codes = target[codes]
        order = np.argsort(-counts, kind="stable")  # codes are in order of first appearance, and stay so among equals
        order = order[counts[order] > 0]
        ids = np.empty(len(words), dtype=np.int32)
        ids[order] = np.arange(len(order))
        return cls(words[order].tolist(), unknown if rare.any() else None), ids[codes]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and (self.words, self.unknown) == (other.words, other.unknown)

    def __hash__(self) -> int:
        return hash((len(self.words), self.unknown, *self.words[:8]))

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words, unknown={self.unknown!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self.words, self.unknown)

    def encode(self, tokens: Any) -> Array:
        """int32 ids; a word not listed gets the id of ``unknown``, or −1 where there is none."""
        ids = self.find(tokens)
        if self.unknown is not None:
            ids[ids < 0] = self._ids[self.unknown]
        return ids

    def find(self, tokens: Any) -> Array:
        """int32 ids; −1 for every word not listed, whether or not there is an unknown word."""
        import pyarrow.compute as pc  # here, because it takes a tenth of a second to import

        found = pc.index_in(as_strings(tokens), value_set=self._array).fill_null(-1)
        return numbers_of(found).copy()

    def strings(self, ids: Array) -> Any:
        """The words of these ids as a LargeStringArray; a negative id is read as the unknown word."""
        codes = np.ascontiguousarray(ids, dtype=np.int32)
        unknown, words = codes < 0, self._array
        if unknown.any():
            codes = np.where(unknown, np.int32(len(self)), codes)
            words = pa.concat_arrays([words, _strings([self.unknown or UNKNOWN])])
        places = pa.Int32Array.from_buffers(pa.int32(), len(codes), [None, pa.py_buffer(codes)])
        return computed("take", words, places)

    def decode(self, ids: Any) -> list[str]:
        words, unknown = self.words, self.unknown or UNKNOWN
        return [words[i] if i >= 0 else unknown for i in np.asarray(ids).tolist()]

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def _array(self) -> Any:
        return _strings(self.words)


def as_strings(tokens: Any) -> Any:
    """A pyarrow string array of any kind, or a sequence of str, as a LargeStringArray."""
    if isinstance(tokens, pa.ChunkedArray):
        tokens = tokens.combine_chunks()
    if isinstance(tokens, pa.Array):
        return tokens if tokens.type == pa.large_string() else tokens.cast(pa.large_string())
    return pa.array(tokens, type=pa.large_string())


def lowered(tokens: Any) -> Any:
    """The same strings in lower case. Every reader of text lower-cases here, so that all do it alike."""
    return computed("utf8_lower", as_strings(tokens))


def computed(function: str, *arrays: Any) -> Any:
    """As `pyarrow.compute`, which takes a tenth of a second to import, has it: that module wraps all there are."""
    from pyarrow import _compute

    return _compute.call_function(function, list(arrays))


def _strings(words: Sequence[str]) -> Any:
    """A LargeStringArray; `pa.array` of a list would import pandas, where there is one."""
    encoded = [word.encode() for word in words]
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(word) for word in encoded], out=offsets[1:])
    return pa.LargeStringArray.from_buffers(len(words), pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded)))


def numbers_of(array: Any) -> Array:
    """An Int32Array without nulls as it lies in memory: `to_numpy` would import pandas, where there is one."""
    if len(array) == 0:
        return np.empty(0, np.int32)
    return np.frombuffer(array.buffers()[1], np.int32, len(array), 4 * array.offset)


def _merge(group: Array, words: Array, counts: Array, name: str) -> Array:
    """Makes one word of a group, in place, at its first member; returns code → new code."""
    first = int(np.argmax(group))
    total = counts[group].sum()
    counts[group] = 0
    counts[first] = total
    words[first] = name
    target = np.arange(len(words), dtype=np.int32)
    target[group] = first
    return target
