"""What a step of word alignment costs on a cluster: entries, bytes and seconds, from what bench_ray.py kept.

    python bench/cluster_cost.py            prints the tables of docs/development/ray.md; SOFTCOUNT_WRITE=1 keeps them

    entries(n) = pairs of words that ever meet in n pairs of sentences: a · n^b, through the bytes of two texts
    touched    = Σ over the shards of the entries that they meet: shards · entries(n / shards)
    bytes      = touched · (a weight and a count)  +  entries · (weights, counts and parameters, where the range is)
    seconds    = token pairs · seconds of one / workers  +  a machine's share of the bytes / its network card
                 + adding up / ranges or workers  +  tasks · seconds of one  +  a machine's pieces · seconds of one

The law is fitted to the bytes that passed between workers for two texts, and the seconds of a token pair are those that
threads took for one of them; so a third text, the entries that were counted and the seconds on Ray check it, but for
what a piece costs, which is from a million pairs in ranges of two sizes. The generator's vocabulary is finite: for much
more text than the law was fitted to, entries are an upper bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from measured import DATA, Measured, read

from softcount.loop.ranged_text import MOST_SHARDS
from softcount.loop.ranges import MOST, RANGE

SMALL = {"pairs-20k": 20_000, "pairs-100k": 100_000}  # texts that the law is fitted to, and their pairs
CHECKED = {**SMALL, "pairs-1m": 1_000_000}
HERE = 2  # workers of these
TOKEN_PAIRS = 191.0  # per pair of sentences, of bench_million.py's text
TOUCHED, KEPT = 16.0, 24.0  # bytes per step: of an entry of a shard, of an entry of a range
HELD, NEEDED = 36.0, 28.0  # bytes in memory: of an entry of a range, of an entry of a shard
SHARD = 1.5e6  # token pairs
CORES, NETWORK, MEMORY = 32, 1.25e9, 256e9  # of a machine: cores, bytes per second, bytes
ADDED, TASK, PIECE = 10e-9, 1.1e-3, 2.2e-3  # seconds: of a count, of a task, of a shard's piece of a range
GIGA, MEGA = 1e9, 1e6


class Law(NamedTuple):
    scale: float
    power: float
    token_pair: float = 0.0  # seconds of one

    def entries(self, pairs: float) -> float:
        return self.scale * pairs**self.power

    def touched(self, pairs: float) -> float:
        return n_shards(pairs) * self.entries(pairs / n_shards(pairs))

    def passed(self, pairs: float) -> float:
        return TOUCHED * self.touched(pairs) + KEPT * self.entries(pairs)


class Cost(NamedTuple):
    entries: float
    passed: float  # bytes, between all workers
    pieces: float
    seconds: float
    held: float  # bytes, by one machine


def n_shards(pairs: float) -> int:
    return min(MOST_SHARDS, math.ceil(pairs * TOKEN_PAIRS / SHARD))


def fitted(between: dict[str, float]) -> Law:
    """By the bytes that passed in one step of each text: the power by bisection, then the scale."""
    (few, n), (many, m) = ((between[text], SMALL[text]) for text in SMALL)
    low, high = 0.1, 1.0
    for _ in range(60):
        power = (low + high) / 2
        law = Law(1.0, power)
        low, high = (power, high) if law.passed(m) / law.passed(n) < many / few else (low, power)
    return Law(many / Law(1.0, power).passed(m), power)


def cost(law: Law, pairs: float, machines: int, cores: int = CORES) -> Cost:
    """Pieces are kept track of by the machines that have them, as we hope: if by the driver alone, they cost more."""
    shards, touched, workers = n_shards(pairs), law.touched(pairs), machines * cores
    ranges = min(MOST, math.ceil(touched / RANGE))
    far = TOUCHED * touched * (machines - 1) / machines**2
    seconds = pairs * TOKEN_PAIRS * law.token_pair / min(workers, shards) + far / NETWORK
    seconds += touched * ADDED / min(workers, ranges) + TASK * (shards + 6 * ranges)
    seconds += PIECE * shards * ranges / machines
    held = (HELD * law.entries(pairs) + NEEDED * touched) / machines
    return Cost(law.entries(pairs), law.passed(pairs), shards * ranges, seconds, held)


def main() -> None:
    rows = {row["cells"][0]: row["cells"] for row in read(DATA / "ray.json")["rows"]}
    counted = {row["cells"][0]: row["cells"][1] for row in read(DATA / "ray-entries.json")["rows"]}
    there = {text: pairs for text, pairs in CHECKED.items() if text in rows}
    between = {text: rows[text][5] * MEGA for text in there}
    law = fitted(between)._replace(token_pair=rows["pairs-100k"][1] * HERE / (SMALL["pairs-100k"] * TOKEN_PAIRS))
    columns = {
        "text": "", "MB between workers": ",.1f", "computed": ",.1f", "entries": ",.0f", "computed so": ",.0f",
        "s/step on Ray": ".2f", "so computed": ".2f",
    }  # fmt: skip
    check = Measured("cluster-check", columns)
    for text, pairs in there.items():
        found = cost(law, pairs, 1, HERE)
        passed, entries = (between[text] / MEGA, found.passed / MEGA), (counted[text], found.entries)
        check.add(text, *passed, *entries, rows[text][2], found.seconds)
    columns = {
        "pairs": "", "machines": "", "entries, millions": ",.0f", "GB between workers": ",.1f", "pieces": ",.0f",
        "s/step": ",.1f", "GB a machine": ",.1f", "fits 256 GB": "",
    }  # fmt: skip
    table = Measured("cluster-cost", columns, keys=2)
    for pairs, name in ((1e6, "1M"), (1e8, "100M"), (1e9, "1B")):
        for machines in (1, 10, 100):
            found = cost(law, pairs, machines)
            fits = "yes" if found.held < MEMORY else "no"
            parts = found.entries / MEGA, found.passed / GIGA, found.pieces, found.seconds, found.held / GIGA
            table.add(name, str(machines), *parts, fits)


if __name__ == "__main__":
    main()
