"""Ray against threads on the same cores: seconds per step, bytes that cross per step, and the driver's peak memory.

    python bench/bench_ray.py [TEXT…] [--texts FOLDER]    pairs-20k, -100k, -1m, align-20k, -100k, -1m, brown, brown-x10
    python bench/bench_ray.py saved-20k saved-100k saved-400k    the driver's peak, with a checkpoint at every step, and
                                                                 the model saved
    python bench/bench_ray.py apply-20k apply-100k        links by a saved model: seconds, and the driver's peak

Both engines train in processes of their own, one after the other, with two workers; seconds are the median step's, by
the clock, so the ratio is what counts; the load of the machine (processes that want to run, over a quarter of an hour)
is in a table beside them. Threads have the text in memory, Ray has it in a folder of shards; the driver's peak is that
while it trains. "pairs" are Model 1, one direction, "align" is the default, of which more than 100,000 pairs take two
steps of each of its models. What passes between workers should be what the cost model says (bench/cluster_cost.py). In
FOLDER texts are kept from run to run.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bench_million
import corpora
from measured import Measured

WORKERS, STEPS = 2, 4
SIZES = {"20k": 20_000, "100k": 100_000, "400k": 400_000, "1m": 1_000_000}
PAIRS = {f"{what}-{size}": n for what in ("pairs", "align", "saved", "apply") for size, n in SIZES.items()}
TEXTS = ("pairs-20k", "pairs-100k", "align-20k", "align-100k", "brown", "brown-x10")
COPIES = {"brown": 1, "brown-x10": 10}
MEGA = 1e6


def model_of(text: str, engine: Any) -> Any:
    import softcount

    if text.startswith(("align", "saved", "apply")):
        short = {"model": "ibm1:2,hmm:2", "criterion": "em", "agreement": True}
        return softcount.WordAligner(engine=engine, n_jobs=WORKERS, **(short if PAIRS[text] > 100_000 else {}))
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

    data: Any = softcount.Shards(folder / "shards")
    if name == "threads":
        data = softcount.read_bitext(folder / "s", folder / "t") if text in PAIRS else softcount.read(folder / "text")
    steps: list[tuple[float, int, int, float]] = []  # seconds, bytes by the driver, bytes between workers, peak
    with engine_of(name, WORKERS) as engine:

        def note(*step: Any) -> None:
            by_driver = getattr(engine, "sent", 0) + getattr(engine, "received", 0)
            steps.append((step[-1].seconds, by_driver, getattr(engine, "kept", 0), peak()))

        model = model_of(text, engine).fit(data, on_step=note)
    seconds, driver, between, peaks = zip(*steps, strict=True)
    found = {"seconds": statistics.median(seconds[1:]), "driver": driver[-1] - driver[-2], "peak": peaks[-1]}
    found["between"] = between[-1] - between[-2]
    found["entries"] = len(model.directions_["forward"].model.entries.values) if text.startswith("pairs") else 0
    print(json.dumps(found))


def peak() -> float:
    """Of this process so far, in megabytes: all that is resident, mapped files and shared memory included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def work_and_save(text: str, name: str, folder: Path) -> None:
    """As `work`; with a checkpoint at every step, and the model saved."""
    import softcount
    from softcount.engines import engine_of

    peaks = []
    with engine_of(name, WORKERS) as engine:
        model = model_of(text, engine).fit(
            softcount.Shards(folder / "shards"), on_step=lambda *_: peaks.append(peak()),
            checkpoint=folder / "checkpoint", checkpoint_every=1,
        )  # fmt: skip
    trained = peak()
    model.save(folder / "model")
    found = {"first": peaks[0], "trained": trained, "saved": peak()}
    found |= {file: (folder / file).stat().st_size / MEGA for file in ("checkpoint", "model")}
    print(json.dumps(found))


