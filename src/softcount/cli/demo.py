"""softcount demo: learn the word classes of a small language from its text alone, and show them beside the truth."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.demo_pages import Shown, check_folder, write_pages
from softcount.cli.progress import Progress
from softcount.cli.summary import ending
from softcount.machine.streams import columns, results

if TYPE_CHECKING:
    from softcount.estimators.hmm import HMM


WORDS, SHOWN = 9, 4  # of a class, and classes with examples
VOCABULARY = 10.0  # times the words of the small language, most of them rare, as in real text


def demo(
    sentences: Annotated[int, typer.Option("--sentences", "-n", min=10, help="Size of the generated text.")] = 3_000,
    states: Annotated[int, typer.Option(min=1, help="How many word classes to look for.")] = 18,
    criterion: Annotated[
        str, typer.Option(help="What stands beside: how it is trained, from random starts.")
    ] = "em:100",
    restarts: Annotated[int, typer.Option(min=1, help="It is the best of so many.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the text and of training.")] = 0,
    pages: Annotated[
        Path | None, typer.Option(help="A folder for a page of each task, to look at in a browser.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress line.")] = False,
) -> None:
    """Train on a generated language and show what was learned next to the truth, and next to plain EM.

    Example: **softcount demo**

    Smaller, beside variational Bayes: **softcount demo --sentences 2000 --states 12 --criterion vb**
    """
    from rich.console import Console

    from softcount.estimators.hmm import HMM
    from softcount.synthetic import language

    if pages is not None:
        check_folder(pages)
    console = Console(highlight=False, emoji=False, file=results(), width=columns())
    text = language(sentences, seed=seed, vocabulary=VOCABULARY)
    tokens = sum(map(len, text.sentences))
    types = len({word for sentence in text.sentences for word in sentence})
    console.print(
        f"[bold]A small language[/]: {sentences:,} sentences, {tokens:,} tokens, {types:,} words, "
        f"{len({t for tags in text.tags for t in tags})} parts of speech. The tagger sees the words alone.\n"
    )
    usual = HMM(states, n_jobs=-1, random_state=seed)
    plain = HMM(states, criterion=criterion, start="random", restarts=restarts, n_jobs=-1, random_state=seed)
    seconds = [_trained(model, text.sentences, quiet) for model in (usual, plain)]
    predicted = usual.predict(text.sentences)
    names = _classes(console, usual, text, predicted)
    _shown(console, usual, text)
    _examples(console, text, predicted, names)
    beside = f"{criterion} from random starts" if restarts > 1 else f"{criterion} from a random start"
    found = {"softcount tag": predicted, beside: plain.predict(text.sentences)}
    _scores(console, text, found)
    for model, took in zip((usual, plain), seconds, strict=True):
        _ended(console, model, took)
    from softcount.cli.demo_decipher import demo_decipher
    from softcount.cli.demo_documents import demo_documents
    from softcount.cli.demo_grammar import demo_grammar
    from softcount.cli.demo_network import demo_network

    shown = [
        Shown("tags", usual, (text.sentences,), text.tags),
        _alignment(console, sentences, seed),
        *demo_documents(console, seed),
        demo_network(console, seed),
        demo_grammar(console, seed),
        demo_decipher(console, text.sentences, seed),
    ]
    if pages is not None:
        write_pages(console, pages, shown)


def _trained(model: HMM, sentences: list[list[str]], quiet: bool) -> float:
    """Seconds."""
    began = time.perf_counter()
    with Progress(quiet, model.restarts) as progress:
        model.fit(sentences, on_step=progress)
    return time.perf_counter() - began


def _alignment(console: Any, n_pairs: int, seed: int) -> Shown:
    """A second language, its words linked to the first's, one pair as a grid beside the truth."""
    from softcount.estimators.aligner import WordAligner
    from softcount.evaluate.links import count_links, link_scores, total
    from softcount.links.pharaoh import PairLinks
    from softcount.report.aligner_overview import aligner_lines, aligner_overview
    from softcount.report.grid import grid, joint
    from softcount.synthetic import bilingual

    pairs = bilingual(n_pairs, seed=seed)
    began = time.perf_counter()
    model = WordAligner(n_jobs=-1).fit(pairs.source, pairs.target)
    found = model.align(pairs.source, pairs.target)
    seconds = time.perf_counter() - began
    scores = link_scores(total(map(count_links, found, pairs.links)))
    console.print(
        f"\n[bold]A second language[/]: {n_pairs:,} pairs, aligned in {seconds:.1f} s without a single known link."
    )
    console.print(f"AER {scores.aer:.3f}, precision {scores.precision:.3f}, recall {scores.recall:.3f}\n")
    for line in aligner_lines(
        aligner_overview(model, WORDS), "softcount show pairs.model: what the aligner has learned"
    ):
        console.print(line, markup=False, soft_wrap=True)
    console.print()
    best = min(range(n_pairs), key=lambda s: (abs(len(pairs.source[s]) - 10), abs(len(pairs.links[s]) - 11)))
    source, target = pairs.source[best], pairs.target[best]
    shares = joint(model.posteriors([source], [target])[0])
    for line in grid(source, target, shares, set(found[best]), set(pairs.links[best])):
        console.print(line, markup=False, soft_wrap=True)
    console.print(
        "[ ] a link that was found, ! it is wrong, * a true link that was missed; shading: its probability",
        markup=False,
    )
    gold = [PairLinks(set(links), set()) for links in pairs.links]
    return Shown("links", model, (pairs.source, pairs.target), gold)


