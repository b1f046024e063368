"""The alignment table of an HMM over positions: an empty word, first and last places, and jumps, in one vector.

    (p₀, 1 − p₀, begin …, end …, J …, one over the normaliser of every cell …)

Its counts are those of the same things, so it is linear in its log-parameters (families/jumps.py says what a cell is).
Pseudo-counts of J(d) lean on short steps forward: what a text does not tell stays as it was first guessed. There is no
conjugate prior: under variational Bayes and Gibbs the table stays a point, the maximum of expected log-probability and
log-prior, and the ELBO has that log-prior in place of a divergence.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softcount.families.jumps import REACH, JumpTable, first_guess, jump_table, maximize
from softcount.families.penalty import NOTHING, Pseudo
from softcount.numbers.ragged import Array

NULL, LINK, PLACES = 0, 1, 2  # what stands where in the vector; first places from there on


class Positions(NamedTuple):
    lengths: Array  # int64, ascending: the source lengths that there are
    null: float = 0.2
    learn_null: bool = False
    reach: int = REACH
    pseudo: float = 0.5  # per entry, on average
    given: Array | None = None  # the whole vector, where places and jumps are fixed

    # --- the vector -------------------------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        """Where the cells begin."""
        return PLACES + 4 * self.reach + 3

    def size(self) -> tuple[int, ...]:
        return (self.cells + int(np.sum(self.lengths + 3)),)

    def parts(self, vector: Array) -> JumpTable:
        """The vector behind p₀ and 1 − p₀."""
        first = PLACES + self.reach + 1
        return JumpTable(*np.split(vector[PLACES:], np.array([first, first + self.reach + 1, self.cells]) - PLACES))

    def table(self, null: float, found: JumpTable) -> Array:
        return np.concatenate([[null, 1.0 - null], *found])

    def spread(self, vector: Array) -> Array:
        """The vector of another text's table for these lengths: its places and jumps with cells of their own."""
        begin, end, jump, _ = self.parts(vector)
        return self.table(float(vector[NULL]), jump_table(begin, end, jump, self.lengths))

    def uniform(self) -> Array:
        begin, end, jump = (part / part.sum() for part in first_guess(self.reach))
        return self.table(self.null, jump_table(begin, end, jump, self.lengths))

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        return self.uniform()

    # --- constraints --------------------------------------------------------------------------------------------

    def impossible(self, parameters: Array) -> Array:
        return np.asarray(parameters == 0.0)

    def sound(self, parameters: Array) -> bool:
        """The cells follow from the rest."""
        rest = parameters[: self.cells]
        if not (np.isfinite(rest).all() and (rest >= 0.0).all() and rest[NULL] <= 1.0):
            return False
        tables = self.parts(parameters)[:3]
        return all(part.sum() > 0.0 for part in tables) and bool(np.allclose(parameters, self.spread(parameters)))

    def hold(self, parameters: Array, held: Array) -> Positions:
        """Masks speak of the empty word, or of places and jumps as a whole."""
        learn = self.learn_null and not held[:PLACES].any()
        given = parameters if held[PLACES : self.cells].any() else None
        return self._replace(null=float(parameters[NULL]), learn_null=learn, given=given)

    def unvisited(self, counts: Array) -> Array:
        return np.empty(0, dtype=np.int64)

    # --- point estimates ----------------------------------------------------------------------------------------

    def imagined(self) -> JumpTable:
        """Pseudo-counts: as many as there are entries, times `pseudo`."""
        begin, end, jump = (self.pseudo * len(part) * part / part.sum() for part in first_guess(self.reach))
        return JumpTable(begin, end, jump, np.empty(0))

    def maximize(self, counts: Array, penalty: Pseudo = NOTHING, parameters: Array | None = None) -> Array:
        null = self.null if parameters is None else float(parameters[NULL])
        links = counts[NULL] + counts[LINK]
        if self.learn_null and links > 0:
            more = float(np.max(penalty.amount))
            null = float((counts[NULL] + more) / (links + 2 * more))
        if self.given is not None:
            return self.table(null, self.parts(self.given))
        before = None if parameters is None else self.parts(parameters)
        return self.table(null, maximize(self.parts(counts), self.lengths, self.imagined(), before))

    def ascend(self, parameters: Array, gradient: Array, counts: Array) -> Array:
        """Towards the counts that the gradient points to: at counts' own maximum that is uphill."""
        return self.maximize(np.maximum(counts + gradient, 0.0), NOTHING, parameters)

    def log_weights(self, parameters: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(parameters))

    def log_prior(self, parameters: Array, penalty: Pseudo) -> float:
        """Σ pseudo · log of the share of each first place, last place and jump, and what is imagined of the empty."""
        total = 0.0
        if self.given is None:
            for part, more in zip(self.parts(parameters)[:3], self.imagined(), strict=False):
                total += float(np.sum(more * np.log(part / part.sum())))
        if self.learn_null and penalty:
            total += float(np.max(penalty.amount) * np.sum(np.log(parameters[:PLACES])))
        return total

    # --- where a posterior is asked for: a point ------------------------------------------------------------------

    def under(self, prior: Any) -> Positions:
        return self

    def posterior(self, counts: Array, prior: Any) -> Array:
        return self.maximize(counts)

    def mean(self, posterior: Array) -> Array:
        return posterior

    def expected_log(self, posterior: Array) -> Array:
        return self.log_weights(posterior)

    def divergence(self, posterior: Array, prior: Any, expected_log: Array | None = None) -> float:
        return -self.log_prior(posterior, NOTHING)

    def draw(self, posterior: Array, rng: np.random.Generator) -> Array:
        return self.log_weights(posterior)

    def log_evidence(self, counts: Array, prior: Any) -> float:
        point = self.maximize(counts)
        used = counts != 0.0
        return float(np.sum(self.log_weights(point)[used] * counts[used])) + self.log_prior(point, NOTHING)
