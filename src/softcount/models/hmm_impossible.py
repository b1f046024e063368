"""Which sentence of a shard is impossible: the first of the text, not the first that some order of packing meets.

Kernels stop at the first sentence of probability zero that they come upon, and they take long sentences first. Of two
such sentences a reader wants to hear of the one that comes first, whatever the shard, the chunks or the criterion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.hmm_kernel import evidence


@kernel
def first_impossible(weights: Any, shard: Any, met: int) -> int:
    """The lowest number of a sentence that no path of states can emit to its end; `met` is one."""
    lowest = met
    for chunk in range(len(shard.chunks) - 1):
        for column in range(shard.columns[chunk + 1] - shard.columns[chunk]):
            sentence = shard.items[shard.columns[chunk] + column]
            if sentence < lowest:
                length = shard.offsets[sentence + 1] - shard.offsets[sentence]
                if not _possible(weights, shard, shard.chunks[chunk], column, length):
                    lowest = sentence
    return lowest


@kernel
def _possible(weights: Any, shard: Any, first: int, column: int, length: int) -> bool:
    """Whether some path emits the sentence in this column of the chunk that begins at step `first`."""
    reached, before = weights.initial.copy(), np.empty(len(weights.initial))
    for t in range(length):
        m = shard.starts[first + t] + column
        if t > 0:
            before[:] = reached
            np.dot(before, weights.transition, reached)
        for k in range(len(reached)):
            reached[k] *= weights.emission[shard.words[m], k] * evidence(shard, m, k)
        total = reached.sum()
        if not total > 0.0:
            return False
        reached /= total
    return np.dot(reached, weights.end) > 0.0
