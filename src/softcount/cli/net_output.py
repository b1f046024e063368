"""What softcount net prints and writes: answers to questions, scores, rows that were filled in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from softcount.cli.summary import or_null


class Found(NamedTuple):
    log_likelihood: float | None = None  # of the data
    predicted: dict[str, list[Any]] | None = None  # the most probable explanation of the data
    query: dict[str, dict[str, float]] | None = None
    scores: list[float] | None = None  # of the rows to score


def texts(found: dict[str, dict[Any, float]]) -> dict[str, dict[str, float]]:
    from softcount.text.record_reader import text_of

    return {name: {text_of(value): p for value, p in shares.items()} for name, shares in found.items()}


def scored(scores: list[float]) -> dict[str, Any]:
    return {"log_likelihood": or_null(math.fsum(scores)), "per_row": [or_null(score) for score in scores]}


def asked_lines(answer: Found) -> Iterator[str]:
    if answer.query is not None:
        for name, shares in answer.query.items():
            before = f"{name}\t" if len(answer.query) > 1 else ""
            yield from (f"{before}{value}\t{p:.10g}\n" for value, p in shares.items())
    yield from (f"{score:.10g}\n" for score in answer.scores or ())


def with_keys(rows: dict[str, list[Any]], data: Any, keys: tuple[str | None, ...]) -> dict[str, list[Any]]:
    """The columns that say which sequence a row belongs to and how often it was seen, before the variables."""
    kept = {}
    for key in keys:
        if key is not None and key in data.columns and key not in rows:
            column = data.columns[key]
            kept[key] = [column.values[code] if code >= 0 else None for code in column.codes.tolist()]
    return {**kept, **rows}


def delimited(table: dict[str, list[Any]], mark: str) -> Iterator[str]:
    from softcount.report.tsv import row_line

    yield row_line(table, mark)
    for row in zip(*table.values(), strict=True):
        yield row_line(("" if value is None else str(value) for value in row), mark)
