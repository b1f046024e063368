"""Whether the texts that come with softcount are as varied as ordinary text, beside corpora of the same kind.

    python bench/bench_texts.py

Per text: tokens per line, distinct words per 100 tokens of the first 5,000 (type–token ratio), and the share of 4-grams
that occur more than once. Corpora that are not there are skipped.
"""

from __future__ import annotations

import csv
from collections import Counter
from importlib.resources import files
from pathlib import Path
from statistics import mean, pstdev

from softcount.text.tokenizer import tokenize

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FIRST = 5_000  # tokens: ratios of texts of different sizes cannot be compared


def figures(lines: list[list[str]]) -> tuple[float, float, float, float]:
    lengths = [len(line) for line in lines if line]
    tokens = [word.lower() for line in lines for word in line][:FIRST]
    grams = Counter(zip(*(tokens[n:] for n in range(4)), strict=False))
    repeated = sum(count for count in grams.values() if count > 1) / max(1, sum(grams.values()))
    return mean(lengths), pstdev(lengths), 100 * len(set(tokens)) / len(tokens), 100 * repeated


def own(name: str) -> list[list[str]]:
    text = (files("softcount") / "texts" / name).read_text(encoding="utf-8")
    lines = (
        [row["text"] for row in csv.DictReader(text.splitlines(), delimiter="\t")]
        if name.endswith("tsv")
        else text.splitlines()
    )
    return [tokenize(line).split() for line in lines]


def corpus(path: str) -> list[list[str]] | None:
    place = DATA / path
    if not place.is_file():
        print(f"skipped: {place} is not here")
        return None
    return [line.split() for line in place.read_text(encoding="utf-8").splitlines()[:2000]]


def main() -> None:
    texts = {f"softcount: {name}": own(name) for name in ("everyday.en", "everyday.de", "everyday.es", "articles.tsv")}
    for name, path in {
        "Hansards, English": "hansards-en-fr/train.src",
        "Europarl, English": "europarl-en-es/train.src",
        "Europarl, Spanish": "europarl-en-es/train.tgt",
        "20 Newsgroups": "docs-20news-en/train.txt",
    }.items():
        if (lines := corpus(path)) is not None:
            texts[name] = lines
    print("text\tlines\ttokens per line\tstandard deviation\ttypes per 100 tokens\trepeated 4-grams, %")
    for name, lines in texts.items():
        print(name, len(lines), *(f"{number:.1f}" for number in figures(lines)), sep="\t")


if __name__ == "__main__":
    main()
