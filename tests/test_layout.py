"""Tables within tables, and families whose parameters are not tables, pass every seam that plain ones do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from softcount import InputError
from softcount.criteria.spec import Settings, parse
from softcount.disk.checkpoint import Checkpoint
from softcount.engines import Threads
from softcount.families.categorical import Categorical
from softcount.families.layout import TableLayout, by_table, named, per_table, table_types, total
from softcount.families.penalty import Pseudo
from softcount.loop.start import random_start
from softcount.loop.train import fit
from softcount.numbers.attribute import SUM
from softcount.numbers.tables import Expectation, each, inner, leaves

CRITERIA = [
    "em:6",
    "em(pseudo=0.5):6",
    "hard:4",
    "vb:6",
    "gibbs:4",
    "annealed:4",
    "em:2,mre:3",
    "em:2,mre(rule=adaptive):3",
]


@dataclass
class Flips:
    """Items: rows of coin flips of two colours, each row by one of two hidden coins of its colour."""

    rows: np.ndarray  # [n, 2] heads of each colour, out of 5

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def sizes(self) -> np.ndarray:
        return np.full(len(self), 10)

    def slice(self, start: int, stop: int) -> Flips:
        return Flips(self.rows[start:stop])

    def take(self, which: Any) -> Flips:
        return Flips(self.rows[which])


class Coins(NamedTuple):
    coin: Any  # [2]
    side: Any  # [2, 2]


class Colours(NamedTuple):
    red: Any
    blue: Any


class TwoColours(NamedTuple):
    """Two mixtures of two coins side by side: tables of tables."""

    family: Any = Categorical

    @property
    def layout(self) -> Colours:
        coins = Coins(TableLayout(Categorical((2,))), TableLayout(self.family((2, 2)), emits=True))
        return Colours(coins, coins)

    exact = True
    shard_cost = 50

    def costs(self, items: Flips) -> np.ndarray:
        return items.sizes

    def pack(self, items: Flips) -> np.ndarray:
        return items.rows

    def n_uniforms(self, shard: np.ndarray) -> int:
        return 2 * len(shard)

    def weigh(self, log_weights: Colours) -> Colours:
        return log_weights

    def expect(
        self, weights: Colours, shard: np.ndarray, mode: int = SUM, uniforms: Any = None, labels: bool = False
    ) -> tuple[Expectation, Any]:
        draws = np.zeros(2 * len(shard)) if uniforms is None else uniforms
        found = [_one(w, heads, mode, u) for w, heads, u in zip(weights, shard.T, draws.reshape(2, -1), strict=True)]
        return Expectation(Colours(*(counts for counts, _ in found)), sum(norm for _, norm in found)), None

    def tied(self, parameters: Colours) -> bool:
        return False

    def row_name(self, table: str, row: int) -> str:
        return f"row {row} of {table}"


def _one(weights: Coins, heads: np.ndarray, mode: int, uniforms: np.ndarray) -> tuple[Coins, float]:
    faces = np.column_stack([heads, 5 - heads]).astype(float)
    scores = weights.coin + faces @ np.maximum(weights.side, -1e300).T  # no side that never shows is ever seen
    norms = np.logaddexp.reduce(scores, axis=1)
    shares = np.exp(scores - norms[:, None])
    if mode == 1:
        norms, shares = scores.max(axis=1), (scores == scores.max(axis=1, keepdims=True)).astype(float)
    elif mode == 2:
        shares = np.column_stack([uniforms < shares[:, 0], uniforms >= shares[:, 0]]).astype(float)
    return Coins(shares.sum(axis=0), shares.T @ faces), float(norms.sum())


class Logits(NamedTuple):
    """Parameters that are no table: what rows are the softmax of, and how often they were updated."""

    logits: np.ndarray
    updates: int


class Softmax(NamedTuple):
    """Rows ∝ exp(logits), moved half of the way to the counts' maximum: an update that remembers where it was."""

    shape: tuple[int, ...]

    def size(self) -> tuple[int, ...]:
        return self.shape

    def uniform(self) -> Logits:
        return Logits(np.zeros(self.shape), 0)

    def random(self, rng: np.random.Generator, spread: float) -> Logits:
        return Logits(rng.normal(size=self.shape), 0)

    def impossible(self, parameters: Logits) -> np.ndarray:
        return np.zeros(self.shape, dtype=bool)

    def hold(self, parameters: Logits, held: np.ndarray) -> Softmax:
        return self

    def unvisited(self, counts: np.ndarray) -> np.ndarray:
        return np.empty(0, np.int64)

    def maximize(self, counts: np.ndarray, penalty: Pseudo, parameters: Logits | None) -> Logits:
        best = np.log(counts + np.maximum(penalty.amount, 1e-3))
        best -= best.mean(axis=1, keepdims=True)
        if parameters is None:
            return Logits(best, 1)
        return Logits(0.5 * parameters.logits + 0.5 * best, parameters.updates + 1)

    def log_weights(self, parameters: Logits) -> np.ndarray:
        return np.asarray(parameters.logits - np.logaddexp.reduce(parameters.logits, axis=1, keepdims=True))

    def log_prior(self, parameters: Logits, penalty: Pseudo) -> float:
        return float(np.sum(penalty.amount * self.log_weights(parameters)))


