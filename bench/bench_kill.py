"""kill -9 at random moments of training, resume, and compare every bit with a run that nobody disturbed.

    python bench/bench_kill.py [--kills 4] [--commands 4] [--seed 0]

Every model under every criterion is trained in a child process that writes a checkpoint after every step. The child is
killed after a random share of the time that training takes, and another one goes on from the checkpoint, until so many
kills have hit. Then the same is done to whole commands. A checkpoint that cannot be read, one that went back, or one
bit of difference in the end is a failure. The figures are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import softcount
from softcount.disk.store import Stored
from softcount.synthetic import bilingual
from softcount.synthetic.topics import topical

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cases import bits

CRITERIA = [
    "em:12", "hard:12", "vb:12", "gibbs:12", "annealed:12", "stepwise(em(pseudo=0.1),batches=3):6",
    "stepwise(vb,batches=3):6", "em:6,mre:6", "em:6,mre(rule=adaptive):6", "vb:4,gibbs:4,em:4",
]  # fmt: skip
BITEXT = bilingual(400, seed=2)
DOCUMENTS = [" ".join(words) for words in topical(300, seed=3).documents]
POINTS = np.random.default_rng(1).normal(size=(2000, 8)) + np.repeat(np.arange(4.0), 500)[:, None]
SENTENCES = BITEXT.source
MODELS: dict[str, Any] = {
    "HMM": (
        lambda c: softcount.HMM(8, criterion=c, start="random", restarts=2, tolerance=0.0, random_state=1),
        (SENTENCES,),
    ),
    "Naive Bayes mixture": (
        lambda c: softcount.NaiveBayesMixture(4, criterion=c, start="random", tolerance=0.0, random_state=1),
        (DOCUMENTS,),
    ),
    "PLSA": (lambda c: softcount.PLSA(8, criterion=c, restarts=2, tolerance=0.0, random_state=1), (DOCUMENTS,)),
    "k-means": (lambda c: softcount.KMeans(4, criterion=c, tolerance=-1.0, restarts=2, random_state=1), (POINTS,)),
    "Gaussian mixture": (
        lambda c: softcount.GaussianMixture(4, criterion=c, tolerance=0.0, restarts=2, random_state=1), (POINTS,)
    ),
    "IBM 1, IBM 2": (lambda c: softcount.WordAligner("ibm1,ibm2", criterion=c), (BITEXT.source, BITEXT.target)),
    "IBM 2, free": (lambda c: softcount.WordAligner("ibm2-free", criterion=c), (BITEXT.source, BITEXT.target)),
}  # fmt: skip


def digest(model: Any) -> str:
    text, arrays = bits(model)
    return hashlib.sha256(repr((text, sorted(arrays.items()))).encode()).hexdigest()


def steps_in(path: Path) -> int:
    """How far a checkpoint is; raises where it cannot be read."""
    body = Stored(path).body
    under_way = sum(len(saved["$Saved"][1]) for saved in body["positions"].values())
    return under_way + sum(len(result["$Finished"][2]) for result in body["results"].values())


def child(name: str, criterion: str, path: Path, out: Path) -> int:
    """Trains in a process of its own, which shares nothing with this one but the disk."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        make, data = MODELS[name]
        out.write_text(digest(make(criterion).fit(*data, checkpoint=path, checkpoint_every=1)))
        code = 0
    finally:
        os._exit(code)


def killed(process: int, after: float) -> bool:
    """Whether the kill came before the end."""
    time.sleep(after)
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed by itself"
    return os.WIFSIGNALED(status)


