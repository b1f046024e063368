"""How several chains of Gibbs sampling are drawn: which sweeps of each count, and how hard each draws.

β of a sweep goes from `start` to `stop` geometrically within `over` sweeps, and then stays
"""

from __future__ import annotations

from typing import NamedTuple

SAMPLERS = ("blocked", "collapsed")
SWEEPS = 200  # when a stage names none
CHAINS = 4  # where a sampler is named, and no number of them


class Sampling(NamedTuple):
    """A stage that is several chains of Gibbs sampling, whose draws are averaged."""

    sampler: str  # one of SAMPLERS
    chains: int
    sweeps: int  # of each chain
    burn: int  # the first so many do not count
    thin: int  # of the others every so many does
    start: float = 1.0
    stop: float = 1.0
    over: int = 1

    @property
    def draws(self) -> int:
        """How many of a chain count."""
        return -(-(self.sweeps - self.burn) // self.thin)

    def counts(self, sweep: int) -> bool:
        return sweep >= self.burn and (sweep - self.burn) % self.thin == 0

    def hardness(self, sweep: int) -> float:
        return float(self.start * (self.stop / self.start) ** min(1.0, sweep / max(self.over - 1, 1)))
