"""What variational Bayes and Gibbs sampling share: families that know the prior that they are under."""

from __future__ import annotations

from typing import Any, cast

from softcount.families.family import ConjugateFamily
from softcount.families.layout import TableLayout, by_table
from softcount.families.point import conjugate
from softcount.numbers.tables import Tables


class Conjugate(TableLayout):
    """A table's layout whose family has posteriors; one without a conjugate prior stays a point."""

    family: ConjugateFamily


def posteriors(layout: Tables, prior: Tables) -> Tables:
    def of(spec: TableLayout, alpha: Any) -> Conjugate:
        return Conjugate(cast(Any, conjugate(spec.family).under(alpha)), spec.emits)

    return by_table(layout, of, prior)
