"""The part of softcount demo about word classes: words with similar distributions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from softcount.cli.demo_pages import Shown

CLASSES, WORDS = 12, 10


def demo_classes(console: Any, folder: Path, seed: int) -> Shown:
    from rich import box
    from rich.table import Table

    from softcount.estimators.word_classes import WordClasses
    from softcount.report.columns import Words
    from softcount.text.reader import read

    data = replace(read(folder / "everyday.en", tokenize="rules", lowercase=True), source="everyday.en")
    model = WordClasses(CLASSES, random_state=seed).fit(data)
    console.print(
        f"\n[bold]Word classes[/]: {len(data):,} English sentences, every word in the one class that suits it best: "
        f"softcount classes everyday.en --classes {CLASSES} --tokenize --lowercase\n"
    )
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("class", justify="right", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    table.add_column("its most frequent words")
    words = {k: words for k, words in model.top_words(len(data.vocabulary)).items()}
    for k in sorted(words, key=lambda k: -sum(n for _, n in words[k])):
        table.add_row(str(k), f"{sum(n for _, n in words[k]):,}", Words([word for word, _ in words[k][:WORDS]]))
    console.print(table)
    return Shown("classes", model, (data,))
