"""A Ray cluster of two machines on one: two node processes, on loopback, behind a token; and how to hurt it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from softcount.engines.ray_cluster import environment, own_environment

MARK = f"SOFTCOUNT_NODES={os.getpid()}"  # in the environment of all processes of this cluster


@contextmanager
def two_nodes() -> Iterator[Any]:
    name, value = MARK.split("=")
    with environment({**own_environment(), name: value}):
        import ray
        from ray.cluster_utils import Cluster

        cluster = Cluster(True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        cluster.add_node(num_cpus=1)
        try:
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


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
    """SIGKILL to whatever worker does such a task, again and again."""

    def __init__(self, task: str, times: int) -> None:
        super().__init__(daemon=True)
        self.task, self.times, self.killed, self.done = task, times, 0, False

    def run(self) -> None:
        while self.killed < self.times and not self.done:
            for pid in [pid for pid in processes(f"ray::{self.task}") if pid in processes(MARK, "environ")][:1]:
                os.kill(pid, signal.SIGKILL)
                self.killed += 1
                time.sleep(0.5)  # let another be started
            time.sleep(0.001)

    def __enter__(self) -> Killer:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.done = True
        self.join()
