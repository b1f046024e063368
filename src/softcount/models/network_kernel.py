"""Up and down the graph of products: totals and messages, expected counts, best or drawn completions, marginals.

    w(o, s) = ∏_f pool[base_f + …]      message(s) = Σ_o w(o, s), or max_o
    mass(o, s) = w(o, s) / Σ_o w(o, s) · mass(s)            and whatever factor was read there is given that mass

A pool holds all tables' entries, and behind them all messages; a second one of the same form holds masses, so that the
masses of table entries are the expected counts, ∂ log Z / ∂η. Messages are scaled to a largest entry of one. Where
weights are so small that products of two of them might vanish, pools hold logarithms.
"""

from __future__ import annotations

import numpy as np

from softcount.machine.kernel import kernel
from softcount.models.network_packing import NetworkShard
from softcount.numbers.attribute import MAX, SAMPLE, SUM, attribute
from softcount.numbers.ragged import Array

FAINT = 2.0**-332  # a product whose largest entry is below is scaled up, by a power of two, so that no bit changes
LOG_FAINT = -332 * 0.6931471805599453


@kernel
def _spread(pool: Array, base: int, strides: Array, sizes: Array, n: int, logs: bool, at: Array, work: Array) -> None:
    """``work *= pool[base + strides @ index]`` over all indices of n loops; of logarithms, +="""
    if n == 0:
        work[0] = work[0] + pool[base] if logs else work[0] * pool[base]
        return
    inner, step, place = sizes[n - 1], strides[n - 1], 0
    at[:n] = 0
    while True:
        if step == 0:
            one = pool[base]
            for k in range(inner):
                work[place + k] = work[place + k] + one if logs else work[place + k] * one
        elif step == 1:  # side by side: several at once
            row = pool[base : base + inner]
            for k in range(inner):
                work[place + k] = work[place + k] + row[k] if logs else work[place + k] * row[k]
        else:
            for k in range(inner):
                other = pool[base + k * step]
                work[place + k] = work[place + k] + other if logs else work[place + k] * other
        place += inner
        d = n - 2
        while d >= 0:
            at[d] += 1
            base += strides[d]
            if at[d] < sizes[d]:
                break
            base -= strides[d] * sizes[d]
            at[d] = 0
            d -= 1
        if d < 0:
            return


@kernel
def _gather(work: Array, pool: Array, base: int, strides: Array, sizes: Array, n: int, at: Array) -> None:
    """``pool[base + strides @ index] += work``, the way back of `_spread`"""
    if n == 0:
        pool[base] += work[0]
        return
    inner, step, place = sizes[n - 1], strides[n - 1], 0
    at[:n] = 0
    while True:
        if step == 0:
            total = 0.0
            for k in range(inner):
                total += work[place + k]
            pool[base] += total
        elif step == 1:
            row = pool[base : base + inner]
            for k in range(inner):
                row[k] += work[place + k]
        else:
            for k in range(inner):
                pool[base + k * step] += work[place + k]
        place += inner
        d = n - 2
        while d >= 0:
            at[d] += 1
            base += strides[d]
            if at[d] < sizes[d]:
                break
            base -= strides[d] * sizes[d]
            at[d] = 0
            d -= 1
        if d < 0:
            return


@kernel
def _product(
    shard: NetworkShard, node: int, pool: Array, logs: bool, n: int, shift: Array, at: Array, work: Array
) -> float:
    """The product over a node's first n loops, its factors moved by `shift`; returns the log of its scale."""
    s = shard.shape[node]
    sizes = shard.size[shard.dim[s] : shard.dim[s + 1]]
    loops, entries = len(sizes), 1
    for d in range(n):
        entries *= sizes[d]
    work[:entries] = 0.0 if logs else 1.0
    first, scale = shard.factor[node], 0.0
    for f in range(shard.factor[node + 1] - first):
        begin = shard.stride[s] + f * loops
        strides = shard.strides[begin : begin + loops]
        base = shard.base[first + f]
        if len(shift) > 0:
            base += shift[f]
        _spread(pool, base, strides, sizes, n, logs, at, work)
        if f % 2 == 1 and not logs:
            top = work[:entries].max()
            while 0.0 < top < FAINT:
                work[:entries] *= 1.0 / FAINT
                top /= FAINT
                scale += LOG_FAINT
    if logs:
        scale = work[:entries].max()
        if scale == -np.inf:
            work[:entries] = 0.0
        else:
            for k in range(entries):
                work[k] = np.exp(work[k] - scale)
    return scale


