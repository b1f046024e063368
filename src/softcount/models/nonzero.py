"""Counts on their way to another machine: of ragged tables those alone that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from softcount.models.scattered import Scattered
from softcount.numbers.ragged import Ragged
from softcount.numbers.tables import nested


def nonzero(counts: Any) -> Any:
    if isinstance(counts, Ragged):
        entries = np.flatnonzero(counts.values)
        return Scattered(len(counts.values), entries, counts.values[entries], counts.offsets)
    return type(counts)(*(nonzero(part) for part in counts)) if nested(counts) else counts
