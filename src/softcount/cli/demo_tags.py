"""The part of softcount demo about tags: the states of an HMM beside gold tags, and beside plain EM."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from softcount.cli.demo_pages import Shown
from softcount.cli.summary import ending

if TYPE_CHECKING:
    from softcount.estimators.hmm import HMM

WORDS, SHOWN = 9, 4  # of a class, and classes with examples
VOCABULARY = 10.0  # times the words of the generated language, most of them rare, as in real text
EXAMPLES, LENGTHS = 6, (6, 10)  # sentences that are shown, and how long they are


class Tagged(NamedTuple):
    told: str
    file: str
    sentences: list[list[str]]
    tags: list[list[str]]


def own_text(folder: Path) -> Tagged:
    from softcount.text.reader import read

    data = read(folder / "sentences.conllu")
    sentences = [data.tokens(s) for s in range(len(data))]
    tags = [[tag or "_" for tag in data.tags(s)] for s in range(len(data))]
    return Tagged("English sentences, tagged by hand", "sentences.conllu --column none", sentences, tags)


def generated_text(n_sentences: int, seed: int) -> Tagged:
    from softcount.synthetic import language

    sample = language(n_sentences, seed=seed, vocabulary=VOCABULARY)
    return Tagged("A generated language", "text.txt", sample.sentences, sample.tags)


def demo_tags(console: Any, text: Tagged, states: int, criterion: str, restarts: int, seed: int) -> Shown:
    from softcount.estimators.hmm import HMM

    tokens = sum(map(len, text.sentences))
    types = len({word for sentence in text.sentences for word in sentence})
    console.print(
        f"[bold]{text.told}[/]: {len(text.sentences):,} sentences, {tokens:,} tokens, {types:,} words, "
        f"{len({t for tags in text.tags for t in tags})} tags. The tagger sees the words alone: "
        f"softcount tag {text.file} --states {states}\n"
    )
    usual = HMM(states, n_jobs=-1, random_state=seed)
    plain = HMM(states, criterion=criterion, start="random", restarts=restarts, n_jobs=-1, random_state=seed)
    seconds = [_train(model, text.sentences) for model in (usual, plain)]
    predicted = usual.predict(text.sentences)
    names = _print_states(console, usual, text, predicted)
    _print_contexts(console, usual, text)
    _print_examples(console, text, predicted, names)
    beside = f"{criterion}, best of {restarts} random starts" if restarts > 1 else f"{criterion} from a random start"
    _print_scores(console, text, {"softcount tag": predicted, beside: plain.predict(text.sentences)})
    for model, took in zip((usual, plain), seconds, strict=True):
        starts = len(model.restarts_)
        console.print(f"{starts} start{'s' * (starts > 1)} in {took:.1f} s; {ending(model)}", soft_wrap=True)
    return Shown("tags", usual, (text.sentences,), text.tags)


def _train(model: HMM, sentences: list[list[str]]) -> float:
    """Seconds."""
    began = time.perf_counter()
    model.fit(sentences)
    return time.perf_counter() - began


def _print_states(console: Any, model: HMM, text: Tagged, predicted: list[list[Any]]) -> dict[Any, str]:
    """What each state emits, and which gold tag its tokens mostly have."""
    from rich import box
    from rich.table import Table

    from softcount.report.columns import Words
    from softcount.report.overview import overview

    truth: dict[Any, Counter[str]] = {k: Counter() for k in model.top_words(1)}
    for gold, found in zip(text.tags, predicted, strict=True):
        for tag, k in zip(gold, found, strict=True):
            truth[k][tag] += 1
    table = Table(box=box.SIMPLE_HEAD, title="Hidden states beside gold tags", title_justify="left")
    for column, justify in (("state", "right"), ("tokens", "right"), ("mostly", "left"), ("share", "right")):
        table.add_column(column, justify=justify, no_wrap=True, min_width=6)  # type: ignore[arg-type]
    table.add_column("its top words")
    names = {}
    seen = overview(model, WORDS)
    assert seen is not None
    typical = {group.name: group.words for group in seen.groups}
    for k in sorted(truth, key=lambda k: (truth[k].most_common(1)[0][0] if truth[k] else "~", -truth[k].total())):
        tag, hits = truth[k].most_common(1)[0] if truth[k] else ("–", 0)
        names[k] = tag
        share = f"{hits / truth[k].total():.0%}" if truth[k] else ""
        table.add_row(str(k), f"{truth[k].total():,}", tag, share, Words(typical[str(k)]))
    console.print(table)
    return names


def _print_contexts(console: Any, model: HMM, text: Tagged) -> None:
    """The largest classes as softcount show prints them: with their most typical words, and these in context."""
    from softcount.cli.show_screen import print_overview, with_examples
    from softcount.cli.show_text import labelled
    from softcount.report.overview import overview
    from softcount.text.corpus import corpus

    read = labelled(model, corpus(text.sentences), WORDS)
    seen = overview(model, WORDS, read.sizes)
    assert seen is not None
    head = f"softcount show tags.model {text.file.split()[0]}, in part: sizes, top words, and these in context"
    print_overview(console, with_examples(seen, read), read._replace(sentences=[]), head, most=SHOWN)
    console.print()


def _print_examples(console: Any, text: Tagged, predicted: list[list[Any]], names: dict[Any, str]) -> None:
    """A few sentences: the gold tag, then the learned one where it differs."""
    from rich.text import Text

    console.print(
        "[bold]A few sentences[/], each word with its gold tag, then in red with a learned one that differs\n"
    )
    rows = zip(text.sentences, text.tags, predicted, strict=True)
    short = (row for row in rows if LENGTHS[0] <= len(row[0]) <= LENGTHS[1])
    for (words, gold, found), _ in zip(short, range(EXAMPLES), strict=False):
        line = Text("  ")
        for word, tag, k in zip(words, gold, found, strict=True):
            line.append(word, style="bold").append(f"/{tag}", style="dim")
            if names[k] != tag:
                line.append(f"→{names[k]}", style="red")
            line.append("  ")
        console.print(line, soft_wrap=True)
    console.print()


def _print_scores(console: Any, text: Tagged, found: dict[str, list[list[Any]]]) -> None:
    from rich import box
    from rich.table import Table

    from softcount.evaluate import score_tags

    table = Table(box=box.SIMPLE_HEAD, title="Learned tags against gold tags", title_justify="left")
    table.add_column("")
    for name in ("many-to-one", "one-to-one", "VI, bits", "V-measure"):
        table.add_column(name, justify="right")
    single = {"everything in one class": [[0] * len(tags) for tags in text.tags]}
    for name, tags in (single | found).items():
        s = score_tags(text.tags, tags)
        table.add_row(name, f"{s.many_to_one:.3f}", f"{s.one_to_one:.3f}", f"{s.vi_bits:.3f}", f"{s.v_measure:.3f}")
    console.print(table)
