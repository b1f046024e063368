"""A directed graph drawn in layers, its edges around the nodes (K. Sugiyama et al., IEEE Trans. SMC 11, 1981).

    1. layers      every edge points down; edges as short as moves of single nodes make them
    2. bends       an edge that passes layers has a bend in each of them, which takes room like a node
    3. order       in each layer by the mean place of the neighbours, layer after layer, and by swaps; fewest crossings
    4. places      min Σ w (x_u − x_v)²  over the edges, while neighbours in a layer keep their distance; w is larger at
                   bends, so that long edges are nearly straight (E. Gansner et al., IEEE Trans. SE 19, 1993)

    5. curves      x(y) through few of the bends, monotone between them (F. Fritsch, R. Carlson, SIAM J. Numerical
                   Analysis 17, 1980), where that comes near no node; elsewhere through all of them

Step 4 goes layer by layer: with the others fixed, a layer is a least-squares problem under an order, which pooling
adjacent violators solves exactly; the layers' constraints are apart, so the rounds approach the optimum of all.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

Edge = tuple[int, int]  # from the node above to the node below
Order = list[list[int]]  # of each layer its nodes, from left to right

SWEEPS, ROUNDS = 16, 60  # of ordering, and of placing
TRIES = 12  # orders to begin with, of which the best result is kept; of large graphs fewer
WORK = 4000  # nodes and bends times tries
STRAIGHT = (1.0, 3.0, 8.0)  # how much an edge wants to be upright, by how many of its ends are bends


class Layered(NamedTuple):
    """Where nodes are, and by which bends edges go; numbers from `n_nodes` on are bends."""

    layer: list[int]
    x: list[float]  # the middle
    chains: list[list[int]]  # of every edge: its upper end, its bends, its lower end

    @property
    def n_layers(self) -> int:
        return max(self.layer, default=-1) + 1


def arrange(widths: Sequence[float], edges: Sequence[Edge], layer: Sequence[int], gap: float) -> Layered:
    """Nodes of these widths in these layers, side by side with this gap; no edge within a layer."""
    level, wide, chains = list(layer), list(widths), list[list[int]]()
    for upper, lower in edges:
        chain = [upper]
        for between in range(layer[upper] + 1, layer[lower]):
            chain.append(len(level))
            level.append(between)
            wide.append(0.0)
        chains.append([*chain, lower])
    steps = [pair for chain in chains for pair in pairwise(chain)]
    order = _ordered(level, steps)
    return Layered(level, _placed(order, wide, steps, len(widths), gap), chains)


# --- layers -----------------------------------------------------------------------------------------------------------


def layers(n_nodes: int, edges: Iterable[Edge]) -> list[int]:
    """As high as possible at first; then each node moves to where its edges are shortest, or the layer is emptiest."""
    above: list[list[int]] = [[] for _ in range(n_nodes)]
    below: list[list[int]] = [[] for _ in range(n_nodes)]
    for upper, lower in edges:
        above[lower].append(upper)
        below[upper].append(lower)
    level = [0] * n_nodes
    waiting = [len(parents) for parents in above]
    ready = [v for v in range(n_nodes) if not waiting[v]]
    while ready:
        v = ready.pop()
        for w in below[v]:
            level[w] = max(level[w], level[v] + 1)
            waiting[w] -= 1
            if not waiting[w]:
                ready.append(w)
    last = max(level, default=0)
    crowd = [level.count(i) for i in range(last + 1)]
    for _ in range(n_nodes):
        moved = False
        for v in range(n_nodes):
            low = max((level[u] + 1 for u in above[v]), default=0)
            high = min((level[w] - 1 for w in below[v]), default=last)
            pull = len(below[v]) - len(above[v])
            best = high if pull > 0 else low if pull < 0 else level[v]
            if not pull:
                emptiest = min(range(low, high + 1), key=lambda i: crowd[i])
                best = emptiest if crowd[emptiest] + 1 < crowd[level[v]] else level[v]
            if best != level[v]:
                crowd[level[v]] -= 1
                crowd[best] += 1
                level[v], moved = best, True
        if not moved:
            break
    return level


# --- order ------------------------------------------------------------------------------------------------------------


def _ordered(level: Sequence[int], steps: Sequence[Edge]) -> Order:
    """The order with the fewest crossings, of some that are begun with."""
    above: list[list[int]] = [[] for _ in level]
    below: list[list[int]] = [[] for _ in level]
    for upper, lower in steps:
        above[lower].append(upper)
        below[upper].append(lower)
    first: Order = [[] for _ in range(max(level, default=-1) + 1)]
    for v in _in_depth(above, below):
        first[level[v]].append(v)
    chance, best, fewest = random.Random(0), first, -1
    for attempt in range(max(1, min(TRIES, WORK // max(len(level), 1)))):
        order = [list(row) for row in first]
        if attempt:
            for row in order:
                chance.shuffle(row)
        order, found = _untangled(order, above, below)
        if fewest < 0 or found < fewest:
            best, fewest = order, found
    return best


def _in_depth(above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> list[int]:
    """What hangs together stands together."""
    seen, found = [False] * len(below), []
    for root in range(len(below)):
        stack = [root]
        while stack:
            v = stack.pop()
            if not seen[v]:
                seen[v] = True
                found.append(v)
                stack += [w for w in (*reversed(above[v]), *reversed(below[v])) if not seen[w]]
    return found


def _untangled(
    order: Order, above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]
) -> tuple[Order, int]:  # fmt: skip
    best, fewest = [list(row) for row in order], crossings(order, below)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        at = _places(order)
        for row in order[1:] if down else order[-2::-1]:
            near = above if down else below
            mean = {v: sum(at[u] for u in near[v]) / len(near[v]) if near[v] else at[v] for v in row}
            row.sort(key=mean.__getitem__)
            at.update((v, i) for i, v in enumerate(row))
        _swap(order, above, below)
        found = crossings(order, below)
        if found < fewest:
            best, fewest = [list(row) for row in order], found
    return best, fewest


def _swap(order: Order, above: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> None:
    """Neighbours change places where that saves crossings, until none does."""
    at, better = _places(order), True
    while better:
        better = False
        for row in order:
            for i in range(len(row) - 1):
                v, w = row[i], row[i + 1]
                sides = [(sorted(at[u] for u in near[v]), sorted(at[u] for u in near[w])) for near in (above, below)]
                if sum(_inverted(right, left) for left, right in sides) < sum(_inverted(*side) for side in sides):
                    row[i], row[i + 1], at[v], at[w], better = w, v, i + 1, i, True


def _inverted(left: Sequence[int], right: Sequence[int]) -> int:
    """How many edges of the left node cross those of the right one; both sorted."""
    return sum(bisect_left(right, place) for place in left)


def _places(order: Order) -> dict[int, int]:
    return {v: i for row in order for i, v in enumerate(row)}


def crossings(order: Order, below: Sequence[Sequence[int]]) -> int:
    """Of edges between neighbouring layers."""
    at, n = _places(order), 0
    for row in order:
        ends: list[int] = []
        for v in row:
            mine = sorted(at[w] for w in below[v])
            n += sum(len(ends) - bisect_right(ends, place) for place in mine)
            for place in mine:
                insort(ends, place)
    return n


# --- places -----------------------------------------------------------------------------------------------------------


def _placed(order: Order, wide: Sequence[float], steps: Sequence[Edge], n_nodes: int, gap: float) -> list[float]:
    x = [0.0] * len(wide)
    near: list[list[tuple[int, float]]] = [[] for _ in wide]
    for v, w in steps:
        weight = STRAIGHT[(v >= n_nodes) + (w >= n_nodes)]
        near[v].append((w, weight))
        near[w].append((v, weight))
    apart = [[0.0] * len(row) for row in order]  # the middle of a node from that of the first in its layer
    for row, ends in zip(order, apart, strict=True):
        for i in range(1, len(row)):
            bends = (row[i - 1] >= n_nodes) + (row[i] >= n_nodes)
            ends[i] = ends[i - 1] + (wide[row[i - 1]] + wide[row[i]]) / 2 + gap * (1.0, 0.75, 0.6)[bends]
        for v, end in zip(row, ends, strict=True):
            x[v] = end - (ends[-1] if ends else 0.0) / 2
    for turn in range(ROUNDS):
        for i in range(len(order)) if turn % 2 == 0 else range(len(order) - 1, -1, -1):
            wanted, weights = [], []
            for v in order[i]:
                total = sum(w for _, w in near[v])
                wanted.append(sum(w * x[u] for u, w in near[v]) / total if total else x[v])
                weights.append(total or 1e-3)
            for v, place in zip(order[i], _pooled(wanted, weights, apart[i]), strict=True):
                x[v] = place
    return x


def _pooled(wanted: Sequence[float], weights: Sequence[float], apart: Sequence[float]) -> list[float]:
    """x that minimizes Σ weights (x − wanted)² with x[i + 1] − x[i] ≥ apart[i + 1] − apart[i]."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for place, weight, offset in zip(wanted, weights, apart, strict=True):
        mean, n = place - offset, 1
        while blocks and blocks[-1][0] >= mean:
            before, heavy, many = blocks.pop()
            mean, weight, n = (mean * weight + before * heavy) / (weight + heavy), weight + heavy, n + many
        blocks.append((mean, weight, n))
    means = [mean for mean, _, n in blocks for _ in range(n)]
    return [mean + offset for mean, offset in zip(means, apart, strict=True)]


