"""The empty word of a direction: how often a word is nobody's translation, and which words are.

    p₀ = empty links / all links          t(f | empty) = max(c(f) / Σ c, 1e-8)

A table is the vector (p₀, t …), its counts the vector (links to words, links to the empty word of each f), and so is
what was imagined before. p₀ stays where it was if links to words were not counted: Model 1 has no way to tell it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softcount.families.kept import Unheld
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array

FLOOR = 1e-8  # so that no word is impossible
LEAST, MOST = 0.02, 0.4  # what p₀ may become


@dataclass(frozen=True, eq=False)
class EmptyWord(Unheld):
    n_words: int
    null: float = 0.15  # p₀ at first
    learn_null: bool = True

    def size(self) -> tuple[int, ...]:
        return (1 + self.n_words,)

    def uniform(self) -> Array:
        return np.concatenate([[self.null], np.full(self.n_words, 1.0 / max(self.n_words, 1))])

    def maximize(self, counts: Any, penalty: Pseudo, parameters: Array) -> Array:
        found = counts + penalty.entries
        empty = float(found[1:].sum())
        if not empty > 0.0:
            return parameters
        null = parameters[0]
        if self.learn_null and counts[0] > 0.0:
            null = min(max(empty / (found[0] + empty), LEAST), MOST)
        return np.concatenate([[null], np.maximum(found[1:] / empty, FLOOR)])
