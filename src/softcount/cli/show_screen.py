"""What a model has learned, on the screen: classes with their words and examples, and sentences in colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softcount.cli.show_text import EXAMPLES
from softcount.machine.streams import columns, is_screen, results

if TYPE_CHECKING:
    from softcount.cli.show_text import Read
    from softcount.report.overview import Overview

SENTENCES = 5
HEAD = 5  # lines of a screen that are not classes


def print_overview(
    console: Any, seen: Overview, read: Read | None, head: str, as_text: bool = False, most: int | None = None
) -> None:
    """At most so many classes; `as_text`: nothing but the sentences, all of them."""
    from softcount.report.overview import EXPECTED

    if not as_text:
        console.print(head, soft_wrap=True)
        if seen.unit == EXPECTED:
            note = "  expected tokens follow from the model's probabilities; give TEXT for the tokens of each class"
            console.print(note, style="dim", soft_wrap=True)
        for line in _class_lines(seen, console, most):
            console.print(line, soft_wrap=True)
    if read is None or not read.sentences:
        return
    if not as_text:
        console.print()
    chosen = range(len(read.sentences)) if as_text else _some(read.sentences)
    rows = [(read.sentences[s], read.labels[s]) for s in chosen]
    _print_sentences(console, rows, {group.name: group.words for group in seen.groups})


def console_for(colour: bool | None) -> Any:
    from rich.console import Console

    return Console(
        highlight=False, emoji=False, markup=False, force_terminal=colour, no_color=True if colour is False else None,
        file=results(), width=columns() if is_screen() else max(80, columns()),
    )  # fmt: skip


def print_tagged(model: Any, data: Any, tags: list[list[Any]], names: dict[str, str]) -> None:
    """What softcount tag --show prints: all sentences, and a legend."""
    from softcount.report.overview import overview

    seen = overview(model, 10)
    assert seen is not None
    words: dict[str, list[str]] = {}
    for group in seen.groups:
        words.setdefault(names.get(group.name, group.name), []).extend(group.words[:3])
    rows = [(data.tokens(s), [str(tag) for tag in row]) for s, row in enumerate(tags)]
    _print_sentences(console_for(None), rows, words)


def _print_sentences(console: Any, rows: list[tuple[list[str], list[str]]], words: dict[str, list[str]]) -> None:
    """`words` are the typical ones of each class, for the legend."""
    from softcount.report.coloured import coloured, labelled, legend, styles

    plain = not console.is_terminal or console.no_color
    style = styles(list(words), many=console.color_system != "standard")
    for sentence, names in rows:
        console.print(labelled(sentence, names) if plain else coloured(sentence, names, style), soft_wrap=True)
    if not plain:
        console.print()
        for line in legend(words, style, console.width):
            console.print(line, soft_wrap=True)


def _some(sentences: list[list[str]]) -> list[int]:
    """A few that are neither very short nor longer than a line."""
    fit = [s for s, words in enumerate(sentences) if 5 <= len(words) <= 14]
    return (fit or [s for s, words in enumerate(sentences) if words])[:SENTENCES]


def room_for(console: Any, of_text: bool, featured: bool) -> int | None:
    """How many classes the screen shows; None: all, because there is no screen."""
    return max(3, (console.height - HEAD) // (1 + featured + of_text * EXAMPLES)) if is_screen() else None


def with_examples(seen: Overview, read: Read) -> Overview:
    groups = [g._replace(examples=rows) for g, rows in zip(seen.groups, read.examples, strict=True)]
    return seen._replace(groups=groups)


def _class_lines(seen: Overview, console: Any, most: int | None) -> list[Any]:
    """One line a class, the greatest first, and below it its examples."""
    from rich.text import Text

    from softcount.report.columns import whole_words

    groups = sorted(seen.groups, key=lambda g: -g.size)
    room = len(groups) if most is None else most
    wide = max([len("class"), *(len(g.name) for g in groups)])
    number = max([len(seen.unit), *(len(f"{g.size:,}") for g in groups)])
    topics = seen.kind == "plsa"  # which have two shares: of documents, each of one topic; and of the tokens
    shares = "of documents  of tokens" if topics else "share"
    lines = [Text(f"  {'class':<{wide}}  {seen.unit:>{number}}  {shares}  top words", style="bold")]
    for group in groups[:room]:
        start = f"  {group.name:<{wide}}  {group.size:>{number},}  {group.share:{12 if topics else 5}.1%}  "
        if group.prevalence is not None:
            start += f"{group.prevalence:9.1%}  "
        width = None if not is_screen() else console.width - len(start)
        lines.append(Text(start + whole_words(group.words, width)))
        if group.features:
            lines.append(Text(f"{'':<{len(start)}}{whole_words(group.features, width)}", style="italic"))
        lines += [Text(f"  {'':<{wide}}    {example}", style="dim") for example in group.examples]
    if len(groups) > room:
        lines.append(Text(f"  … and {len(groups) - room} smaller ones; --all shows them", style="dim"))
    return lines