def cell(name: str, criterion: str, kills: int, folder: Path, rng: random.Random) -> Counter[str]:
    make, data = MODELS[name]
    expected = digest(make(criterion).fit(*data))
    began = time.monotonic()
    make(criterion).fit(*data, checkpoint=folder / "timed", checkpoint_every=1)
    duration, found = time.monotonic() - began, Counter[str](cells=1)
    while found["kills"] < kills:
        path, out = folder / f"run{found['runs']}", folder / f"bits{found['runs']}"
        reached, quota = 0, 1 + rng.randrange(3)  # how often this run is disturbed
        while True:
            process = child(name, criterion, path, out)
            # the longer a run has got, the less is left of it
            left = duration * (1.0 - reached / max(steps_in(folder / "timed"), 1))
            hit = killed(process, rng.uniform(0.0, left)) if quota else os.waitpid(process, 0)[1] != 0
            if not hit:
                break
            quota -= 1
            found["kills"] += 1
            found["while writing"] += bool(list(folder.glob(f".{path.name}.*")))
            if not path.exists():
                found["before the first checkpoint"] += 1
                assert reached == 0, "a checkpoint is gone"
                continue
            now = steps_in(path)
            assert now >= reached, "a checkpoint went back"
            reached = now
        found["runs"] += 1
        found["other bits"] += out.read_text() != expected
        assert not list(folder.glob(f".{path.name}.*")), "something was left behind"
    for file in folder.iterdir():
        file.unlink()
    return found


COMMANDS = {
    "tag": "tag text --states 20 --criterion em:60,gibbs:20 --tolerance 0 -q",
    "align": "align text text --model ibm1:30,ibm2:30 --criterion vb -q",
    "topics": "topics text --topics 20 --criterion annealed:150 -q",
    "cluster": "cluster text --clusters 20 --criterion gibbs:150 --start random -q",
}


def command(arguments: str, kills: int, folder: Path, rng: random.Random) -> Counter[str]:
    """A whole command, from the start of the interpreter on."""
    (folder / "text").write_text("".join(" ".join(line) + "\n" for line in bilingual(4000, seed=5).source))
    start = [sys.executable, "-m", "softcount", *arguments.split()]
    began = time.monotonic()
    expected = subprocess.run(start, cwd=folder, capture_output=True, check=True).stdout
    duration, found = time.monotonic() - began, Counter[str](cells=1)
    kept = [*start, "--checkpoint", "run", "--checkpoint-every", "1"]
    while found["kills"] < kills:
        process = subprocess.Popen(kept, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.3 * duration, duration))
        process.kill()
        process.communicate()
        if process.returncode == 0:
            (folder / "run").unlink()
            continue
        found["kills"] += 1
        found["while writing"] += bool(list(folder.glob(".run.*")))
        found["before the first checkpoint"] += not (folder / "run").exists()
        if (folder / "run").exists():
            steps_in(folder / "run")
    found["runs"] += 1
    found["other bits"] += subprocess.run(kept, cwd=folder, capture_output=True, check=True).stdout != expected
    for file in folder.iterdir():
        file.unlink()
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=4, help="per model and criterion")
    parser.add_argument("--commands", type=int, default=4, help="kills per command")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, total = random.Random(options.seed), Counter[str]()
    columns = ("cells", "runs", "kills", "before the first checkpoint", "while writing", "other bits")
    print(f"{'':28}" + "".join(f"{name:>{len(name) + 3}}" for name in columns))

    def show(name: str, found: Counter[str]) -> None:
        print(f"{name:28}" + "".join(f"{found[c]:>{len(c) + 3}}" for c in columns), flush=True)

    with tempfile.TemporaryDirectory() as place:
        for name in MODELS:
            found = Counter[str]()
            for criterion in CRITERIA:
                if not (name in ("k-means", "Gaussian mixture") and "mre" in criterion):
                    found += cell(name, criterion, options.kills, Path(place), rng)
            show(name, found)
            total += found
        for name, arguments in COMMANDS.items() if options.commands else ():
            found = command(arguments, options.commands, Path(place), rng)
            show(f"softcount {name}", found)
            total += found
    show("all", total)
    print(f"no checkpoint was lost or went back; {total['other bits']} of {total['runs']} runs ended with other bits")
    sys.exit(1 if total["other bits"] else 0)


if __name__ == "__main__":
    main()
