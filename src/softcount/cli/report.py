"""softcount report: a page of what a model learned, and of what it makes of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from softcount.cli.console import check_writable, open_model, say, write_whole
from softcount.cli.options import TextColumn, Tokenize
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine import stage

DOCUMENTS = ("plsa", "naive bayes mixture", "k-means", "gaussian mixture")


@watched
def report(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="Model written by --save.")],
    data: Annotated[list[str] | None, typer.Argument(help="Data for the model, in a form its command accepts.")] = None,
    out: Annotated[Path, typer.Option(help="Output file (HTML).")] = Path("report.html"),
    gold: Annotated[str | None, typer.Option(help="Gold tags or gold links of DATA, line by line.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Class or time of every document, one per line; the page breaks down topics or clusters by it."
        ),
    ] = None,
    coherence: Annotated[
        bool,
        typer.Option("--coherence", help="Show the coherence of each topic (NPMI and C_V of its top words in DATA)."),
    ] = False,
    tokenize: Tokenize = None,
    text_column: TextColumn = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Write an HTML page about MODEL and its output for DATA, to open in any browser without a network connection.

    Example: **softcount report en-fr.model test.en test.fr --gold test.wa --out links.html**

    With the coherence of topics: **softcount report topics.model docs.txt --coherence --out topics.html**

    Model only: **softcount report tags.model --out tags.html**
    """
    from softcount.report.page.model import write_page

    files = data or []
    check_writable(out, inputs=(model, gold, by, *files))
    trained = open_model(model, (), "report")
    items = _items(context, model, trained, files, tokenize, text_column) if files else None
    scores = None
    if coherence:
        scores = _coherence(trained, files, tokenize, text_column, quiet)
    right = _gold(gold, trained.kind, items) if by is None else _by(by, gold, trained.kind, items)
    stage.begin(f"writing {out}")
    write_whole(out, lambda path: write_page(path, trained, items, right, scores))
    say(f"wrote {out}", quiet)


def _items(
    context: typer.Context, path: Path, model: Any, files: list[str], tokenize: str | None, text_column: str | None
) -> Any:
    """What the model's own command reads of these files."""
    from softcount.cli.training import read_for
    from softcount.registry import found_at, registered

    if model.kind == "language model":
        from softcount.cli.lm import text_for

        if text_column is not None:
            raise InputError("`softcount lm` has no option --text-column; omit it")
        return text_for(model, *files, tokenize=tokenize)
    known = registered(model.kind)
    if known is None or not known.command:
        raise InputError(f"{path}: a model of this kind has no text to show; omit {files[0]}")
    given = {"tokenize": tokenize, "text_column": text_column}
    return read_for(found_at(known.command), context, model, *files, **given)


def _coherence(model: Any, files: list[str], tokenize: str | None, text_column: str | None, quiet: bool) -> Any:
    from softcount.cli.documents import coherence_in
    from softcount.evaluate.topics import TOP

    if model.kind != "plsa" or not files:
        raise InputError("--coherence needs a topic model and documents as DATA; give both, or omit --coherence")
    if files[0] == "-":
        raise InputError("--coherence reads DATA twice and cannot use stdin; give a file")
    return coherence_in(model, files[0], TOP, tokenize=tokenize, text_column=text_column, quiet=quiet, again=True)[1]


def _by(path: str, gold: str | None, kind: str, items: Any) -> list[str]:
    """A value for every document."""
    if items is None or gold is not None or kind not in DOCUMENTS:
        raise InputError(f"{path}: --by needs documents and a model of topics or clusters; omit --by")
    from softcount.text.source import lines

    values = [line.strip() for line in lines(path).to_pylist()]
    if len(values) != len(items):
        raise InputError(f"{path}: {len(values)} lines for {len(items)} documents; give one line per document")
    return values


def _gold(path: str | None, kind: str, items: Any) -> Any:
    """Tags or links, in step with the text."""
    if path is None:
        return None
    if items is None or kind not in ("word aligner", "hmm", "crf autoencoder", "word classes"):
        raise InputError(f"{path}: --gold needs DATA and a tagger or aligner; give both, or omit --gold")
    if kind == "word aligner":
        from softcount.links.pharaoh import read_links

        links = read_links(path, len(items))
        if len(links) != len(items):
            raise InputError(f"{path}: {len(links)} lines of links for {len(items)} pairs; give one line per pair")
        return links
    from softcount.text.reader import read

    tags = read(path, format="plain")
    if tags.sentences.lengths.tolist() != items.sentences.lengths.tolist():
        raise InputError(f"{path}: lengths differ from the text; give one tag per word, line by line")
    return [tags.tokens(s) for s in range(len(tags))]
