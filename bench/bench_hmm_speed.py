"""CPU seconds of one EM iteration on Brown: softcount, hmmlearn, and the bound of the machine, from one run.

    python bench/bench_hmm_speed.py --states 50

The bound is the arithmetic alone: three matrix products per token (forward, backward, transition counts), 2 K² flops
each, at the rate that dgemm reaches here on products of that shape, one thread. At the end the WSJ sample, as the
command line trains it: a whole default run.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from typing import Any

import numpy as np
import whole
from corpora import folder, shell_line
from measured import Measured
from threadpoolctl import threadpool_limits

from softcount import HMM, Corpus, read


def seconds_per_step(text: Corpus, states: int, threads: int, steps: int) -> tuple[float, float]:
    """(CPU, wall) of a whole EM iteration, E-step and M-step; the median leaves the compiler's first step out."""
    marks: list[tuple[float, float]] = []
    model = HMM(states, criterion=f"em:{steps}", start="random", tolerance=0, random_state=0, n_jobs=threads)
    model.fit(text, on_step=lambda step: marks.append((time.process_time(), time.perf_counter())))
    cpu, wall = np.diff(np.asarray(marks), axis=0).T
    return statistics.median(cpu), statistics.median(wall)


def dgemm_rate(states: int) -> float:
    """Flops per second of [2000, K] · [K, K]; the best of several, since a bound must not be beaten by noise."""
    a, b = np.random.default_rng(0).random((2000, states)), np.random.default_rng(1).random((states, states))
    out, times = np.empty((2000, states)), []
    with threadpool_limits(1):
        for _ in range(30):
            began = time.process_time()
            for _ in range(10):
                np.dot(a, b, out=out)
            times.append((time.process_time() - began) / 10)
    return 2 * 2000 * states**2 / min(times)


def hmmlearn_seconds(text: Corpus, states: int, steps: int) -> float | None:
    try:
        from hmmlearn.hmm import CategoricalHMM
    except ImportError:
        print("hmmlearn is not installed: pip install 'softcount[bench]'")
        return None
    marks: list[float] = []

    class Timed(CategoricalHMM):
        def _do_mstep(self, stats: Any) -> None:
            super()._do_mstep(stats)
            marks.append(time.process_time())

    filled = text.sentences.lengths > 0
    model = Timed(states, implementation="scaling", n_iter=steps, tol=-np.inf, random_state=0)
    model.fit(text.sentences.values.astype(np.int64)[:, None], text.sentences.lengths[filled])
    return statistics.median(np.diff(marks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--peer-steps", type=int, default=3)
    options = parser.parse_args()
    path = folder("pos-brown-en")
    if path is None:
        return
    text, K = read(path / "all.tok", lowercase=True), options.states
    print(f"{shell_line()}\n{text!r}, {K} states\n")
    one_cpu, one_wall = seconds_per_step(text, K, 1, options.steps)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    two_cpu, two_wall = seconds_per_step(text, K, 2, options.steps)
    peer = hmmlearn_seconds(text, K, options.peer_steps)
    # The machine's speed wanders; what is compared is measured before and after the others, and averaged.
    again_cpu, again_wall = seconds_per_step(text, K, 1, options.steps)
    one_cpu, one_wall = (one_cpu + again_cpu) / 2, (one_wall + again_wall) / 2
    rate = dgemm_rate(K)
    bound = 3 * 2 * K**2 * text.n_tokens / rate
    table = Measured("hmm-speed", {f"per EM iteration, {K} states": "", "CPU s": ".3f", "wall s": ".3f", "×": ".2f"})
    table.add("softcount, 1 thread", one_cpu, one_wall, 1)
    table.add("softcount, 2 threads", two_cpu, two_wall, two_cpu / one_cpu)
    table.add(f"bound: products alone at {rate / 1e9:.1f} Gflop/s", bound, None, bound / one_cpu)
    if peer is not None:
        table.add("hmmlearn CategoricalHMM, scaling", peer, None, peer / one_cpu)
    print(f"speed-up of 2 threads, wall: {one_wall / two_wall:.2f}")
    print(f"peak memory of softcount, text and training: {memory:.0f} MB\n")
    table = Measured("hmm-speed-by-size", {"share of the text": "", "tokens": ",", "CPU s per iteration": ".3f",
                                           "ns per token and state²": ".3f"})  # fmt: skip
    for share in (0.25, 0.5, 1.0):
        part = text.slice(0, round(len(text) * share))
        cpu, _ = seconds_per_step(part, K, 1, options.steps)
        table.add(share, part.n_tokens, cpu, cpu / part.n_tokens / K**2 * 1e9)
    sample = folder("pos-wsj-sample-en")
    if sample is not None:
        print()
        whole.table("tag", sample / "all.tok", "--states", 45, steps=100)


if __name__ == "__main__":
    main()
