"""Two directions' links, of whatever tool, made one: as Moses' `symal` does it, or fast_align's `atools`.

Both know intersection, union, grow-diag, grow-diag-final and grow-diag-final-and, and mean the same by them, but for
the order in which links are added, on which some others depend:

| | grows | visits |
|---|---|---|
| symal | from each link to its neighbours (see `joining`) | target word by target word |
| atools | each candidate that has a neighbour by now, until none is added | source word by source word |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from softcount.errors import InputError
from softcount.links.joining import NEIGHBOURS, RULES, join
from softcount.numbers.ragged import Array

METHODS = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
ORDERS = ("symal", "atools")
MOST_CELLS = 1 << 27  # of one pair of sentences

Points = set[tuple[int, int]]  # (source word, target word)


def symmetrized(
    pairs: Iterable[tuple[Points, Points]], method: str, order: str = "symal"
) -> Iterator[list[tuple[int, int]]]:
    """Of every (forward, reverse) the links, sorted; both are written as (source word, target word)."""
    if method not in METHODS:
        raise InputError(f"method={method!r}: unknown; use {', '.join(METHODS)}")
    if order not in ORDERS:
        raise InputError(f"order={order!r}: unknown; use {' or '.join(ORDERS)}")
    one = _symal if order == "symal" else _atools
    for forward, reverse in pairs:
        yield sorted(one(method, forward, reverse)) if forward or reverse else []


def _symal(method: str, forward: Points, reverse: Points) -> Points:
    if method in ("intersection", "union"):
        return forward & reverse if method == "intersection" else forward | reverse
    points = np.array(sorted(forward | reverse), dtype=np.int64)
    (rows, sources), (columns, targets) = _places(points[:, 0]), _places(points[:, 1])
    l, m = int(rows.max()) + 1, int(columns.max()) + 1
    if l * m > MOST_CELLS:
        raise InputError(f"{len(points):,} links in one line; give one sentence pair per line")
    matrices = []
    for chosen in (forward, reverse):
        among = np.array([tuple(point) in chosen for point in points.tolist()])
        matrix = np.zeros((l, m), dtype=np.bool_)
        matrix[rows[among], columns[among]] = True
        matrices.append(matrix)
    linked = np.argwhere(join(RULES[method], *matrices))
    return {(sources[i], targets[j]) for i, j in linked.tolist()}


def _places(words: Array) -> tuple[Array, dict[int, int]]:
    """Word numbers without their wide gaps: neighbours stay neighbours, others do not become any; and the way back."""
    names, which = np.unique(words, return_inverse=True)
    places = np.concatenate([[0], np.cumsum(np.minimum(np.diff(names), 2))]).astype(np.int64)
    return places[which], dict(zip(places.tolist(), names.tolist(), strict=True))


def _atools(method: str, forward: Points, reverse: Points) -> Points:
    links = forward & reverse
    if method in ("intersection", "union"):
        return links if method == "intersection" else forward | reverse
    sources, targets = {i for i, _ in links}, {j for _, j in links}

    def add(point: tuple[int, int]) -> None:
        links.add(point)
        sources.add(point[0])
        targets.add(point[1])

    waiting = sorted((forward | reverse) - links)
    grows = True
    while grows:
        grows = False
        for i, j in waiting:
            beside = any((i + across, j + along) in links for across, along in NEIGHBOURS)
            if (i, j) not in links and beside and not (i in sources and j in targets):
                add((i, j))
                grows = True
    for direction in (forward, reverse) if method != "grow-diag" else ():
        for i, j in sorted(direction):
            covered = (i in sources, j in targets)
            if (i, j) not in links and not (any(covered) if method.endswith("-and") else all(covered)):
                add((i, j))
    return links
