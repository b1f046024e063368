"""Rows that are distributions over a finite set: θ_row ≥ 0, Σ θ_row = 1.

Some entries may be *held*: a forbidden entry is held at zero, a fixed one at its value. The others are free and share
the mass that the held ones leave. So a tag dictionary, a fixed table and a fixed entry are one thing, and every
update below touches the free entries alone. The Dirichlet prior lives on the free part, scaled to its mass.

A ragged table stores some of a row's outcomes only. With a `width` the prior is over that many outcomes: those that
are not stored keep λ = α and are counted, as the mass `beyond`, not stored.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy  # whose `special` is loaded when first used: it takes a third of a second

from softcount.families.categorical_rows import row_logsumexp
from softcount.families.dirichlet import digammas, divergences, entry_divergence, expected_logs
from softcount.families.penalty import Pseudo, Sparsity
from softcount.families.sparse_rows import sparsest
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import Log, Table, by_row, like, row_sums, values

# Below this a row's total cannot be divided by safely; the row counts as unvisited.
UNVISITED = 1e-290


class Prior(NamedTuple):
    """A Dirichlet prior that is not the same everywhere."""

    entries: Array  # α of each stored entry
    beyond: Array | float = 0.0  # Σ α of the outcomes that a row does not store


def alpha_of(prior: Any) -> Any:
    return prior.entries if isinstance(prior, Prior) else prior


class Categorical(NamedTuple):
    shape: tuple[int, ...] | Array  # of a dense table, or the offsets of a ragged one
    free: Array | None = None  # bool values like the table's; None: all are free
    held: Array | None = None  # the held entries' values, zero where free
    lazy: bool = False  # whether the model can do without the logarithms of plain probabilities
    width: int | None = None  # of a ragged table: over how many outcomes the prior is; None: over the stored ones
    beyond: Array | float = 0.0  # Σ α of the outcomes that a row does not store

    # --- constraints and starts -------------------------------------------------------------------------------

    def hold(self, parameters: Table, held: Array) -> Categorical:
        """This family with the entries in the mask `held` kept at their values in `parameters`."""
        if not held.any():
            return self._replace(free=None, held=None)
        return self._replace(free=~held, held=np.where(held, values(parameters), 0.0))

    def impossible(self, parameters: Table) -> Array:
        """The entries that no data will ever bring back."""
        return np.asarray(values(parameters) == 0.0)

    def under(self, prior: Any) -> Categorical:
        """This family with the mass that the prior gives to outcomes that are not stored."""
        if isinstance(prior, Prior):
            return self._replace(beyond=prior.beyond)
        if self.width is None or isinstance(self.shape, tuple):
            return self
        return self._replace(beyond=(self.width - np.diff(self.shape)) * float(prior))

    def table(self, flat: Array) -> Table:
        return flat if isinstance(self.shape, tuple) else Ragged(self.shape, flat)

    def size(self) -> tuple[int, ...]:
        return self.shape if isinstance(self.shape, tuple) else (int(self.shape[-1]),)

    def mass(self) -> Array | float:
        """What a row's held entries leave to the free ones."""
        return 1.0 if self.held is None else np.maximum(1.0 - row_sums(self.table(self.held)), 0.0)

    def uniform(self) -> Table:
        # Words run along the last axis; keeping them outermost in memory makes a word's states contiguous.
        return self.normalize(self.table(np.ones(self.size(), order="F")))

    def random(self, rng: np.random.Generator, spread: float) -> Table:
        """Rows near uniform: every entry between 1 and 1 + spread times the smallest possible."""
        noise = rng.random(self.size())
        return self.normalize(self.table(np.asarray(1.0 + spread * noise, order="F")))

    # --- point estimates --------------------------------------------------------------------------------------

    def normalize(self, weights: Table, otherwise: Table | None = None) -> Table:
        """Free entries in proportion to `weights`, held ones as they are; a row without weight is `otherwise`'s."""
        free = values(weights) if self.free is None else np.where(self.free, values(weights), 0.0)
        total = row_sums(like(weights, free))
        if otherwise is None and np.any((total > 0.0) & (total <= UNVISITED)):  # all that a tiny prior gives to a row
            free = free * by_row(np.where(total <= UNVISITED, 1.0 / UNVISITED, 1.0), weights)
            total = row_sums(like(weights, free))
        visited = total > UNVISITED
        everywhere = visited.all()
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self.mass() / total if everywhere else np.where(visited, self.mass() / total, 0.0)
        result = free * by_row(share, weights)
        if self.held is not None:
            result += self.held
        if otherwise is not None and not everywhere:
            result = np.where(by_row(visited, weights), result, values(otherwise))
        return like(weights, result)

    def unvisited(self, weights: Table) -> Array:
        """The rows that have something to learn and nothing to learn it from."""
        free = values(weights) if self.free is None else np.where(self.free, values(weights), 0.0)
        rows = np.atleast_1d(row_sums(like(weights, free)) <= UNVISITED)
        return np.flatnonzero(rows & self.learns()) if rows.any() else np.empty(0, dtype=np.int64)

    def learns(self) -> Array:
        """The rows that have a free entry."""
        if isinstance(self.shape, tuple) and self.free is None:
            return np.ones(self.shape[:-1] or (1,), dtype=bool)
        free = np.ones(self.size(), dtype=bool) if self.free is None else self.free
        return np.atleast_1d(row_sums(self.table(free.astype(np.int64))) > 0)

    def maximize(self, counts: Table, penalty: Pseudo, parameters: Table) -> Table:
        """θ ∝ c + pseudo; a row without counts keeps its old values."""
        weights = like(counts, values(counts) + penalty.amount) if penalty else counts
        plain = self.normalize(weights, otherwise=parameters)
        return plain if penalty.sparse is None else self._sparsest(weights, penalty.sparse, plain, parameters)

    def _sparsest(self, weights: Table, wish: Sparsity, plain: Table, before: Table) -> Table:
        free = True if self.free is None else self.free
        visited = by_row(row_sums(like(weights, np.where(free, values(weights), 0.0))) > UNVISITED, weights)
        counted, here, old = (like(t, np.where(free & visited, values(t), 0.0)) for t in (weights, plain, before))
        theta = sparsest(counted, wish, here, old, np.maximum(row_sums(here), UNVISITED))
        return like(plain, np.where(free & visited, theta, values(plain)).astype(values(plain).dtype))

    def log_weights(self, parameters: Table) -> Table | Log:
        if self.lazy and not isinstance(parameters, Ragged):
            return Log(parameters)
        with np.errstate(divide="ignore"):
            return like(parameters, np.log(values(parameters)))

    def vector(self, parameters: Table) -> Array:
        """log θ, which need not be normalised."""
        return np.asarray(np.log(np.maximum(values(parameters), UNVISITED)), dtype=np.float64).ravel()

    def of_vector(self, vector: Array, parameters: Table) -> Table:
        theta = np.exp(values(self.log_shares(self.table(vector.reshape(self.size())))))
        return like(parameters, np.asarray(theta, values(parameters).dtype, order="F"))

    def gradient(self, counts: Table, penalty: Pseudo, parameters: Table) -> Array:
        """c − θ Σ_row c of the free entries, with what is imagined and wished."""
        theta = np.asarray(values(parameters), dtype=np.float64)
        slope = values(counts) + penalty.amount
        if penalty.sparse is not None:
            slope = slope - theta * penalty.sparse.slope(theta)
        if self.free is not None:
            slope, theta = np.where(self.free, slope, 0.0), np.where(self.free, theta, 0.0)
        share = row_sums(like(counts, slope)) / np.maximum(self.mass(), UNVISITED)
        return np.asarray(slope - theta * by_row(share, counts)).ravel()

    def log_prior(self, parameters: Table, penalty: Pseudo) -> float:
        """Σ pseudo · log θ over the free entries, and what sparse rows are worth: what MAP-EM adds to log P."""
        free = slice(None) if self.free is None else self.free
        theta = values(parameters)[free]
        wish = 0.0 if penalty.sparse is None else penalty.sparse.log_prior(theta)
        if not penalty:
            return wish
        if np.ndim(penalty.amount) == 0:  # the same for all, and not zero: five times as fast so
            with np.errstate(divide="ignore"):
                return wish + float(penalty.amount * np.log(theta).sum(dtype=np.float64))
        pseudo = np.broadcast_to(penalty.amount, values(parameters).shape)
        return wish + float(np.sum(scipy.special.xlogy(pseudo[free], theta)))

    # --- Dirichlet posteriors ---------------------------------------------------------------------------------

    def posterior(self, counts: Table, prior: Any) -> Table:
        """λ = α + c on the free entries, zero on the held ones."""
        # In float64 whatever the tables are: a prior of 1e-300 is none in float32, and the ELBO would fall by rounding.
        posterior = np.asarray(values(counts), dtype=np.float64) + alpha_of(prior)
        return like(counts, posterior if self.free is None else np.where(self.free, posterior, 0.0))

    def mean(self, posterior: Table) -> Table:
        """Outcomes that are not stored keep their share, so that a row of stored ones may sum to less than one."""
        normal = self.normalize(posterior)
        if not np.any(self.beyond):
            return normal
        stored = row_sums(posterior)
        share = by_row(stored / np.maximum(stored + self.beyond, 1e-300), posterior)
        return like(normal, values(normal) * (share if self.free is None else np.where(self.free, share, 1.0)))

    def expected_log(self, posterior: Table) -> Table:
        """E[log θ] = ψ(λ) − ψ(Σ λ), plus the log of the free mass; log of the value where held."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if isinstance(posterior, Ragged):
                result = np.empty(len(posterior.values))
                expected_logs(posterior.offsets, posterior.values, self._beyond(posterior), result)
                if self.held is not None:
                    result += by_row(np.log(self.mass()), posterior)
            else:
                offset = _digamma(row_sums(posterior)) - np.log(self.mass())
                result = _digamma(posterior) - by_row(offset, posterior)
            if self.free is not None and self.held is not None:
                result = np.where(self.free, result, np.log(self.held))
        return like(posterior, result)

    def divergence(self, posterior: Table, prior: Any, expected_log: Table | None = None) -> float:
        """KL(Dirichlet(λ) ‖ Dirichlet(α)), summed over the rows."""
        expected = values(self.expected_log(posterior) if expected_log is None else expected_log)
        if isinstance(posterior, Ragged):
            return self._ragged_divergence(posterior, prior, expected)
        alpha = values(self.posterior(np.zeros_like(posterior), prior))
        if self.held is not None:  # the mass is a constant of both densities
            with np.errstate(divide="ignore", invalid="ignore"):
                expected = expected - by_row(np.log(self.mass()), posterior)
        order = _memory_order(posterior)
        entries = entry_divergence(posterior.ravel(order), alpha.ravel(order), expected.ravel(order))
        rows, of_prior = row_sums(posterior).ravel(), row_sums(alpha).ravel()
        return float(entries - entry_divergence(rows, of_prior, np.zeros(len(rows))))

    def _ragged_divergence(self, posterior: Ragged, prior: Any, expected: Array) -> float:
        alpha = np.atleast_1d(np.asarray(alpha_of(prior), dtype=float))
        if self.held is not None:  # the mass is a constant of both densities
            with np.errstate(divide="ignore", invalid="ignore"):
                expected = expected - by_row(np.log(self.mass()), posterior)
        return float(divergences(posterior.offsets, posterior.values, alpha, expected, self._beyond(posterior)))

    def _beyond(self, table: Ragged) -> Array:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(self.beyond, dtype=float), (table.n_rows,)))

    def log_evidence(self, counts: Table, prior: Any) -> float:
        """log ∫ ∏ θ^c Dirichlet(θ|α) dθ, and c · log θ of held entries: the log-probability of a drawn structure."""
        posterior = self.posterior(counts, prior)
        alpha = self.posterior(like(counts, np.zeros_like(values(counts))), prior)
        total = self._log_beta(posterior) - self._log_beta(alpha)
        if self.free is None or self.held is None:
            return total
        free_counts = np.where(self.free, values(counts), 0.0)
        total += float(np.sum(scipy.special.xlogy(row_sums(like(counts, free_counts)), self.mass())))
        return total + float(np.sum(scipy.special.xlogy(values(counts)[~self.free], self.held[~self.free])))

    def _log_beta(self, posterior: Table) -> float:
        """Σ_rows log B(λ_row), over the free entries."""
        free = slice(None) if self.free is None else self.free
        rows = np.atleast_1d(row_sums(posterior) + self.beyond)[self.learns()]
        return float(np.sum(scipy.special.gammaln(values(posterior)[free])) - np.sum(scipy.special.gammaln(rows)))

    def draw(self, posterior: Table, rng: np.random.Generator) -> Table:
        """log θ, with θ ~ Dirichlet(λ) on the free entries.

        In logs, by G(λ) = G(λ + 1) · U^(1/λ): small λ would draw exact zeros otherwise.
        """
        shape = np.asarray(values(posterior))
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(rng.standard_gamma(shape + 1.0)) + np.log(rng.random(shape.shape)) / shape
            unstored = None
            if np.any(self.beyond):  # drawn as one
                unstored = np.log(rng.standard_gamma(np.broadcast_to(self.beyond, row_sums(posterior).shape)))
        return self.log_shares(like(posterior, logs), unstored)

    def log_shares(self, logs: Table, unstored: Array | None = None) -> Table:
        """log θ of free entries in proportion to exp(logs), held ones as they are; `unstored`: logs of the others."""
        with np.errstate(divide="ignore", invalid="ignore"):
            flat = values(logs) if self.free is None else np.where(self.free, values(logs), -np.inf)
            total = row_logsumexp(like(logs, flat))
            if unstored is not None:
                total = np.logaddexp(total, unstored)
            flat = flat - by_row(total - np.log(self.mass()), logs)
            if self.free is not None and self.held is not None:
                flat = np.where(self.free, flat, np.log(self.held))
        return like(logs, flat)


# --- dense tables as one run of numbers -------------------------------------------------------------------------------


def _memory_order(table: Array) -> Literal["C", "F"]:
    return "C" if table.flags.c_contiguous else "F"


def _digamma(table: Array) -> Array:
    """As scipy.special.digamma, in a third of its time."""
    order = _memory_order(table)
    flat = table.ravel(order)
    result = np.empty(len(flat))
    digammas(flat, result)
    return result.reshape(table.shape, order=order)
