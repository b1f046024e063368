"""A translation model of about a gigabyte: how long it takes to save, to open, to check and to use, and in what memory.

    python bench/bench_store.py [--gigabytes 1]

Each measurement is of a fresh process, once with the file out of the page cache and once with it there. Then what a
checkpoint costs: a step of training and one writing of its state, side by side.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from softcount import HMM, PLSA, WordAligner
from softcount.disk.checkpoint import EVERY, SHARE
from softcount.estimators.align_direction import Direction
from softcount.loop.trace import Trace
from softcount.models.ibm import IBM, IBMTables
from softcount.numbers.ragged import Ragged, offsets_of
from softcount.synthetic import bilingual
from softcount.synthetic.topics import topical
from softcount.text.vocabulary import Vocabulary

BYTES_PER_ENTRY = 4 + 8 + 8  # the word, its log-weight, its probability
WORDS = 200_000

PROBE = """
import json, resource, sys, time
def resident():
    pages = {}
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            name, size = line.split(":")
            pages[name] = int(size.split()[0]) / 1000
    return pages
import softcount
from softcount.estimators.aligner import WordAligner
before, began = resident(), time.perf_counter()
model = softcount.load(sys.argv[1])
opened, after = time.perf_counter() - began, resident()
began = time.perf_counter()
model.signature_
checked, read = time.perf_counter() - began, resident()
began = time.perf_counter()
model.align([["w1", "w2", "w3"]], [["w4", "w5", "w6"]])
used = time.perf_counter() - began
changes = [{k: found[k] - before[k] for k in before} for found in (after, read)]
print(json.dumps([opened, checked, used, *changes]))
"""


def large(gigabytes: float) -> WordAligner:
    rng = np.random.default_rng(0)
    n_entries = int(gigabytes * 1e9 / BYTES_PER_ENTRY)
    per_row = n_entries // (WORDS + 1)
    gaps = rng.integers(1, WORDS // per_row, (WORDS + 1, per_row), dtype=np.int32)  # so that no word comes twice
    columns = (np.cumsum(gaps, axis=1, dtype=np.int32) - 1).ravel()
    rows = Ragged(offsets_of(np.full(WORDS + 1, per_row)), columns)
    probabilities = rng.random(len(columns)) / per_row
    alignment = np.array([0.2, 0.8, 8.0])
    tables = IBMTables(rows.with_values(probabilities), alignment)
    weights = IBMTables(rows.with_values(np.log(probabilities)), np.array([*np.log(alignment[:2]), 8.0]))
    model = WordAligner("ibm2", direction="forward")
    words = [f"w{i}" for i in range(WORDS)]
    model.vocabularies_ = (Vocabulary(words), Vocabulary(words))
    direction = IBM(rows, WORDS, np.empty((0, 2), np.int64), "diagonal")
    model.directions_ = {"forward": Direction(direction, tables, weights, Trace(), 1)}
    model.signature_ = "made up"
    model._remember(0, "nothing", "0" * 64)
    return model


def forget(path: Path) -> None:
    """Out of the page cache, so that the next reader must go to the disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def probe(path: Path, cold: bool) -> None:
    if cold:
        forget(path)
    done = subprocess.run([sys.executable, "-c", PROBE, path], capture_output=True, text=True, check=True)
    opened, checked, used, after, full = json.loads(done.stdout)
    where = "from the disk " if cold else "from the cache"
    print(
        f"{where}  opened in {opened * 1000:.1f} ms ({after['RssAnon']:.1f} MB of memory); read and checked "
        f"in {checked:.2f} s ({full['RssAnon']:,.0f} MB); "
        f"first pair aligned in {used:.2f} s"
    )


def checkpoint_cost(name: str, model: Any, data: tuple[Any, ...], path: Path) -> None:
    """Medians, so that neither compilation nor a busy disk decides."""
    steps, writes = [], []
    last = time.perf_counter()

    def on_step(*step: Any) -> None:
        nonlocal last
        steps.append(step[-1].seconds)
        writes.append(time.perf_counter() - last - step[-1].seconds)
        last = time.perf_counter()

    model.fit(*data, checkpoint=path, checkpoint_every=1, on_step=on_step)
    step, write, size = float(np.median(steps)), float(np.median(writes[1:])), path.stat().st_size / 1e6
    between = max(EVERY * step, write / SHARE)
    print(
        f"{name:28} step {step * 1000:7.1f} ms   checkpoint {write * 1000:7.1f} ms, {size:6.1f} MB   "
        f"by default one in {between:.1f} s: {write / (between + write):.1%} of the time"
    )


def checkpoint_costs(path: Path) -> None:
    sample = bilingual(20_000, seed=1, vocabulary=3.0)
    documents = [" ".join(words) for words in topical(5_000, seed=1).documents]
    cases = {
        "HMM, 45 states, EM": (HMM(45, criterion="em:12", tolerance=0.0, random_state=0), (sample.source,)),
        "word aligner, IBM 2, VB": (WordAligner("ibm2", criterion="vb:6"), (sample.source, sample.target)),
        "PLSA, 100 topics, EM": (PLSA(100, criterion="em:12", tolerance=0.0, random_state=0), (documents,)),
    }
    for name, (model, data) in cases.items():
        path.unlink(missing_ok=True)
        checkpoint_cost(name, model, data, path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gigabytes", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "large.model"
        model = large(options.gigabytes)
        began = time.perf_counter()
        model.save(path)
        seconds, size = time.perf_counter() - began, path.stat().st_size
        del model
        print(f"saved {size / 1e9:.2f} GB in {seconds:.1f} s, checksums and a flush to the disk included")
        for cold in (True, False, False):
            probe(path, cold)
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "softcount", "info", path], capture_output=True, check=True)
        print(f"softcount info, which checks every bit: {time.perf_counter() - began:.2f} s from start to end")
        path.unlink()
        checkpoint_costs(Path(place) / "checkpoint")


if __name__ == "__main__":
    main()