def work_and_link(text: str, name: str, folder: Path) -> None:
    """Links the text by a saved model, which is trained if it is not there."""
    import softcount
    from softcount.engines import engine_of

    data: Any = softcount.Shards(folder / "shards")
    if name == "threads":
        data = softcount.read_bitext(folder / "s", folder / "t")
        if not (folder / "applied").exists():
            model_of(text, "threads").fit(data).save(folder / "applied")
            os.execv(sys.executable, [sys.executable, *sys.argv])  # a process that has not trained
    with engine_of(name, WORKERS) as engine:
        model = softcount.load(folder / "applied", engine=engine, n_jobs=WORKERS)
        next(iter(model.blocks(data.slice(0, 100) if name == "threads" else data)))  # kernels, and the cluster
        began = time.perf_counter()
        n = sum(len(links.source) for links in model.blocks(data))
        found = {"seconds": time.perf_counter() - began, "links": n, "peak": peak()}
    print(json.dumps(found | {"model": (folder / "applied").stat().st_size / MEGA}))


def measured(text: str, name: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--work", text, name, str(folder)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def prepared(text: str, folder: Path) -> bool:
    """Writes the text, as it is and as shards; whether there is such a text."""
    if (folder / "shards").exists():
        return True
    if text in PAIRS:
        if not (folder / "s").exists():
            bench_million.write(folder, PAIRS[text])
        texts = [str(folder / "s"), "--target", str(folder / "t")]
    else:
        found = corpora.folder("pos-brown-en")
        if found is None:
            return False
        (folder / "text").write_bytes((found / "all.tok").read_bytes() * COPIES[text])
        texts = [str(folder / "text")]
    command = [sys.executable, "-m", "softcount", "shard", *texts, "--out", str(folder / "shards"), "-q"]
    subprocess.run(command, check=True)
    return True


def main() -> None:
    if "--work" in sys.argv:
        text, name, folder = sys.argv[-3:]
        how = {"saved": work_and_save, "apply": work_and_link}.get(text.split("-")[0], work)
        return how(text, name, Path(folder))
    texts, kept = sys.argv[1:] or list(TEXTS), None
    if "--texts" in texts:
        place = texts.index("--texts")
        texts, kept = texts[:place] + texts[place + 2 :], Path(texts[place + 1])
    columns = {
        "text": "", "threads: s/step": ".3f", "ray: s/step": ".3f", "ratio": ".2f", "MB by the driver/step": ",.2f",
        "MB between workers/step": ",.1f", "driver MB, threads": ",.0f", "driver MB, ray": ",.0f",
    }  # fmt: skip
    saved = {
        "text": "", "MB, first step": ",.0f", "MB, trained": ",.0f", "MB, saved": ",.0f", "checkpoint, MB": ",.0f",
        "model, MB": ",.0f",
    }  # fmt: skip
    applied = {
        "text": "", "links": ",.0f", "model, MB": ",.0f", "threads: s": ".1f", "ray: s": ".1f", "ratio": ".2f",
        "driver MB, threads": ",.0f", "driver MB, ray": ",.0f",
    }  # fmt: skip
    links = Measured("ray-apply", applied)
    table, entries = Measured("ray", columns), Measured("ray-entries", {"text": "", "entries": ",.0f"})
    driver, loads = Measured("ray-driver", saved), Measured("ray-load", {"text": "", "load": ".1f"})
    for text in texts:
        with tempfile.TemporaryDirectory() as place_:
            folder = Path(place_) if kept is None else kept / str(PAIRS.get(text, text))
            folder.mkdir(parents=True, exist_ok=True)
            if not prepared(text, folder):
                continue
            if text.startswith("saved"):
                for left in ("checkpoint", "model"):
                    (folder / left).unlink(missing_ok=True)
                driver.add(text, *measured(text, "ray", folder).values())
                continue
            near, far = (measured(text, name, folder) for name in ("threads", "ray"))
            if text.startswith("apply"):
                assert near["links"] == far["links"]
                seconds = near["seconds"], far["seconds"], far["seconds"] / near["seconds"]
                links.add(text, near["links"], near["model"], *seconds, near["peak"], far["peak"])
                continue
            table.add(
                text, near["seconds"], far["seconds"], far["seconds"] / near["seconds"], far["driver"] / MEGA,
                far["between"] / MEGA, near["peak"], far["peak"],
            )  # fmt: skip
            loads.add(text, os.getloadavg()[2])
            if far["entries"]:
                entries.add(text, far["entries"])


if __name__ == "__main__":
    main()
