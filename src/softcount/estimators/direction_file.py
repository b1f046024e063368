"""One direction of a word aligner in a file.

Of most entries variational Bayes learns nothing: they are the prior, to the bit. Of those a file has the word alone,
and what they are once a row. Logarithms that follow from probabilities are not kept either.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, TypedDict

import numpy as np

from softcount.disk.sound import check, check_finite, check_logs, check_rows, check_table
from softcount.estimators.align_direction import Direction
from softcount.families.diagonal import CELLS, TENSION, TIGHTEST
from softcount.families.positions import PLACES
from softcount.loop.trace import Trace
from softcount.machine.mapped import give_back, in_file
from softcount.models.ibm import IBM, KINDS, IBMTables
from softcount.models.jump_hmm import JumpHMM
from softcount.models.link_crf import LinkCRF, LinkCRFTables, one_number
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import values
from softcount.text.shard import shards

ENCODER = "encoder"
AT_ONCE = 1 << 20  # entries; a multiple of eight


class Newer(TypedDict, total=False):
    """What files that were written before do not have, or what not every file needs."""

    totals: Array
    strengths: Array
    log_weights: Array  # where they do not follow from the probabilities
    differs: Array  # bits: which entries are not the least of their row
    least: Array  # [rows], or [rows, 2] with their log-weights
    said: Array  # [entries]: what an encoder says of every word pair


class Body(Newer):
    """What a file keeps of a direction; values are of the entries that differ, or, in older files, of all."""

    alignment: str
    tokens: int
    entries: Ragged
    classes: Array
    translation: Array
    positions: Array


def to_body(direction: Direction) -> Body:
    model, weights = direction.model, direction.log_weights
    table = _shortened(model.entries, direction.parameters.translation.values, weights.translation.values)
    body: Body = {
        "alignment": model.alignment,
        "tokens": direction.tokens,
        "entries": model.entries,
        "classes": model.classes if model.alignment == "free" else model.classes[:0],
        "translation": table.columns[0],
        "positions": values(weights.alignment)[: _kept(model)],
        "differs": table.differs,
        "least": table.least,
    }
    if len(table.columns) == 2:
        body["log_weights"] = table.columns[1]
    if isinstance(model, LinkCRF):
        body["said"] = model.features @ weights.pair
    if direction.strengths is not None:
        body["strengths"] = direction.strengths
    return body if direction.totals is None else {**body, "totals": direction.totals}


class Short(NamedTuple):
    """A table without the entries that are the least of their row."""

    least: Array
    differs: Array
    columns: list[Array]


def _shortened(rows: Ragged, probabilities: Array, logs: Array) -> Short:
    """Some rows at a time: a table may be in a file, and larger than memory has room for."""
    columns = [probabilities] if _follow(probabilities, logs) else [probabilities, logs]
    least, n = np.ones((rows.n_rows, len(columns))), len(rows.values)
    differs, found = in_file(n, bool), 0
    for start, stop in shards(rows.lengths, AT_ONCE) if rows.n_rows else []:
        some = slice(rows.offsets[start], rows.offsets[stop])
        part, table = _part(rows, start, stop), np.stack([column[some] for column in columns], axis=1)
        least[start:stop] = _least(part, table)
        differs[some] = (table != np.repeat(least[start:stop], part.lengths, axis=0)).any(axis=1)
        found += int(np.count_nonzero(differs[some]))
        for one in (differs, rows.values, *columns):
            give_back(one)
    kept, bits, filled = [in_file(found) for _ in columns], in_file(-(-n // 8), np.uint8), 0
    for start in range(0, n, AT_ONCE):
        some, place = slice(start, start + AT_ONCE), slice(start // 8, (start + AT_ONCE) // 8)
        bits[place] = np.packbits(differs[some])
        more = int(np.count_nonzero(differs[some]))
        for column, into in zip(columns, kept, strict=True):
            into[filled : filled + more] = column[some][differs[some]]
        filled += more
        for one in (differs, bits, *columns, *kept):
            give_back(one)
    return Short(least, bits, kept)


def _part(rows: Ragged, start: int, stop: int) -> Ragged:
    first, last = rows.offsets[start], rows.offsets[stop]
    return Ragged(rows.offsets[start : stop + 1] - first, rows.values[first:last])


def _kept(model: IBM | JumpHMM | LinkCRF) -> int | None:
    """How many numbers of an alignment a file has: cells follow from what is before them."""
    if isinstance(model, JumpHMM):
        return model.positions.cells
    return None if model.alignment in ("free", ENCODER) else CELLS


def _follow(probabilities: Array, logs: Array) -> bool:
    """Whether the logarithms are those of the probabilities, to the bit."""
    for start in range(0, len(logs), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        with np.errstate(divide="ignore"):
            if not np.array_equal(np.log(probabilities[some]), logs[some]):
                return False
        for one in (probabilities, logs):
            give_back(one)
    return True


def _least(rows: Ragged, table: Array) -> Array:
    """Of every row its least probable entry; one of an empty row."""
    least = np.ones((rows.n_rows, table.shape[1]))
    for row in np.flatnonzero(rows.lengths).tolist():
        part = table[rows.offsets[row] : rows.offsets[row + 1]]
        least[row] = part[part[:, 0].argmin()]
    return least


def _whole(body: Body) -> tuple[Array, Array]:
    """Probabilities and log-weights of all entries."""
    rows, columns = body["entries"], [body["translation"]] + ([body["log_weights"]] if "log_weights" in body else [])
    if "differs" not in body:
        table = np.stack(columns, axis=1)
    else:
        n, least = len(rows.values), body["least"]
        check_table("least", least, rows.n_rows, len(columns))
        if body["differs"].dtype != np.uint8 or body["differs"].shape != (-(-n // 8),):
            raise ValueError("no such entries")
        differs = np.unpackbits(body["differs"], count=n).astype(bool)
        for column in columns:
            check_table("translation", column, int(differs.sum()))
        table = np.repeat(least, rows.lengths, axis=0)
        table[differs] = np.stack(columns, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = table[:, 1] if len(columns) == 2 else np.log(table[:, 0])
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(logs)


def from_body(body: Any, trace: Trace, n_sources: int, n_targets: int) -> Direction:
    check("a direction", body, Body)
    rows, classes, kind = body["entries"], body["classes"], body["alignment"]
    if kind not in (*KINDS, "jumps", ENCODER) or body["tokens"] < 0 or (kind == ENCODER) != ("said" in body):
        raise ValueError("no such alignment")
    check_entries(rows, n_sources + 1, n_targets)
    translation, log_weights = _whole(body)
    check_rows("translation", rows.with_values(translation), len(rows.values))
    check_logs("log-weights", log_weights, len(rows.values))
    if kind == ENCODER:
        return _encoded(body, trace, translation, log_weights, n_targets)
    model = JumpHMM(rows, n_targets, classes) if kind == "jumps" else IBM(rows, n_targets, classes, kind)
    _check_positions(model, body["positions"])
    totals, strengths = _learned_from(body)
    free = model._free_offsets() if isinstance(model, IBM) and kind == "free" else None
    alignment: Any = body["positions"] if free is None else Ragged(free, body["positions"])
    weights = IBMTables(rows.with_values(log_weights), alignment)
    parameters = IBMTables(rows.with_values(translation), alignment)
    return Direction(model, parameters, weights, trace, body["tokens"], totals, strengths)


def _encoded(body: Body, trace: Trace, translation: Array, log_weights: Array, n_targets: int) -> Direction:
    """A CRF autoencoder, with one number of each word pair in place of its features."""
    rows, said = body["entries"], body["said"]
    check_finite("what the encoder says", said, len(rows.values))
    model = LinkCRF(rows, n_targets, body["classes"], one_number(said))
    check_finite("alignment", body["positions"], *model.layout.alignment.family.size())
    if len(model.classes):
        raise ValueError("lengths of sentences that an encoder does not have")
    parameters, weights = (
        LinkCRFTables(rows.with_values(table), body["positions"], np.ones(1)) for table in (translation, log_weights)
    )
    return Direction(model, parameters, weights, trace, body["tokens"], *_learned_from(body))


def _learned_from(body: Body) -> tuple[Array | None, Array | None]:
    """(totals, strengths)"""
    rows = body["entries"]
    totals, strengths = body.get("totals"), body.get("strengths")
    for name, given in (("totals", totals), ("strengths", strengths)):
        if given is not None:
            check_finite(name, given, rows.n_rows, least=0.0)
    return totals, strengths


def _check_positions(model: IBM | JumpHMM, positions: Array) -> None:
    """Of a diagonal and of jumps no lengths are kept."""
    if isinstance(model, JumpHMM):
        check_table("alignment", positions, model.positions.cells)
        for part in (positions[:PLACES], *model.positions.parts(positions)[:3]):
            check_logs("alignment", part, len(part))
        if len(model.classes):
            raise ValueError("lengths of sentences that jumps do not have")
        return
    cells = _cells(model.classes) + (0 if model.alignment == "free" else CELLS)
    check_table("alignment", positions, cells)
    logs = positions if model.alignment == "free" else positions[:TENSION]
    check_logs("alignment", logs, len(logs))
    if model.alignment != "free" and not 0.0 <= positions[TENSION] <= TIGHTEST:
        raise ValueError("no such tension")


def check_entries(rows: Ragged, n_rows: int, n_columns: int) -> None:
    columns = rows.values
    if columns.dtype != np.int32 or rows.n_rows != n_rows:
        raise ValueError("not the rows of a translation table")
    if len(columns) and not 0 <= columns.min() <= columns.max() < n_columns:
        raise ValueError("translations that are not among the words")
    rising, starts = columns[1:] > columns[:-1], rows.offsets[1:-1]
    rising[starts[(starts > 0) & (starts < len(columns))] - 1] = True
    if not rising.all():
        raise ValueError("translations that are not in order")


def check_lengths(classes: Array) -> None:
    """Of pairs of sentences, sorted."""
    if classes.dtype != np.int64 or classes.ndim != 2 or classes.shape[1] != 2 or classes.min(initial=0) < 0:
        raise ValueError("no lengths")
    pairs = classes.tolist()
    if any(one >= two for one, two in pairwise(pairs)):
        raise ValueError("lengths that are not in order")


def _cells(classes: Array) -> int:
    """How many numbers a free alignment has."""
    check_lengths(classes)
    return sum((l + 1) * m for l, m in classes.tolist() if l > 0)
