"""A vocabulary of text that arrives in pieces: words are numbered as they come, and ranked when all have come.

ids of the first pass → rank → ids that fall with frequency, first come first among equals, as `Vocabulary.build`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.numbers.ragged import Array
from softcount.text.vocabulary import as_strings, computed, numbers_of


class Growing:
    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.counts = np.zeros(1 << 10, np.int64)
        self.rows = np.zeros(1 << 10, np.int64)  # documents that have each

    def __len__(self) -> int:
        return len(self.ids)

    def encode(self, tokens: Any) -> Array:
        """int32 numbers of the tokens; words that are new come behind the others."""
        encoded = computed("dictionary_encode", as_strings(tokens))
        ids = self.ids
        table = np.array([ids.setdefault(word, len(ids)) for word in encoded.dictionary.to_pylist()], dtype=np.int32)
        return table[numbers_of(encoded.indices)] if len(table) else np.empty(0, np.int32)

    def count(self, ids: Array, times: Array | None = None) -> None:
        """These tokens; or, with how often each of them occurs, the distinct words of documents."""
        n = len(self.ids)
        while len(self.counts) < n:
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        self.counts[:n] += np.bincount(ids, times, minlength=n).astype(np.int64)
        if times is not None:
            self.rows[:n] += np.bincount(ids, minlength=n)

    def ranked(self) -> tuple[list[str], Array, Array, Array, Array]:
        """(words by falling frequency, their counts, their rows, in which order they came, number → rank)."""
        words, n = list(self.ids), len(self.ids)
        order = np.argsort(-self.counts[:n], kind="stable")
        rank = np.empty(n, np.int32)
        rank[order] = np.arange(n, dtype=np.int32)
        return [words[i] for i in order.tolist()], self.counts[:n][order], self.rows[:n][order], order, rank
