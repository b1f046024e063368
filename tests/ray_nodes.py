"""A Ray cluster of two machines on one: two node processes, on loopback, behind a token; and how to hurt it.

All processes that run tests share one, in a process of its own (`python tests/ray_nodes.py FILE PID`): it writes where
it is into FILE, adds a machine at SIGUSR1, and ends with the process PID.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from softcount.engines.ray_cluster import TOKENS, environment, own_environment
from softcount.machine.atomic import write_whole

BARE = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}  # processes that nobody needs
# Or a machine with one core has one worker, and where there are two drivers one of them starts another for every task.
PATIENT = {"RAY_num_workers_soft_limit": "4"}
MARK = "SOFTCOUNT_NODES"  # in the environment of all processes of a cluster: who started it


SERVERS: list[Any] = []  # which outlive whoever starts them


class Nodes(NamedTuple):
    address: str
    token: str
    server: int  # the process that has it
    second: int  # the second machine's raylet, without which the machine is lost
    mark: str


@contextmanager
def joined(folder: Path, owner: int) -> Iterator[Nodes]:
    """The cluster of all who name this folder; within, this process has its token. It ends with the process `owner`."""
    place = folder / "ray.json"
    try:
        (folder / "ray-starts").mkdir()
    except FileExistsError:  # somebody else starts it
        pass
    else:
        own = {**own_environment(), **PATIENT, MARK: str(folder)}
        command = [sys.executable, __file__, str(place), str(owner)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        SERVERS.append(subprocess.Popen(command, env={**os.environ, **own}, start_new_session=True, **quiet))
    wait(place.exists)
    nodes = told(folder)
    os.environ.update({**own_environment(), TOKENS[0]: nodes.token})  # Ray remembers the first token that it sees
    with environment({**own_environment(), TOKENS[0]: nodes.token}):
        yield nodes


def again(folder: Path, nodes: Nodes) -> Nodes:
    """With a second machine, where it was lost."""
    if not alive(nodes.second):
        os.kill(nodes.server, signal.SIGUSR1)
        wait(lambda: alive(told(folder).second))
    return told(folder)


def told(folder: Path) -> Nodes:
    return Nodes(*json.loads((folder / "ray.json").read_text()))


def alive(pid: int) -> bool:
    """Whether it is there, and not only waiting to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait(for_what: Callable[[], Any], seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not for_what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def serve(place: Path, owner: int) -> None:
    import ray
    from ray.cluster_utils import Cluster

    wanted = threading.Event()
    wanted.set()
    signal.signal(signal.SIGUSR1, lambda *_: wanted.set())
    cluster = Cluster(True, head_node_args={"num_cpus": 1, **BARE})
    try:
        while alive(owner):
            if wanted.is_set():
                wanted.clear()
                raylet = cluster.add_node(num_cpus=1).all_processes["raylet"][0].process.pid
                found = Nodes(cluster.address, os.environ["RAY_AUTH_TOKEN"], os.getpid(), raylet, os.environ[MARK])
                _write(place, json.dumps(found))
            wanted.wait(0.5)
    finally:
        ray.shutdown()
        cluster.shutdown()


def _write(place: Path, text: str) -> None:
    write_whole(place, lambda path: path.write_text(text))


def processes(mark: str, where: str = "cmdline") -> list[int]:
    """Whose command line, or environment, has this in it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/{where}", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:  # it is gone, or somebody else's
            continue
    return found


class Killer(threading.Thread):
    """SIGKILL to whatever worker of the cluster does such a task, again and again."""

    def __init__(self, task: str, times: int, mark: str) -> None:
        super().__init__(daemon=True)
        self.task, self.times, self.killed, self.done = task, times, 0, False
        self.mark = f"{MARK}={mark}"

    def run(self) -> None:
        while self.killed < self.times and not self.done:
            ours = set(processes(self.mark, "environ"))
            for pid in [pid for pid in processes(f"ray::{self.task}") if pid in ours][:1]:
                os.kill(pid, signal.SIGKILL)
                self.killed += 1
            time.sleep(0.001)

    def __enter__(self) -> Killer:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.done = True
        self.join()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
