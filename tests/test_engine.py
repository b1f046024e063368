"""Engines: whatever crosses one could be sent elsewhere, and where sums are computed changes no bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from cases import GRID, MODELS, answers, bits
from copying import Copying

from softcount import HMM, InputError, WordAligner
from softcount.engines import ENGINES, Threads, engine_of
from softcount.loop import ranges
from softcount.models import gaussian, grammar, hmm, ibm, mixture, network, plsa
from softcount.numbers.rounds import Round, drive, in_turn


@pytest.fixture
def many_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hmm, "SHARD_TOKENS", 20)
    monkeypatch.setattr(ibm, "PART", 100)
    monkeypatch.setattr(ibm, "BLOCK", 200)
    monkeypatch.setattr(ranges, "RANGE", 60)
    monkeypatch.setattr(grammar, "SHARD_COST", 200)
    monkeypatch.setattr(network, "SHARD_ENTRIES", 20)
    for module in (gaussian, mixture, plsa):
        monkeypatch.setattr(module, "shard_cost", lambda n: 60)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("name", "criterion"), GRID)
@pytest.mark.usefixtures("many_shards")
def test_an_engine_that_copies_all_that_crosses_it_gives_the_same_bits(name: str, criterion: str) -> None:
    far = Copying()
    found = []
    for engine in (Threads(2), far):
        model, data = MODELS[name](criterion)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.set_params(engine=engine).fit(*data)
        found.append((bits(model), answers(model, data)))
    assert far.crossed > 10, "the engine that was given is not the one that worked"
    assert found[0] == found[1]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", [name for name in MODELS if "ibm" in name or name == "jumps"])
@pytest.mark.parametrize(
    "criterion",
    [
        "em:4",
        "em(pseudo=0.5):4",
        "vb:4",
        "hard(vb):3",
        "annealed(vb):4",
        "gibbs:4",
        "stepwise(em(pseudo=0.1),batches=3):3",
    ],
)
@pytest.mark.usefixtures("many_shards")
def test_where_memory_is_not_shared_a_model_in_rounds_is_cut_into_shards(name: str, criterion: str) -> None:
    found = []
    for near in (True, False):
        model, data = MODELS[name](criterion)
        found.append(bits(model.set_params(engine=Copying(near)).fit(*data))[1])
    assert found[0].keys() == found[1].keys()
    for key, (kind, shape, there) in found[0].items():
        here = found[1][key][2]
        one, two = np.frombuffer(there, kind), np.frombuffer(here, kind)
        largest = np.max(np.abs(one), initial=0.0, where=np.isfinite(one))  # logarithms of zeros are infinite
        np.testing.assert_allclose(two, one, rtol=1e-12, atol=1e-15 * largest, err_msg=str(shape))


@pytest.mark.parametrize("engine", [Threads(1), Threads(3), Copying()], ids=["1", "3", "copying"])
def test_an_impossible_item_is_named_whatever_engine_found_it(engine: object, many_shards: None) -> None:
    half = {"X": 0.5, "Y": 0.5}
    start = {
        "states": ["X", "Y"], "initial": half, "transition": {"X": half, "Y": half},
        "emission": {"X": {"a": 1.0, "b": 0.0}, "Y": {"a": 1.0}},
    }  # fmt: skip
    with pytest.raises(InputError, match=r":38: .*probability zero"):
        HMM(2, criterion="em:2", start=start, engine=engine).fit(["a a"] * 37 + ["b a"] + ["a"])


def test_engines_by_name() -> None:
    assert isinstance(engine_of("threads", 2), Threads) and set(ENGINES) >= {"threads"}
    given = Copying()
    assert engine_of(given, 2) is given
    with pytest.raises(InputError, match="engine 'spark': unknown"):
        WordAligner(engine="spark").fit(["a"], ["b"])


def test_a_sum_in_rounds_asks_what_the_last_round_found() -> None:
    def rounds():  # type: ignore[no-untyped-def]
        total = yield Round(scaled, 1.0)
        return (yield Round(scaled, 1.0 / total))

    assert in_turn(rounds(), [1.0, 2.0, 5.0]) == pytest.approx(1.0)
    asked: list[float] = []
    drive(rounds(), lambda one: asked.append(one.shared) or np.float64(8.0))  # type: ignore[func-returns-value]
    assert asked == [1.0, 0.125]


def scaled(part: float, by: float) -> float:
    return part * by
