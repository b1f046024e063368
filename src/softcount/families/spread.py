"""Tables that nobody has whole: cut into ranges of rows, each kept by a worker together with the family of its rows.

    maximize(counts)_r = maximize_r(counts_r)           log prior = Σ_r log prior_r

A row is in one range, so what a family does row by row it does range by range, where the range is. An engine that can
`keep` (softcount.engines.engine) brings the question there; what comes back are handles, or numbers that add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array
from softcount.numbers.tables import each

Handle = Any


class Range(NamedTuple):
    """Some rows of a table: which they are, ascending, and the columns of their entries, where not all have entries."""

    rows: Array
    entries: Any = None  # Ragged


@dataclass(frozen=True, eq=False)
class Spread:
    """A table in ranges: parameters, log-weights, counts or a posterior."""

    parts: Sequence[Handle]
    power: float = 1.0  # of log-weights: what they are multiplied by where they are used

    def __mul__(self, power: float) -> Spread:
        return replace(self, power=self.power * power)


class _Part:
    """Where the range's own part goes among the arguments."""


@dataclass(frozen=True, eq=False)
class SpreadFamily:
    """A family whose rows lean on nothing but their own counts, such as Categorical."""

    engine: Any
    ranges: Sequence[Handle]  # a Range each
    families: Sequence[Handle]

    def ask(self, method: str, *arguments: Any) -> Spread:
        """The method of every range's family, with its parts of what is in ranges."""
        spread = [one.parts for one in arguments if isinstance(one, Spread)]
        asked = method, tuple(_Part if isinstance(one, Spread) else one for one in arguments)
        return self.kept(_answer, *spread, shared=asked)

    def kept(self, fn: Any, *parts: Sequence[Handle], shared: Any = None) -> Spread:
        """fn((family, range, parts …), shared) of every range."""
        rows = zip(self.families, self.ranges, *parts, strict=True)
        return Spread(self.engine.keep(fn, rows, self.engine.share(shared))[0])

    def fetched(self, spread: Spread) -> Iterator[Any]:
        """The parts themselves, one after the other."""
        found: Iterator[Any] = self.engine.map(itself, spread.parts, self.engine.share(None))
        return found

    # --- what every family can do -------------------------------------------------------------------------------------

    def size(self) -> tuple[int, ...]:
        return (sum(n for (n,) in self.fetched(self.ask("size"))),)

    def uniform(self) -> Spread:
        return self.ask("uniform")

    def random(self, rng: np.random.Generator, spread: float) -> Spread:
        return self.ask("random", Spread(self.engine.place(itself, rng.spawn(len(self.families)))), spread)

    def impossible(self, parameters: Spread) -> Array:
        """Each range holds its own (`hold`)."""
        return np.zeros(1, dtype=bool)

    def hold(self, parameters: Spread, held: Array) -> Self:
        return replace(self, families=self.kept(_holding, parameters.parts, shared=held).parts)

    def unvisited(self, counts: Spread) -> Array:
        found = self.fetched(self.kept(_unvisited, counts.parts))
        return np.sort(np.concatenate([np.empty(0, np.int64), *found]))

    def maximize(self, counts: Spread, penalty: Pseudo, parameters: Spread) -> Spread:
        return self.ask("maximize", counts, penalty, parameters)

    def log_weights(self, parameters: Spread) -> Spread:
        return self.ask("log_weights", parameters)

    def log_prior(self, parameters: Spread, penalty: Pseudo) -> float:
        return self._total("log_prior", parameters, penalty) if penalty or penalty.sparse else 0.0

    # --- posteriors ---------------------------------------------------------------------------------------------------

    def under(self, prior: Any) -> Self:
        return replace(self, families=self.ask("under", prior).parts)

    def posterior(self, counts: Spread, prior: Any) -> Spread:
        return self.ask("posterior", counts, prior)

    def mean(self, posterior: Spread) -> Spread:
        return self.ask("mean", posterior)

    def expected_log(self, posterior: Spread) -> Spread:
        return self.ask("expected_log", posterior)

    def divergence(self, posterior: Spread, prior: Any, expected_log: Spread | None = None) -> float:
        return self._total("divergence", posterior, prior, expected_log)

    def _total(self, method: str, *arguments: Any) -> float:
        return float(sum(self.fetched(self.ask(method, *arguments))))


def tempered(logs: Any, power: float) -> Any:
    """Log-weights times a number."""
    return logs if power == 1.0 else each(lambda values: values * power, logs)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def itself(value: Any, shared: Any = None) -> Any:
    return value


def _answer(values: Sequence[Any], asked: tuple[str, tuple[Any, ...]]) -> tuple[Any]:
    (family, _, *parts), (method, arguments) = values, asked
    own = iter(parts)
    return (getattr(family, method)(*(next(own) if one is _Part else one for one in arguments)),)


def _holding(values: Sequence[Any], held: Array) -> tuple[Any]:
    family, _, parameters = values
    return (family.hold(parameters, family.impossible(parameters) | held),)


def _unvisited(values: Sequence[Any], shared: None) -> tuple[Array]:
    family, own, counts = values
    return (own.rows[family.unvisited(counts)],)
