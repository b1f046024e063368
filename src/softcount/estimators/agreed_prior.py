"""What two directions that were trained together have counted, as counts imagined before another text is seen.

    c ← c + s · c_before        for word pairs, empty words, jumps and fertilities, after every E-step

Of jumps and the empty word a model keeps shares alone; their counts are those shares of the links that it has seen.
Places of Model 2 are not carried over. Words of before come first, so that their numbers stay; word pairs are those of
either text. The first E-step is still that of a flat start: one that knew the prior already was worse (Europarl, 1,000
pairs of before and 200 to 700 of now: AER 24.7 and 24.2, not 24.2 and 23.8).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.estimators.agreed import Agreed, padded
from softcount.families.jumps import JumpCounts
from softcount.models.agreement import SideTables
from softcount.numbers.ragged import Array, Ragged
from softcount.text.entries import lengthened, only, placed, united


class AgreedPrior(NamedTuple):
    rows: Ragged  # entries, in the words of now
    counts: Array  # float32
    frequencies: tuple[Array, Array]
    sides: tuple[SideTables, SideTables]  # counts
    kinds: tuple[Array, Array]  # of jumps, that words of before had
    links: Array  # float32: counted once more; zeros where they were not
    other: Any = None  # what the second model of "best" has counted, where there is one

    @property
    def second(self) -> AgreedPrior:
        """For a second model of now: what the second of before has counted, or else the only one."""
        return self.other or self

    def united(self, rows: Ragged) -> Ragged:
        return united(rows, self.rows)

    def linked(self, rows: Ragged) -> Array:
        """What was counted once more, of these entries."""
        return placed(self.rows, self.links, rows)

    def imagined(self, rows: Ragged, kinds: tuple[Array, Array]) -> dict[str, Array]:
        """By table: what is added to its counts, where `kinds` are those of the jumps of words now."""
        return {"translation": placed(self.rows, self.counts, rows)} | self.sides_imagined(kinds)

    def sides_imagined(self, kinds: tuple[Array, Array]) -> dict[str, Array]:
        found: dict[str, Array] = {}
        for d, name in enumerate(("forward", "reverse")):
            side, now = self.sides[d], kinds[d]
            found |= {f"{name}.empty": side.empty, f"{name}.fertility": side.fertility}
            found[f"{name}.jump"] = rekinded(side.jump, self.kinds[d], now, self.frequencies[d])
        return found


def agreed_prior(agreed: Agreed, pairs: int, strength: float, n_words: tuple[int, int]) -> AgreedPrior:
    """`pairs` of sentences were trained on; `n_words` there are now, those of before among them."""
    counts = agreed.parameters.translation
    links = np.zeros_like(counts) if agreed.links is None else agreed.links
    counted = (counts > 0.0) | (links > 0.0)
    rows = lengthened(only(agreed.rows, counted), n_words[0])
    frequencies = tuple(padded(strength * f, n) for f, n in zip(agreed.frequencies, n_words, strict=True))
    sides = _counted(agreed, 0, pairs, strength, n_words), _counted(agreed, 1, pairs, strength, n_words)
    kinds = tuple(padded(k, n).astype(np.int32) for k, n in zip(agreed.model.kinds, n_words, strict=True))
    other = agreed_prior(agreed.second, pairs, strength, n_words) if agreed.second else None
    more = np.float32(strength) * counts[counted], np.float32(strength) * links[counted]
    return AgreedPrior(rows, more[0], frequencies, sides, kinds, more[1], other)  # type: ignore[arg-type]


def _counted(agreed: Agreed, d: int, pairs: int, strength: float, n_words: tuple[int, int]) -> SideTables:
    """Shares of what was learned, times what they were learned from; jumps by how often words of their kind stand."""
    side: SideTables = agreed.parameters[1 + d]
    tokens, states, words = agreed.frequencies[1 - d].sum(), n_words[d], n_words[1 - d]
    null = float(side.empty[0])
    empty = np.append(1.0 - null, padded(null * side.empty[1:] / side.empty[1:].sum(), words))
    kinds, stands = agreed.model.kinds[d], agreed.frequencies[d]
    begin, end, jump = JumpCounts(kinds=int(kinds.max(initial=0)) + 1).parts(side.jump)
    share = np.bincount(kinds, stands[: len(kinds)], len(jump)) / max(stands.sum(), 1.0)
    links = max((1.0 - null) * tokens - pairs, 1.0) * share[:, None]
    jump = links * jump / jump.sum(axis=1, keepdims=True)
    jumps = np.concatenate([pairs * begin / begin.sum(), pairs * end / end.sum(), jump.ravel()])
    more = np.zeros((states - len(side.fertility), side.fertility.shape[1]))
    fertility = np.concatenate([side.fertility, more])
    return SideTables(strength * tokens * empty, strength * jumps, strength * fertility, np.zeros(1), np.empty(0))


def rekinded(jumps: Array, before: Array, now: Array, frequencies: Array) -> Array:
    """Jump counts by kinds of before as counts by the kinds of now: those of a kind go where its words went."""
    old, new = int(before.max(initial=0)) + 1, int(now.max(initial=0)) + 1
    begin, end, jump = JumpCounts(kinds=old).parts(jumps)
    went = np.bincount(now.astype(np.int64) * old + before, frequencies, new * old).reshape(new, old)
    share = went / np.maximum(went.sum(axis=0), 1e-300)
    return np.concatenate([begin, end, (share @ jump).ravel()])
