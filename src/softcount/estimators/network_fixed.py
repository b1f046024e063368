"""What of a network's tables is not learned, as the loop wants it: whole tables, or masks of their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softcount.errors import InputError
from softcount.models.network import Network
from softcount.models.network_declared import axes
from softcount.text.record_reader import text_of


def masks(model: Network, fixed: Any) -> dict[str, Any]:
    """Of names of tables, or of {table: True, a mask, or {given: True, or some of its values}}."""
    if not isinstance(fixed, Mapping):
        return dict.fromkeys([fixed] if isinstance(fixed, str) else fixed, True)
    return {table: _mask(model, table, which) for table, which in fixed.items()}


def _mask(model: Network, table: str, which: Any) -> Any:
    if not isinstance(which, Mapping) or table not in model.tables:
        return which
    number = model.tables.index(table)
    *above, own = axes(model, number)
    mask = np.zeros(model.shapes[number], dtype=bool)
    for given, entries in which.items():
        words = [word.strip() for word in str(given).split(",")] if len(above) > 1 else [str(given)] * len(above)
        try:
            row = tuple(values.index(word) for values, word in zip(above, words, strict=True))
            mask[row] |= np.array([entries is True or value in map(text_of, entries) for value in own])
        except ValueError:
            raise InputError(f"cannot fix {table!r} given {given!r}; the row was not found") from None
    return mask
