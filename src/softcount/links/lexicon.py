"""The two directions' translation tables side by side, as a bilingual lexicon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softcount.machine.kernel import kernel
from softcount.numbers.ragged import Array
from softcount.text.vocabulary import Vocabulary


def lexicon(
    directions: Mapping[str, Any], vocabularies: tuple[Vocabulary, Vocabulary], least: float
) -> Iterator[tuple[str, str, float, float]]:
    """Sorted by source word, then by target word; a direction that is not there gives NaN."""
    name = "forward" if "forward" in directions else "reverse"
    one = directions[name].parameters.translation
    entries = directions[name].model.entries
    start = int(entries.offsets[1])
    rows = np.repeat(np.arange(entries.n_rows - 1), np.diff(entries.offsets[1:]))
    columns, here = entries.values[start:], one.values[start:]
    there = np.full(len(here), np.nan)
    if len(directions) == 2:
        other = directions["reverse"].parameters.translation
        _match(entries.offsets[1:] - start, columns, other.offsets[1:-1].copy(), other.values, there)
    keep = (here >= least) | (there >= least)
    if name == "reverse":
        rows, columns, here, there = columns, rows, there, here
    words = [np.argsort(np.argsort(np.array(v.words, dtype=object))) for v in vocabularies]
    order = np.lexsort([words[1][columns[keep]], words[0][rows[keep]]])
    for e, f, p, q in zip(*(array[keep][order].tolist() for array in (rows, columns, here, there)), strict=True):
        yield vocabularies[0].words[e], vocabularies[1].words[f], p, q


@kernel
def _match(offsets: Array, columns: Array, cursor: Array, values: Array, out: Array) -> None:
    """out[k] = the value, in the transposed table, of the entry k; both have their rows in ascending order."""
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            out[k] = values[cursor[columns[k]]]
            cursor[columns[k]] += 1
