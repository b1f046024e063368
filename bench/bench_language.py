"""Trigram models of Brown, the last tenth held out: CPU time and perplexity beside NLTK's Kneser–Ney; KenLM's answers.

    python bench/bench_language.py [--patience 60]

NLTK looks up a word by going through its counts, so only as many words of the held-out lines are asked as `patience`
CPU seconds allow; its time for all of them is that of those, times as many. Perplexities are over the same words, those
that the training text has; ends of sentences are words.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from corpora import folder
from measured import Measured

from softcount import LanguageModel, read

ORDER = 3
COLUMNS = {
    "model": "", "CPU s to train": ".1f", "CPU s to score": ",.1f", "CPU, times softcount's": ",.0f",
    "words scored": ",", "perplexity of these": ".1f", "softcount's of these": ".1f", "perplexity, <unk> too": ".1f",
}  # fmt: skip


def by_softcount(train: Path, test: Path) -> tuple[LanguageModel, float, float, float]:
    """(model, CPU s to read and train, CPU s to read and score, perplexity of known words)."""
    began = time.process_time()
    model = LanguageModel(ORDER).fit(read(train, format="plain"))
    trained = time.process_time()
    found = model.fluency(read(test, format="plain"))
    print(f"softcount: perplexity {found.perplexity:.2f}, without {found.unknown:,} unknown words "
          f"{found.perplexity_known:.2f}, of {found.tokens:,} words and ends", file=sys.stderr)  # fmt: skip
    return model, trained - began, time.process_time() - trained, found.perplexity_known


def by_nltk(train: Path, test: Path, patience: float) -> tuple[float, float, list[float], list[tuple[int, int]]]:
    """(CPU s to train, CPU s a word, log P of words, which words: line and place)."""
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import padded_everygram_pipeline

    began = time.process_time()
    lines = [line.split() for line in train.read_text(encoding="utf-8").splitlines()]
    model = KneserNeyInterpolated(ORDER)
    model.fit(*padded_everygram_pipeline(ORDER, lines))
    trained = time.process_time()
    logs, places, asked = [], [], 0
    for number, line in enumerate(test.read_text(encoding="utf-8").splitlines()):
        words = ["<s>", "<s>", *line.split(), "</s>"]
        for i in range(2, len(words)):
            p = model.score(words[i], words[i - 2 : i])
            asked += 1
            if words[i] in model.vocab and p > 0.0:
                logs.append(math.log(p))
                places.append((number, i - 2))
        if time.process_time() - trained > patience:
            break
    return trained - began, (time.process_time() - trained) / asked, logs, places


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patience", type=float, default=60.0, help="CPU seconds that NLTK may score for")
    data = folder("pos-brown-en")
    arguments = parser.parse_args()
    if data is None:
        return
    lines = (data / "all.tok").read_text(encoding="utf-8").splitlines()
    cut = len(lines) * 9 // 10
    with tempfile.TemporaryDirectory() as place:
        train, test = Path(place) / "train", Path(place) / "test"
        train.write_text("\n".join(lines[:cut]) + "\n", encoding="utf-8")
        test.write_text("\n".join(lines[cut:]) + "\n", encoding="utf-8")
        model, training, scoring, known = by_softcount(train, test)
        table = Measured("language-brown", COLUMNS)
        held_out = lines[cut:]
        found = model.log_probabilities(held_out)
        n_words = len(found.values)
        every = model.fluency(held_out)
        table.add("softcount", training, scoring, 1, n_words - every.unknown, known, known, every.perplexity)
        theirs, a_word, logs, places = by_nltk(train, test, arguments.patience)
        own = [found.row(line)[i] for line, i in places]
        ratio = (theirs + a_word * n_words) / (training + scoring)
        table.add("NLTK KneserNeyInterpolated", theirs, a_word * n_words, ratio, len(logs), math.exp(-np.mean(logs)),
                  math.exp(-np.mean(own)), None)  # fmt: skip
        print(f"training alone: {theirs / training:.0f} times softcount's", file=sys.stderr)
        agreement(model, held_out, Path(place))


def agreement(model: LanguageModel, lines: list[str], place: Path) -> None:
    try:
        import kenlm
    except ImportError:
        return
    model.write_arpa(place / "brown.arpa")
    theirs = kenlm.Model(str(place / "brown.arpa"))
    ours = model.score_samples(lines) / math.log(10)
    others = np.array([theirs.score(line) for line in lines])
    n_words = sum(len(line.split()) + 1 for line in lines)
    print(f"KenLM with our ARPA file: log10 P of a line differs by {np.abs(ours - others).max():.1e} at most, "
          f"perplexity {10 ** (-others.sum() / n_words):.2f}", file=sys.stderr)  # fmt: skip


if __name__ == "__main__":
    main()
