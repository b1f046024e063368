"""An alignment as a grid in the terminal: source words down, target words across, shaded by posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softcount.machine.streams import put
from softcount.numbers.ragged import Array

if TYPE_CHECKING:
    from softcount.text.bitext import Bitext

SHADES = " ░▒▓█"


def grid(
    source: list[str],
    target: list[str],
    shares: Array,
    links: set[tuple[int, int]],
    gold: set[tuple[int, int]] | None = None,
) -> list[str]:
    """Lines of text: a cell is shaded by its share; [ ] is a link, * is gold that was missed, and ! a wrong link."""
    width = max((len(word) for word in source), default=0)
    lines = []
    heads = [word[:12].rjust(12) for word in target]
    for k in range(12):
        lines.append(" " * (width + 1) + "".join(f" {head[k]} " for head in heads))
    for i, word in enumerate(source):
        cells = []
        for j in range(len(target)):
            shade = SHADES[min(int(shares[i, j] * len(SHADES)), len(SHADES) - 1)]
            linked = (i, j) in links
            left, right = ("[", "]") if linked else (" ", " ")
            if gold is not None and linked and (i, j) not in gold:
                right = "!"
            if gold is not None and not linked and (i, j) in gold:
                right = "*"
            cells.append(left + shade + right)
        lines.append(word.rjust(width) + " " + "".join(cells))
    return [line.rstrip() for line in lines if line.strip()]


def joint(found: dict[str, Array]) -> Array:
    """√(p_forward · p_reverse), or the one direction there is, source by target, without the empty words."""
    parts = [found[name][1:] if name == "forward" else found[name][1:].T for name in found]
    return np.asarray(np.sqrt(parts[0] * parts[1]) if len(parts) == 2 else parts[0])


def print_grid(aligner: Any, data: Bitext, number: int) -> None:
    pair = data.slice(number, number + 1)
    source, target = pair.source.tokens(0), pair.target.tokens(0)
    links = {(i, j) for i, j in aligner.align(pair)[0]}
    for line in grid(source, target, joint(aligner.posteriors(pair)[0]), links):
        put(line)
