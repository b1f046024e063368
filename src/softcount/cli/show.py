"""softcount show: what a model has learned, to look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softcount.cli.console import note_old_ranking, open_model, preparation, say
from softcount.cli.options import IN, OUT, TextColumn, Tokenize, option
from softcount.cli.show_screen import console_for, print_overview, room_for, with_examples
from softcount.cli.show_text import SENTENCE_KINDS, read_for
from softcount.cli.watched import watched
from softcount.errors import InputError
from softcount.machine import stage
from softcount.machine.streams import put

if TYPE_CHECKING:
    from softcount.report.overview import Overview


@watched
def show(
    model: Annotated[Path, typer.Argument(help="Model written by --save.")],
    text: Annotated[
        str | None,
        typer.Argument(help="Text or documents for sizes and examples; for an aligner, pairs or the source text."),
    ] = None,
    target: Annotated[
        str | None, typer.Argument(help="Target text for an aligner, unless TEXT has both sides.")
    ] = None,
    top: Annotated[int, option(OUT, "Number of words per class, or entries of a glossary.", min=1)] = 10,
    as_text: Annotated[
        bool, option(OUT, "Print the sentences of TEXT with every word colored by its class.", "--text")
    ] = False,
    every: Annotated[bool, option(OUT, "Do not truncate the list of classes.", "--all")] = False,
    colour: Annotated[
        bool | None, option(OUT, "Use colors even without a terminal, or never.", "--color/--no-color")
    ] = None,
    as_json: Annotated[bool, option(OUT, "Print one JSON object.", "--json")] = False,
    format: Annotated[str, option(IN, "Format of TEXT, as in the command that trained the model.")] = "auto",
    tokenize: Tokenize = None,
    text_column: TextColumn = None,
) -> None:
    """Show what MODEL has learned: each class, topic, cluster or state with its size and top words.

    Example: **softcount show tagger.model**

    In context and in color: **softcount show tagger.model text.txt --text --color | less -R**

    Show an aligner, with one pair as a grid: **softcount show en-fr.model text.en text.fr**
    """
    found = open_model(model, (), "show")
    if as_text and (text is None or found.kind not in SENTENCE_KINDS):
        raise InputError("--text needs TEXT and a model of sentences (tag, classes); give both, or omit --text")
    if found.kind == "word aligner":
        _aligner(found, text, target, top, tokenize, as_json)
        return
    if target is not None:
        raise InputError(f"{target}: only an aligner takes a second text; omit it")
    from softcount.report.overview import overview

    read = None if text is None else read_for(found, text, format, top, tokenize, text_column)
    stage.begin("inspecting the model")
    seen = overview(found, top, None if read is None else read.sizes)
    if seen is None:
        _tables(found, text, as_json)
        return
    if found.kind == "plsa":
        note_old_ranking(found, say)
    if read is not None:
        seen = with_examples(seen, read)
    if as_json:
        put(json.dumps(_content(seen), ensure_ascii=False))
        return
    console = console_for(colour)
    most = None if every else room_for(console, read is not None, any(group.features for group in seen.groups))
    print_overview(console, seen, read, f"{model}: {_title(found)}", as_text, most)


def _title(model: Any) -> str:
    from softcount.registry import title

    sizes = ", ".join(f"{n:,} {what}" for what, n in model._sizes().items())
    return f"{title(model.kind)}: {sizes}" if sizes else title(model.kind)


def _content(seen: Overview) -> dict[str, Any]:
    classes = [
        {
            "name": g.name,
            seen.unit.replace(" ", "_"): g.size,
            "share": g.share,
            "words": g.words,
            "lift": g.lift,
            "probable": g.probable,
        }
        | ({} if g.prevalence is None else {"prevalence": g.prevalence})
        | ({"examples": g.examples} if g.examples else {})
        | ({"features": g.features} if g.features else {})
        for g in seen.groups
    ]
    ranked = {} if seen.ranked_by is None else {"ranked_by": seen.ranked_by}
    return {"kind": seen.kind, "classes": classes, **ranked}


# --- other kinds ------------------------------------------------------------------------------------------------------


def _aligner(model: Any, text: str | None, target: str | None, top: int, tokenize: str | None, as_json: bool) -> None:
    from softcount.report.aligner_overview import aligner_lines, aligner_overview
    from softcount.report.grid import print_grid
    from softcount.text.bitext_reader import read_bitext

    data = None if text is None else read_bitext(text, target, prepare=preparation(model, tokenize, None))
    content = aligner_overview(model, top)
    if as_json:
        put(json.dumps(content, ensure_ascii=False))
        return
    for line in aligner_lines(content, _title(model)):
        put(line)
    if data is not None:
        put()
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
        put(json.dumps({"kind": model.kind, "classes": [], "tables": shapes}, ensure_ascii=False))
        return
    put(_title(model))
    for name, shape in shapes.items():
        columns = ", ".join(shape["columns"][:6]) + (" …" if len(shape["columns"]) > 6 else "")
        put(f"  {name}: {shape['rows']:,} rows of {columns}")
    put("  softcount export writes them")
