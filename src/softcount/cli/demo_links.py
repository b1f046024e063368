"""The part of softcount demo about bitext: links between the words of translations, beside gold links."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from softcount.cli.demo_pages import Shown
from softcount.links.pharaoh import PairLinks

WORDS = 9  # rows of the lexicon
LENGTH = 10  # tokens of the pair that is drawn


class Pairs(NamedTuple):
    told: str
    files: str
    by: str  # whom the gold links are by
    source: list[list[str]]
    target: list[list[str]]
    gold: list[PairLinks]  # of the first pairs


def own_pairs(folder: Path) -> Pairs:
    from softcount.links.pharaoh import read_links
    from softcount.text.bitext_reader import read_bitext
    from softcount.text.preparation import preparation_of

    data = read_bitext(folder / "everyday.en", folder / "everyday.de", prepare=preparation_of("rules", None))
    source, target = ([side.tokens(s) for s in range(len(data))] for side in (data.source, data.target))
    gold = read_links(folder / "everyday.en-de.links")
    return Pairs("English and German", "everyday.en everyday.de --tokenize", "linked by hand", source, target, gold)


def generated_pairs(n_pairs: int, seed: int) -> Pairs:
    from softcount.synthetic import bilingual

    pairs = bilingual(n_pairs, seed=seed)
    gold = [PairLinks(set(links), set()) for links in pairs.links]
    return Pairs(
        "A generated language and its translation",
        "text.txt other.txt",
        "whose links are known",
        pairs.source,
        pairs.target,
        gold,
    )


def demo_links(console: Any, pairs: Pairs) -> Shown:
    from softcount.estimators.aligner import WordAligner
    from softcount.evaluate.links import count_links, link_scores, total
    from softcount.report.aligner_overview import aligner_lines, aligner_overview
    from softcount.report.grid import grid, joint

    began = time.perf_counter()
    model = WordAligner(n_jobs=-1).fit(pairs.source, pairs.target)
    seconds = time.perf_counter() - began
    n_gold = len(pairs.gold)
    source, target = pairs.source[:n_gold], pairs.target[:n_gold]
    found = model.align(source, target)
    sure, possible = ([set(one.sure) for one in pairs.gold], [set(one.possible) for one in pairs.gold])
    scores = link_scores(total(map(count_links, found, sure, possible)))
    console.print(
        f"\n[bold]{pairs.told}[/]: {len(pairs.source):,} pairs of sentences, aligned in {seconds:.1f} s from the words "
        f"alone: softcount align {pairs.files}"
    )
    console.print(
        f"Against {n_gold:,} pairs {pairs.by}: AER {scores.aer:.3f}, precision {scores.precision:.3f}, "
        f"recall {scores.recall:.3f}\n"
    )
    for line in aligner_lines(
        aligner_overview(model, WORDS), "softcount show pairs.model: what the aligner has learned"
    ):
        console.print(line, markup=False, soft_wrap=True)
    console.print()
    best = min(range(n_gold), key=lambda s: (abs(len(source[s]) - LENGTH), abs(len(target[s]) - LENGTH)))
    shares = joint(model.posteriors([source[best]], [target[best]])[0])
    for line in grid(source[best], target[best], shares, set(found[best]), sure[best]):
        console.print(line, markup=False, soft_wrap=True)
    console.print(
        "[ ] a link that was found, ! it is not a sure gold link, * a sure gold link that was missed; "
        "shading: its probability",
        markup=False,
    )
    return Shown("links", model, (source, target), pairs.gold)
