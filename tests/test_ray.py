"""Ray: what a cluster computes is what threads compute, whatever fails there.

`SOFTCOUNT_THOROUGH=1 pytest tests/test_ray.py` trains every model under every criterion, in one, three and eight shards
and with tasks for one worker and for a hundred, and kills more often; it takes long. A usual run takes a few of each
kind: what the engine is asked depends on the model and on how many shards there are; what is made of the answer, on the
criterion. That every model under every criterion may be sent elsewhere, tests/test_engine.py holds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import SENTENCES, bits
from command import run
from ray_cases import ALL, SHARDS, assert_equal, cut_into, fitted, learned, nearness
from ray_nodes import Nodes, joined

from softcount import HMM, InputError, load
from softcount.engines import Threads, engine_of, ray_worker
from softcount.engines.ray import Ray
from softcount.engines.tree import tree_sum

THOROUGH = bool(os.environ.get("SOFTCOUNT_THOROUGH"))
USUAL = [
    ("hmm", "em:5", 1), ("hmm", "gibbs:5", 8), ("network", "stepwise(vb,batches=3):5", 3), ("plsa", "em:5", 3),
    ("topics with a background", "annealed(start=0.8,stop=0.8):5", 3),
    ("ibm2-free", "em:2,mre:3", 2), ("agreement", "em", 2), ("weights of pairs", "stepwise(vb,batches=3)", 3),
]  # fmt: skip
CASES = [(*case, n) for case in ALL for n in SHARDS] if THOROUGH else USUAL


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That all processes of this run know."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own


@pytest.fixture(scope="session")
def nodes(folder: Path) -> Iterator[Nodes]:
    with joined(folder, os.getppid() if os.environ.get("PYTEST_XDIST_WORKER") else os.getpid()) as found:
        yield found


@pytest.fixture(scope="module")
def cluster(nodes: Nodes) -> Iterator[Ray]:
    """One for all tests here: two machines, as Ray sees it, with a worker each."""
    with Ray(address=nodes.address) as engine:
        yield engine


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "criterion", "n"), CASES)
def test_parameters_are_those_of_threads_and_bits_the_same_for_any_number_of_workers(
    cluster: Ray, name: str, criterion: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_into(n, monkeypatch)
    sent, found = cluster.sent, []
    for workers in (1, 100) if n > 1 else (1,):  # blocks of several shards, and of one
        monkeypatch.setattr(cluster, "n_workers", workers)
        found.append(fitted(name, criterion, cluster))
    assert cluster.sent > sent and bits(found[0]) == bits(found[-1])
    assert_equal(learned(fitted(name, criterion, Threads(1))), learned(found[0]), nearness(criterion))


TERMS = np.random.default_rng(0).normal(size=(8, 5)) * 10.0 ** np.arange(8)[:, None]


@pytest.mark.parametrize("n", [1, 3, 8])
def test_a_sum_has_the_same_bits_for_any_number_of_workers(cluster: Ray, n: int, monkeypatch: Any) -> None:
    expected = tree_sum(row * 0.1 for row in TERMS[:n]).tobytes()
    handles = cluster.place(np.asarray, TERMS[:n])
    for workers in (1, 2, 100):  # blocks of eight, of four, of one
        monkeypatch.setattr(cluster, "n_workers", workers)
        assert cluster.sum(np.multiply, handles, cluster.share(0.1)).tobytes() == expected
    assert [found[0] for found in cluster.map(np.multiply, handles, cluster.share(1.0))] == TERMS[:n, 0].tolist()


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


def resident(kind: str) -> int:
    """Of this process, in bytes."""
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(kind))


def test_what_passes_by_the_driver_does_not_stay_with_it(cluster: Ray) -> None:
    """Neither what workers find for one another, be it as small as a shard's entries of a range, nor what is shared."""
    n, small, large = 150, 50_000, 4_000_000

    def many(values: Any, shared: None) -> tuple[Any, ...]:
        return tuple(np.ones(small, np.uint8) for _ in range(n))

    def total(value: int, shared: Any) -> int:
        return int(shared.sum())

    handles, before = cluster.place(int, range(4)), resident("RssAnon:")
    columns = cluster.keep(many, ((one,) for one in handles), cluster.share(None), n)
    assert len(columns) == n and resident("RssAnon:") - before < 4 * n * small / 3
    before, shared = resident("RssShmem:"), [cluster.share(np.ones(large, np.uint8)) for _ in range(10)]
    assert resident("RssShmem:") - before < 3 * large
    assert [one for share in shared for one in cluster.map(total, handles[:1], share)] == [large] * 10


@pytest.mark.thorough
def test_workers_of_a_cluster_that_nobody_told_are_told(cluster: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not cluster._told  # tests/ray_nodes.py starts machines as softcount does
    name = next(iter(ray_worker.KEEPING))
    monkeypatch.setattr(ray_worker, "KEEPING", {name: "5000"})
    monkeypatch.setattr(cluster, "_told", True)

    def setting(name: str, shared: None) -> str:
        return os.environ[name]

    assert list(cluster.map(setting, cluster.place(str, [name]), cluster.share(None))) == ["5000"]


def test_an_address_is_for_engines_that_are_elsewhere() -> None:
    with pytest.raises(InputError, match="the engine threads has no address; use --engine ray with --address"):
        engine_of("threads", 1, "127.0.0.1:6379")


@pytest.mark.thorough
def test_workers_and_a_machine_may_be_killed_again_and_again(folder: Path, nodes: Nodes) -> None:
    """In a process of its own: what Ray hears of lost tasks may end it by a failed check of Ray's own ("you have likely
    discovered a bug in Ray"), which is no answer; then it is asked again."""
    command = [sys.executable, str(Path(__file__).with_name("ray_killing.py")), str(folder), "3" if THOROUGH else "1"]
    for _ in range(4):
        ran = subprocess.run(command, capture_output=True)
        if ran.returncode != -signal.SIGABRT:
            break
    assert ran.returncode == 0 and ran.stdout.split()[-1:] == [b"same"], ran.stderr[-3000:]
