"""BLEU of translations against one reference each (K. Papineni et al., ACL 2002).

    BLEU = 100 · min(1, e^(1 − r/c)) · exp(¼ Σ_n log p_n)     p_n: the share of n-grams, n = 1 … 4, that are there

By the words that are given: nothing is tokenized here. `sacrebleu` with ``tokenize="none"`` gives the same number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

ORDERS = 4


def bleu(translations: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    right, said, lengths = np.zeros(ORDERS), np.zeros(ORDERS), np.zeros(2)
    for words, wanted in zip(translations, references, strict=True):
        lengths += len(words), len(wanted)
        for n in range(1, ORDERS + 1):
            mine, theirs = (Counter(tuple(w[k : k + n]) for k in range(len(w) - n + 1)) for w in (words, wanted))
            right[n - 1] += (mine & theirs).total()
            said[n - 1] += mine.total()
    if not right.all():
        return 0.0
    return float(100 * min(1.0, np.exp(1 - lengths[1] / lengths[0])) * np.exp(np.log(right / said).mean()))
