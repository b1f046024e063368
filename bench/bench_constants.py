"""The constants of the default aligner, one changed at a time: AER of every set, and what leaving one out would choose.

For each set the setting is chosen that is best on the mean of the five others, and its AER on the set itself is shown
beside the default's: what a choice on some sets is worth on another. `evidence` is the strength of stems that predicts
links best that are left out, for which no gold link is read.

    python bench/bench_constants.py [--sets es it nl] [--keep results.json]     # with --keep, sets may be run apart
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpora import shell_line
from gold_sets import SETS, error_rate, gold_sets

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "stems' strength 1": {"stem_strength": 1},
    "stems' strength 2": {"stem_strength": 2},
    "stems' strength 5": {"stem_strength": 5},
    "stems' strength 10": {"stem_strength": 10},
    "stems' strength by evidence": {"stem_strength": "evidence"},
    "stems of 4": {"stems": "4"},
    "stems of 6, 4": {"stems": "6,4"},
    "spelling .1": {"SAME": 0.1},
    "spelling 1": {"SAME": 1.0},
    "jumps of a word 10": {"jumps": 10.0},
    "jumps of a word 100": {"jumps": 100.0},
    "fertilities 2": {"fertilities": 2.0},
    "fertilities 6": {"fertilities": 6.0},
    "threshold .4": {"threshold": 0.4},
    "threshold .6": {"threshold": 0.6},
}


@contextmanager
def changed(same: float, jumps: float, fertilities: float) -> Iterator[None]:
    """Constants that are no settings of the aligner."""
    from softcount.estimators import agreed, agreed_links
    from softcount.families.jumps import JumpCounts
    from softcount.models.agreement import Agreement
    from softcount.models.fertility import fertility_ratios

    kept = agreed.SAME, Agreement._jumps, fertility_ratios.__defaults__
    agreed.SAME = agreed_links.SAME = same

    def of_words(self: Any, d: int) -> Any:
        return JumpCounts(kinds=int(self.kinds[d].max(initial=0)) + 1, strength=jumps)

    Agreement._jumps = of_words
    fertility_ratios.__defaults__ = (fertilities, *kept[2][1:])
    try:
        yield
    finally:
        agreed.SAME = agreed_links.SAME = kept[0]
        Agreement._jumps, fertility_ratios.__defaults__ = kept[1:]


def aer(found: Any, setting: dict[str, Any]) -> float:
    from softcount import WordAligner

    given = {"SAME": 0.3, "jumps": 30.0, "fertilities": 3.5} | setting
    with changed(given.pop("SAME"), given.pop("jumps"), given.pop("fertilities")):
        model, n = WordAligner(n_jobs=1, **given).fit(found.source, found.target), len(found.gold)
        return error_rate(model.align(found.source[:n], found.target[:n]), found.gold)


def left_out(rows: dict[str, dict[str, float]]) -> None:
    print(f"\n{'left out':12}{'chosen by the others':30}{'AER there':>10}{'default':>10}{'best there':>12}")
    for name in rows:
        others = [rows[other] for other in rows if other != name]
        best = min(SETTINGS, key=lambda setting: sum(row[setting] for row in others))
        here = rows[name]
        print(f"{name:12}{best:30}{here[best]:10.2f}{here['default']:10.2f}{min(here.values()):12.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    print(shell_line())
    rows: dict[str, dict[str, float]] = (
        json.loads(chosen.keep.read_text()) if chosen.keep and chosen.keep.exists() else {}
    )
    for found in gold_sets(*chosen.sets):
        rows[found.name] = {}
        for name, setting in SETTINGS.items():
            rows[found.name][name] = aer(found, setting)
            print(f"{found.name:12}{name:30}{rows[found.name][name]:8.2f}", flush=True)
        if chosen.keep:
            chosen.keep.write_text(json.dumps(rows))
    left_out(rows)


if __name__ == "__main__":
    main()