def flips() -> Flips:
    rng = np.random.default_rng(0)
    coins = rng.integers(0, 2, (40, 2))
    return Flips(rng.binomial(5, np.where(coins, [0.9, 0.7], [0.2, 0.1])))


def trained(model: Any, criterion: str, **options: Any) -> Any:
    with Threads(2) as engine:
        return fit(model, flips(), parse(criterion), lambda r: random_start(model.layout, (r,)), engine, **options)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_tables_of_tables_learn_as_two_models_do(criterion: str, tmp_path: Path) -> None:
    model = TwoColours()
    found = trained(model, criterion, tolerance=0.0)
    assert isinstance(found.parameters, Colours) and isinstance(found.parameters.blue, Coins)
    for table in leaves(found.parameters):
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, atol=1e-9)
    if criterion == "em:6":
        data, start = flips(), random_start(model.layout, (0,))
        for c, (coin, side) in enumerate(start):
            for _ in range(6):
                counts, _ = _one(Coins(np.log(coin), np.log(side)), data.rows[:, c], SUM, np.empty(0))
                coin, side = counts.coin / counts.coin.sum(), counts.side / counts.side.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(found.parameters[c].side, side, rtol=1e-9)
    halves = []
    for _ in range(2):  # the second finds the first one's result
        kept = Checkpoint(tmp_path / "c", every=1)
        kept.bind({"model": "coins"})
        with kept:
            halves.append(trained(model, criterion, tolerance=0.0, checkpoint=kept.slot("fit")))
    for again in halves:
        for a, b in zip(leaves(found.parameters), leaves(again.parameters), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("criterion", ["em:8", "em(pseudo=0.5):8", "vb:5", "gibbs:4", "annealed:4", "stepwise:2"])
def test_parameters_may_be_the_familys_own(criterion: str) -> None:
    found = trained(TwoColours(Softmax), criterion, tolerance=0.0, settings=Settings(0.1)).parameters
    assert isinstance(found.red.side, Logits) and found.red.side.updates > 0
    heads = np.exp(found.red.side.logits)[:, 0] / np.exp(found.red.side.logits).sum(axis=1)
    assert abs(heads[0] - heads[1]) > 0.3, "the two red coins of the data are .9 and .2"
    if criterion == "em:8":
        assert found.red.side.updates == 8, "each update knows the one before"


def test_mre_refuses_a_family_without_a_multiplicative_update() -> None:
    with pytest.raises(InputError, match=r"mre .*'red\.side'"):
        trained(TwoColours(Softmax), "mre:2")


def test_names_of_nested_tables() -> None:
    layout = TwoColours().layout
    assert [name for name, _ in named(layout)] == ["red.coin", "red.side", "blue.coin", "blue.side"]
    assert table_types(layout) == {Colours, Coins}
    assert per_table(layout, {"side": 2.0, "red.side": 3.0}, 1.0) == Colours(Coins(1.0, 3.0), Coins(1.0, 2.0))
    with pytest.raises(InputError, match=r"unknown table 'edge'; the tables are red\.coin"):
        per_table(layout, {"edge": 1.0})
    assert total(layout, lambda spec: 2.0 if spec.emits else 0.5) == 5.0


class Flag(NamedTuple):
    left: Any
    right: Any


def test_the_last_part_of_a_name_will_do_however_deep_a_table_is() -> None:
    layout = Flag(TwoColours().layout, TwoColours().layout)
    expected = Colours(Coins(1.0, 2.0), Coins(1.0, 3.0))
    found = per_table(layout, {"side": 2.0, "left.blue.side": 3.0, "right.blue.side": 3.0}, 1.0)
    assert found == Flag(expected, expected)


def test_fixed_tables_by_their_nested_names() -> None:
    start = random_start(TwoColours().layout, (0,))
    found = trained(TwoColours(), "em:4", fixed=["blue.side"])
    np.testing.assert_array_equal(found.parameters.blue.side, start.blue.side)
    assert not np.allclose(found.parameters.red.side, start.red.side)
    with pytest.raises(InputError, match=r"cannot fix 'side'"):
        trained(TwoColours(), "em:4", fixed=["side"])


def test_arithmetic_of_nested_tables() -> None:
    layout = TwoColours().layout
    ones = by_table(layout, lambda spec: np.ones(spec.family.size()))
    twice = each(lambda a, b: a + b, ones, ones)
    assert inner(twice, ones) == 2 * (2 + 4) * 2
    sum_ = Expectation(ones, 1.0) + Expectation(twice, 2.0)
    assert sum_.log_norm == 3.0 and all((table == 3.0).all() for table in leaves(sum_.counts))
    assert all((table == 1.0).all() for table in leaves(ones)), "+ leaves its parts alone"


class Inexact(TwoColours):
    """Counts that are not the gradient of log Z: training may fall, and the loop must not call that a defect."""

    exact = False

    def expect(self, *asked: Any, **more: Any) -> Any:
        found, labels = super().expect(*asked, **more)
        return Expectation(Colours(found.counts.blue, found.counts.red), found.log_norm), labels


def test_a_model_that_declares_itself_inexact_is_not_held_to_a_promise() -> None:
    class Lying(Inexact):
        exact = True

    steps = trained(Inexact(), "em:12", tolerance=0.0).trace
    assert len(steps) == 12 and min(np.diff(steps.objectives)) < 0, "swapped counts must fall somewhere"
    assert "fell" in str(trained(Lying(), "em:12", tolerance=0.0).trace.stopped)
