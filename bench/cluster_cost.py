"""What a step of word alignment costs on a cluster: entries, bytes and seconds, from what bench_ray.py kept.

    python bench/cluster_cost.py            prints the tables of docs/cluster.md; SOFTCOUNT_WRITE=1 keeps them

    entries(n)  = pairs of words that ever meet in n pairs of sentences: a · n^b through what was sent for two texts
    sent        = an entry's weight and columns, once to every machine
    received    = a count and its entry, for every entry that a shard meets: shards · entries(n / shards)
    seconds     = token pairs · seconds of one / cores  +  bytes through the driver's network card  +  adding the counts

The law is fitted to the bytes that were sent, so those that were received check it. The generator's vocabulary is
finite: for much more text than the law was fitted to, entries are an upper bound. The driver holds the whole table,
its counts and what is to be sent, which is the limit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from measured import DATA, Measured, read

SMALL = {"pairs-20k": 20_000, "pairs-100k": 100_000}  # texts that were measured, and their pairs
TOKEN_PAIRS, TYPES = 191.0, 40_000  # per pair of sentences; source words, of bench_million.py's text
SENT, RECEIVED = 16.0, 16.0  # bytes per entry
PER_TYPE = 24.0  # bytes per source word that are sent beside
SHARD = 1.5e6  # token pairs
CORES, NETWORK, MEMORY = 32, 1.25e9, 256e9  # of a machine: cores, bytes per second, bytes
TOKEN_PAIR, ADDED = 12e-9, 4e-9  # seconds on a quiet core: of a token pair in both traversals, of a count in the driver
GIGA, MEGA = 1e9, 1e6


class Law(NamedTuple):
    scale: float
    power: float
    held: float  # the driver's bytes per entry, its part of the text included

    def entries(self, pairs: float) -> float:
        return self.scale * pairs**self.power


class Cost(NamedTuple):
    entries: float
    sent: float  # bytes, to one machine
    received: float
    seconds: float
    held: float


def fitted(sent: dict[str, float], peak: dict[str, float]) -> Law:
    """By the bytes that one step sent of each text, and the driver's peak."""
    (few, n), (many, m) = ((sent[text] - PER_TYPE * TYPES, SMALL[text]) for text in SMALL)
    power = math.log(many / few) / math.log(m / n)
    held = (peak["pairs-100k"] - peak["pairs-20k"]) / (many - few) * SENT
    return Law(many / SENT / m**power, power, held)


def cost(law: Law, pairs: float, machines: int) -> Cost:
    entries, token_pairs = law.entries(pairs), pairs * TOKEN_PAIRS
    shards = math.ceil(token_pairs / SHARD)
    touched = shards * law.entries(pairs / shards)
    sent, received = SENT * entries + PER_TYPE * TYPES, RECEIVED * touched
    far = (machines - 1) * sent + received * (machines - 1) / machines
    seconds = token_pairs * TOKEN_PAIR / (machines * CORES) + far / NETWORK + touched * ADDED
    return Cost(entries, sent, received, seconds, law.held * entries)


def main() -> None:
    rows = {row["cells"][0]: row["cells"] for row in read(DATA / "ray.json")["rows"]}
    sent, received, peak = ({text: rows[text][column] * MEGA for text in SMALL} for column in (4, 5, 7))
    law = fitted(sent, peak)
    columns = {"text": "", "MB sent": ",.1f", "computed": ",.1f", "MB received": ",.1f", "computed so": ",.1f"}
    check = Measured("cluster-check", columns)
    for text, pairs in SMALL.items():
        found = cost(law, pairs, 1)
        check.add(text, sent[text] / MEGA, found.sent / MEGA, received[text] / MEGA, found.received / MEGA)
    columns = {
        "pairs": "", "machines": "", "entries, millions": ",.0f", "GB to a machine": ",.1f", "GB back": ",.1f",
        "s/step": ",.1f", "driver GB": ",.0f", "fits 256 GB": "",
    }  # fmt: skip
    table = Measured("cluster-cost", columns, keys=2)
    for pairs, name in ((1e6, "1M"), (1e8, "100M"), (1e9, "1B")):
        for machines in (1, 10, 100):
            found = cost(law, pairs, machines)
            fits = "yes" if found.held < MEMORY else "no"
            parts = found.entries / MEGA, found.sent / GIGA, found.received / GIGA, found.seconds, found.held / GIGA
            table.add(name, str(machines), *parts, fits)


if __name__ == "__main__":
    main()
