"""What two directions that were trained together have counted, as counts imagined before another text is seen.

    c ← c + s · c_before        for word pairs, empty words, jumps and fertilities, after every E-step

Of jumps and the empty word a model keeps shares alone; their counts are those shares of the links that it has seen.
Words of before come first, so that their numbers stay; word pairs are those of either text. The first E-step is still
that of a flat start: one that knew the prior already was worse (Europarl, 1,000 pairs of before and 200 to 700 of now:
AER 24.7 and 24.2, not 24.2 and 23.8).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.estimators.agreed import Agreed
from softcount.families.jumps import JumpCounts
from softcount.models.agreement import SideTables
from softcount.numbers.ragged import Array, Ragged
from softcount.text.entries import lengthened, only, placed, united


class AgreedPrior(NamedTuple):
    rows: Ragged  # entries, in the words of now
    counts: Array  # float32
    frequencies: tuple[Array, Array]
    sides: tuple[SideTables, SideTables]  # counts

    def united(self, rows: Ragged) -> Ragged:
        return united(rows, self.rows)

    def imagined(self, rows: Ragged) -> dict[str, Array]:
        """By table: what is added to its counts."""
        found = {"translation": placed(self.rows, self.counts, rows)}
        for name, side in zip(("forward", "reverse"), self.sides, strict=True):
            found |= {f"{name}.{table}": getattr(side, table) for table in ("empty", "jump", "fertility")}
        return found


def agreed_prior(agreed: Agreed, pairs: int, strength: float, n_words: tuple[int, int]) -> AgreedPrior:
    """`pairs` of sentences were trained on; `n_words` there are now, those of before among them."""
    counts = agreed.parameters.translation
    counted = counts > 0.0
    rows = lengthened(only(agreed.rows, counted), n_words[0])
    frequencies = tuple(_longer(strength * f, n) for f, n in zip(agreed.frequencies, n_words, strict=True))
    sides = [
        _counted(agreed.parameters[1 + d], agreed.frequencies[1 - d].sum(), pairs, strength, n_words[d], n_words[1 - d])
        for d in (0, 1)
    ]
    return AgreedPrior(rows, np.float32(strength) * counts[counted], frequencies, (sides[0], sides[1]))  # type: ignore[arg-type]


def _counted(side: SideTables, tokens: float, pairs: int, strength: float, states: int, words: int) -> SideTables:
    """Shares of what was learned, times what they were learned from."""
    null = float(side.empty[0])
    empty = np.append(1.0 - null, _longer(null * side.empty[1:] / side.empty[1:].sum(), words))
    begin, end, jump = JumpCounts().parts(side.jump)
    links = max((1.0 - null) * tokens - pairs, 1.0)
    jumps = np.concatenate([pairs * begin / begin.sum(), pairs * end / end.sum(), links * jump / jump.sum()])
    more = np.zeros((states - len(side.fertility), side.fertility.shape[1]))
    fertility = np.concatenate([side.fertility, more])
    return SideTables(strength * tokens * empty, strength * jumps, strength * fertility, np.zeros(1))


def _longer(numbers: Any, n: int) -> Array:
    return np.append(numbers, np.zeros(n - len(numbers)))
