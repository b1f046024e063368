"""Fertilities by mean field, as the default has them, and by Gibbs sampling, as eflomal has them: AER, and CPU seconds.

The default is trained, and then every set is linked in several ways from the same tables. A sampler draws one link at
a time, given all others: by the word's translation, the jumps from the link before and to the link after, and the ratio
of the fertilities with and without it; it begins with a draw from the posteriors of the default, each direction by
itself. A link's probability is the mean over sweeps of what it had before each draw. Translations are those of the
default or, "with counts of its own", lean on them: (c + κ t) / (c(e) + κ), where c counts the direction's own links,
drawn so far, but for the one that is being drawn (collapsed sampling). The last ways have such counts without any
drawing: expected links are counted once more, each direction's own or the mean of both, and the text is linked by mean
field again, with or without what the place itself gave (models/recounted.py, `--recount`).

    SOFTCOUNT_WRITE=1 python bench/bench_fertility.py [--sets nl es it cs Europarl Hansards] [--sweeps 20 100]
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from typing import Any

import numpy as np
from corpora import shell_line
from gold_sets import SETS, GoldSet, error_rate, gold_sets
from measured import Measured
from numba import njit

from softcount.models.recounted import KAPPA

FIXED = 1e12
SWEEPS = {"20": (20, 5), "100": (100, 20)}  # how many, and after how many they count
COLUMNS = {"set": "", "links by": "", "AER": ".2f", "CPU s": ".1f"}


@njit
def sample(shard, d, rates, linked, side, shares, sweeps, burn, kappa, counts, totals, out):  # type: ignore[no-untyped-def]
    """out[cell] = the mean of P(link | all others) over the sweeps that count, of one direction."""
    middle, most = side.jump.shape[1] // 2, side.ratio.shape[1]
    source, target = shard.source, shard.target
    links = np.full(max(len(source.values), len(target.values)), -1, np.int64)
    weight = np.empty(max(source.offsets[1:].max(), target.offsets[1:].max()) + 1)
    for sweep in range(-1, sweeps):
        for s in range(len(shard.starts) - 1):
            l, m, base = (
                source.offsets[s + 1] - source.offsets[s],
                target.offsets[s + 1] - target.offsets[s],
                shard.starts[s],
            )
            if l == 0 or m == 0:
                continue
            n, k = (l, m) if d == 0 else (m, l)
            states = source.values[source.offsets[s] :] if d == 0 else target.values[target.offsets[s] :]
            words = target.values[target.offsets[s] :] if d == 0 else source.values[source.offsets[s] :]
            a = links[target.offsets[s] :] if d == 0 else links[source.offsets[s] :]
            begin, end = side.begin[:n].sum(), side.end[:n].sum()
            fertility, leave = np.zeros(n, np.int64), np.empty(n)
            for i in range(n):
                kind = side.kinds[states[i]]
                leave[i] = 1.0 / max(side.sums[kind, middle - i + n] - side.sums[kind, middle - i], 1e-30)
            for j in range(k):
                if sweep >= 0 and a[j] >= 0:
                    fertility[a[j]] += 1
            for j in range(k):
                before, after, total = -1, -1, 0.0
                for p in range(j - 1, -1, -1):
                    if a[p] >= 0:
                        before = a[p]
                        break
                for p in range(j + 1, k):
                    if a[p] >= 0:
                        after = a[p]
                        break
                if a[j] >= 0:
                    fertility[a[j]] -= 1
                    counts[shard.entries[shard.cells[base + (a[j] * m + j if d == 0 else j * m + a[j])]]] -= 1.0
                    totals[states[a[j]]] -= 1.0
                for i in range(n):
                    cell = base + (i * m + j if d == 0 else j * m + i)
                    entry = shard.entries[shard.cells[cell]]
                    if sweep < 0:
                        weight[i] = shares[cell, d]
                        total += weight[i]
                        continue
                    x = linked * (counts[entry] + kappa * rates[entry, d]) / (totals[states[i]] + kappa)
                    x *= (
                        side.begin[i] / begin
                        if before < 0
                        else side.jump[side.kinds[states[before]], middle + i - before] * leave[before]
                    )
                    x *= (
                        side.end[n - 1 - i] / end
                        if after < 0
                        else side.jump[side.kinds[states[i]], middle + after - i] * leave[i]
                    )
                    weight[i] = x * side.ratio[states[i], min(fertility[i], most - 1)]
                    total += weight[i]
                empty = side.null[words[j]]
                if before < 0 and after < 0:
                    empty /= n
                elif before < 0:
                    empty *= side.begin[after] / begin
                elif after < 0:
                    empty *= side.end[n - 1 - before] / end
                else:
                    empty *= side.jump[side.kinds[states[before]], middle + after - before] * leave[before]
                total = 1.0 if sweep < 0 else total + empty
                drawn, reached = np.random.random() * total, 0.0
                a[j] = -1
                for i in range(n):
                    reached += weight[i]
                    if drawn < reached:
                        a[j] = i
                        break
                if a[j] >= 0:
                    fertility[a[j]] += 1
                    counts[shard.entries[shard.cells[base + (a[j] * m + j if d == 0 else j * m + a[j])]]] += 1.0
                    totals[states[a[j]]] += 1.0
                if sweep >= burn:
                    for i in range(n):
                        out[base + (i * m + j if d == 0 else j * m + i), d] += weight[i] / total / (sweeps - burn)


@njit
def seeded(seed):  # type: ignore[no-untyped-def]
    np.random.seed(seed)


class Trained:
    """The default, and what it says of the whole text."""

    def __init__(self, found: GoldSet) -> None:
        from softcount import WordAligner
        from softcount.estimators.agreed_links import question

        self.found, aligner = found, WordAligner(recount=True, n_jobs=1).fit(found.source, found.target)
        self.items = aligner._read(found.source, found.target)
        asked = question(aligner.agreed_, self.items)
        self.model, self.weights, self.of_both = asked.model, asked.weights, asked.counted
        self.shard = self.model.pack(self.items)

    def shares(self, weights: Any) -> Any:
        return self.model.posteriors(weights, self.shard).shares

    def error(self, shares: Any) -> float:
        from softcount.links.joining import link_shares

        n = len(self.found.gold)
        l, m = self.shard.source.lengths[:n], self.shard.target.lengths[:n]
        cells = self.shard.starts[: n + 1]
        links = link_shares("mean", l, m, cells, shares[: cells[-1]].astype(np.float32), 0.5)
        both = list(zip(links.source.tolist(), links.target.tolist(), strict=True))
        ends = links.offsets.tolist()
        return error_rate([both[a:b] for a, b in pairwise(ends)], self.found.gold)

    def sampled(self, shares: Any, sweeps: int, burn: int, kappa: float) -> Any:
        seeded(0)
        out, rates = np.zeros_like(shares), self.weights.rates
        for d, side in enumerate(self.weights.directions):
            counts, totals = np.zeros(len(rates)), np.zeros(len(side.ratio))
            linked = float(self.weights.linked[d])
            sample(self.shard, d, rates, linked, side, shares, sweeps, burn, kappa, counts, totals, out)
        return out

    def counted(self, shares: Any, kappa: float) -> Any:
        """By mean field, with each direction's own expected counts."""
        rates, entries = self.weights.rates.astype(float), self.shard.entries[self.shard.cells]
        l, m = self.shard.source.lengths, self.shard.target.lengths
        pairs = np.repeat(np.arange(len(l)), l * m)
        i, j = np.divmod(np.arange(len(pairs)) - self.shard.starts[pairs], m[pairs])
        sides = zip((self.shard.source, self.shard.target), (i, j), strict=True)
        for d, (text, place) in enumerate(sides):
            state = text.values[text.offsets[pairs] + place]
            of_entry = np.zeros(len(rates), np.int64)
            of_entry[entries] = state
            counts, totals = np.bincount(entries, shares[:, d], len(rates)), np.bincount(state, shares[:, d])
            rates[:, d] = (counts + kappa * rates[:, d]) / (totals[of_entry] + kappa)
        return self.shares(self.weights._replace(rates=rates.astype(np.float32)))

    def recounted(self, shares: Any) -> Any:
        """As --recount does."""
        from softcount.models.agreement import UNKNOWN
        from softcount.models.recounted import left_out

        shard, rates = left_out(self.shard, shares, self.weights.rates, self.of_both, UNKNOWN)
        return self.model.posteriors(self.weights._replace(rates=rates), shard).shares


