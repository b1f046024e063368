"""Subnormal numbers are zero where an E-step runs, in whatever thread, and nowhere else."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

from softcount import HMM, PLSA
from softcount.engines import Threads
from softcount.loop.estep import Answers, EStep, Placed, _round
from softcount.machine import subnormal
from softcount.machine.subnormal import SWITCH, subnormals_as_zero
from softcount.numbers.attribute import SUM
from softcount.numbers.ragged import Array
from softcount.numbers.rounds import Round
from softcount.numbers.tables import Expectation

TINY = {np.float64: np.float64(1e-310), np.float32: np.float32(1e-40)}
switched = pytest.mark.skipif(not SWITCH, reason="no such switch on this machine")


def product(dtype: type, by: float = 1.0) -> float:
    """Of arrays, so that nothing is computed beforehand."""
    return float((np.full(9, TINY[dtype]) * np.full(9, by, dtype))[-1])


@switched
@pytest.mark.parametrize("dtype", TINY)
def test_operands_and_results_are_zero_within_and_themselves_after(dtype: type) -> None:
    small = np.full(9, np.finfo(dtype).tiny)
    assert product(dtype) > 0 and (small * dtype(0.25)).all()
    with subnormals_as_zero():
        assert product(dtype, 1e10) == 0  # an operand
        assert not (small * dtype(0.25)).any()  # a result
        assert (small * dtype(1.0)).all()  # the smallest number that is written in full
        with subnormals_as_zero():
            pass
        assert product(dtype) == 0  # an inner block leaves things as it found them
    assert product(dtype) > 0


@switched
def test_an_exception_leaves_nothing_behind() -> None:
    with pytest.raises(ZeroDivisionError), subnormals_as_zero():
        raise ZeroDivisionError
    assert product(np.float64) > 0


@switched
def test_other_threads_compute_as_before() -> None:
    found, go, done = [], threading.Event(), threading.Event()

    def other() -> None:
        go.wait()
        found.append(product(np.float64))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with subnormals_as_zero():
        go.set()
        done.wait()
    thread.join()
    assert found[0] > 0


class Coin(NamedTuple):
    """A model that only says what a product with a subnormal number is."""

    shard_cost: int = 1

    def costs(self, items: Items) -> Array:
        return items.sizes

    def pack(self, items: Items) -> Items:
        return items

    def weigh(self, log_weights: tuple[()]) -> tuple[()]:
        return log_weights

    def expect(self, weights: Any, shard: Items, mode: int, uniforms: Any = None, labels: bool = False) -> Any:
        return Expectation(np.zeros(1), product(np.float64)), product(np.float64)

    def posteriors(self, weights: Any, shard: Items) -> float:
        return product(np.float64)


class Items(NamedTuple):
    sizes: Array

    def slice(self, start: int, stop: int) -> Items:
        return Items(self.sizes[start:stop])


@switched
@pytest.mark.parametrize("n_workers", [1, 2])
def test_whatever_a_model_computes_is_within(n_workers: int) -> None:
    items, model = Items(np.ones(5, np.int64)), Coin()
    with Threads(n_workers) as engine:
        answers = Answers(model, items, engine)
        found = [*answers.labels((), SUM), *answers.posteriors(())]
        for one in answers.posteriors(()):
            found.append(one)
            assert product(np.float64) > 0  # between two answers the caller's arithmetic is its own
        found += [EStep(model, items, engine)(()).log_norm, answers.log_norm(())]
        [placed] = engine.place(lambda part: part, [Placed(0, 0, None)])
        asked = Round(lambda shard, shared: product(shared), np.float64)
        found.append(engine.sum(_round, [placed], asked))
    assert len(found) == 18 and not np.any(np.concatenate([np.ravel(one) for one in found]))


def test_where_there_is_no_switch_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subnormal, "SWITCH", 0)
    with subnormals_as_zero():
        assert product(np.float64) > 0


def test_what_decays_becomes_zero_and_nothing_else_changes() -> None:
    """Two states that never meet: the losing entries of EM fall below any number, and the objective never does."""
    text = [["a", "b"] * 6, ["c", "d"] * 6] * 4
    model = HMM(4, criterion="em:400", tolerance=0.0, random_state=1).fit(text)
    objectives = [step.objective for step in model.history_]
    assert all(after >= before - 1e-9 * abs(before) for before, after in pairwise(objectives))
    for table in model.parameters_:
        table = np.asarray(table)
        np.testing.assert_allclose(table.sum(axis=-1), 1.0, rtol=1e-12)
        assert (table[table > 0] >= np.finfo(table.dtype).tiny).all()
    assert sum(int((np.asarray(table) == 0).sum()) for table in model.parameters_) > 0


def test_the_callers_arithmetic_is_its_own_after_training() -> None:
    PLSA(2, criterion="em:3", n_jobs=1, random_state=0).fit(["a b c", "b c d"])
    assert product(np.float64) > 0 and product(np.float32) > 0
