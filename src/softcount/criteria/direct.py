"""Maximum likelihood by its own gradient: L-BFGS on log P(x), whose gradient needs nothing but expected counts.

    ∂ log P(x; w) / ∂w = Σ E[c] ∂ log θ(w) / ∂w             objective: log P(x) + log prior, which never falls

T. Berg-Kirkpatrick, A. Bouchard-Côté, J. DeNero, D. Klein, NAACL 2010, §4: what EM's M-step has as its gradient at the
first iteration is that of the likelihood itself (R. Salakhutdinov, S. Roweis, Z. Ghahramani, ICML 2003). Rows of
features follow it in their weights, free rows in their logarithms; a step is up to `iterations` of L-BFGS, each an
E-step or two. Tables that no vector of numbers makes take EM's step before each.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy  # whose `optimize` is loaded when first used

from softcount.criteria.criterion import Criterion, Expect, Progress, log_weights
from softcount.families.family import SmoothFamily
from softcount.families.layout import TableLayout, by_table, named, total
from softcount.families.penalty import Pseudo
from softcount.numbers.ragged import Array
from softcount.numbers.tables import Tables

MEMORY = 10


def direct(layout: Tables, penalties: Tables, iterations: int) -> Criterion:
    def step(parameters: Tables, expect: Expect) -> tuple[Tables, Progress]:
        climb = _Climb(layout, penalties, expect, parameters)
        objective, counts = climb.at(parameters)
        begin = by_table(layout, _counted, counts, penalties, parameters)
        climb.others = begin
        options = {"maxiter": iterations, "maxcor": MEMORY, "ftol": 0.0, "gtol": 0.0}
        vector = climb.vector(begin)
        found = scipy.optimize.minimize(climb.descent, vector, jac=True, method="L-BFGS-B", options=options)
        better = found.fun <= climb.descent(vector)[0]
        return climb.tables(found.x) if better else begin, Progress(objective)

    return Criterion(
        init=lambda parameters, expect: parameters,
        step=step,
        log_weights=partial(log_weights, layout),
        parameters=lambda parameters: parameters,
        never_falls=True,
    )


class _Climb:
    """All tables that can be, as one vector; the others as they are."""

    def __init__(self, layout: Tables, penalties: Tables, expect: Expect, others: Tables) -> None:
        self.layout, self.penalties, self.expect, self.others = layout, penalties, expect, others
        self.last: tuple[Array, tuple[float, Array]] | None = None

    def vector(self, parameters: Tables) -> Array:
        smooth = [spec.family.vector(table) for _, spec, table in named(self.layout, parameters) if _smooth(spec)]
        return np.concatenate([np.empty(0), *smooth])

    def tables(self, vector: Array) -> Tables:
        at = 0

        def of(spec: TableLayout, table: Any) -> Any:
            nonlocal at
            family: Any = spec.family
            if not _smooth(spec):
                return table
            begin, at = at, at + family.vector(table).size
            return family.of_vector(vector[begin:at], table)

        return by_table(self.layout, of, self.others)

    def at(self, parameters: Tables) -> tuple[float, Tables]:
        counts, log_norm = self.expect(log_weights(self.layout, parameters))
        return log_norm + total(self.layout, _log_prior, parameters, self.penalties), counts

    def descent(self, vector: Array) -> tuple[float, Array]:
        """Minus the objective and its gradient; L-BFGS asks for its last point twice."""
        if self.last is None or not np.array_equal(self.last[0], vector):
            parameters = self.tables(vector)
            objective, counts = self.at(parameters)
            slopes = [
                spec.family.gradient(count, penalty, table)
                for _, spec, count, penalty, table in named(self.layout, counts, self.penalties, parameters)
                if _smooth(spec)
            ]
            self.last = vector.copy(), (-objective, -np.concatenate([np.empty(0), *slopes]))
        return self.last[1]


def _smooth(spec: TableLayout) -> bool:
    return isinstance(spec.family, SmoothFamily)


def _counted(spec: TableLayout, count: Any, penalty: Pseudo, table: Any) -> Any:
    return table if _smooth(spec) else spec.family.maximize(count, penalty, table)


def _log_prior(spec: TableLayout, table: Any, penalty: Pseudo) -> float:
    return spec.family.log_prior(table, penalty)