# --- curves -----------------------------------------------------------------------------------------------------------

Point = tuple[float, float]  # x, y
Span = tuple[float, float]  # of a node: its left and right end
Curve = list[tuple[Point, Point, Point, Point]]  # cubic Bézier pieces, from top to bottom

ASIDE = (12.0, 5.0)  # how far a curve may be from the bends that it leaves out, tried in turn
NEAR = 5.0  # to a node


def route(start: Point, bends: Sequence[Point], end: Point, tall: float, nodes: Sequence[Sequence[Span]]) -> Curve:
    """From a node's foot to another's head; `bends` are in the middle of their layers, which have these nodes."""
    points = [start, *bends, end]
    for aside in ASIDE:
        curve = _through(_simplified(points, aside))
        if all(_is_clear(curve, y, tall, spans) for (_, y), spans in zip(bends, nodes, strict=True)):
            return curve
    return _upright(points, tall)


def _simplified(points: Sequence[Point], aside: float) -> list[Point]:
    """D. Douglas, T. Peucker, Cartographica 10, 1973; distances are measured along x."""
    (x1, y1), (x2, y2) = points[0], points[-1]
    off = [abs(x - x1 - (x2 - x1) * (y - y1) / (y2 - y1)) for x, y in points[1:-1]]
    if not off or max(off) <= aside:
        return [points[0], points[-1]]
    k = 1 + off.index(max(off))
    return _simplified(points[: k + 1], aside)[:-1] + _simplified(points[k:], aside)


