"""Lines of links ↔ lists of (i, j).

| form | a link |
|---|---|
| Pharaoh | ``i-j`` sure, ``i?j`` possible, from 0; ``i-j:0.97`` has a probability, which is not read |
| NAACL ``.wa`` | a line ``pair i j [S|P]``, pairs and words counted from 1 |
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from softcount.errors import InputError
from softcount.machine import stage
from softcount.text.source import lines, name_of, quoted

_PHARAOH = re.compile(r"([0-9]{1,9})([-?p])([0-9]{1,9})(?::[0-9.e+-]+)?")
_NAACL = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})\s+([0-9]{1,9})(?:\s+([SP]))?(?:\s+[0-9.e+-]+)?\s*")
MOST_PAIRS = 10_000_000  # a list as long as the highest pair number must fit into memory


class PairLinks(NamedTuple):
    sure: set[tuple[int, int]]
    possible: set[tuple[int, int]]


def read_links(path: str | Path, n_pairs: int | None = None) -> list[PairLinks]:
    """Told apart by the first line that is not empty; NAACL's pairs without links need `n_pairs` to be counted."""
    name, rows = name_of(path), lines(path).to_pylist()
    if not rows:
        raise InputError(f"{name}: empty file; give at least one line")
    stage.begin(f"links of {name}")
    first = next((row for row in rows if row.strip()), "")
    if _NAACL.fullmatch(first) and not _PHARAOH.search(first):
        return _naacl(name, rows, n_pairs)
    counted = stage.counted(enumerate(rows, 1), len(rows))
    return [pharaoh(row, f"{name}:{number}") for number, row in counted]


def pharaoh(row: str, where: str) -> PairLinks:
    """The links of one line."""
    pair = PairLinks(set(), set())
    for token in row.split():
        match = _PHARAOH.fullmatch(token)
        if not match:
            raise InputError(f"{where}: invalid link {quoted(token)}; write i-j, or i?j for a possible link")
        link = int(match[1]), int(match[3])
        (pair.sure if match[2] == "-" else pair.possible).add(link)
    return pair


def _naacl(name: str, rows: list[str], n_pairs: int | None) -> list[PairLinks]:
    found: dict[int, PairLinks] = {}
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        match = _NAACL.fullmatch(row)
        if not match:
            raise InputError(f"{name}:{number}: invalid link {quoted(row)}; write pair i j S or pair i j P")
        pair, i, j = int(match[1]), int(match[2]), int(match[3])
        if min(pair, i, j) < 1:
            raise InputError(f"{name}:{number}: 0 in {quoted(row)}; count pairs and words from 1 in this format")
        if pair > MOST_PAIRS:
            raise InputError(f"{name}:{number}: pair {pair} exceeds {MOST_PAIRS:,}; number the pairs from 1")
        links = found.setdefault(pair, PairLinks(set(), set()))
        (links.possible if match[4] == "P" else links.sure).add((i - 1, j - 1))
    last = max(max(found, default=0), n_pairs or 0)
    none = PairLinks(set(), set())
    return [found.get(pair, none) for pair in range(1, last + 1)]
