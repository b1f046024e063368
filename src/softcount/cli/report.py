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
    model: Annotated[Path, typer.Argument(help="A model that --save wrote.")],
    data: Annotated[list[str] | None, typer.Argument(help="Text for it: what its own command reads.")] = None,
    out: Annotated[Path, typer.Option(help="Write the page here.")] = Path("report.html"),
    gold: Annotated[str | None, typer.Option(help="The right answers: lines of tags, or of links.")] = None,
    by: Annotated[
        str | None, typer.Option(help="A class or a time of every document, one a line: topics or clusters by it.")
    ] = None,
    coherence: Annotated[
        bool, typer.Option("--coherence", help="Of each topic also NPMI and C_V of its top words, counted in DATA.")
    ] = False,
    tokenize: Tokenize = None,
    text_column: TextColumn = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages but errors.")] = False,
) -> None:
    """Write a page of what MODEL learned, and of what it makes of DATA; it opens in any browser, without a network.

    Example: **softcount report en-fr.model test.en test.fr --gold test.wa --out links.html**

    How coherent topics are: **softcount report topics.model docs.txt --coherence --out topics.html**

    Of the model alone: **softcount report tags.model --out tags.html**
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
            raise InputError("`softcount lm` has no --text-column; leave it away")
        return text_for(model, *files, tokenize=tokenize)
    known = registered(model.kind)
    if known is None or not known.command:
        raise InputError(f"{path}: no command reads text for this model; leave {files[0]} away")
    given = {"tokenize": tokenize, "text_column": text_column}
    return read_for(found_at(known.command), context, model, *files, **given)


def _coherence(model: Any, files: list[str], tokenize: str | None, text_column: str | None, quiet: bool) -> Any:
    from softcount.cli.documents import coherence_in
    from softcount.evaluate.topics import TOP

    if model.kind != "plsa" or not files:
        raise InputError("--coherence needs a model of topics, and documents as DATA; give both, or leave it away")
    if files[0] == "-":
        raise InputError("--coherence reads DATA twice, which standard input cannot be; give a file")
    return coherence_in(model, files[0], TOP, tokenize=tokenize, text_column=text_column, quiet=quiet, again=True)[1]


def _by(path: str, gold: str | None, kind: str, items: Any) -> list[str]:
    """A value for every document."""
    if items is None or gold is not None or kind not in DOCUMENTS:
        raise InputError(f"{path}: --by needs documents, and a model of topics or clusters; leave --by away")
    from softcount.text.source import lines

    values = [line.strip() for line in lines(path).to_pylist()]
    if len(values) != len(items):
        raise InputError(f"{path}: {len(values)} lines for {len(items)} documents; give a class or a time for each")
    return values


def _gold(path: str | None, kind: str, items: Any) -> Any:
    """Tags or links, in step with the text."""
    if path is None:
        return None
    if items is None or kind not in ("word aligner", "hmm", "crf autoencoder", "word classes"):
        raise InputError(f"{path}: gold needs the text it is of, and a model of tags or links; leave --gold away")
    if kind == "word aligner":
        from softcount.links.pharaoh import read_links

        links = read_links(path, len(items))
        if len(links) != len(items):
            raise InputError(f"{path}: {len(links)} lines of links for {len(items)} pairs; give as many")
        return links
    from softcount.text.reader import read

    tags = read(path, format="plain")
    if tags.sentences.lengths.tolist() != items.sentences.lengths.tolist():
        raise InputError(f"{path}: not in step with the text; give a tag for every word, line by line")
    return [tags.tokens(s) for s in range(len(tags))]
