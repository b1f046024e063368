"""What a model declares of each of its tables: the family its rows belong to, and whether it emits data."""

from __future__ import annotations

from typing import NamedTuple

from softcount.families.family import Family


class TableLayout(NamedTuple):
    family: Family
    emits: bool = False
