"""What both directions that were trained together look like one by one, and in a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

import numpy as np

from softcount.disk.sound import EITHER, check, check_finite, check_rows
from softcount.estimators.agreed import Agreed, How, Kept, without_entries
from softcount.estimators.agreed_lazy import Lazy
from softcount.estimators.direction_file import check_entries, check_lengths
from softcount.families.categorical import Categorical
from softcount.families.diagonal import CELLS, TENSION, TIGHTEST
from softcount.loop.trace import Trace
from softcount.models.agreement import NO_CLASSES, Agreement, AgreementTables, SideTables
from softcount.models.agreement_places import TABLED
from softcount.models.ibm import IBM
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import values
from softcount.text.cooccurrence import transpose, with_null
from softcount.text.stems import Classes, check_classes

AS_EVER = How()


class Translation(NamedTuple):
    translation: Ragged
    alignment: Any = None  # of Model 2: logarithms


class Table(NamedTuple):
    entries: Ragged
    alignment: str
    classes: Array = NO_CLASSES


def as_model2(agreed: Agreed | Lazy, d: int) -> tuple[IBM, Any]:
    """One direction of Model 2 as if it had been trained alone: without entries, and the logarithms of its alignment,
    in which the empty word has its place."""
    model, side = agreed.model, agreed.log_weights[1 + d]
    classes, null = model.classes_of(d), float(side.empty[0])
    alone = IBM(Ragged(np.zeros(2, np.int64), np.empty(0, np.int32)), model.n_words[1 - d], classes, model.alignment)
    logs = np.log([max(null, 1e-300), 1.0 - null])
    if model.alignment == "diagonal":
        return alone, np.concatenate([logs, side.places[2:]])
    rows = [np.append(logs[0], logs[1] + row) for row in side.places.rows()]
    return alone, Ragged(alone._free_offsets(), np.concatenate([np.empty(0), *rows]))


class AgreedSide:
    """One of the two directions as tables that can be shown: row 0 is the empty word."""

    def __init__(self, agreed: Agreed | Lazy, number: int) -> None:
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
        model = self._agreed.model
        return Table(self._table, "hmm" if model.positions else model.alignment, model.classes_of(self._number))

    @property
    def parameters(self) -> Translation:
        table, tabled = self._table, self._agreed.model.alignment in TABLED
        alignment = as_model2(self._agreed, self._number)[1] if tabled else None
        return Translation(table.with_values(self._values), alignment)

    @property
    def log_weights(self) -> Translation:
        return self.parameters

    def log_likelihood(self) -> float:
        return float(self._agreed.side(self._number).log_likelihood[0])


# --- on disk ----------------------------------------------------------------------------------------------------------


class ClassBody(TypedDict):
    """Of the words of one side."""

    kind: str
    table: Array
    beyond: tuple[str, ...]


class NewerSide(TypedDict, total=False):
    places: Array  # of Model 2


class Side(NewerSide):
    empty: Array
    jump: Array
    fertility: Array
    log_likelihood: Array


class Newer(TypedDict, total=False):
    strength: float | str | None
    tension: float | str
    classes: tuple[ClassBody, ClassBody] | None
    recount: bool


class HowBody(Newer):
    stems: tuple[int, ...]
    spelling: bool
    fertility: bool
    null: float | str
    dictionary: tuple[tuple[str, str, str], ...]
    letters: tuple[tuple[str, str], ...]
    second: tuple[tuple[int, ...], str] | None


class NewerBody(TypedDict, total=False):
    alignment: str
    classes: Array
    links: Array


class Body(NewerBody):
    """What a file keeps; `alignment` and lengths of sentences are of Model 2, `links` of a recount."""

    positions: bool
    entries: Ragged
    counts: Array
    frequencies: tuple[Array, Array]
    longest: int
    how: HowBody
    forward: Side
    reverse: Side
    second: Any  # a body, or None


def to_body(agreed: Agreed | Lazy) -> dict[str, Any]:
    kept = agreed.kept
    return {
        "positions": kept.model.positions,
        "entries": kept.entries,
        "counts": kept.counts,
        "frequencies": agreed.frequencies,
        "longest": kept.model.longest,
        "how": _how_body(agreed.how),
        "forward": _side_body(kept.sides[0], kept.model.alignment),
        "reverse": _side_body(kept.sides[1], kept.model.alignment),
        "second": to_body(agreed.second) if agreed.second else None,
        **_tabled_body(kept.model),
        **({} if kept.links is None else {"links": kept.links}),
    }


def _how_body(how: How) -> HowBody:
    return {
        "stems": how.stems,
        "spelling": how.spelling,
        "fertility": how.fertility,
        "null": how.null,
        "dictionary": how.dictionary,
        "letters": how.letters,
        "second": how.second,
        "strength": how.strength,
        "tension": how.tension,
        "classes": how.classes and (_class_body(how.classes[0]), _class_body(how.classes[1])),
        "recount": how.recount,
    }


def _class_body(classes: Classes) -> ClassBody:
    return {"kind": classes.kind, "table": classes.table, "beyond": classes.beyond}


def _side_body(side: SideTables, alignment: str) -> dict[str, Any]:
    """Of a diagonal no lengths are kept: its cells follow from what is before them."""
    body = {"empty": side.empty, "jump": side.jump, "fertility": side.fertility, "log_likelihood": side.log_likelihood}
    places = values(side.places)
    return {**body, "places": places[:CELLS] if alignment == "diagonal" else places} if alignment in TABLED else body


def _tabled_body(model: Agreement) -> dict[str, Any]:
    if model.alignment not in TABLED:
        return {}
    return {"alignment": model.alignment, "classes": model.classes if model.alignment == "free" else NO_CLASSES}


def from_body(body: Any, trace: Trace, words: tuple[Sequence[str], Sequence[str]]) -> Lazy:
    check("both directions", body, Body)
    rows, frequencies = body["entries"], body["frequencies"]
    check_entries(rows, len(words[0]), len(words[1]))
    check_finite("counts", body["counts"], len(rows.values), least=0.0, precisions=EITHER)
    for frequency, side in zip(frequencies, words, strict=True):
        check_finite("frequencies", frequency, len(side), least=0.0)
    if body["longest"] < 1 or any(length < 1 for length in body["how"]["stems"]):
        raise ValueError("lengths below one")
    how = _how(body["how"], words)
    if isinstance(how.strength, str) and how.strength != "evidence":
        raise ValueError("no such strength of stems")
    if isinstance(how.strength, float | int) and not how.strength > 0.0:
        raise ValueError("a strength of stems that is not positive")
    model = without_entries(how, words, frequencies, body["longest"])
    model = model._replace(alignment=_alignment(body), classes=_classes(body))
    named = zip(("forward", "reverse"), model.layout[1:], strict=True)
    sides = [_side(body[name], spec.places.family) for name, spec in named]
    for side, layout in zip(sides, model.layout[1:], strict=True):
        for name, table, spec in zip(SideTables._fields, side, layout, strict=True):
            least = -np.inf if name == "log_likelihood" else 0.0
            check_finite(name, table, *spec.family.size(), least=least)
        if not 0.0 <= side.empty[0] < 1.0 or not all((part > 0.0).any() for part in (side.empty[1:], side.jump)):
            raise ValueError("no such empty word, or no jumps")
        _check_places(model.alignment, side.places)
    second = from_body(body["second"], trace, words) if how.second else None
    if second and (body["second"]["how"]["second"] or body["second"]["longest"] != body["longest"]):
        raise ValueError("not a second model of the same text")
    tables = AgreementTables(np.empty(0, np.float32), *sides)
    kept = Kept(rows, body["counts"], model, (sides[0], sides[1]), _links(body, how))
    return Lazy(kept, Agreed(model, tables, trace, words, frequencies, how, second))


def _how(body: HowBody, words: tuple[Sequence[str], Sequence[str]]) -> How:
    """What older files do not say is as they had it."""
    return How(
        stems=body["stems"],
        spelling=body["spelling"],
        fertility=body["fertility"],
        null=body["null"],
        dictionary=body["dictionary"],
        letters=body["letters"],
        second=body["second"],
        strength=body.get("strength", AS_EVER.strength),
        tension=body.get("tension", AS_EVER.tension),
        classes=_how_classes(body.get("classes"), words),
        recount=body.get("recount", AS_EVER.recount),
    )


def _links(body: Body, how: How) -> Array | None:
    if how.recount != ("links" in body):
        raise ValueError("links that were not counted once more, or are missing")
    links = body.get("links")
    if links is not None:
        check_finite("links", links, len(body["counts"]), least=0.0, precisions=EITHER)
    return links


def _how_classes(bodies: Any, words: tuple[Sequence[str], Sequence[str]]) -> tuple[Classes, Classes] | None:
    if bodies is None:
        return None
    one, two = (Classes(kind=body["kind"], table=body["table"], beyond=body["beyond"]) for body in bodies)
    for classes, side in zip((one, two), words, strict=True):
        check_classes(classes, side)
    if (one.kind, one.table.shape[1]) != (two.kind, two.table.shape[1]):
        raise ValueError("classes of two kinds")
    return one, two


def _alignment(body: Body) -> str:
    alignment = body.get("alignment", "jumps" if body["positions"] else "uniform")
    if (alignment in TABLED) != ("alignment" in body) or (alignment in TABLED and body["positions"]):
        raise ValueError("no such alignment")
    return alignment


def _classes(body: Body) -> Array:
    classes = body.get("classes", NO_CLASSES)
    check_lengths(classes)
    if len(classes) and body.get("alignment") != "free":
        raise ValueError("lengths of sentences that a diagonal does not have")
    return classes


def _side(body: Side, family: Any) -> SideTables:
    places = body.get("places", np.empty(0))
    return SideTables(
        empty=body["empty"],
        jump=body["jump"],
        fertility=body["fertility"],
        log_likelihood=body["log_likelihood"],
        places=family.table(places) if isinstance(family, Categorical) else places,
    )


def _check_places(alignment: str, places: Any) -> None:
    if alignment == "diagonal" and not 0.0 <= places[TENSION] <= TIGHTEST:
        raise ValueError("no such tension")
    if alignment == "free":
        check_rows("places", places, len(values(places)))
