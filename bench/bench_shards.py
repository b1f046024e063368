"""A corpus four times larger than the memory that a process may have: written as shards, and trained on.

Every command runs in a process of its own whose data may not exceed the limit (RLIMIT_DATA: all private memory that can
be written, on Linux); its peak is that of what is resident, mapped files included.

    python bench/bench_shards.py [megabytes of the limit [times as much text]]      # 400 4
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from measured import Measured

LIMIT, TIMES = 400, 4
WORDS, LINE = 50_000, 20  # in the vocabulary, in a sentence
LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))"
SHARD = """
sys.argv = ["softcount", "shard", "{folder}/text", "--out", "{folder}/shards", "-q"]
from softcount.__main__ import main
main()
"""
FIT = """
import softcount as sc
sc.HMM(2, criterion="em:{steps}", start="random", random_state=0).fit({data})
"""
STEPS = 1


class Ran(NamedTuple):
    code: int
    megabytes: float  # resident, at most
    cpu: float
    said: str


def write(path: Path, n_bytes: float) -> int:
    """Words by Zipf's law, of two to nine letters, a million and then the same again; how many there are."""
    import numpy as np

    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnoprstuvw"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(WORDS)], dtype=object)
    share = 1.0 / (np.arange(WORDS) + 2.7)
    rows = words[np.searchsorted(np.cumsum(share / share.sum()), rng.random((50_000, LINE)))]
    text = "".join(" ".join(row) + "\n" for row in rows.tolist()).encode()
    times = -(-int(n_bytes) // len(text))
    with path.open("wb") as file:
        file.writelines([text] * times)
    return times * rows.size


def run(code: str, limit: float) -> Ran:
    """The lines under the limit."""
    code = LIMITED.format(limit=int(limit * 1e6)) + code
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # which sets aside memory for every thread that it may have
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=alone)
    assert child.stderr
    said = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    return Ran(status, used.ru_maxrss / 1e3, used.ru_utime + used.ru_stime, said.strip().split("\n")[-1])


def main(limit: float, times: float) -> None:
    table = Measured(
        "shards",
        {"command": "", "limit, MB": ",.0f", "text, MB": ",.0f", "words": ",.0f", "peak, MB": ",.0f", "CPU, s": ",.0f",
         "ends": ""},
        keys=1,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        n = write(folder / "text", times * limit * 1e6)
        size = (folder / "text").stat().st_size / 1e6
        for what, code in (
            ("`softcount shard text --out shards`", SHARD.format(folder=folder)),
            ("HMM, 2 states, of the shards", FIT.format(data=f"sc.Shards('{folder}/shards')", steps=STEPS)),
            ("HMM, 2 states, of the text in memory", FIT.format(data=f"sc.read('{folder}/text')", steps=STEPS)),
        ):
            began = time.perf_counter()
            ran = run(code, limit)
            ends = "well" if ran.code == 0 else "not enough memory" if "emory" in ran.said else "killed"
            table.add(what, limit, size, n, ran.megabytes, ran.cpu, ends)
            print(f"  {time.perf_counter() - began:.0f} s on the clock; {ran.said[-200:]}", flush=True)


if __name__ == "__main__":
    main(*(float(given) for given in (*sys.argv[1:], *map(str, (LIMIT, TIMES)[len(sys.argv) - 1 :]))))