@kernel
def upward(shard: NetworkShard, mode: int, logs: bool, pool: Array, norms: Array) -> None:
    """Fills the messages of the pool, and log Z of what is below each node; −inf where nothing is possible."""
    work, at, unmoved = np.empty(shard.most), np.empty(len(shard.size) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    for node in range(len(shard.shape)):
        s = shard.shape[node]
        scale = _product(shard, node, pool, logs, shard.dim[s + 1] - shard.dim[s], unmoved, at, work)
        start, rest = shard.message[node], shard.message[node + 1] - shard.message[node]
        outer = 1
        for d in range(shard.out[s]):
            outer *= shard.size[shard.dim[s] + d]
        message = pool[start : start + rest]
        message[:] = work[:rest]
        for o in range(1, outer):
            if mode == MAX:
                for k in range(rest):
                    message[k] = max(message[k], work[o * rest + k])
            else:
                for k in range(rest):
                    message[k] += work[o * rest + k]
        top = message.max()
        norms[node] = -np.inf
        if top > 0.0:
            for k in range(rest):
                message[k] /= top
            norms[node] = scale + np.log(top)
            for f in range(shard.factor[node], shard.factor[node + 1]):
                if shard.child[f] >= 0:
                    norms[node] += norms[shard.child[f]]
        if logs:
            for k in range(rest):
                message[k] = np.log(message[k]) if message[k] > 0.0 else -np.inf


@kernel
def _share(work: Array, outer: int, rest: int, mode: int, mass: Array, ratio: Array) -> None:
    """Products become masses: each column's is shared among its entries, or given to the best of them."""
    if mode != MAX:
        for k in range(rest):
            total = 0.0
            for o in range(outer):
                total += work[o * rest + k]
            ratio[k] = mass[k] / total if total > 0.0 and mass[k] > 0.0 else 0.0
        for o in range(outer):
            row = work[o * rest : (o + 1) * rest]
            for k in range(rest):
                row[k] *= ratio[k]
        return
    for k in range(rest):
        best = 0
        for o in range(1, outer):
            if work[o * rest + k] > work[best * rest + k]:
                best = o
        for o in range(outer):
            work[o * rest + k] = mass[k] if o == best else 0.0


@kernel
def downward(shard: NetworkShard, mode: int, logs: bool, pool: Array, mass: Array) -> None:
    """From the mass of the roots the mass of every table entry."""
    ratio = np.empty(shard.most)
    work, at, unmoved = np.empty(shard.most), np.empty(len(shard.size) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    for node in range(len(shard.shape) - 1, -1, -1):
        s = shard.shape[node]
        sizes = shard.size[shard.dim[s] : shard.dim[s + 1]]
        loops, entries = len(sizes), 1
        for d in range(loops):
            entries *= sizes[d]
        _product(shard, node, pool, logs, loops, unmoved, at, work)
        start, rest = shard.message[node], shard.message[node + 1] - shard.message[node]
        _share(work, entries // rest, rest, mode, mass[start : start + rest], ratio)
        for f in range(shard.factor[node + 1] - shard.factor[node]):
            begin = shard.stride[s] + f * loops
            _gather(
                work, mass, shard.base[shard.factor[node] + f], shard.strides[begin : begin + loops], sizes, loops, at
            )


@kernel
def complete(
    shard: NetworkShard, mode: int, logs: bool, pool: Array, uniforms: Array, counts: Array, cells: Array
) -> None:
    """MAX, SAMPLE: every missing cell of every item chosen, given those chosen before, from the root on.

    A drawn item that weighs more than one is drawn so many times, and each time counted; `cells` keeps the last draw.
    """
    work, at, used = np.empty(shard.most), np.empty(len(shard.size) + 1, dtype=np.int64), 0
    widest = 0
    for node in range(len(shard.shape)):
        widest = max(widest, shard.factor[node + 1] - shard.factor[node])
    shift = np.zeros(widest, dtype=np.int64)
    nodes, levels = np.empty(16, dtype=np.int64), np.empty(16, dtype=np.int64)
    for item in range(len(shard.roots)):
        left, again = shard.weights[item], True
        while again:
            share = min(left, 1.0) if mode == SAMPLE else left
            nodes[0], levels[0], pending = shard.roots[item], shard.offsets[item + 1] - 1, 1
            while pending > 0:
                pending -= 1
                node, row = nodes[pending], levels[pending]
                s = shard.shape[node]
                begin, loops, out = shard.dim[s], shard.dim[s + 1] - shard.dim[s], shard.out[s]
                n = shard.factor[node + 1] - shard.factor[node]
                for f in range(n):
                    shift[f] = 0
                    for d in range(out, loops):
                        value = cells[row - shard.back[begin + d], shard.variable[begin + d]]
                        shift[f] += shard.strides[shard.stride[s] + f * loops + d] * value
                if out > 0:
                    entries = 1
                    for d in range(out):
                        entries *= shard.size[begin + d]
                    _product(shard, node, pool, logs, out, shift, at, work)
                    uniform = 0.0
                    if mode == SAMPLE:
                        uniform = uniforms[used]
                        used += 1
                    attribute(work[:entries], mode, uniform)
                    pick = work[:entries].argmax()
                    for d in range(out - 1, -1, -1):
                        value = pick % shard.size[begin + d]
                        pick //= shard.size[begin + d]
                        cells[row - shard.back[begin + d], shard.variable[begin + d]] = value
                        for f in range(n):
                            shift[f] += shard.strides[shard.stride[s] + f * loops + d] * value
                for f in range(n):
                    child = shard.child[shard.factor[node] + f]
                    if child < 0:
                        if len(counts) > 0:
                            counts[shard.base[shard.factor[node] + f] + shift[f]] += share
                        continue
                    if pending == len(nodes):
                        nodes, levels = np.concatenate((nodes, nodes)), np.concatenate((levels, levels))
                    nodes[pending] = child
                    levels[pending] = row - 1 if f == shard.previous[s] else row
                    pending += 1
            left -= share
            again = mode == SAMPLE and left > 0.0


@kernel
def marginals(shard: NetworkShard, logs: bool, pool: Array, starts: Array, out: Array) -> None:
    """``out[row, starts[v] + value]`` = P(variable v of the row has the value | all that is known of the item)."""
    ratio = np.empty(shard.most)
    work, at, unmoved = np.empty(shard.most), np.empty(len(shard.size) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    nodes, levels, places = np.empty(16, np.int64), np.empty(16, np.int64), np.empty(16, np.int64)
    mass = np.zeros(64)
    for item in range(len(shard.roots)):
        nodes[0], levels[0], places[0], pending = shard.roots[item], shard.offsets[item + 1] - 1, 0, 1
        mass[0], used = 1.0, 1
        while pending > 0:
            pending -= 1
            node, row, place = nodes[pending], levels[pending], places[pending]
            s = shard.shape[node]
            sizes = shard.size[shard.dim[s] : shard.dim[s + 1]]
            loops, entries = len(sizes), 1
            for d in range(loops):
                entries *= sizes[d]
            _product(shard, node, pool, logs, loops, unmoved, at, work)
            rest = shard.message[node + 1] - shard.message[node]
            _share(work, entries // rest, rest, SUM, mass[place : place + rest], ratio)
            period = entries
            for d in range(shard.out[s]):
                period //= sizes[d]
                column = starts[shard.variable[shard.dim[s] + d]]
                line = out[row - shard.back[shard.dim[s] + d]]
                for k in range(entries):
                    line[column + (k // period) % sizes[d]] += work[k]
            for f in range(shard.factor[node + 1] - shard.factor[node]):
                child = shard.child[shard.factor[node] + f]
                if child < 0:
                    continue
                begin, length = shard.stride[s] + f * loops, shard.message[child + 1] - shard.message[child]
                while used + length > len(mass):
                    mass = np.concatenate((mass, np.zeros(len(mass))))
                mass[used : used + length] = 0.0
                _gather(work, mass, used, shard.strides[begin : begin + loops], sizes, loops, at)
                if pending == len(nodes):
                    nodes, levels = np.concatenate((nodes, nodes)), np.concatenate((levels, levels))
                    places = np.concatenate((places, places))
                nodes[pending], places[pending] = child, used
                levels[pending] = row - 1 if f == shard.previous[s] else row
                pending += 1
                used += length
