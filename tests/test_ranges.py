"""Translation tables in ranges: what is learned is what one table learns, and nobody has the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from copying import Copying

from softcount import WordAligner
from softcount.disk.state import flatten
from softcount.loop import ranges
from softcount.models import agreement, ibm
from softcount.synthetic import bilingual

PAIRS = bilingual(60, seed=4)
GREEK = dict(zip("abcdefghiklmnoprstuvxyz", "αβψδεφγηικλμνοπρστυωχθζ", strict=True))


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibm, "BLOCK", 200)
    monkeypatch.setattr(agreement, "SHARD", 200)
    monkeypatch.setattr(ranges, "RANGE", 300)


class Watched(Copying):
    """How many entries the largest value has that comes to the driver while it trains."""

    def __init__(self) -> None:
        super().__init__(near=False)
        self.pieces: list[int] = []

    def keep(self, fn: Any, rows: Any, shared: bytes, n: int = 1) -> list[list[bytes]]:
        found = super().keep(fn, rows, shared, n)
        self.pieces.append(len(found))
        return found


def learned(model: Any) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    flatten(model._bodies, arrays)
    return arrays


def same(near: Any, far: Any) -> None:
    one, two = learned(near), learned(far)
    assert one.keys() == two.keys()
    for key, table in one.items():
        largest = np.max(np.abs(table), initial=0.0, where=np.isfinite(table))
        np.testing.assert_allclose(two[key], table, rtol=1e-12, atol=1e-15 * largest, err_msg=key)


def trained(engine: Any, target: Any = PAIRS.target, **settings: Any) -> Any:
    return WordAligner(engine=engine, **settings).fit(PAIRS.source, target)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"preset": "best"},
        {"stems": "none", "spelling": False},
        {"stems": "4", "fertility": False, "stem_strength": 2.0},
        {"model": "ibm1:2,ibm2:2", "criterion": "vb", "prior_over": "vocabulary"},
    ],
    ids=str,
)
def test_what_is_learned_in_ranges_is_what_one_table_learns(settings: dict[str, Any]) -> None:
    far = Watched()
    near, ranged = trained("threads", **settings), trained(far, **settings)
    assert len(far.pieces) > 10
    same(near, ranged)
    assert near.align(PAIRS.source, PAIRS.target) == ranged.align(PAIRS.source, PAIRS.target)
