"""Workers are killed while a model is trained on Ray, then a machine is lost: prints "same" where the bits are.

python tests/ray_killing.py FOLDER TIMES          on the cluster of this folder (tests/ray_nodes.py)
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import kernel_cache

kernel_cache.use()

from cases import MODELS, bits  # noqa: E402
from ray_nodes import Killer, Nodes, again, joined  # noqa: E402

from softcount.engines.ray import Ray  # noqa: E402
from softcount.loop import ranges  # noqa: E402
from softcount.models import hmm, ibm  # noqa: E402


def fitted(name: str, criterion: str, engine: Ray, **watch: Any) -> Any:
    model, data = MODELS[name](criterion)
    if name == "hmm":
        model.set_params(restarts=1)
    return bits(model.set_params(engine=engine).fit(*data, **watch))


def killed(nodes: Nodes, engine: Ray, task: str, name: str, criterion: str, times: int) -> Any:
    """The bits, after workers that do such tasks were killed in the middle of training."""
    expected = fitted(name, criterion, engine)
    with Killer(task, times, nodes.mark) as killer:
        while killer.killed < times:
            assert fitted(name, criterion, engine) == expected
    return expected


def lost(nodes: Nodes, engine: Ray, name: str, criterion: str) -> Any:
    """The bits, where a machine is lost in the middle of training."""
    gone: list[Any] = []

    def lose_a_machine(*step: Any) -> None:
        if step[-1].step == 2 and not gone:
            gone.append(os.kill(nodes.second, signal.SIGKILL))

    found = fitted(name, criterion, engine, on_step=lose_a_machine)
    assert gone
    return found


def main(folder: Path, times: int) -> None:
    hmm.SHARD_TOKENS = 20  # so that there are many shards
    ibm.BLOCK, ranges.RANGE = 3000, 1500
    with joined(folder, os.getpid()) as nodes, Ray(address=nodes.address) as engine:
        nodes = again(folder, nodes)
        table = killed(nodes, engine, "keep", "ibm2-free", "em:3", times)  # a table in ranges
        assert lost(nodes, engine, "ibm2-free", "em:3") == table
        if times > 1:  # in a thorough run
            nodes = again(folder, nodes)
            dense = killed(nodes, engine, "add", "hmm", "em:3,gibbs:3", times)
            assert lost(nodes, engine, "hmm", "em:3,gibbs:3") == dense
        print("same", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
