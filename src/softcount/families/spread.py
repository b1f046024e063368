"""Tables that nobody has whole: cut into ranges of rows, each kept by a worker together with the family of its rows.

    maximize(counts)_r = maximize_r(counts_r)           log prior = Σ_r log prior_r

A row is in one range, so what a family does row by row it does range by range, where the range is. An engine that can
`keep` (softcount.engines.engine) brings the question there; what comes back are handles, or numbers that add up. What
a criterion asks of entries besides, it asks by functions (`by_family`) that are sent there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from softcount.families.gathered import Places, Room, places
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array
from softcount.numbers.tables import each

Handle = Any


class Range(NamedTuple):
    """Some rows of a table: which they are, ascending, and the columns of their entries, where not all have entries."""

    rows: Array | range  # neighbours by where they begin and end: there may be as many as documents
    entries: Any = None  # Ragged

    def keys(self, n_columns: int) -> Array:
        """Of its entries, row · n + column, ascending."""
        rows = np.repeat(np.asarray(self.rows, np.int64), self.entries.lengths)
        return np.asarray(rows * n_columns + self.entries.values)


@dataclass(frozen=True, eq=False)
class Spread:
    """A table in ranges: parameters, log-weights, counts or a posterior."""

    parts: Sequence[Handle]
    power: float = 1.0  # of log-weights: what they are multiplied by where they are used

    def __mul__(self, power: float) -> Spread:
        return replace(self, power=self.power * power)

    def __radd__(self, nothing: float) -> Spread:
        assert nothing == 0.0, "what is added to a table in ranges must be in ranges"
        return self


class _Part:
    """Where the range's own part goes among the arguments."""


@dataclass(frozen=True, eq=False)
class SpreadFamily:
    """A family whose rows lean on nothing but their own counts."""

    engine: Any
    ranges: Sequence[Handle]  # a Range each
    families: Sequence[Handle]
    n_rows: int  # of all ranges

    def ask(self, method: str, *arguments: Any) -> Spread:
        """The method of every range's family, with its parts of what is in ranges."""
        return self.by_range(method, *arguments)

    def by_range(self, asked: str | Callable[..., Any], *arguments: Any) -> Spread:
        """``asked(family, …)`` of every range, a method's name or a function at the top level of a module."""
        spread: list[Sequence[Handle]] = []
        given = tuple(_parted(one, spread) for one in arguments)
        return self.kept(_answer, *spread, shared=(asked, given))

    def kept(self, fn: Any, *parts: Sequence[Handle], shared: Any = None) -> Spread:
        """fn((family, range, parts …), shared) of every range."""
        rows = zip(self.families, self.ranges, *parts, strict=True)
        return Spread(self.engine.keep(fn, rows, self.engine.share(shared))[0])

    def fetched(self, spread: Spread) -> Iterator[Any]:
        """The parts themselves, one after the other."""
        found: Iterator[Any] = self.engine.map(itself, spread.parts, self.engine.share(None))
        return found

    @cached_property
    def places(self) -> Places:
        return places(self.engine, self.ranges, self.n_rows)

    def gathered(self, spread: Spread, room: Room = np.empty) -> Any:
        """As one table, in the room for it."""
        return self.places.gathered(spread.parts, room, spread.power)

    def dealt(self, table: Any) -> Spread:
        return Spread(self.places.dealt(table))

    # --- what every family can do -------------------------------------------------------------------------------------

    def size(self) -> tuple[int, ...]:
        sizes = list(self.fetched(self.ask("size")))
        return (sum(size[0] for size in sizes), *sizes[0][1:])

    def uniform(self) -> Spread:
        return self.ask("uniform")

    def random(self, rng: np.random.Generator, spread: float) -> Spread:
        return self.ask("random", Spread(self.engine.place(itself, rng.spawn(len(self.families)))), spread)

    def impossible(self, parameters: Spread) -> Array:
        """Each range holds its own (`hold`)."""
        return np.zeros(1, dtype=bool)

    def hold(self, parameters: Spread, held: Any) -> Self:
        """`held`: one for all entries, or in ranges as they are."""
        return replace(self, families=self.by_range(_holding, parameters, held).parts)

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


@dataclass(frozen=True, eq=False)
class SpreadRows(SpreadFamily):
    """Rows that are distributions, such as those of Categorical."""

    def normalize(self, weights: Spread, otherwise: Spread | None = None) -> Spread:
        return self.ask("normalize", weights, otherwise)


def tempered(logs: Any, power: float) -> Any:
    """Log-weights times a number."""
    return logs if power == 1.0 else each(lambda values: values * power, logs)


# --- what crosses the engine ------------------------------------------------------------------------------------------


def itself(value: Any, shared: Any = None) -> Any:
    return value


def _parted(argument: Any, spread: list[Sequence[Handle]]) -> Any:
    """The argument as it crosses; what is in ranges is put aside, also where it is a part of something."""
    if isinstance(argument, Spread):
        spread.append(argument.parts)
        return _Part
    return argument._replace(amount=_parted(argument.amount, spread)) if isinstance(argument, Pseudo) else argument


def _own(argument: Any, parts: Iterator[Any]) -> Any:
    """The argument as it was, with the range's own part."""
    if argument is _Part:
        return next(parts)
    return argument._replace(amount=_own(argument.amount, parts)) if isinstance(argument, Pseudo) else argument


def _answer(values: Sequence[Any], shared: tuple[Any, tuple[Any, ...]]) -> tuple[Any]:
    (family, _, *parts), (asked, arguments) = values, shared
    own = iter(parts)
    given = [_own(one, own) for one in arguments]
    return (getattr(family, asked)(*given) if isinstance(asked, str) else asked(family, *given),)


def _holding(family: Any, parameters: Any, held: Any) -> Any:
    return family.hold(parameters, family.impossible(parameters) | np.asarray(held))


def _unvisited(values: Sequence[Any], shared: None) -> tuple[Array]:
    family, own, counts = values
    return (np.asarray(own.rows)[family.unvisited(counts)],)