def measure(table: Measured, found: GoldSet, sweeps: list[str]) -> None:
    trained = Trained(found)
    shares = trained.shares(trained.weights)
    trained.sampled(shares, 0, 0, FIXED)  # compiled before it is timed
    ways = {"mean field (the default)": lambda: trained.shares(trained.weights)}
    ways["without fertilities"] = lambda: trained.shares(trained.weights._replace(fertile=False))
    for kappa, called in ((FIXED, ""), (KAPPA, ", with counts of its own")):
        for name, how in ((name, SWEEPS[name]) for name in sweeps):
            ways[f"sampling, {name} sweeps{called}"] = lambda how=how, kappa=kappa: trained.sampled(shares, *how, kappa)
    ways["mean field, with counts of its own"] = lambda: trained.counted(shares, KAPPA)
    ways["mean field, with counts of both, its own link left out"] = lambda: trained.recounted(shares)
    for name, way in ways.items():
        begun = time.process_time()
        links = way()
        table.add(found.name, name, trained.error(links), time.process_time() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--sweeps", nargs="*", default=list(SWEEPS), choices=list(SWEEPS))
    given = parser.parse_args()
    print(shell_line())
    table = Measured("align-fertility", COLUMNS, keys=2)
    for found in gold_sets(*given.sets):
        measure(table, found, given.sweeps)


if __name__ == "__main__":
    main()
