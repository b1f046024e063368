"""A corpus four times larger than the memory that a process may have: written as shards, and trained on.

Every command runs in a process of its own whose data may not exceed the limit (RLIMIT_DATA: all private memory that can
be written, on Linux); its peak is that of what is resident, mapped files included. Kernels are compiled before, by a
model of a few words: compiling is done once per machine, and takes some tens of megabytes.

    python bench/bench_shards.py [megabytes of the limit [times as much text [models [FOLDER]]]]

In FOLDER the text and its shards are kept from run to run; what is there is not written again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from measured import Measured

LIMIT, TIMES = 400, 4
WORDS, LINE = 50_000, 20  # in the vocabulary, in a sentence
LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))"
SHARD = """
sys.argv = ["softcount", "shard", "{folder}/text", "--kind", "{kind}", "--out", "{folder}/{kind}", "-q"]
from softcount.__main__ import main
main()
"""
FIT = """
import softcount as sc
sc.{model}(2, criterion="em:{steps}", start="random", random_state=0).fit({data})
"""
COMPILE = "\nimport softcount as sc; sc.{model}(2, criterion='em:1', start='random').fit({few})"
FEW = {"sentences": "['a b c', 'b c']", "documents": "['a b c', 'b c']"}
STEPS = 1


class Case(NamedTuple):
    title: str
    model: str
    kind: str
    reader: str


CASES = {
    "hmm": Case("HMM, 2 states", "HMM", "sentences", "read"),
    "plsa": Case("PLSA, 2 topics", "PLSA", "documents", "read_documents"),
    "mixture": Case("Naive Bayes, 2 clusters", "NaiveBayesMixture", "documents", "read_documents"),
}


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


def commands(folder: Path, names: list[str]) -> Iterator[tuple[str, str]]:
    """(what it is, the lines) of every process."""
    kinds = dict.fromkeys(CASES[name].kind for name in names)
    for kind in (one for one in kinds if not (folder / one).exists()):
        more = "" if kind == "sentences" else f" --kind {kind}"
        yield f"`softcount shard text{more} --out shards`", SHARD.format(folder=folder, kind=kind)
    for name in names:
        title, model, kind, reader = CASES[name]
        for where, data in (
            ("of the shards", f"sc.Shards('{folder}/{kind}')"),
            ("of the text in memory", f"sc.{reader}('{folder}/text')"),
        ):
            yield f"{title}, {where}", FIT.format(model=model, data=data, steps=STEPS)


def prepared(folder: Path, n_bytes: float) -> int:
    """The text, where it is not there yet; how many words it has."""
    if not (folder / "text").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "words").write_text(str(write(folder / "text", n_bytes)))
    return int((folder / "words").read_text())


def main(limit: float, times: float, names: list[str], kept: str = "") -> None:
    table = Measured(
        "shards",
        {"command": "", "limit, MB": ",.0f", "text, MB": ",.0f", "words": ",.0f", "peak, MB": ",.0f", "CPU, s": ",.0f",
         "ends": ""},
        keys=1,
    )  # fmt: skip
    for name in names:
        run(COMPILE.format(model=CASES[name].model, few=FEW[CASES[name].kind]), 1e6)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(kept or name)
        n = prepared(folder, times * limit * 1e6)
        size = (folder / "text").stat().st_size / 1e6
        for what, code in commands(folder, names):
            began = time.perf_counter()
            ran = run(code, limit)
            ends = "well" if ran.code == 0 else "not enough memory" if "emory" in ran.said else "killed"
            table.add(what, limit, size, n, ran.megabytes, ran.cpu, ends)
            print(f"  {time.perf_counter() - began:.0f} s on the clock; {ran.said[-200:]}", flush=True)


if __name__ == "__main__":
    given = [*sys.argv[1:], *map(str, (LIMIT, TIMES, ",".join(CASES), "")[len(sys.argv) - 1 :])]
    main(float(given[0]), float(given[1]), given[2].split(","), given[3])