def _through(points: Sequence[Point]) -> Curve:
    """Upright at both ends."""
    slopes = [(x2 - x1) / (y2 - y1) for (x1, y1), (x2, y2) in pairwise(points)]
    inner = [2 * a * b / (a + b) if a * b > 0.0 else 0.0 for a, b in pairwise(slopes)]  # harmonic mean: no overshoot
    along = [0.0, *inner, 0.0]
    curve = list[tuple[Point, Point, Point, Point]]()
    for k, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        third = (y2 - y1) / 3
        a, b = (x1 + along[k] * third, y1 + third), (x2 - along[k + 1] * third, y2 - third)
        curve.append(((x1, y1), a, b, (x2, y2)))
    return curve


def _is_clear(curve: Curve, y: float, tall: float, spans: Sequence[Span]) -> bool:
    """Whether it passes the layer whose middle is y beside all of its nodes."""
    passed = [_at(curve, y + tall * k / 4) for k in range(-2, 3)]
    left, right = min(passed) - NEAR, max(passed) + NEAR
    return all(end < left or begin > right for begin, end in spans)


def _at(curve: Curve, y: float) -> float:
    """x(y): the pieces' heights are thirds, so that y is linear along each."""
    piece = next((piece for piece in curve if y <= piece[3][1]), curve[-1])
    t = (y - piece[0][1]) / (piece[3][1] - piece[0][1])
    s = 1.0 - t
    return sum(b * p[0] for b, p in zip((s**3, 3 * s * s * t, 3 * s * t * t, t**3), piece, strict=True))


def _upright(points: Sequence[Point], tall: float) -> Curve:
    """Aside only between layers."""
    stops = [points[0]]
    for x, y in points[1:-1]:
        stops += [(x, y - tall / 2), (x, y + tall / 2)]
    return [piece for pair in pairwise([*stops, points[-1]]) for piece in _through(pair)]