def _classes(console: Any, model: HMM, text: Any, predicted: list[list[Any]]) -> dict[Any, str]:
    """What each state emits, and which true tag its tokens mostly have."""
    from collections import Counter

    from rich import box
    from rich.table import Table

    from softcount.report.columns import Words
    from softcount.report.overview import overview

    truth: dict[Any, Counter[str]] = {k: Counter() for k in model.top_words(1)}
    for gold, found in zip(text.tags, predicted, strict=True):
        for tag, k in zip(gold, found, strict=True):
            truth[k][tag] += 1
    table = Table(box=box.SIMPLE_HEAD, title="What each hidden state learned, beside the truth", title_justify="left")
    for column, justify in (("state", "right"), ("tokens", "right"), ("mostly", "left"), ("share", "right")):
        table.add_column(column, justify=justify, no_wrap=True, min_width=6)  # type: ignore[arg-type]
    table.add_column("its most typical words")
    names = {}
    seen = overview(model, 9)
    assert seen is not None
    typical = {group.name: group.words for group in seen.groups}
    for k in sorted(truth, key=lambda k: (truth[k].most_common(1)[0][0] if truth[k] else "~", -truth[k].total())):
        tag, hits = truth[k].most_common(1)[0] if truth[k] else ("–", 0)
        names[k] = tag
        share = f"{hits / truth[k].total():.0%}" if truth[k] else ""
        table.add_row(str(k), f"{truth[k].total():,}", tag, share, Words(typical[str(k)]))
    console.print(table)
    return names


def _shown(console: Any, model: HMM, text: Any) -> None:
    """The greatest classes as softcount show has them: with their most typical words, and these in context."""
    from softcount.cli.show_screen import print_overview, with_examples
    from softcount.cli.show_text import labelled
    from softcount.report.overview import overview
    from softcount.text.corpus import corpus

    read = labelled(model, corpus(text.sentences), WORDS)
    seen = overview(model, WORDS, read.sizes)
    assert seen is not None
    head = "softcount show tags.model text.txt, in part: sizes, most typical words, and these in context"
    print_overview(console, with_examples(seen, read), read._replace(sentences=[]), head, most=SHOWN)
    console.print()


def _examples(console: Any, text: Any, predicted: list[list[Any]], names: dict[Any, str]) -> None:
    """A few sentences with an ambiguous word: true tag above, learned tag below where it differs."""
    from rich.text import Text

    console.print("[bold]A few sentences[/], each word with its tag: the truth, then in red what was learned instead\n")
    shown = 0
    for words, gold, found in zip(text.sentences, text.tags, predicted, strict=True):
        if not 6 <= len(words) <= 8:
            continue
        line = Text("  ")
        for word, tag, k in zip(words, gold, found, strict=True):
            line.append(word, style="bold").append(f"/{tag}", style="dim")
            if names[k] != tag:
                line.append(f"→{names[k]}", style="red")
            line.append("  ")
        console.print(line, soft_wrap=True)
        shown += 1
        if shown == 6:
            break
    console.print()


def _scores(console: Any, text: Any, found: dict[str, list[list[Any]]]) -> None:
    from rich import box
    from rich.table import Table

    from softcount.evaluate import score_tags

    table = Table(box=box.SIMPLE_HEAD, title="Learned tags against true tags", title_justify="left")
    table.add_column("")
    for name in ("many-to-one", "one-to-one", "VI, bits", "V-measure"):
        table.add_column(name, justify="right")
    single = {"everything in one class": [[0] * len(tags) for tags in text.tags]}
    for name, tags in (single | found).items():
        s = score_tags(text.tags, tags)
        table.add_row(name, f"{s.many_to_one:.3f}", f"{s.one_to_one:.3f}", f"{s.vi_bits:.3f}", f"{s.v_measure:.3f}")
    console.print(table)


def _ended(console: Any, model: HMM, seconds: float) -> None:
    starts = len(model.restarts_)
    console.print(f"{starts} start{'s' * (starts > 1)} in {seconds:.1f} s; {ending(model)}", soft_wrap=True)
    console.print(f"[dim]{model.signature_}[/]", soft_wrap=True)
