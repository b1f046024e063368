"""softcount show: what a model has learned, to look at."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from softcount.cli.console import columns, open_model, preparation, say
from softcount.cli.options import IN, OUT, option
from softcount.errors import InputError

if TYPE_CHECKING:
    from softcount.report.overview import Overview

SENTENCE_KINDS = ("hmm", "word classes")
DOCUMENT_KINDS = ("plsa", "naive bayes mixture", "k-means")
EXAMPLES = 2  # of a class
SENTENCES = 5
HEAD = 5  # lines of a screen that are not classes


class Read(NamedTuple):
    """A text, as the model reads it."""

    sizes: Any  # [classes]
    examples: list[list[str]]
    sentences: list[list[str]]  # empty for documents
    labels: list[list[str]]


def show(
    model: Annotated[Path, typer.Argument(help="A model that --save wrote.")],
    text: Annotated[
        str | None,
        typer.Argument(help="Text or documents: sizes and examples of it; for an aligner, one file with both sides."),
    ] = None,
    top: Annotated[int, option(OUT, "Words shown per class, or entries of a glossary.", min=1)] = 10,
    as_text: Annotated[bool, option(OUT, "The sentences of TEXT, every word coloured by its class.", "--text")] = False,
    every: Annotated[bool, option(OUT, "All classes, also where the screen has no room.", "--all")] = False,
    colour: Annotated[
        bool | None, option(OUT, "Colours also where no terminal is, or none.", "--color/--no-color")
    ] = None,
    as_json: Annotated[bool, option(OUT, "Print one JSON object.", "--json")] = False,
    format: Annotated[str, option(IN, "Of TEXT, as for the command that trained the model.")] = "auto",
) -> None:
    """Show what MODEL has learned: every class, topic, cluster or state with its size and its most typical words.

    Example: **softcount show tagger.model**

    In context, and in colours: **softcount show tagger.model text.txt --text | less -R**
    """
    found = open_model(model, (), "show")
    if as_text and (text is None or found.kind not in SENTENCE_KINDS):
        raise InputError("--text needs TEXT and a model of sentences (tag, classes); give both, or leave it away")
    if found.kind == "word aligner":
        _aligner(found, text, top, as_json)
        return
    from softcount.report.overview import overview

    read = None if text is None else _read(found, text, format, top)
    seen = overview(found, top, None if read is None else read.sizes)
    if seen is None:
        _tables(found, text, as_json)
        return
    if read is not None:
        groups = [g._replace(examples=rows) for g, rows in zip(seen.groups, read.examples, strict=True)]
        seen = seen._replace(groups=groups)
    if as_json:
        print(json.dumps(_content(seen), ensure_ascii=False))
    else:
        _print(seen, read, f"{model}: {_title(found)}", as_text, every, colour)


def _title(model: Any) -> str:
    from softcount.registry import title

    sizes = ", ".join(f"{n:,} {what}" for what, n in model._sizes().items())
    return f"{title(model.kind)}: {sizes}" if sizes else title(model.kind)


def _content(seen: Overview) -> dict[str, Any]:
    classes = [
        {"name": g.name, seen.unit: g.size, "share": g.share, "words": g.words, "lift": g.lift, "probable": g.probable}
        | ({"examples": g.examples} if g.examples else {})
        for g in seen.groups
    ]
    return {"kind": seen.kind, "classes": classes}


# --- a text, as the model reads it ------------------------------------------------------------------------------------


def _read(model: Any, text: str, format: str, top: int) -> Read:
    if model.kind in SENTENCE_KINDS:
        return _sentences(model, text, format, top)
    if model.kind in DOCUMENT_KINDS:
        return _documents(model, text, format)
    raise InputError(f"{text}: a model of this kind is shown without a text; leave it away")


def _sentences(model: Any, text: str, format: str, top: int) -> Read:
    import numpy as np

    from softcount.cli.console import lower_cased
    from softcount.report.context import word_examples
    from softcount.report.overview import overview
    from softcount.text.reader import read

    prepare = preparation(model, None, None)
    chosen = columns(model, text, text_column=None)
    data = read(text, format=format, lowercase=lower_cased(model, False), prepare=prepare, **chosen)
    names = [str(name) for name in (model.states_ if model.kind == "hmm" else model.classes_)]
    labels = [[str(k) for k in row] for row in model.predict(data)]
    place = {name: k for k, name in enumerate(names)}
    flat = np.array([place[k] for row in labels for k in row], dtype=np.int64)
    sentences = [data.tokens(i) for i in range(len(data))]
    seen = overview(model, max(top, 50))
    assert seen is not None
    found = word_examples(sentences, labels, {group.name: group.words for group in seen.groups}, EXAMPLES)
    return Read(np.bincount(flat, minlength=len(names)), [found[name] for name in names], sentences, labels)


def _documents(model: Any, text: str, format: str) -> Read:
    import numpy as np

    from softcount.cli.console import lower_cased
    from softcount.report.context import beginning, document_examples
    from softcount.text.document_reader import read_documents
    from softcount.text.source import lines
    from softcount.text.table_file import is_binary_table

    chosen = columns(model, text, text_column=None, id_column=None)
    data = read_documents(text, format, lower_cased(model, False), preparation(model, None, None), **chosen)
    shares = model.transform(data) if model.kind == "plsa" else None
    if model.kind == "naive bayes mixture":
        shares = model.predict_proba(data)
    best = np.asarray(model.predict(data)) if shares is None else shares.argmax(axis=1)
    sure = np.zeros(len(data)) if shares is None else shares.max(axis=1)
    n_classes = model.n_clusters if shares is None else shares.shape[1]
    by_lines = text != "-" and Path(text).is_file() and not chosen and not is_binary_table(text)
    rows = lines(text) if by_lines else []
    by_lines = len(rows) == len(data)

    def name_of(d: int) -> str:
        if data.names:
            return str(data.names[d])
        return f"{d + 1}: {beginning(rows[d].as_py())}" if by_lines else f"document {d + 1}"

    examples = document_examples(best, sure, n_classes, name_of, EXAMPLES)
    return Read(np.bincount(best, minlength=n_classes), examples, [], [])


# --- on the screen ----------------------------------------------------------------------------------------------------


def _print(seen: Overview, read: Read | None, head: str, as_text: bool, every: bool, colour: bool | None) -> None:
    console = _console(colour)
    if not as_text:
        console.print(head, soft_wrap=True)
        if read is None and seen.kind == "hmm":
            console.print("  sizes are what the model expects; with TEXT they are counted", style="dim", soft_wrap=True)
        for line in _class_lines(seen, console, every, read is not None):
            console.print(line, soft_wrap=True)
    if read is None or not read.sentences:
        return
    if not as_text:
        console.print()
    chosen = range(len(read.sentences)) if as_text else _some(read.sentences)
    rows = [(read.sentences[s], read.labels[s]) for s in chosen]
    _print_sentences(console, rows, {group.name: group.words for group in seen.groups})


def _console(colour: bool | None) -> Any:
    from rich.console import Console

    return Console(
        highlight=False, emoji=False, markup=False, force_terminal=colour, no_color=True if colour is False else None,
        width=None if sys.stdout.isatty() else max(80, shutil.get_terminal_size().columns),
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
    _print_sentences(_console(None), rows, words)


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


def _class_lines(seen: Overview, console: Any, every: bool, of_text: bool) -> list[Any]:
    """One line a class, the greatest first, and below it its examples; as many as the screen has room for."""
    from rich.text import Text

    from softcount.report.columns import whole_words

    groups = sorted(seen.groups, key=lambda g: -g.size)
    each = 1 + of_text * EXAMPLES
    room = len(groups) if every or not sys.stdout.isatty() else max(3, (console.height - HEAD) // each)
    wide = max([len("class"), *(len(g.name) for g in groups)])
    number = max([len(seen.unit), *(len(f"{g.size:,}") for g in groups)])
    lines = [Text(f"  {'class':<{wide}}  {seen.unit:>{number}}  share  most typical words", style="bold")]
    for group in groups[:room]:
        start = f"  {group.name:<{wide}}  {group.size:>{number},}  {group.share:5.1%}  "
        width = None if not sys.stdout.isatty() else console.width - len(start)
        lines.append(Text(start + whole_words(group.words, width)))
        lines += [Text(f"  {'':<{wide}}    {example}", style="dim") for example in group.examples]
    if len(groups) > room:
        lines.append(Text(f"  … and {len(groups) - room} smaller ones: --all shows them", style="dim"))
    return lines


# --- other kinds ------------------------------------------------------------------------------------------------------


def _aligner(model: Any, text: str | None, top: int, as_json: bool) -> None:
    from softcount.report.aligner_overview import aligner_lines, aligner_overview
    from softcount.report.grid import print_grid
    from softcount.text.bitext_reader import read_bitext

    data = None if text is None else read_bitext(text, prepare=preparation(model, None, None))
    content = aligner_overview(model, top)
    if as_json:
        print(json.dumps(content, ensure_ascii=False))
        return
    for line in aligner_lines(content, _title(model)):
        print(line)
    if data is not None:
        print()
        print_grid(model, data, _short_pair(data))


def _short_pair(data: Any) -> int:
    """The first pair that fits on a screen."""
    fit = (data.longest >= 4) & (data.longest <= 20)
    return int(fit.argmax())


def _tables(model: Any, text: str | None, as_json: bool) -> None:
    """Of a kind of which nothing more is known: its tables and their greatest entries."""
    from softcount.report.tables import n_rows, tables

    if text is not None:
        say("note: TEXT has no effect with a model of this kind")
    shapes: dict[str, dict[str, Any]] = {
        name: {"rows": n_rows(table), "columns": list(table)}
        for name, table in tables(model)
        if not name.startswith("trace")
    }
    if as_json:
        print(json.dumps({"kind": model.kind, "classes": [], "tables": shapes}, ensure_ascii=False))
        return
    print(_title(model))
    for name, shape in shapes.items():
        columns = ", ".join(shape["columns"][:6]) + (" …" if len(shape["columns"]) > 6 else "")
        print(f"  {name}: {shape['rows']:,} rows of {columns}")
    print("  softcount export writes them")
