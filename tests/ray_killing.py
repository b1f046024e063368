"""Workers are killed while a model is trained on Ray, then a machine is lost: prints "same" where the bits are."""

from __future__ import annotations

from typing import Any

import kernel_cache

kernel_cache.use()

from cases import MODELS, bits  # noqa: E402
from ray_nodes import Killer, two_nodes  # noqa: E402

from softcount.engines.ray import Ray  # noqa: E402
from softcount.loop import ranges  # noqa: E402
from softcount.models import hmm, ibm  # noqa: E402


def fitted(name: str, criterion: str, engine: Ray, **watch: Any) -> Any:
    model, data = MODELS[name](criterion)
    if name == "hmm":
        model.set_params(restarts=1)
    return bits(model.set_params(engine=engine).fit(*data, **watch))


def survives(nodes: Any, engine: Ray, task: str, name: str, criterion: str, times: int) -> None:
    """Workers that do such tasks are killed, then a machine is, in the middle of training."""
    expected = fitted(name, criterion, engine)
    with Killer(task, times) as killer:
        while killer.killed < times:
            assert fitted(name, criterion, engine) == expected
    gone: list[Any] = []

    def lose_a_machine(*step: Any) -> None:
        if step[-1].step == 2 and not gone:
            gone.append(nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False))

    assert fitted(name, criterion, engine, on_step=lose_a_machine) == expected and gone


def main() -> None:
    hmm.SHARD_TOKENS = 20  # so that there are many shards
    ibm.BLOCK, ranges.RANGE = 1500, 700
    with two_nodes() as nodes, Ray(address=nodes.address) as engine:
        survives(nodes, engine, "add", "hmm", "em:3,gibbs:3", 2)
        nodes.add_node(num_cpus=1)
        survives(nodes, engine, "keep", "ibm2-free", "em:3", 2)  # a table in ranges
        print("same", flush=True)


if __name__ == "__main__":
    main()
