"""Translation tables in ranges: what is learned is what one table learns, and nobody has the whole."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from copying import Copying
from test_letters import text

from softcount import WordAligner
from softcount.disk.state import flatten
from softcount.loop import ranges
from softcount.models import agreement, ibm
from softcount.synthetic import bilingual

PAIRS = bilingual(60, seed=4)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibm, "BLOCK", 200)
    monkeypatch.setattr(agreement, "SHARD", 200)
    monkeypatch.setattr(ranges, "RANGE", 300)


class Watched(Copying):
    """How large the largest thing is that leaves the driver or comes to it, once the text is placed."""

    def __init__(self) -> None:
        super().__init__(near=False)
        self.largest, self.most = 0, 0

    def share(self, value: Any) -> bytes:
        shared = super().share(value)
        self.largest = max(self.largest, len(shared))
        return shared

    def map(self, fn: Any, handles: Any, shared: bytes) -> Any:
        for found in super().map(fn, handles, shared):
            self.largest = max(self.largest, len(pickle.dumps(found)))
            yield found

    def keep(self, fn: Any, rows: Any, shared: bytes, n: int = 1) -> list[list[bytes]]:
        self.most = max(self.most, n)
        return super().keep(fn, rows, shared, n)


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
    assert far.most > 5, "a table that is not cut"
    same(near, ranged)
    assert near.align(PAIRS.source, PAIRS.target) == ranged.align(PAIRS.source, PAIRS.target)


def test_letters_of_another_script_are_learned_in_ranges() -> None:
    near, far = (WordAligner(engine=engine).fit(*text(60)) for engine in ("threads", Watched()))
    assert near.agreed_.how.letters
    same(near, far)


@pytest.mark.parametrize("settings", [{"agreement": True}, {"model": "ibm1", "direction": "forward"}], ids=str)
def test_the_driver_never_has_a_table_while_it_trains(settings: dict[str, Any], monkeypatch: Any) -> None:
    monkeypatch.setattr(ibm, "BLOCK", 5000)
    monkeypatch.setattr(agreement, "SHARD", 5000)
    monkeypatch.setattr(ranges, "RANGE", 5000)
    rng, far, sizes = np.random.default_rng(1), Watched(), list[int]()
    lines = [" ".join(f"w{k}" for k in rng.permutation(200)[:20]) for _ in range(120)]
    met = {pair for one, two in zip(lines, lines[::-1], strict=True) for pair in product(one.split(), two.split())}
    model = WordAligner(engine=far, criterion="em:2", spelling=False, **settings)
    model.fit(lines, lines[::-1], on_step=lambda *_: sizes.append(far.largest))
    dense = [part.nbytes for side in model.agreed_.parameters[1:] for part in side] if model.agreed_ else []
    assert len(sizes) >= 2 and sizes[-1] < 4 * len(met) + sum(dense)  # bytes: less than one number for every entry


def test_where_the_ranges_are_cut_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for size, most in ((10**9, 2048), (300, 2048), (1, 4)):  # one range, some, one for every source word and few shards
        monkeypatch.setattr(ranges, "RANGE", size)
        monkeypatch.setattr(ranges, "MOST_SHARDS", most)
        found.append(trained(Watched(), model="ibm1:2,hmm:2", criterion="em", agreement=False))
    same(found[0], found[1])
    same(found[0], found[2])


@pytest.mark.parametrize(
    "more", [{"dictionary": [("the", "la", "must")]}, {"criterion": "mre:2", "model": "ibm1"}], ids=str
)
def test_what_needs_whole_tables_has_them(more: dict[str, Any]) -> None:
    far = Watched()
    same(trained("threads", **more), trained(far, **more))
    assert far.most == 0
