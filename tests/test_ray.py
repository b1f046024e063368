"""Ray: what a cluster computes is what threads compute, whatever fails there."""

from __future__ import annotations

import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import CRITERIA, MODELS, PAIRS, SENTENCES, bits
from command import run
from ray_nodes import two_nodes

from softcount import HMM, InputError, WordAligner, load
from softcount.disk.state import flatten
from softcount.engines import Threads, engine_of
from softcount.engines.ray import Ray
from softcount.engines.tree import tree_sum
from softcount.loop import estep, item_rows, ranges
from softcount.text.shard import shards

# What the engine is asked depends on the model and on how many shards there are; what is made of the answer, on the
# criterion. That every model under every criterion may be sent elsewhere, tests/test_engine.py holds.
# Tables in ranges cost a task for every piece of a shard that is in a range, so they are trained in fewer ways here;
# tests/test_ranges.py has the others.
IN_RANGES = {
    "ibm1-ibm2": "vb:3", "ibm2-free": "em:2,mre:3", "jumps": "em:3", "agreement": "em", "plsa": "em:5",
}  # fmt: skip
GRID = [(name, "em:5") for name in MODELS if name not in IN_RANGES]
GRID += [("hmm", criterion) for criterion in CRITERIA[1:]]
GRID += [("hmm", "constrained(em,least=2):4"), ("ibm2-free", "gibbs:3"), ("plsa", "stepwise(vb,batches=3):2")]
CUTS = [(*case, (1, 3, 8)[k % 3]) for k, case in enumerate(GRID)]
CUTS += [(name, criterion, 2) for name, criterion in IN_RANGES.items()]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    with two_nodes() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def cluster(nodes: Any) -> Iterator[Ray]:
    """One for all tests here: two machines, as Ray sees it, with a worker each."""
    with Ray(address=nodes.address) as engine:
        yield engine


