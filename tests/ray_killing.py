"""Workers are killed while a model is trained on Ray, then a machine is lost: prints "same" where the bits are."""

from __future__ import annotations

from typing import Any

import kernel_cache

kernel_cache.use()

from cases import MODELS, bits  # noqa: E402
from ray_nodes import Killer, two_nodes  # noqa: E402

from softcount.engines.ray import Ray  # noqa: E402
from softcount.models import hmm  # noqa: E402


def fitted(engine: Ray, **watch: Any) -> Any:
    model, data = MODELS["hmm"]("em:12,gibbs:12")
    return bits(model.set_params(engine=engine, restarts=1).fit(*data, **watch))


def main() -> None:
    hmm.SHARD_TOKENS = 20  # so that there are many shards
    with two_nodes() as nodes, Ray(address=nodes.address) as engine:
        expected = fitted(engine)
        with Killer(3) as killer:
            while killer.killed < 3:
                assert fitted(engine) == expected
        gone: list[Any] = []

        def lose_a_machine(step: Any) -> None:
            if step.step == 6 and not gone:
                gone.append(nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False))

        assert fitted(engine, on_step=lose_a_machine) == expected and gone
        print("same", flush=True)


if __name__ == "__main__":
    main()
