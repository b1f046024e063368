"""What rows of translations lean on: stems of every kind, with agreement and without; AER, and CPU seconds of training.

"Snowball" are given classes: the stems of the snowballstemmer package (which Sphinx brings along), and their first
three letters. "signs" is a text of which the truth is known, in words of one or two characters of a large alphabet, as
in Chinese or Japanese, where there is nothing to lean on.

es and nl chose the constants; it and cs confirm them.

    SOFTCOUNT_WRITE=1 python bench/bench_stems.py [--sets es nl it cs signs] [--models HMM "IBM 2"] [--stems 5,3]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from corpora import shell_line
from gold_sets import SETS, GoldSet, error_rate, gold_sets
from measured import Measured

SNOWBALL = "Snowball"
LANGUAGES = {"es": "spanish", "nl": "dutch", "it": "italian", "cs": "czech", "Europarl": "spanish"}
APART: dict[str, Any] = {"agreement": False, "criterion": "em:5"}
MODELS: dict[str, dict[str, Any]] = {
    "HMM, agreement (default)": {},
    "IBM 2, agreement": {"model": "ibm1:3,ibm2:3", "agreement": True},
    "IBM 1, agreement": {"model": "ibm1:6", "agreement": True},
    "HMM": {"model": "ibm1:5,hmm:5", **APART},
    "IBM 2": {"model": "ibm1:5,ibm2:5", **APART},
    "IBM 1": {"model": "ibm1:5", **APART},
}
STEMS = ["none", "5,3", "suffix-free", "letters", SNOWBALL]
STRENGTHS = {"HMM": [None, 3.0, 10.0, 30.0, "evidence"]}
COLUMNS = {"set": "", "model: stems": "", "AER": ".2f", "CPU s": ".1f"}


def measure(found: GoldSet, settings: dict[str, Any]) -> tuple[float, float]:
    from softcount import WordAligner

    begun, n = time.process_time(), len(found.gold)
    model = WordAligner(n_jobs=1, **settings).fit(found.source, found.target)
    seconds = time.process_time() - begun
    return error_rate(model.align(found.source[:n], found.target[:n]), found.gold), seconds


def given_stems(found: GoldSet) -> list[dict[str, tuple[str, str]]] | None:
    """Of the words of both sides, where the package is there and knows the language."""
    try:
        from snowballstemmer import stemmer
    except ImportError:
        return None
    if found.name not in LANGUAGES:
        return None
    sides = []
    for language, lines in (("english", found.source), (LANGUAGES[found.name], found.target)):
        words = sorted({word for line in lines for word in line.lower().split()})
        stems = stemmer(language).stemWords(words)
        sides.append({word: (stem, stem[:3]) for word, stem in zip(words, stems, strict=True) if stem})
    return sides


def signs(n_words: int = 2000, n_pairs: int = 1300, seed: int = 0) -> GoldSet:
    """Words by Zipf's law, translated one by one, their order changed a little; a tenth of them in either is added."""
    rng = np.random.default_rng(seed)
    alphabets = [[chr(first + k) for k in range(3000)] for first in (0x4E00, 0x3400)]
    words = [["".join(rng.choice(side, 1 + rng.integers(2))) for _ in range(n_words)] for side in alphabets]
    shares = 1.0 / np.arange(1, n_words + 1)
    source, target, gold = [], [], []
    for _ in range(n_pairs):
        ids = rng.choice(n_words, 5 + rng.integers(20), p=shares / shares.sum())
        order = np.argsort(np.arange(len(ids)) + 3 * rng.random(len(ids)))
        added = rng.random(len(ids)) < 0.1
        links, there = set(), []
        for i in order.tolist():
            links.add((i, len(there)))
            there.append(int(ids[i]))
            there += [int(rng.integers(n_words))] if added[i] else []
        source.append(" ".join(words[0][k] for k in ids))
        target.append(" ".join(words[1][k] for k in there))
        gold.append((links, links))
    return GoldSet("signs", source, target, gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["es", "nl", "it", "cs", "signs"], choices=[*SETS, "signs"])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--stems", nargs="+", default=STEMS, choices=STEMS)
    given = parser.parse_args()
    print(shell_line())
    table = Measured("align-stems", COLUMNS, keys=2)
    for name in given.sets:
        for found in [signs()] if name == "signs" else gold_sets(name):
            for model in given.models:
                for stems in given.stems:
                    classes = given_stems(found) if stems == SNOWBALL else stems
                    if classes is None:
                        continue
                    for strength in STRENGTHS.get(model, [None]) if stems == "5,3" else [None]:
                        settings = {**MODELS[model], "stems": classes, "stem_strength": strength}
                        called = f"{model}: {stems}" + (f", strength {strength}" if strength else "")
                        table.add(found.name, called, *measure(found, settings))


if __name__ == "__main__":
    main()
