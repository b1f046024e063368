"""Word alignment where the HMM over positions is told more than the text: features, an encoder, constraints; AER.

Of every model the AER of each direction, of two ways to join them, and of the links that `align` writes; beside them
the default, which trains joint training of both directions. Trained on all the text that a set has.

    SOFTCOUNT_WRITE=1 python bench/bench_align_told.py [--sets nl it es cs] [--models "CRF autoencoder" default]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from corpora import shell_line
from gold_sets import SETS, error_rate, gold_sets
from measured import Measured

ALONE = {"agreement": False}
MODELS: dict[str, dict[str, Any]] = {
    "IBM 1, EM": {"model": "ibm1", "criterion": "em:5", **ALONE},
    "IBM 2, VB": {"model": "ibm2", "criterion": "vb:4", **ALONE},
    "HMM, EM": {"model": "ibm1:5,hmm:5", "criterion": "em:5", **ALONE},
    "HMM, VB": {"model": "ibm1:5,hmm:5", "criterion": "vb:4", **ALONE},
    "HMM, features of pairs": {"features": "pairs"},
    "HMM, one-to-one": {"model": "ibm1(em:5),hmm(em:2,constrained(em):3)", **ALONE},
    "HMM, symmetry": {"model": "ibm1(em:5),hmm(em:2,constrained(em,of=symmetry):3)"},
    "CRF autoencoder": {"model": "crf"},
    "HMM, agreement alone": {"stems": "none", "spelling": False, "fertility": False},
    "default": {},
}
RULES = ("forward", "reverse", "intersection", "grow-diag-final-and")
COLUMNS = {"set": "", "model": "", **dict.fromkeys(RULES, ".2f"), "as written": ".2f", "CPU s": ".1f"}


def measure(found: Any, settings: dict[str, Any]) -> list[float]:
    from softcount import WordAligner

    begun, n = time.process_time(), len(found.gold)
    model = WordAligner(n_jobs=1, **settings).fit(found.source, found.target)
    seconds = time.process_time() - begun
    pairs = found.source[:n], found.target[:n]
    links = [*(model.align(*pairs, symmetrize=rule) for rule in RULES), model.align(*pairs)]
    return [*(error_rate(one, found.gold) for one in links), seconds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["nl", "it", "es", "cs"], choices=list(SETS))
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    given = parser.parse_args()
    print(shell_line())
    table = Measured("align-told", COLUMNS, keys=2)
    for found in gold_sets(*given.sets):
        for name in given.models:
            table.add(found.name, name, *measure(found, MODELS[name]))


if __name__ == "__main__":
    main()
