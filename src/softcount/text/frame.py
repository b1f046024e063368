"""Data frames in, data frames out: columns as a table of the kind that the data came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

KINDS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "Table"}


def kind_of_frame(data: Any) -> str | None:
    """The library of a data frame or table; None of anything else."""
    package = type(data).__module__.partition(".")[0]
    return package if KINDS.get(package) == type(data).__name__ else None


def as_frame(columns: Mapping[str, Sequence[Any]], kind: str | None, index: Any = None) -> Any:
    """Columns as a frame of this kind, with this index where the kind has one; as they are without a kind."""
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(dict(columns), index=index)
    if kind == "polars":
        import polars as pl

        return pl.DataFrame(dict(columns))
    if kind == "pyarrow":
        import pyarrow as pa

        return pa.table(dict(columns))
    return dict(columns)
