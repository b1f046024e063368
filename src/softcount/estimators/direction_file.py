"""One direction of a word aligner in a file.

Of most entries variational Bayes learns nothing: they are the prior, to the bit. Of those a file has the word alone,
and what they are once a row. Logarithms that follow from probabilities are not kept either.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypedDict

import numpy as np

from softcount.disk.sound import check, check_finite, check_logs, check_rows, check_table
from softcount.estimators.align_direction import Direction
from softcount.families.diagonal import CELLS, TENSION, TIGHTEST
from softcount.loop.trace import Trace
from softcount.models.ibm import IBM, KINDS, IBMTables
from softcount.numbers.ragged import Array, Ragged
from softcount.numbers.tables import values


class Newer(TypedDict, total=False):
    """What files that were written before do not have, or what not every file needs."""

    totals: Array
    strengths: Array
    log_weights: Array  # where they do not follow from the probabilities
    differs: Array  # bits: which entries are not the least of their row
    least: Array  # [rows], or [rows, 2] with their log-weights


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
    table = np.stack([direction.parameters.translation.values, weights.translation.values], axis=1)
    if _follow(table):
        table = table[:, :1]
    least = _least(model.entries, table)
    differs = (table != np.repeat(least, model.entries.lengths, axis=0)).any(axis=1)
    body: Body = {
        "alignment": model.alignment,
        "tokens": direction.tokens,
        "entries": model.entries,
        "classes": model.classes if model.alignment == "free" else model.classes[:0],
        "translation": np.ascontiguousarray(table[differs, 0]),
        "positions": values(weights.alignment) if model.alignment == "free" else weights.alignment[:CELLS],
        "differs": np.packbits(differs),
        "least": least,
    }
    if table.shape[1] == 2:
        body["log_weights"] = np.ascontiguousarray(table[differs, 1])
    if direction.strengths is not None:
        body["strengths"] = direction.strengths
    return body if direction.totals is None else {**body, "totals": direction.totals}


def _follow(table: Array) -> bool:
    with np.errstate(divide="ignore"):
        return bool(np.array_equal(np.log(table[:, 0]), table[:, 1]))


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
    if kind not in KINDS or body["tokens"] < 0:
        raise ValueError("no such alignment")
    check_entries(rows, n_sources + 1, n_targets)
    translation, log_weights = _whole(body)
    check_rows("translation", rows.with_values(translation), len(rows.values))
    check_logs("log-weights", log_weights, len(rows.values))
    cells = _cells(classes) + (0 if kind == "free" else CELLS)  # of a diagonal no lengths are kept
    check_table("alignment", body["positions"], cells)
    logs = body["positions"] if kind == "free" else body["positions"][:TENSION]
    check_logs("alignment", logs, len(logs))
    if kind != "free" and not 0.0 <= body["positions"][TENSION] <= TIGHTEST:
        raise ValueError("no such tension")
    totals = body.get("totals")
    if totals is not None:
        check_finite("totals", totals, rows.n_rows, least=0.0)
    strengths = body.get("strengths")
    if strengths is not None:
        check_finite("strengths", strengths, rows.n_rows, least=0.0)
    model = IBM(rows, n_targets, classes, kind)
    alignment: Any = Ragged(model._free_offsets(), body["positions"]) if kind == "free" else body["positions"]
    weights = IBMTables(rows.with_values(log_weights), alignment)
    parameters = IBMTables(rows.with_values(translation), alignment)
    return Direction(model, parameters, weights, trace, body["tokens"], totals, strengths)


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


def _cells(classes: Array) -> int:
    """How many numbers a free alignment has; the pairs of lengths are sorted."""
    if classes.dtype != np.int64 or classes.ndim != 2 or classes.shape[1] != 2 or classes.min(initial=0) < 0:
        raise ValueError("no lengths")
    pairs = classes.tolist()
    if any(one >= two for one, two in pairwise(pairs)):
        raise ValueError("lengths that are not in order")
    return sum((l + 1) * m for l, m in pairs if l > 0)
