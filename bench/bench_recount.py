"""What it gains to count links once more (`--recount`, in `best`): AER of the gold pairs, when they are part of the
text that is trained on, and when training never saw them.

One training serves both columns: without its recount a model links as `best --no-recount` does.

    SOFTCOUNT_WRITE=1 python bench/bench_recount.py [--sets nl es it cs Europarl Hansards]
"""

from __future__ import annotations

import argparse
from typing import Any

from corpora import shell_line
from gold_sets import SETS, GoldSet, error_rate, gold_sets
from measured import Measured

COLUMNS = {"set": "", "gold pairs": "", "best, no recount": ".2f", "best": ".2f", "default": ".2f"}


def measure(table: Measured, found: GoldSet) -> None:
    n = len(found.gold)
    for name, first in (("trained on", 0), ("not seen", n)):
        if len(found.source) > first:
            table.add(found.name, name, *errors(found, found.source[first:], found.target[first:]))


def errors(found: GoldSet, source: list[str], target: list[str]) -> tuple[float, float, float]:
    from softcount import WordAligner

    model = WordAligner(preset="best", n_jobs=1).fit(source, target)
    agreed: Any = model.agreed_
    best = error(model, found)
    model.agreed_ = agreed._replace(links=None, second=agreed.second._replace(links=None))
    without = error(model, found)
    model.agreed_ = agreed._replace(links=None, second=None)  # whose first model is the default's
    return without, best, error(model, found)


def error(model: Any, found: GoldSet) -> float:
    n = len(found.gold)
    return error_rate(model.align(found.source[:n], found.target[:n]), found.gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    given = parser.parse_args()
    print(shell_line())
    table = Measured("align-recount", COLUMNS, keys=2)
    for found in gold_sets(*given.sets):
        measure(table, found)


if __name__ == "__main__":
    main()
