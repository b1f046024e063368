"""Links → lines of Pharaoh's form, i-j, a block at a time: link by link takes longer than to find them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from softcount.links.joining import Links
from softcount.machine.kernel import kernel, within
from softcount.numbers.ragged import Array

ZERO, HYPHEN, BLANK, NEWLINE = b"0- \n"


def link_lines(links: Links) -> str:
    """The same as ``" ".join(f"{i}-{j}" …) + "\\n"`` of every pair."""
    digits = len(str(max(links.source.max(initial=0), links.target.max(initial=0))))
    out = np.empty(len(links.offsets) + len(links.source) * (2 * digits + 2), np.uint8)
    n = _write(links.offsets, links.source, links.target, out)
    return out[:n].tobytes().decode("ascii")


def probable_lines(links: Links) -> str:
    """The same with probabilities, i-j:0.97."""
    columns = zip(links.source.tolist(), links.target.tolist(), links.probability.tolist(), strict=True)
    shown = [f"{i}-{j}:{p:.2g}" for i, j, p in columns]
    return "".join(" ".join(shown[a:b]) + "\n" for a, b in pairwise(links.offsets.tolist()))


@kernel
def _write(offsets: Array, source: Array, target: Array, out: Array) -> int:
    """out[:n] = the characters of all lines; returns n"""
    n = 0
    for s in range(len(offsets) - 1):
        for k in range(offsets[s], offsets[s + 1]):
            if k > offsets[s]:
                out[n] = BLANK
                n += 1
            n = _digits(source[k], n, out)
            out[n] = HYPHEN
            n = _digits(target[k], n + 1, out)
        out[n] = NEWLINE
        n += 1
    return n


@within
def _digits(number: int, n: int, out: Array) -> int:
    """Writes a number from place n on; returns the place behind it."""
    end, rest = n + 1, number // 10
    while rest > 0:
        end, rest = end + 1, rest // 10
    for place in range(end - 1, n - 1, -1):
        out[place] = ZERO + number % 10
        number //= 10
    return end
