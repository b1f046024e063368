"""What others can read of a network: its tables as data frames, JSON or BIF, its arcs for Graphviz."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from softcount.estimators.featured_rows import FeaturedEstimator
from softcount.models.network import Network as Model
from softcount.models.network_declared import axes, givens
from softcount.numbers.ragged import Array
from softcount.report.network_json import to_json
from softcount.text.bif import to_bif
from softcount.text.record_reader import Value, text_of
from softcount.text.structure import Structure, structure


class ExportedNetwork(FeaturedEstimator):
    """The part of softcount.Network that shows what there is, trained or given."""

    structure_: str  # as a declaration
    values_: dict[str, tuple[Value, ...]]
    ties_: tuple[tuple[str, ...], ...]
    observed_: tuple[str, ...]  # the variables that the training data showed
    _tables: dict[str, Array]
    _model: Model

    @property
    def tables_(self) -> dict[str, Any]:
        """The tables as data frames: a row for each combination of the parents' values, a column for each value."""
        import pandas as pd

        self._ready()
        found = {}
        for number, (name, table) in enumerate(self._tables.items()):
            *above, own = axes(self._model, number)
            index = pd.MultiIndex.from_product(above, names=givens(self._model, number)) if above else pd.Index([""])
            found[name] = pd.DataFrame(table.reshape(-1, len(own)), index=index, columns=list(own))
        return found

    def to_json(self) -> dict[str, Any]:
        """Give the tables as {table: {given: {value: probability}}}, which `start` takes.

        Returns
        -------
        dict
        """
        self._ready()
        return to_json(self._model, self.parameters_)

    def to_bif(self, path: str | Path | None = None) -> str:
        """Give the network in BIF, the interchange format of Bayesian networks.

        Parameters
        ----------
        path : str or path, optional
            A file to write it to.

        Returns
        -------
        str
        """
        self._ready()
        names = {name: [text_of(value) for value in values] for name, values in self.values_.items()}
        leaders = {n: self._model.tables[u.table] for n, u in zip(self._model.names, self._model.first, strict=True)}
        text = to_bif(self._structure, names, {n: self._tables[table] for n, table in leaders.items()})
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_dot(self) -> str:
        """Give the arcs for Graphviz: observed variables are filled, arcs from the row before dashed.

        Returns
        -------
        str
        """
        from softcount.report.network import dot

        return dot(self._structure, self.observed_ if hasattr(self, "observed_") else ())

    @property
    def _structure(self) -> Structure:
        return structure(self.structure_) if hasattr(self, "structure_") else self._declared()

    # --- for subclasses to say --------------------------------------------------------------------------------------

    def as_given(self) -> Self:
        """Take the network as its start says, every table of it; nothing is learned.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def _declared(self) -> Structure:
        """The structure, before anything is learned."""
        raise NotImplementedError

    def _ready(self) -> None:
        """Trained, loaded, or given in full; refused where it is none of these."""
        raise NotImplementedError