def cut_into(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many shards, and as many ranges of source words."""

    def some(costs: Any, target: int) -> Any:
        return shards(costs, max(1, -(-int(np.sum(costs)) // n)))

    monkeypatch.setattr(estep, "shards", some)
    monkeypatch.setattr(ranges, "shards", some)
    for module in (ranges, item_rows):
        monkeypatch.setattr(module, "cut", lambda items, costs, target: some(costs(items), target))


def fitted(name: str, criterion: str, engine: Any) -> Any:
    if name == "agreement":
        model: Any = WordAligner("ibm1:2,hmm:3", criterion=criterion, agreement=True)
        data: Any = PAIRS.source, PAIRS.target
    else:
        model, data = MODELS[name](criterion)
    if name in ("ibm1-ibm2", "jumps"):
        model.set_params(direction="forward")  # the reverse is another forward
    if hasattr(model, "restarts"):  # of two that are equally good rounding would choose
        model.set_params(restarts=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.set_params(engine=engine).fit(*data)


def learned(model: Any) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    flatten({name: getattr(model, name) for name in model._learned if hasattr(model, name)}, arrays)
    return arrays


@pytest.mark.parametrize(("name", "criterion", "n"), CUTS)
def test_parameters_are_those_of_threads(
    cluster: Ray, name: str, criterion: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_into(n, monkeypatch)
    sent = cluster.sent
    near, far = (learned(fitted(name, criterion, engine)) for engine in (Threads(1), cluster))
    assert near.keys() == far.keys() and cluster.sent > sent
    for key, table in near.items():
        finite = np.abs(table[np.isfinite(table)])  # logarithms of zeros are infinite
        least = 1e-15 * np.max(finite, initial=0.0)  # what has decayed to nothing may be another nothing
        np.testing.assert_allclose(far[key], table, rtol=1e-12, atol=least, err_msg=key)


TERMS = np.random.default_rng(0).normal(size=(8, 5)) * 10.0 ** np.arange(8)[:, None]


@pytest.mark.parametrize("n", [1, 3, 8])
def test_a_sum_has_the_same_bits_for_any_number_of_workers(cluster: Ray, n: int, monkeypatch: Any) -> None:
    expected = tree_sum(row * 0.1 for row in TERMS[:n]).tobytes()
    handles = cluster.place(np.asarray, TERMS[:n])
    for workers in (1, 2, 100):  # blocks of eight, of four, of one
        monkeypatch.setattr(cluster, "n_workers", workers)
        assert cluster.sum(np.multiply, handles, cluster.share(0.1)).tobytes() == expected
    assert [found[0] for found in cluster.map(np.multiply, handles, cluster.share(1.0))] == TERMS[:n, 0].tolist()


@pytest.mark.parametrize(
    ("name", "n"),
    [("hmm", 1), ("hmm", 3), ("hmm", 8), ("plsa", 3), ("ibm2-free", 3)],
)
def test_training_has_the_same_bits_for_any_number_of_workers(
    cluster: Ray, name: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_into(n, monkeypatch)
    found = []
    for workers in (1, 100):
        monkeypatch.setattr(cluster, "n_workers", workers)
        found.append(bits(fitted(name, "em:2", cluster)))
    assert found[0] == found[1]


def test_a_worker_without_memory_is_named_by_its_shard(cluster: Ray) -> None:
    def greedy(shard: int, shared: float) -> float:
        if shard == 1:
            raise MemoryError
        return shared

    handles = cluster.place(int, range(3))
    with pytest.raises(InputError, match=r"out of memory at shard 2 of 3; start its machines with fewer CPUs"):
        cluster.sum(greedy, handles, cluster.share(1.0))
    with pytest.raises(InputError, match=r"out of memory at shard 2 of 3"):
        list(cluster.map(greedy, handles, cluster.share(1.0)))


def test_an_impossible_item_is_named(cluster: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_into(3, monkeypatch)
    half = {"X": 0.5, "Y": 0.5}
    start = {
        "states": ["X", "Y"], "initial": half, "transition": {"X": half, "Y": half},
        "emission": {"X": {"a": 1.0, "b": 0.0}, "Y": {"a": 1.0}},
    }  # fmt: skip
    with pytest.raises(InputError, match=r":38: .*probability zero"):
        HMM(2, criterion="em:2", start=start, engine=cluster).fit(["a a"] * 37 + ["b a"] + ["a"])


def test_what_is_answered_crosses_as_well(cluster: Ray) -> None:
    model = HMM(3, criterion="em:3", start="random", random_state=1).fit(SENTENCES)
    near = model.predict(SENTENCES), model.score(SENTENCES)
    model.set_params(engine=cluster)
    assert (model.predict(SENTENCES), model.score(SENTENCES)) == near


def test_a_folder_of_shards_is_read_by_the_workers(cluster: Ray, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("\n".join(SENTENCES) + "\n")
    assert run("shard text --out shards -q").code == 0
    line = "tag shards --states 3 --start random --seed 1 --criterion em:5 -q --save"
    near, far = run(f"{line} near"), run(f"{line} far --engine ray")
    assert (near.code, far.code) == (0, 0) and far.out == near.out, far.err
    for key, table in learned(load("near")).items():
        np.testing.assert_allclose(learned(load("far"))[key], table, rtol=1e-12, atol=1e-15, err_msg=key)


def test_an_address_is_for_engines_that_are_elsewhere() -> None:
    with pytest.raises(InputError, match="the engine threads is here, at no address; use --engine ray"):
        engine_of("threads", 1, "127.0.0.1:6379")


def test_workers_and_a_machine_may_be_killed_again_and_again() -> None:
    """In a process of its own: what Ray hears of lost tasks may end it by a failed check of Ray's own ("you have likely
    discovered a bug in Ray"), which is no answer; then it is asked again."""
    for _ in range(4):
        ran = subprocess.run([sys.executable, str(Path(__file__).with_name("ray_killing.py"))], capture_output=True)
        if ran.returncode != -signal.SIGABRT:
            break
    assert ran.returncode == 0 and ran.stdout.split()[-1:] == [b"same"], ran.stderr[-3000:]
