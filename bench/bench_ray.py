"""Ray against threads on the same cores: seconds per step, bytes that cross per step, and the driver's peak memory.

    python bench/bench_ray.py [TEXT…]           by default pairs-20k pairs-100k brown; pairs-1m takes its time

Both engines train in processes of their own, one after the other, with two workers; seconds are the median step's, by
the clock, so the ratio is what counts. The bytes should be those of the cost model (bench/cluster_cost.py): every step
sends the weights once per machine, and every shard, or block of shards, sends its counts once.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import bench_million
import corpora
from measured import Measured

WORKERS, STEPS = 2, 4
PAIRS = {"pairs-20k": 20_000, "pairs-100k": 100_000, "pairs-1m": 1_000_000}
TEXTS = ("pairs-20k", "pairs-100k", "brown")
MEGA = 1e6


def model_of(text: str, engine: Any) -> Any:
    import softcount

    if text in PAIRS:
        how = {"agreement": False, "direction": "forward", "criterion": f"em:{STEPS}"}
        return softcount.WordAligner("ibm1", engine=engine, n_jobs=WORKERS, tolerance=0.0, **how)
    return softcount.HMM(
        45, criterion=f"em:{STEPS}", start="random", tolerance=0.0, engine=engine, n_jobs=WORKERS, random_state=0
    )


def work(text: str, name: str, folder: Path) -> None:
    """Trains, and prints what it took as JSON."""
    import softcount
    from softcount.engines import engine_of

    data = softcount.read_bitext(folder / "s", folder / "t") if text in PAIRS else softcount.read(folder / "all.tok")
    crossed: list[tuple[int, int]] = []
    seconds: list[float] = []
    with engine_of(name, WORKERS) as engine:
        model = model_of(text, engine)

        def note(*step: Any) -> None:
            seconds.append(step[-1].seconds)
            crossed.append((getattr(engine, "sent", 0), getattr(engine, "received", 0)))

        model.fit(data, on_step=note)
    sent, received = (b - a for a, b in zip(*crossed[-2:], strict=True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({"seconds": statistics.median(seconds[1:]), "sent": sent, "received": received, "peak": peak}))


def measured(text: str, name: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--work", text, name, str(folder)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def prepared(text: str, folder: Path) -> Path | None:
    """Where its files are."""
    if text in PAIRS:
        bench_million.write(folder, PAIRS[text])
        return folder
    return corpora.folder("pos-brown-en")


def main() -> None:
    if "--work" in sys.argv:
        text, name, folder = sys.argv[-3:]
        return work(text, name, Path(folder))
    columns = {
        "text": "", "threads: s/step": ".3f", "ray: s/step": ".3f", "ratio": ".2f", "MB sent/step": ",.2f",
        "MB received/step": ",.2f", "driver MB, threads": ",.0f", "driver MB, ray": ",.0f",
    }  # fmt: skip
    table = Measured("ray", columns)
    for text in sys.argv[1:] or TEXTS:
        with tempfile.TemporaryDirectory() as place:
            files = prepared(text, Path(place))
            if files is not None:
                near, far = (measured(text, name, files) for name in ("threads", "ray"))
                table.add(
                    text, near["seconds"], far["seconds"], far["seconds"] / near["seconds"], far["sent"] / MEGA,
                    far["received"] / MEGA, near["peak"], far["peak"],
                )  # fmt: skip


if __name__ == "__main__":
    main()
