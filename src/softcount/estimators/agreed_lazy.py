"""Both directions that were trained together, as a file has them: entries that may be in files, of which little is in
memory, and without what is made of them (stems, beliefs, and the entries of which nothing was counted)."""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.estimators.agreed import Agreed, Kept, agreement
from softcount.models.agreement import SideTables
from softcount.numbers.ragged import Array


class Lazy:
    """An Agreed of what a file holds; the rest of it is made when somebody asks."""

    def __init__(self, kept: Kept, made: Agreed) -> None:
        self.kept, self._made = kept, made  # `made` has a model without entries
        self._whole: Agreed | None = None

    def __getattr__(self, name: str) -> Any:
        """Of what needs no model; or of the whole."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("trace", "words", "frequencies", "how", "second") and self._whole is None:
            return getattr(self._made, name)
        return getattr(self.agreed, name)

    @property
    def agreed(self) -> Agreed:
        if self._whole is None:
            (entries, counts, bare, *_), made = self.kept, self._made
            model = agreement(made.how, entries, made.words, made.frequencies, bare.longest)
            model = model._replace(alignment=bare.alignment, stride=bare.stride, classes=bare.classes)
            tables = made.parameters._replace(translation=counts)
            self._whole = made._replace(model=model, parameters=tables, links=self.kept.links)
        return self._whole

    def side(self, d: int) -> SideTables:
        """What a direction has for itself."""
        found: SideTables = self.kept.sides[d]
        return found

    def with_links(self, links: Array, second: Any) -> Lazy:
        """`links` are of the entries that a file holds, which are all that there are here."""
        return Lazy(self.kept._replace(links=links.astype(np.float32, copy=False)), self._made._replace(second=second))
