"""Two labellings side by side: as a table of counts, as names for classes, as bars of how frequent labels are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from softcount.numbers.ragged import Array

MAP_HEADER = ("class", "name", "tokens", "share")
WIDTH = 40


class Named(NamedTuple):
    name: str  # of the class
    gold: str  # its commonest gold label
    tokens: int  # of the class
    share: float  # of them, those with this gold label


def many_to_one_map(table: Array, gold: Sequence[str], names: Sequence[str]) -> list[Named]:
    """Every class that occurs by the gold label that most of its items have; the first of equals."""
    rows = []
    for k, name in enumerate(names):
        best, total = int(np.argmax(table[:, k])), int(table[:, k].sum())
        if total:
            rows.append(Named(name, gold[best], total, float(table[best, k] / total)))
    return rows


def cross_table(table: Array, gold: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """(header, rows): gold labels down, the most frequent first, and classes across, beside those of their label."""
    down = np.argsort(-table.sum(axis=1), kind="stable")
    place = np.empty(len(gold), np.int64)
    place[down] = np.arange(len(gold))
    across = np.lexsort((-table.sum(axis=0), place[table.argmax(axis=0)]))
    header = ["", *(names[k] for k in across)]
    cells = table[np.ix_(down, across)].tolist()
    rows = [[gold[g], *(f"{int(n):,}" if n else "·" for n in row)] for g, row in zip(down, cells, strict=True)]
    return header, rows


def map_table(mapping: Sequence[Named]) -> tuple[list[str], list[list[str]]]:
    return list(MAP_HEADER), [[row.name, row.gold, f"{row.tokens:,}", f"{row.share:.1%}"] for row in mapping]


def distribution_lines(sides: Mapping[str, tuple[Sequence[str], Array]]) -> Iterator[str]:
    """Of each side every label with its share as a bar; | marks what Zipf's law, 1/rank, would give it."""
    for title, (names, counts) in sides.items():
        total, order = max(float(counts.sum()), 1e-300), np.argsort(-counts, kind="stable")
        zipf = 1.0 / np.arange(1, len(names) + 1)
        zipf, most = (
            zipf / zipf.sum(),
            max(float(counts.max()) / total, 1.0 / sum(1.0 / r for r in range(1, len(names) + 1))),
        )
        wide = max(map(len, names))
        yield f"\nFrequencies of {title} tags; | is Zipf's law"
        for rank, k in enumerate(order.tolist()):
            share = float(counts[k]) / total
            bar = list(("█" * round(WIDTH * share / most)).ljust(WIDTH + 1))
            bar[round(WIDTH * float(zipf[rank]) / most)] = "|"
            yield f"  {names[k]:<{wide}}  {share:6.1%}  {''.join(bar)}".rstrip()
    yield ""
