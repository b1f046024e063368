"""A cluster of softcount's own: it listens on loopback alone, lets nobody in, and ends with the command."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import SENTENCES, bits
from command import heeding, run
from ray_nodes import processes, wait

from softcount import HMM, load, read
from softcount.engines import ray_cluster

CLIENT = """
import sys
from ray._raylet import GcsClient
from ray.exceptions import AuthenticationError
from softcount.engines.ray_cluster import environment
for settings in {"RAY_AUTH_MODE": "disabled"}, {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}:
    with environment(settings):
        try:
            GcsClient(address=sys.argv[1]).internal_kv_keys(b"")
        except AuthenticationError:
            print("refused")
"""
STEPS = "em:3,gibbs:200"
TAG = f"tag text.txt --states 3 --start random --seed 1 --criterion {STEPS} --checkpoint run.ckpt --save out.model -q"


class Running:
    """A command that trains on a cluster of its own; all processes of it know a word."""

    def __init__(self, folder: Path) -> None:
        self.mark = f"SOFTCOUNT_TEST={folder.name}-{time.monotonic_ns()}"
        name, value = self.mark.split("=")
        line = [*TAG.split(), "--checkpoint-every", "1", "--engine", "ray", "--threads", "1"]
        before = written(folder)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "softcount", *line], cwd=folder, env={**os.environ, name: value},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=heeding, start_new_session=True,
        )  # fmt: skip
        wait(lambda: written(folder) != before or self.process.poll() is not None)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.process.wait()

    def all(self) -> list[int]:
        return processes(self.mark, "environ")


def written(folder: Path) -> int:
    """Which checkpoint there is: every one is another file."""
    return (folder / "run.ckpt").stat().st_ino if (folder / "run.ckpt").exists() else 0


def listening(pids: list[int]) -> list[tuple[str, int]]:
    """(address, port) of every socket at which one of these processes listens."""
    sockets = set()
    for pid in pids:
        for link in _links(f"/proc/{pid}/fd"):
            if link.startswith("socket:["):
                sockets.add(link[8:-1])
    found = []
    for name, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A" and rest[5] in sockets:
                host, port = local.split(":")
                found.append((_address(host, family), int(port, 16)))
    return found


def _links(folder: str) -> Iterator[str]:
    try:
        for name in os.listdir(folder):
            yield os.readlink(f"{folder}/{name}")
    except OSError:  # it is gone
        return


def _address(hexadecimal: str, family: Any) -> str:
    raw = b"".join(bytes.fromhex(hexadecimal[k : k + 8])[::-1] for k in range(0, len(hexadecimal), 8))
    return socket.inet_ntop(family, raw).removeprefix("::ffff:")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "text.txt").write_text("\n".join(SENTENCES) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
def test_nobody_gets_in_and_a_lost_driver_goes_on_from_its_checkpoint(folder: Path) -> None:
    """One after the other, of one training: a cluster takes many seconds of work to begin. So only a thorough run
    (SOFTCOUNT_THOROUGH=1) goes on with a second one, which Ctrl-C ends and leaves nothing of."""
    with Running(folder) as running:
        for pid in processes("-m\0softcount"):
            if pid in running.all():
                os.kill(pid, signal.SIGSTOP)  # so that it is not done before it is looked at
        everything = running.all()
        places = listening(everything)
        assert len(places) > 3 and {host for host, _ in places} <= {"127.0.0.1", "::1"}
        (_, door), *_ = listening([pid for pid in everything if b"gcs_server" in _title(pid)])
        command = [sys.executable, "-c", CLIENT, f"127.0.0.1:{door}"]
        client = subprocess.run(command, capture_output=True, timeout=200)
        assert client.stdout.split() == [b"refused"] * 2, client.stderr
        running.process.kill()
        running.process.wait()
    wait(lambda: not [pid for pid in running.all() if b"Agent" not in _title(pid)], 200)
    if os.environ.get("SOFTCOUNT_THOROUGH"):
        with Running(folder) as running:
            os.killpg(running.process.pid, signal.SIGINT)  # as a terminal does
            assert running.process.wait(200) == 130
            wait(lambda: not running.all(), 200)
    assert not (folder / "out.model").exists()
    done = run(TAG)
    assert done.code == 0, done.err
    whole = HMM(3, criterion=STEPS, start="random", random_state=1).fit(read("text.txt"))
    found = bits(load("out.model"))[1]
    assert found.pop("learned.decoded_")[1] == (3,)  # which the command counts as it tags
    assert found == bits(whole)[1]


def _title(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b"Agent"


def test_ray_that_is_not_installed_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    ran = run("tag text.txt --states 2 --engine ray")
    assert (ran.code, ran.said) == (2, [f"softcount: {ray_cluster.MISSING}"])


def test_an_address_where_no_cluster_is(folder: Path) -> None:
    ran = run("tag text.txt --states 2 --engine threads --address 127.0.0.1:1")
    assert ran.code == 2 and "the engine threads has no address" in ran.err
