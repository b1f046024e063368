"""What both directions that were trained together look like one by one, and in a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

import numpy as np

from softcount.disk.sound import EITHER, check, check_finite
from softcount.estimators.agreed import Agreed, How, agreement
from softcount.estimators.direction_file import check_entries
from softcount.loop.trace import Trace
from softcount.models.agreement import AgreementTables, SideTables
from softcount.numbers.ragged import Array, Ragged, offsets_of
from softcount.numbers.tables import row_sums
from softcount.text.cooccurrence import transpose, with_null


class Translation(NamedTuple):
    translation: Ragged


class Table(NamedTuple):
    entries: Ragged
    alignment: str


class AgreedSide:
    """One of the two directions as tables that can be shown: row 0 is the empty word."""

    def __init__(self, agreed: Agreed, number: int) -> None:
        self._agreed, self._number, self.trace = agreed, number, agreed.trace
        self.tokens = int(agreed.frequencies[1 - number].sum())

    @cached_property
    def _table(self) -> Ragged:
        """The rows, and the probabilities as their values beside them."""
        agreed, d = self._agreed, self._number
        empty = agreed.parameters[1 + d].empty[1:]
        rows, rates = agreed.rows, agreed.model.lexicon.rates(agreed.parameters.translation)[:, d].astype(float)
        if d == 1:
            order = np.argsort(rows.values, kind="stable")
            rows, rates = transpose(rows, len(agreed.words[1])), rates[order]
        present = np.flatnonzero(agreed.frequencies[1 - d] > 0).astype(np.int32)
        self._values = np.concatenate([empty[present], rates])
        return with_null(rows, present)

    @property
    def model(self) -> Table:
        return Table(self._table, "hmm" if self._agreed.model.positions else "uniform")

    @property
    def parameters(self) -> Translation:
        table = self._table
        return Translation(table.with_values(self._values))

    def log_likelihood(self) -> float:
        return float(self._agreed.parameters[1 + self._number].log_likelihood[0])


# --- on disk ----------------------------------------------------------------------------------------------------------


class Side(TypedDict):
    empty: Array
    jump: Array
    fertility: Array
    log_likelihood: Array


class Newer(TypedDict, total=False):
    strength: float | str | None


class HowBody(Newer):
    stems: tuple[int, ...]
    spelling: bool
    fertility: bool
    null: float | str
    dictionary: tuple[tuple[str, str, str], ...]
    letters: tuple[tuple[str, str], ...]
    second: tuple[tuple[int, ...], str] | None


class Body(TypedDict):
    """What a file keeps."""

    positions: bool
    entries: Ragged
    counts: Array
    frequencies: tuple[Array, Array]
    longest: int
    how: HowBody
    forward: Side
    reverse: Side
    second: Any  # a body, or None


def to_body(agreed: Agreed) -> dict[str, Any]:
    counts, rows, kept = agreed.parameters.translation, agreed.rows, agreed.kept
    lengths = row_sums(rows.with_values(kept.astype(np.int64)))
    return {
        "positions": agreed.model.positions,
        "entries": Ragged(offsets_of(lengths), rows.values[kept]),
        "counts": counts[kept],
        "frequencies": agreed.frequencies,
        "longest": agreed.model.longest,
        "how": agreed.how._asdict(),
        "forward": agreed.parameters.forward._asdict(),
        "reverse": agreed.parameters.reverse._asdict(),
        "second": to_body(agreed.second) if agreed.second else None,
    }


def from_body(body: Any, trace: Trace, words: tuple[Sequence[str], Sequence[str]]) -> Agreed:
    check("both directions", body, Body)
    rows, frequencies = body["entries"], body["frequencies"]
    check_entries(rows, len(words[0]), len(words[1]))
    check_finite("counts", body["counts"], len(rows.values), least=0.0, precisions=EITHER)
    for frequency, side in zip(frequencies, words, strict=True):
        check_finite("frequencies", frequency, len(side), least=0.0)
    if body["longest"] < 1 or any(length < 1 for length in body["how"]["stems"]):
        raise ValueError("lengths below one")
    how = How(**body["how"])
    if isinstance(how.strength, str) and how.strength != "evidence":
        raise ValueError("no such strength of stems")
    if isinstance(how.strength, float | int) and not how.strength > 0.0:
        raise ValueError("a strength of stems that is not positive")
    model = agreement(how, rows, words, frequencies, body["longest"])._replace(positions=body["positions"])
    sides = [SideTables(**body[name]) for name in ("forward", "reverse")]
    for side, layout in zip(sides, model.layout[1:], strict=True):
        for name, table, spec in zip(SideTables._fields, side, layout, strict=True):
            least = -np.inf if name == "log_likelihood" else 0.0
            check_finite(name, table, *spec.family.size(), least=least)
        if not 0.0 <= side.empty[0] < 1.0 or not all((part > 0.0).any() for part in (side.empty[1:], side.jump)):
            raise ValueError("no such empty word, or no jumps")
    second = from_body(body["second"], trace, words) if how.second else None
    if second and (body["second"]["how"]["second"] or body["second"]["longest"] != body["longest"]):
        raise ValueError("not a second model of the same text")
    return Agreed(model, AgreementTables(body["counts"], *sides), trace, words, frequencies, how, second)
