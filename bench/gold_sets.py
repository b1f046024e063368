"""The sets with gold links: their texts, test lines first, and the links of those.

Trained on test, dev and train of a set; gold links are read by nobody but the scorer. Europarl has unlabelled
pairs besides, which bench_align.py trains on as well, so that the default's AER there is a little lower.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from corpora import folder

SETS = {
    "Hansards": "hansards-en-fr",
    "Europarl": "europarl-en-es",
    "cs": "czenali-en-cs",
    "es": "xl-wa/en-es",
    "it": "xl-wa/en-it",
    "nl": "xl-wa/en-nl",
}


class GoldSet(NamedTuple):
    name: str
    source: list[str]
    target: list[str]
    gold: list  # of the first lines


def gold_sets(*names: str) -> list[GoldSet]:
    """Those that are there, of these names or of all."""
    from softcount.links.pharaoh import read_links

    found = []
    for name in names or SETS:
        path = folder(SETS[name])
        if path is not None:
            found.append(GoldSet(name, _lines(path, "src"), _lines(path, "tgt"), read_links(path / "gold.wa")))
    return found


def _lines(path: Path, side: str) -> list[str]:
    parts = [path / f"{part}.{side}" for part in ("test", "dev", "train")]
    return [line for part in parts if part.exists() for line in part.read_text(encoding="utf-8").split("\n")[:-1]]


def error_rate(links: list, gold: list) -> float:
    """AER in percent of the first pairs' links."""
    from softcount.evaluate.links import count_links, link_scores, total

    return 100 * link_scores(total(count_links(map(tuple, a), *g) for a, g in zip(links, gold, strict=False))).aer
