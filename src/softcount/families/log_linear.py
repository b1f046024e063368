"""Rows that are computed from features of their entries: words that look alike are likely together.

    θ_{k,v} ∝ exp(w · f(k, v))         maximise  Σ c log θ − |w|² / 2σ²,  concave in w, by L-BFGS from the last w

T. Berg-Kirkpatrick, A. Bouchard-Côté, J. DeNero, D. Klein, "Painless unsupervised learning with features", NAACL
2010. The parameters are the weights w. Either every row has weights of its own, for features of the columns (of words,
a row being a state), or all rows share them, for features of the entries (of word pairs, a row being a word). Held
entries stay where they are. There is no conjugate prior: under variational Bayes and Gibbs such a table is a point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # whose `optimize` is loaded when first used

from softcount.families.categorical import UNVISITED, Categorical
from softcount.families.categorical_rows import xproduct
from softcount.families.log_linear_kernel import climb
from softcount.families.penalty import NOTHING, Pseudo
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Table, by_row, like, row_sums, values

ITERATIONS = 5  # of L-BFGS in one update, at most, where rows climb each by itself; the next update goes on from there
FIRST = 15  # in the first, which has nothing to go on from
SHARED = 20  # where all rows share the weights, and curvatures are not known before
PRECISION = 1e-9  # the relative rise of a row that ends it
MEMORY = 8


class LogLinear(NamedTuple):
    base: Categorical  # the shape of the table, and its held entries
    features: Any  # csr: f of each column [columns, features], or of each entry [entries, features]
    variance: float = 1.0  # σ²
    by_entry: bool = False  # whether all rows share the weights

    def size(self) -> tuple[int, ...]:
        return self.base.size()

    def n_weights(self) -> tuple[int, ...]:
        rows = () if self.by_entry else self.size()[:-1]
        return (*rows, int(self.features.shape[1]))

    def uniform(self) -> Array:
        return np.zeros(self.n_weights())

    def random(self, rng: np.random.Generator, spread: float) -> Array:
        return rng.standard_normal(self.n_weights()) * min(1.0, 0.1 * spread)

    def impossible(self, parameters: Array) -> Array:
        return np.zeros(self.size(), dtype=bool) if self.base.free is None else ~self.base.free

    def hold(self, parameters: Array, held: Array) -> LogLinear:
        return self._replace(base=self.base.hold(self.shown(parameters), held))

    def unvisited(self, counts: Table) -> Array:
        return np.empty(0, dtype=np.int64)  # where nothing is counted, weights are zero

    # --- from weights to rows, and back for gradients -----------------------------------------------------------------

    def scores(self, weights: Array) -> Table:
        """w · f of every entry."""
        if self.by_entry:
            return self.base.table((self.features @ weights).reshape(self.size()))
        found = self.features @ weights.reshape(-1, weights.shape[-1]).T
        return np.asarray(found.T.reshape(self.size()) if weights.ndim != 2 else found.T)

    def gathered(self, slopes: Table) -> Array:
        """Σ slope · f: what a change of every entry's score is in the weights."""
        flat = np.asarray(values(slopes))
        if self.by_entry:
            return np.asarray(self.features.T @ flat.ravel())
        return np.asarray((self.features.T @ flat.reshape(-1, flat.shape[-1]).T).T.reshape(self.n_weights()))

    def log_weights(self, parameters: Array) -> Table:
        return self.base.log_shares(self.scores(parameters))

    def shown(self, parameters: Array) -> Table:
        """θ, the rows that these weights make."""
        logs = self.log_weights(parameters)
        return like(logs, np.exp(values(logs)))

    # --- point estimates ----------------------------------------------------------------------------------------------

    def vector(self, parameters: Array) -> Array:
        return parameters.ravel()

    def of_vector(self, vector: Array, parameters: Array | None = None) -> Array:
        return vector.reshape(self.n_weights())

    def gradient(self, counts: Table, penalty: Pseudo, parameters: Array) -> Array:
        """Of ⟨log θ, c⟩ + log prior, in the weights; with expected counts that of the log-likelihood itself."""
        return self._gradient(self._counted(counts, penalty), values(self.shown(parameters)), parameters).ravel()

    def maximize(self, counts: Table, penalty: Pseudo = NOTHING, parameters: Array | None = None) -> Array:
        """By L-BFGS from the weights before, and never below them."""
        free = self._counted(counts, penalty)
        begin = self.uniform() if parameters is None else parameters
        return self._together(free, begin) if self.by_entry else self._row_by_row(free, begin)

    def _row_by_row(self, free: Table, begin: Array) -> Array:
        """No row's weights are another's business, so each takes steps of its own length."""
        matrix, weights = self.features, np.array(begin, np.float64).reshape(-1, begin.shape[-1])
        counts = np.ascontiguousarray(free, np.float64).reshape(len(weights), -1)
        learned = np.ones((1, counts.shape[1]), bool) if self.base.free is None else self.base.free
        iterations = ITERATIONS if np.any(begin) else FIRST
        climb(
            matrix.indptr, matrix.indices, matrix.data, counts, learned.reshape(-1, counts.shape[1]), self.variance,
            iterations, PRECISION, weights,
        )  # fmt: skip
        return weights.reshape(begin.shape)

    def _together(self, free: Table, begin: Array) -> Array:
        def descent(vector: Array) -> tuple[float, Array]:
            weights = self.of_vector(vector)
            logs = values(self.log_weights(weights))
            value = float(np.sum(xproduct(values(free), logs))) - self._cost(weights)
            return -value, -self._gradient(free, np.exp(logs), weights).ravel()

        options = {"maxiter": SHARED, "maxcor": MEMORY, "ftol": 1e-7, "gtol": 1e-6}
        found = scipy.optimize.minimize(descent, begin.ravel(), jac=True, method="L-BFGS-B", options=options)
        better = found.fun <= descent(begin.ravel())[0]
        return self.of_vector(found.x) if better else begin

    def ascend(self, parameters: Array, gradient: Table, counts: Table) -> Array:
        """argmax Σ (g + θ Σ_row c) log θ(w) − |w|²/2σ²: at w its slope is the gradient's, so that it is uphill."""
        near = values(self.shown(parameters)) * by_row(row_sums(counts), counts)
        return self.maximize(like(gradient, values(gradient) + near), NOTHING, parameters)

    def log_prior(self, parameters: Array, penalty: Pseudo) -> float:
        imagined = self.base.log_prior(self.shown(parameters), penalty) if penalty else 0.0
        return imagined - self._cost(parameters)

    def _cost(self, weights: Array) -> float:
        return float(np.vdot(weights, weights)) / (2.0 * self.variance)

    def _counted(self, counts: Table, penalty: Pseudo) -> Table:
        """Of the free entries; what is held has nothing to learn."""
        whole = values(counts) + penalty.amount
        return like(counts, whole if self.base.free is None else np.where(self.base.free, whole, 0.0))

    def _gradient(self, free: Table, theta: Array, weights: Array) -> Array:
        """Fᵀ (c − C θ) − w/σ², where θ is each row's share of what its held entries leave."""
        total = row_sums(free) / np.maximum(self.base.mass(), UNVISITED)
        expected = by_row(total, free) * theta
        if self.base.free is not None:
            expected = np.where(self.base.free, expected, 0.0)
        return self.gathered(like(free, values(free) - expected)) - weights / self.variance
